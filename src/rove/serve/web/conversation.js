// The view of a conversation, at its address; and that of a new one, which becomes it once something is asked.

import { get } from "./api.js";
import { focusBox } from "./box.js";
import { conversationAt, markConversation } from "./conversations.js";
import { el, fill, say } from "./dom.js";
import { icon } from "./icons.js";
import { saveAs } from "./save.js";
import { drawFirst } from "./first.js";
import { store } from "./store.js";
import { reveal, talk } from "./talk.js";
import { t } from "./words.js";

const FORMATS = { markdown: "md", json: "json" };
const LONGEST = 60; // characters of a file's name

/** "#/c/ID", or at its turn N: "#/c/ID/N". */
export async function conversation(main, { rest: [id, at], signal, entitle }) {
  const told = await get(conversationAt(id), signal);
  const held = talk({ id, signal });
  held.show(told.entries);
  main.className = "view-c talking";
  markConversation(id);
  const top = el("div");
  fill(main, top, held.thread, el("div", { class: "talk-foot" }, held.box.form));
  name(told, top, held.thread, { signal, entitle });
  const turns = held.turns();
  const turn = at ? turns.find((one) => one.number === Number(at)) : turns.at(-1);
  if (turn && (at || turns.length > 1)) reveal(turn);
  if (turn && at) turn.heading.focus({ preventScroll: true });
  else focusBox(held.box);
}

/** "#/ask", "#/ask/QUESTION" and the like: the view of a new conversation, `way` chosen unless it is "". */
export async function newConversation(main, { question = "", way = "", signal, entitle }) {
  const top = el("div");
  const greet = () => {
    top.className = "";
    fill(top, el("h1", {}, t("ask.title")));
    entitle(t("nav.new"));
  };
  const below = el("div", { class: "first" });
  const begins = main.className;
  const began = (id, asked) => {
    history.replaceState(null, "", id ? `#/c/${encodeURIComponent(id)}` : "#/ask");
    main.className = id ? "view-c talking" : `${begins} composing`;
    markConversation(id);
    if (id) fill(below);
    if (id) name({ conversation_id: id, title: asked }, top, held.thread, { signal, entitle });
    else greet();
  };
  const held = talk({ value: question, way: way || store.way, signal, began });
  main.classList.add("composing");
  greet();
  fill(main, top, held.thread, el("div", { class: "talk-foot" }, held.box.form), below);
  focusBox(held.box);
  if (!question) drawFirst(below, (asked) => held.ask({ way: held.box.way(), question: asked }), signal);
}

/** Say what a conversation is called, above it and in the window's title, and let it be taken along. */
function name(one, top, thread, { signal, entitle }) {
  const heading = el("h1", {});
  const call = (title) => {
    heading.textContent = title || t("conversation.untitled");
    heading.title = heading.textContent;
    entitle(heading.textContent);
  };
  call(one.title);
  addEventListener("rove:renamed", ({ detail }) => detail.conversation_id === one.conversation_id && call(detail.title), { signal });
  const first = () => thread.querySelector("h2")?.textContent === heading.textContent;
  const seen = new IntersectionObserver(([{ isIntersecting }]) => heading.classList.toggle("seen", isIntersecting && first()));
  if (thread.firstChild) seen.observe(thread.firstChild.querySelector(".turn-top"));
  signal.addEventListener("abort", () => seen.disconnect());
  top.className = "talk-top";
  fill(top, heading, exporter(one.conversation_id, heading));
}

/** A menu of the formats that a conversation can be saved in. */
function exporter(id, heading) {
  const save = async (format) => {
    menu.open = false;
    const file = heading.textContent.replace(/[^\p{L}\p{N}]+/gu, " ").trim().slice(0, LONGEST);
    try {
      await saveAs(conversationAt(id, "/export", { format }), `${file || "rove"}.${FORMATS[format]}`);
    } catch (problem) {
      say(problem.message);
    }
  };
  const items = Object.keys(FORMATS).map((format) => el("button", { type: "button", class: "quiet", on: { click: () => save(format) } }, t(`conversation.as-${format}`)));
  const button = el("summary", { class: "icon-button", "aria-label": t("conversation.export"), title: t("conversation.export") }, icon("download"));
  const menu = el("details", { class: "menu" }, button, el("div", { class: "menu-items" }, items));
  menu.addEventListener("keydown", (event) => event.key === "Escape" && ((menu.open = false), button.focus()));
  menu.addEventListener("focusout", ({ relatedTarget }) => relatedTarget && !menu.contains(relatedTarget) && (menu.open = false));
  return menu;
}
