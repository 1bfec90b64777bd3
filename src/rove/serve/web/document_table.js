// The table of documents: rows that can be chosen, columns that sort, and on narrow screens a card for each row.

import { details, titleOf } from "./document_details.js";
import { el, fill } from "./dom.js";
import { openSource } from "./source.js";
import { locale, t } from "./words.js";

const COLUMNS = [
  ["title", "title"],
  ["type", "type"],
  [null, "tags"],
  ["chunks", "chunks"],
  ["added", "added"],
];
export const SORTS = ["title", "source", "type", "chunks", "added"];

/** Draw one page of rows. `chosen`: a map of documents by id; `sort`: told of a column; `changed`: something was changed. */
export function drawTable(rows, { asked, chosen, choose, sort, changed }) {
  const boxes = rows.map((one) => box(t("documents.choose", { title: titleOf(one) }), chosen.has(one.document_id), (on) => pick([one], on)));
  const all = box(t("documents.choose-page"), false, (on) => (boxes.forEach((one) => (one.checked = on)), pick(rows, on)));
  const pick = (some, on) => {
    for (const one of some) {
      if (on) chosen.set(one.document_id, one);
      else chosen.delete(one.document_id);
    }
    mark();
    choose();
  };
  const mark = () => {
    const count = rows.filter((one) => chosen.has(one.document_id)).length;
    all.checked = count > 0 && count === rows.length;
    all.indeterminate = count > 0 && count < rows.length;
  };
  mark();
  const head = COLUMNS.map(([key, name]) => {
    const now = key && asked.sort === key;
    const order = now ? (asked.descending ? "descending" : "ascending") : key ? "none" : null;
    const words = t(`documents.column.${name}`);
    const arrow = el("span", { "aria-hidden": "true" }, now ? (asked.descending ? " ↓" : " ↑") : "");
    const inside = key ? el("button", { type: "button", class: "sort", on: { click: () => sort(key) } }, words, arrow) : words;
    return el("th", { role: "columnheader", scope: "col", class: `col-${name}`, "aria-sort": order }, inside);
  });
  return el(
    "table",
    { class: "documents", role: "table", "aria-label": t("documents.title") },
    el("thead", { role: "rowgroup" }, el("tr", { role: "row" }, el("th", { role: "columnheader", scope: "col", class: "col-choose" }, all), head, el("th", { role: "columnheader", scope: "col", class: "col-open" }, el("span", { class: "hidden" }, t("documents.details"))))),
    el("tbody", { role: "rowgroup" }, rows.map((one, place) => drawRow(one, boxes[place], changed))),
  );
}

function box(label, checked, set) {
  const field = el("input", { type: "checkbox", checked, "aria-label": label });
  field.addEventListener("change", () => set(field.checked));
  return field;
}

function drawRow(one, chooser, changed) {
  const open = (event) => openSource({ ...one, span: [0, 0] }, event.currentTarget);
  const title = titleOf(one);
  const where = [one.folder, one.source !== title && one.source.split(" › ").at(-1)].filter(Boolean).join(" / ");
  const more = el("button", { type: "button", class: "quiet", "aria-expanded": "false", "aria-label": t("documents.details-of", { title }) }, el("span", { "aria-hidden": "true" }, "▸"));
  const row = el(
    "tr",
    { role: "row" },
    cell("choose", chooser),
    el("th", { role: "rowheader", scope: "row", class: "col-title" }, el("button", { type: "button", class: "link", on: { click: open } }, title), where && el("span", { class: "where" }, where), one.metadata.corrected_at && el("span", { class: "badge" }, t("documents.corrected-by", { name: one.metadata.corrected_by })), one.metadata.text_as_of && el("span", { class: "badge" }, t("source.as-of", { day: one.metadata.text_as_of }))),
    cell("type", one.type),
    cell("tags", one.tags.map((tag) => el("span", { class: "badge" }, tag))),
    cell("chunks", el("span", { class: "unit" }, t("documents.column.chunks")), " ", one.chunks),
    cell("added", day(one.added_at)),
    cell("open", more),
  );
  const inside = el("td", { role: "cell", colspan: COLUMNS.length + 2 });
  const below = el("tr", { role: "row", class: "details", hidden: true }, inside);
  more.addEventListener("click", () => {
    if (!inside.hasChildNodes()) fill(inside, details(one, changed));
    below.hidden = !below.hidden;
    more.setAttribute("aria-expanded", String(!below.hidden));
  });
  return [row, below];
}

function cell(name, ...inside) {
  return el("td", { role: "cell", class: `col-${name}` }, inside);
}

function day(added) {
  const date = new Date(added.endsWith("Z") || added.includes("+") ? added : `${added}Z`);
  return el("time", { datetime: added }, date.toLocaleDateString(locale()));
}
