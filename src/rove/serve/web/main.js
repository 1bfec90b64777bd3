// The page: its frame, and which view an address leads to.

import { get } from "./api.js";
import { add } from "./add.js";
import { ask } from "./ask.js";
import { documentView } from "./document_view.js";
import { documents } from "./documents.js";
import { el, fill, say } from "./dom.js";
import { hearDrops } from "./drop.js";
import { learn } from "./said.js";
import { search } from "./search.js";
import { settings } from "./settings.js";
import { closeSource } from "./source.js";
import { wrong } from "./states.js";
import { store } from "./store.js";
import { walks } from "./walks.js";
import { speak, t } from "./words.js";

const VIEWS = { ask, search, walk: walks, documents, document: documentView, add, lab, settings };
const LINKED = Object.keys(VIEWS).filter((name) => name !== "document");
const main = document.getElementById("main");
let leave = () => {};

/** The lab, which few open, is loaded when it is opened. */
async function lab(...given) {
  return (await import("./lab.js")).lab(...given);
}

/** What an address names: "#/walk/0a1b" is the view "walk" of "0a1b". */
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

function drawTop() {
  const { view } = place();
  const links = LINKED.map((name) =>
    el("li", {}, el("a", { href: `#/${name}`, "aria-current": name === view ? "page" : null }, t(`nav.${name}`))),
  );
  const spaces = el(
    "select",
    {
      "aria-label": t("settings.space"),
      on: {
        change: (event) => {
          store.space = event.target.value;
          show();
        },
      },
    },
    store.spaces.map((name) => el("option", { value: name, selected: name === store.space }, name)),
  );
  fill(
    document.getElementById("top"),
    el("a", { class: "brand", href: "#/ask" }, el("img", { src: "/web/icon.svg", alt: "", width: 24, height: 24 }), "Rove"),
    el("nav", { "aria-label": t("nav.label") }, el("ul", {}, links)),
    store.spaces.length > 1 && spaces,
  );
  centre(document.querySelector(".top [aria-current]"), document.querySelector(".top ul"));
  const skip = document.getElementById("skip");
  skip.textContent = t("nav.skip");
}

/** Scroll a bar until a part of it is in its middle. Not by `scrollIntoView`, after which Chromium tabs on from there. */
function centre(part, bar) {
  if (!part) return;
  const [inner, outer] = [part.getBoundingClientRect(), bar.getBoundingClientRect()];
  bar.scrollLeft += inner.left - outer.left - (outer.width - inner.width) / 2;
}

async function show() {
  leave();
  closeSource({ quiet: true });
  const { view, rest } = place();
  drawTop();
  document.title = `${t(`nav.${view}`)} – Rove`;
  const control = new AbortController();
  leave = () => control.abort();
  fill(main);
  main.className = `view-${view}`;
  try {
    await VIEWS[view](main, { rest, signal: control.signal, refresh: restart });
  } catch (problem) {
    if (problem.name !== "AbortError") fill(main, wrong(problem, restart));
  }
}

/** Read again who we are and what we may, in which language and colours; then show the view. */
async function restart() {
  if (store.theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = store.theme;
  await Promise.all([speak(store.language), learn(store.language)]);
  try {
    const known = await get("/v1/spaces");
    store.spaces = known.spaces;
    store.rights = known.rights;
  } catch (problem) {
    store.spaces = [];
    store.rights = [];
    if (place().view !== "settings") {
      drawTop();
      fill(main, el("h1", { class: "hidden" }, "Rove"), wrong(problem, restart));
      return;
    }
  }
  await show();
}

hearDrops(() => (location.hash = "#/add"));
document.getElementById("skip").addEventListener("click", () => main.focus());
addEventListener("hashchange", async () => {
  if (!store.spaces.length) await restart();
  else await show();
  main.focus({ preventScroll: true });
  scrollTo(0, 0);
  say(document.title);
});
await restart();
document.body.dataset.ready = "yes";
