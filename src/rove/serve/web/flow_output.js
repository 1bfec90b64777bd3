// What a flow or one of its steps gave, laid out: answers and passages as anywhere else, rows as a table, all else by its parts.

import { drawAnswer } from "./answer.js";
import { el } from "./dom.js";
import { listHits } from "./hits.js";
import { drawRows, drawSql } from "./sql_reply.js";
import { locale, t } from "./words.js";

const PAGE = /^\s*<!doctype html/i;
const OPEN = 4; // elements of a list that are open; the others are folded
const KEPT_MS = 60_000;

/** Draw a value. */
export function drawValue(value) {
  if (value === null || value === undefined || value === "") return el("p", { class: "muted" }, t("flows.nothing"));
  if (typeof value === "string") return PAGE.test(value) ? drawPage(value) : el("p", { class: "flow-text" }, value);
  if (Array.isArray(value)) return drawList(value);
  if (typeof value !== "object") return el("p", {}, typeof value === "number" ? value.toLocaleString(locale()) : String(value));
  if (value.sentences && value.mode !== undefined) return drawAnswer(value);
  if (value.rendered && value.chunk_id) return listHits([value]);
  if (value.sql !== undefined && value.rows) return drawSql(value);
  return drawParts(value);
}

function drawList(items) {
  if (!items.length) return el("p", { class: "muted" }, t("flows.nothing"));
  if (items.every((one) => one?.rendered && one.chunk_id)) return folded(items, listHits);
  if (items.every((one) => Array.isArray(one) && one.every((cell) => typeof cell !== "object"))) return drawRows([], items);
  return folded(items, (some) => el("ul", { class: "flow-list" }, some.map((one) => el("li", {}, drawValue(one)))));
}

function folded(items, draw) {
  const rest = items.slice(OPEN);
  return [draw(items.slice(0, OPEN)), rest.length > 0 && el("details", { class: "small" }, el("summary", {}, t("flows.more", { count: rest.length })), draw(rest))];
}

function drawParts(parts) {
  const named = Object.entries(parts);
  return named.length ? el("dl", { class: "flow-parts" }, named.map(([name, value]) => [el("dt", {}, name.replaceAll("_", " ")), el("dd", {}, drawValue(value))])) : el("p", { class: "muted" }, t("flows.nothing"));
}

/** A page that a flow has written is saved as a file: it is not shown within this one. */
function drawPage(text) {
  const save = () => {
    const address = URL.createObjectURL(new Blob([text], { type: "text/html" }));
    const link = el("a", { href: address, download: "report.html" });
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), KEPT_MS);
  };
  return el("button", { type: "button", on: { click: save } }, t("flows.save"));
}
