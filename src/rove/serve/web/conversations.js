// The conversations of the reader, in the rail: listed by day, searched, renamed, deleted.

import { erase, get, here, post } from "./api.js";
import { el, fill, say } from "./dom.js";
import { icon, iconButton } from "./icons.js";
import { wrong } from "./states.js";
import { store } from "./store.js";
import { eraser } from "./sure.js";
import { t } from "./words.js";

const WAIT_MS = 200;
const PAGE = 50;
const seat = { all: [], next: null, query: "", current: "", turn: 0, waiting: 0 };
const list = el("div", { class: "talk-list" });
const host = el("section", { class: "talks" });

/** The address of a conversation, or of something of it, at the server. */
export function conversationAt(id, more = "", query = {}) {
  return here(`/conversations/${encodeURIComponent(id)}${more}`, query);
}

/** The list with its search; it is read anew. */
export function drawConversations() {
  Object.assign(seat, { all: [], next: null, query: "" });
  const field = el("input", { type: "search", autocomplete: "off", "aria-label": t("conversation.search"), placeholder: t("conversation.search") });
  field.addEventListener("input", () => {
    clearTimeout(seat.waiting);
    seat.waiting = setTimeout(() => {
      seat.query = field.value.trim();
      renewConversations();
    }, WAIT_MS);
  });
  host.setAttribute("aria-label", t("conversation.all"));
  fill(list);
  fill(host, el("div", { class: "talk-search" }, icon("search"), field), list);
  renewConversations();
  return host;
}

/** Read the list again: something was asked, or all of it may be another. */
export async function renewConversations() {
  if (!store.spaces.length) return;
  const mine = (seat.turn += 1);
  try {
    const told = await page(0);
    if (mine !== seat.turn) return;
    Object.assign(seat, { all: told.conversations, next: told.next_cursor });
    draw();
    if (seat.query) say(t("conversation.found", { count: seat.all.length }));
  } catch (problem) {
    if (mine === seat.turn) fill(list, wrong(problem, renewConversations));
  }
}

/** Show which one is open. */
export function markConversation(id) {
  seat.current = id;
  for (const link of list.querySelectorAll("a[data-id]")) {
    if (link.dataset.id === id) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

function page(cursor) {
  return get(here("/conversations", { query: seat.query, cursor, limit: PAGE }));
}

async function more() {
  const mine = seat.turn;
  const told = await page(seat.next);
  if (mine !== seat.turn) return;
  Object.assign(seat, { all: [...seat.all, ...told.conversations], next: told.next_cursor });
  draw();
}

function draw() {
  const groups = Map.groupBy ? Map.groupBy(seat.all, dayOf) : grouped(seat.all);
  host.classList.toggle("none", !seat.all.length && !seat.query);
  fill(
    list,
    !seat.all.length && seat.query && el("p", { class: "muted small" }, t("conversation.none")),
    [...groups].map(([day, some]) => {
      const name = el("p", { class: "day", id: `day-${day}` }, t(`conversation.day.${day}`));
      return [name, el("ul", { "aria-labelledby": name.id }, some.map(drawOne))];
    }),
    seat.next !== null && el("button", { type: "button", class: "quiet", on: { click: more } }, t("conversation.more")),
  );
  markConversation(seat.current);
}

function grouped(all) {
  const groups = new Map();
  for (const one of all) groups.set(dayOf(one), [...(groups.get(dayOf(one)) ?? []), one]);
  return groups;
}

function dayOf({ updated_at: at }) {
  const then = new Date(/(Z|[+-]\d\d:\d\d)$/.test(at) ? at : `${at}Z`);
  const today = new Date();
  const days = Math.round((today.setHours(0, 0, 0, 0) - then.setHours(0, 0, 0, 0)) / 86_400_000);
  return days <= 0 ? "today" : days === 1 ? "yesterday" : "earlier";
}

function drawOne(one) {
  const title = one.title || t("conversation.untitled");
  const path = conversationAt(one.conversation_id);
  const link = el("a", { href: `#/c/${encodeURIComponent(one.conversation_id)}`, title, data: { id: one.conversation_id } }, el("span", {}, title));
  const item = el("li", { class: "talk" });
  const gone = async () => {
    await erase(path);
    store.setDraft(one.conversation_id, "");
    const open = seat.current === one.conversation_id;
    if (open) location.hash = "#/ask";
    await renewConversations();
    if (!open) host.querySelector("input").focus();
  };
  const rename = async (wanted, back) => {
    if (wanted && wanted !== one.title) Object.assign(one, await post(path, { title: wanted }));
    draw();
    if (back) list.querySelector(`a[data-id="${CSS.escape(one.conversation_id)}"]`)?.focus();
    dispatchEvent(new CustomEvent("rove:renamed", { detail: one }));
  };
  const naming = iconButton("edit", t("conversation.rename-named", { title }), () => begin(drawNaming(item, one, rename)), "small-button");
  const begin = (field) => {
    fill(item, field);
    field.focus();
    field.select();
  };
  const erasing = eraser(t("documents.delete-named", { title }), gone, iconButton("trash", t("documents.delete-named", { title }), () => {}, "small-button"));
  return fill(item, link, el("div", { class: "talk-tools" }, naming, erasing));
}

/** A field in the place of a title: Enter and leaving it rename, Escape does not. */
function drawNaming(item, one, rename) {
  const field = el("input", { value: one.title, maxlength: 200, "aria-label": t("conversation.title") });
  let over = false;
  const end = async (title, back = true) => {
    if (over) return;
    over = true;
    try {
      await rename(title, back);
    } catch (problem) {
      fill(item, wrong(problem, draw));
    }
  };
  field.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    if (event.key === "Enter") end(field.value.trim());
    if (event.key === "Escape") {
      event.preventDefault(); // it would close the drawer
      event.stopPropagation();
      end("");
    }
  });
  field.addEventListener("blur", () => end(field.value.trim(), false));
  return field;
}
