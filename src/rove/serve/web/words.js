// The page's own words in the reader's language: `lang/*.json`, with {slots} that are filled as text.

let words = {};
let fallback = {};

async function load(language) {
  const reply = await fetch(`web/lang/${language}.json`);
  return reply.ok ? reply.json() : {};
}

/** Fetch the words of a language; what it lacks is said in English. */
export async function speak(language) {
  [words, fallback] = await Promise.all([load(language), language === "en" ? {} : load("en")]);
  document.documentElement.lang = language;
}

/** How dates and numbers are written: as the reader's own browser does in the language of the page ("en-GB"). */
export function locale() {
  const language = document.documentElement.lang;
  return navigator.languages.find((one) => one.split("-")[0].toLowerCase() === language) ?? language;
}

/** The words of a name, with its slots filled. */
export function t(name, slots = {}) {
  const said = words[name] ?? fallback[name] ?? name;
  return said.replace(/\{(\w+)\}/g, (whole, slot) => (slot in slots ? String(slots[slot]) : whole));
}

/** Where words stand in their document: the page, or when they are said. */
export function placed({ page, time }) {
  return time ? time.clock : page ? t("source.page", { page }) : "";
}

/** What something is called that the server names by a word of its own; `otherwise`, if it is a new one. */
export function named(family, word, otherwise = word) {
  const name = `${family}.${word}`;
  return words[name] ?? fallback[name] ?? otherwise;
}
