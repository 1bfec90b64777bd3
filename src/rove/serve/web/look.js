// How the page looks, and in which language: what settings and the sign-in let choose.

export const LANGUAGE_NAMES = { en: "English", de: "Deutsch", hu: "Magyar", zh: "中文", ja: "日本語" };
