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
    const questions = suggested.get(store.space) ?? [];
    if (!signal.aborted && place.isConnected && !document.querySelector("main.talking")) fill(place, drawSuggestions(questions, ask));
  } catch {
    fill(place); // the box is there without them
  }
}

async function suggest(signal) {
  await new Promise((done) => setTimeout(done, PATIENCE_MS));
  if (signal.aborted) return;
  const themes = await get(here("/themes", { most: 2 * SUGGESTED }), signal);
  suggested.set(store.space, questionsOf(themes).slice(0, SUGGESTED));
}

/** By turns what a document says of a theme, and what another is about: each of a document of its own. */
function questionsOf(themes) {
  const seen = new Set();
  const questions = [];
  for (const { label, hits } of themes) {
    const hit = hits.find((one) => one.title && !seen.has(one.title));
    if (!hit) continue;
    seen.add(hit.title);
    const ofWhole = questions.length % 2 || !label[0];
    questions.push(ofWhole ? t("ask.whole", { title: hit.title }) : t("ask.about", { theme: label[0] }));
  }
  return questions;
}

function drawSuggestions(questions, ask) {
  const one = (question) => el("li", {}, el("button", { type: "button", class: "suggestion", on: { click: () => ask(question) } }, question));
  return questions.length > 0 && el("ul", { class: "suggestions", "aria-label": t("ask.suggestions") }, questions.map(one));
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
