// What stands beneath the box of a new conversation: what could be asked; of an empty base, how it is filled.

import { get, here } from "./api.js";
import { el, fill } from "./dom.js";
import { icon } from "./icons.js";
import { store } from "./store.js";
import { t } from "./words.js";

const SUGGESTED = 4;
const PATIENCE_MS = 400; // who has a question of their own asks it first
const suggested = new Map(); // by space, as long as the page stands: a server works for it

/** Fill the place; `ask(question)` asks what is chosen. What cannot be had is not missed. */
export async function drawFirst(place, ask, signal) {
  try {
    const { documents } = await get(here("/documents", { limit: 1 }), signal);
    if (!documents.length) {
      fill(place, drawInvitation());
      return;
    }
    if (!suggested.has(store.space)) await suggest(signal);
    const labels = suggested.get(store.space) ?? [];
    if (!signal.aborted && place.isConnected && !document.querySelector("main.talking")) fill(place, drawSuggestions(labels, ask));
  } catch {
    fill(place); // the box is there without them
  }
}

async function suggest(signal) {
  await new Promise((done) => setTimeout(done, PATIENCE_MS));
  if (signal.aborted) return;
  const themes = await get(here("/themes", { most: 2 * SUGGESTED }), signal);
  const labels = themes.map((one) => one.label[0]).filter(Boolean);
  suggested.set(store.space, [...new Set(labels)].slice(0, SUGGESTED));
}

function drawSuggestions(labels, ask) {
  const one = (theme) => el("li", {}, el("button", { type: "button", class: "suggestion", on: { click: () => ask(t("ask.about", { theme })) } }, t("ask.about", { theme })));
  return labels.length > 0 && el("ul", { class: "suggestions", "aria-label": t("ask.suggestions") }, labels.map(one));
}

function drawInvitation() {
  const may = store.may("add");
  return el(
    "div",
    { class: may ? "drop" : "empty" },
    el("p", { class: "empty-title" }, t("documents.empty")),
    el("p", { class: "muted" }, t(may ? "ask.drop" : "add.refused.text")),
    may && el("a", { class: "button main", href: "#/add" }, icon("add"), t("add.title")),
  );
}
