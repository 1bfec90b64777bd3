// What a database, or tables in documents, say to a question: the sentence, the rows, and the SQL that ran, folded.

import { el } from "./dom.js";
import { scrolled } from "./markdown.js";
import { openSource } from "./source.js";
import { named, t } from "./words.js";

const NUMBER = /^[-+−]?[.,'\s\u00a0\u202f]*\d[\d.,'\s\u00a0\u202f]*%?$/;
const SHOWN = 20; // rows that are open; the others are folded
const SOURCES = 3; // places of one value that are offered

/** Draw a reply; one that was not answered says why, and what can be done. */
export function drawSql(reply) {
  const rows = reply.rows.length > 0 && (reply.rows.length > 1 || reply.columns.length > 1 || reply.cells.length > 0);
  return el(
    "div",
    { class: "sql-reply" },
    reply.answered ? el("p", { class: "sql-text" }, reply.text) : drawRefusal(reply),
    rows && drawRows(reply.columns, reply.rows, reply.cells),
    reply.cut && el("p", { class: "notice refused small" }, t("sql.cut", { count: reply.rows.length })),
    el(
      "p",
      { class: "made muted" },
      reply.database && el("span", { class: "badge" }, reply.database === "documents" ? t("sql.tables") : reply.database),
      reply.by && el("span", {}, named("sql.by", reply.by)),
      reply.note && el("span", {}, reply.note),
    ),
    reply.sql && el("details", { class: "small" }, el("summary", {}, t("sql.sql")), scrolled("pre", t("sql.sql"), reply.sql)),
  );
}

function drawRefusal(reply) {
  return el("div", { class: "notice refused" }, el("p", { class: "notice-title" }, t("sql.refused")), reply.text && el("p", {}, reply.text), el("p", { class: "cure" }, t("sql.cure", { way: t("ask.way.answer") })), drawReadings(reply.readings ?? []));
}

/** What the question may have meant, as SQL: none of it has run. */
function drawReadings(readings) {
  return readings.length > 0 && el("details", { class: "small" }, el("summary", {}, t("sql.readings")), readings.map((one) => scrolled("pre", t("sql.readings"), one)));
}

/** A table of rows; a value that stands in documents can be opened there. */
export function drawRows(columns, rows, cells = []) {
  const places = new Map();
  for (const cell of cells) places.set(`${cell.row}:${cell.column}`, [...(places.get(`${cell.row}:${cell.column}`) ?? []), cell]);
  const line = (row, at) => el("tr", {}, row.map((value, column) => drawCell(String(value ?? ""), places.get(`${at}:${column}`) ?? [])));
  const head = columns.length > 0 && el("thead", {}, el("tr", {}, columns.map((name) => el("th", { scope: "col" }, name))));
  const table = (some, from) => scrolled("div", t("sql.rows"), el("table", {}, head && head.cloneNode(true), el("tbody", {}, some.map((row, at) => line(row, from + at)))));
  const rest = rows.slice(SHOWN);
  return [table(rows.slice(0, SHOWN), 0), rest.length > 0 && el("details", { class: "small" }, el("summary", {}, t("sql.more", { count: rest.length })), table(rest, SHOWN))];
}

function drawCell(text, places) {
  const open = (place) => (event) => openSource({ document_id: place.document_id, span: place.span }, event.currentTarget);
  const buttons = places.slice(0, SOURCES).map((place, at) => el("button", { type: "button", class: "cite", "aria-label": t("sql.cite", { value: text, number: at + 1 }), on: { click: open(place) } }, places.length > 1 ? String(at + 1) : "¶"));
  return el("td", { class: NUMBER.test(text) ? "end" : null }, text, buttons);
}
