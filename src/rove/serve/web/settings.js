// Settings: the key, the space, the page's language, its colours. They stay in this browser.

import { get } from "./api.js";
import { el, fill, labelled, say } from "./dom.js";
import { said } from "./said.js";
import { store } from "./store.js";
import { t } from "./words.js";

const NAMES = { en: "English", de: "Deutsch", hu: "Magyar", zh: "中文", ja: "日本語" };

export async function settings(main, { refresh, signal }) {
  const more = el("div", { class: "admin" });
  fill(main, el("h1", {}, t("settings.title")), keyForm(refresh), el("hr"), lookForm(refresh), more);
  if (store.may("admin")) await (await import("./admin_settings.js")).adminSettings(more, { signal });
}

function keyForm(refresh) {
  const key = el("input", { type: "password", autocomplete: "off", value: store.key, spellcheck: "false" });
  const keep = el("input", { type: "checkbox", checked: store.remembered });
  const state = el("p", { role: "status", class: "small" });
  const known = () => fill(state, store.spaces.length ? t("settings.known", { rights: store.rights.join(", ") || "–" }) : t("settings.unknown"));
  const submit = async (event) => {
    event.preventDefault();
    store.setKey(key.value.trim(), keep.checked);
    try {
      await get("/v1/spaces");
      await refresh();
      say(t("settings.saved"));
    } catch (problem) {
      fill(state, problem.title, " ", problem.status ? said(problem.detail) : problem.detail);
    }
  };
  known();
  return el(
    "form",
    { class: "plain", on: { submit } },
    labelled(t("settings.key"), key),
    el("p", { class: "small muted" }, t("settings.key.text")),
    el("label", { class: "check" }, keep, t("settings.keep")),
    el("div", { class: "row" }, el("button", { type: "submit", class: "main" }, t("settings.save"))),
    state,
  );
}

function lookForm(refresh) {
  const select = (name, options, chosen) => {
    const field = el("select", {}, options.map(([value, text]) => el("option", { value, selected: value === chosen }, text)));
    field.addEventListener("change", async () => {
      store[name] = field.value;
      await refresh();
    });
    return field;
  };
  const spaces = store.spaces.map((name) => [name, name]);
  const themes = ["auto", "light", "dark"].map((name) => [name, t(`settings.theme.${name}`)]);
  return el(
    "form",
    { class: "plain", on: { submit: (event) => event.preventDefault() } },
    spaces.length > 0 && labelled(t("settings.space"), select("space", spaces, store.space)),
    labelled(t("settings.language"), select("language", Object.entries(NAMES), store.language)),
    labelled(t("settings.theme"), select("theme", themes, store.theme)),
  );
}
