// The page: its frame, and which view an address leads to.

import { get } from "./api.js";
import { add } from "./add.js";
import { conversation, newConversation } from "./conversation.js";
import { markConversation } from "./conversations.js";
import { documentView } from "./document_view.js";
import { documents } from "./documents.js";
import { el, fill, say } from "./dom.js";
import { hearDrops } from "./drop.js";
import { flows } from "./flows.js";
import { drawRail, markRail } from "./rail.js";
import { learn } from "./said.js";
import { settings } from "./settings.js";
import { closeSource } from "./source.js";
import { spaces } from "./spaces.js";
import { wrong } from "./states.js";
import { store } from "./store.js";
import { tools } from "./tools.js";
import { walks } from "./walks.js";
import { named, speak, t } from "./words.js";

/**
 * The views, by the first part of their address: "#/walk/0a1b" is the view "walk" of "0a1b". Each is drawn by
 * `draw(main, { rest, signal, refresh, entitle })`. `link`: which link of the rail is lit there; a view that has its own
 * name as its link is in the rail, in this order. `open`: it is there for who is not known yet.
 */
const VIEWS = {
  ask: { draw: asking("") },
  search: { draw: asking("search") },
  c: { draw: conversation },
  documents: { draw: documents, link: "documents" },
  document: { draw: documentView, link: "documents" },
  add: { draw: add, link: "documents" },
  walk: { draw: walking, link: "walk" },
  tools: { draw: tools, link: "tools" },
  flows: { draw: flows, link: "flows" },
  lab: { draw: lab, link: "lab" },
  spaces: { draw: spaces, link: "documents" },
  settings: { draw: settings, link: "settings", open: true },
  status: { draw: status, link: "settings" },
};
const LINKS = Object.keys(VIEWS).filter((name) => VIEWS[name].link === name);
const main = document.getElementById("main");
let leave = () => {};

/** The lab, which few open, is loaded when it is opened. */
async function lab(...given) {
  return (await import("./lab.js")).lab(...given);
}

/** What runs, which administrators open. */
async function status(...given) {
  return (await import("./status.js")).status(...given);
}

/** A new conversation, in which a way of answering is chosen; "": as the last time. */
function asking(way) {
  return (main, { rest, ...given }) => newConversation(main, { question: rest[0], way, ...given });
}

/** "#/walk/new/QUESTION" is a new conversation too; all else are walks that there are. */
function walking(main, { rest, ...given }) {
  const [id, question] = rest;
  return id === "new" ? newConversation(main, { question, way: "walk", ...given }) : walks(main, { rest, ...given });
}

/** What an address names. */
function place() {
  const [, view = "", ...rest] = location.hash.split("/");
  return { view: Object.hasOwn(VIEWS, view) ? view : "ask", rest: rest.map(decoded) };
}

function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // a "%" that somebody typed
  }
}

function entitle(title) {
  document.title = title ? `${title} – Rove` : "Rove";
}

async function show() {
  leave();
  closeSource({ quiet: true });
  const { view, rest } = place();
  markRail(VIEWS[view].link ?? "");
  markConversation(view === "c" ? rest[0] : "");
  entitle(named("nav", view, ""));
  const control = new AbortController();
  leave = () => control.abort();
  fill(main);
  main.className = `view-${view}`;
  try {
    await VIEWS[view].draw(main, { rest, signal: control.signal, refresh: restart, entitle });
  } catch (problem) {
    if (problem.name !== "AbortError") fill(main, wrong(problem, restart));
  }
}

/** Read again who we are and what we may, in which language and colours; then show the view. */
async function restart() {
  if (store.theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = store.theme;
  await Promise.all([speak(store.language), learn(store.language)]);
  document.getElementById("skip").textContent = t("nav.skip");
  let problem = null;
  try {
    const known = await get("/v1/spaces");
    store.spaces = known.spaces;
    store.rights = known.rights;
  } catch (found) {
    store.spaces = [];
    store.rights = [];
    problem = found;
  }
  drawRail(LINKS, restart);
  if (problem && !VIEWS[place().view].open) fill(main, el("h1", { class: "hidden" }, "Rove"), wrong(problem, restart));
  else await show();
}

hearDrops(() => (location.hash = "#/add"));
document.getElementById("skip").addEventListener("click", () => main.focus());
addEventListener("hashchange", async () => {
  scrollTo(0, 0);
  if (!store.spaces.length) await restart();
  else await show();
  if (!main.contains(document.activeElement)) main.focus({ preventScroll: true }); // a view may have put it into its box
  say(document.title);
});
await restart();
document.body.dataset.ready = "yes";
