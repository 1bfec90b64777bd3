// The page: its frame, and which view an address leads to.

import { get, UNKNOWN } from "./api.js";
import { add } from "./add.js";
import { conversation, newConversation } from "./conversation.js";
import { markConversation } from "./conversations.js";
import { documentView } from "./document_view.js";
import { documents } from "./documents.js";
import { el, fill, say } from "./dom.js";
import { hearDrops } from "./drop.js";
import { flows } from "./flows.js";
import { invitation } from "./invitation.js";
import { people } from "./people.js";
import { drawRail, markRail } from "./rail.js";
import { learn } from "./said.js";
import { settings } from "./settings.js";
import { signIn } from "./sign_in.js";
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
 * name as its link is in the rail, in this order, for those to whom `for` leads it. `open`: it is for who has not signed in yet.
 */
const VIEWS = {
  ask: { draw: asking("") },
  search: { draw: asking("search") },
  c: { draw: conversation },
  documents: { draw: documents, link: "documents" },
  document: { draw: documentView, link: "documents" },
  add: { draw: add, link: "documents" },
  walk: { draw: walking, link: "walk" },
  review: { draw: review, link: "review", for: () => store.may("add") },
  tools: { draw: tools, link: "tools" },
  flows: { draw: flows, link: "flows" },
  "edit-flow": { draw: editFlow, link: "flows" },
  lab: { draw: lab, link: "lab" },
  spaces: { draw: spaces, link: "documents" },
  people: { draw: people, link: "people", for: () => store.manages },
  settings: { draw: settings, link: "settings" },
  status: { draw: status, link: "settings" },
  "sign-in": { draw: signIn, open: true },
  invitation: { draw: invitation, open: true },
};
const main = document.getElementById("main");
let leave = () => {};
let known = ""; // whom the page was last drawn for
let looking = false; // whether we are known still
let restarting = null; // what is under way of `restart`, and with which language, colours and key
let held = null; // the view whose session has ended, with all that was filled in: who signs in again goes on with it

/** The lab, which few open, is loaded when it is opened. */
async function lab(...given) {
  return (await import("./lab.js")).lab(...given);
}

/** The queue of what waits for a reviewer. */
async function review(...given) {
  return (await import("./review.js")).review(...given);
}

/** What runs, which administrators open. */
async function status(...given) {
  return (await import("./status.js")).status(...given);
}

/** Where administrators put flows together. */
async function editFlow(...given) {
  return (await import("./flow_edit.js")).editFlow(...given);
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

/** What an address names: "#/sign-in?problem=no-role" is the view "sign-in" with a problem. */
function place() {
  const [, name = "", ...rest] = location.hash.split("/");
  const [view, query] = name.split("?");
  return { view: Object.hasOwn(VIEWS, view) ? view : "ask", rest: rest.map(decoded), problem: new URLSearchParams(query).get("problem") };
}

/** Which view is shown: who has not signed in is asked to, at the same address; who has needs no door. */
function shown() {
  const asked = place();
  if (store.person) return asked.view === "sign-in" ? { ...asked, view: "ask" } : asked;
  return VIEWS[asked.view].open ? asked : { ...asked, view: "sign-in", expired: Boolean(known), aside: Boolean(held) };
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

/** Hold the view as it stands while somebody signs in again, if there is something in a form of it. */
function hold() {
  const written = ({ type, value, defaultValue }) => type !== "password" && value !== defaultValue;
  if (![...main.querySelectorAll("form :is(input, textarea)")].some(written)) return;
  held = { who: whoAndWhat(), hash: location.hash, title: document.title, nodes: [...main.childNodes], leave };
  leave = () => {};
}

/** Who is here, and what is open to whom that is. */
function whoAndWhat() {
  return JSON.stringify([store.person, store.spaces, store.rights]);
}

/** Put back what was held, for the same person with the same rights at the same address; else it ends. */
function putBack() {
  const { who, hash, title, nodes, leave: ends } = held;
  held = null;
  const same = whoAndWhat() === who && location.hash === hash;
  if (!same) ends();
  else {
    leave = ends;
    fill(main, nodes);
    document.title = title;
  }
  return same;
}

async function show() {
  leave();
  closeSource({ quiet: true });
  const { view, ...asked } = shown();
  document.body.classList.toggle("outside", Boolean(VIEWS[view].open));
  markRail(VIEWS[view].link ?? "");
  markConversation(view === "c" ? asked.rest[0] : "");
  entitle(named("nav", view, ""));
  main.className = `view-${view}`;
  if (held && store.person && putBack()) return;
  const control = new AbortController();
  leave = () => control.abort();
  fill(main);
  try {
    await VIEWS[view].draw(main, { ...asked, signal: control.signal, refresh: restart, entitle });
  } catch (problem) {
    if (problem.name !== "AbortError") fill(main, wrong(problem, restart));
  }
}

/** Read again who we are and what we may, in which language and colours; then show the view. Asked for twice at once, once. */
function restart() {
  const asked = `${store.language} ${store.theme} ${store.key}`;
  if (restarting?.asked !== asked) {
    const own = { asked, done: startAgain().finally(() => restarting === own && (restarting = null)) };
    restarting = own;
  }
  return restarting.done;
}

async function startAgain() {
  if (store.theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = store.theme;
  await Promise.all([speak(store.language), learn(store.language)]);
  document.getElementById("skip").textContent = t("nav.skip");
  const problem = await meet();
  drawRail(Object.keys(VIEWS).filter((name) => VIEWS[name].link === name && VIEWS[name].for?.() !== false), restart);
  if (problem) fill(main, el("h1", { class: "hidden" }, "Rove"), wrong(problem, restart));
  else await show();
  known = store.person?.name ?? "";
}

/** Who the server says we are; a key that is known no longer is forgotten. */
async function session() {
  try {
    return await get("v1/session");
  } catch (problem) {
    if (problem.status !== 401 || !store.key) throw problem;
    store.setKey("", false);
    return get("v1/session");
  }
}

/** Ask the server who we are, and what we may; returns what went wrong, if anything did. */
async function meet() {
  Object.assign(store, { spaces: [], rights: [] });
  try {
    store.session = await session();
    if (!store.person) return null;
    store.arrive(store.person.name);
    if (store.back && /^#?\/?$/.test(location.hash)) history.replaceState(null, "", store.back);
    store.back = "";
    const { spaces, rights } = await get("v1/spaces");
    Object.assign(store, { spaces, rights });
    return null;
  } catch (problem) {
    return problem;
  }
}

/** The server knows us no longer: somebody has signed out elsewhere, or it was too long ago. */
async function unknown() {
  if (!store.person || looking) return;
  looking = true;
  const told = await session().catch(() => null);
  looking = false;
  if (!told || told.person || !store.person) return;
  hold();
  await restart();
}

/** Whose view is held may have signed in through another service, in a window of its own. */
async function returned() {
  if (!held || store.person || document.hidden) return;
  const told = await session().catch(() => null);
  if (told?.person && held) await restart();
}

addEventListener(UNKNOWN, unknown);
addEventListener("focus", returned);
document.addEventListener("visibilitychange", returned);
addEventListener("storage", ({ key, newValue }) => key === "rove.who" && newValue !== store.person?.name && restart()); // in another tab
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
