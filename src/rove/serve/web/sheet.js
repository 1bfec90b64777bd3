// A table of a spreadsheet as a grid: letters above the columns, numbers before the rows, both in sight while it scrolls.

import { el } from "./dom.js";
import { t } from "./words.js";

const ONLY_NUMBER = /^[-+−]?[.,'\s\u00a0\u202f]*\d[\d.,'\s\u00a0\u202f]*[%‰€$£¥]?$/;

/** The grid of a table's node; `drawing` draws its cells. Rows are numbered as the table has them, its header first. */
export function drawGrid(node, drawing) {
  const rows = node.children;
  const width = Math.max(0, ...rows.map((row) => row.children?.length ?? 0));
  const letters = el("tr", { class: "letters" }, el("td", {}), Array.from({ length: width }, (_, at) => el("th", { scope: "col" }, letter(at))));
  const head = node.headed ? rows.slice(0, 1) : [];
  const empty = head.length > 0 && !(head[0].children ?? []).some((cell) => cell.children?.length);
  const first = (node.level ?? 1) + (node.headed && !empty ? 1 : 0);
  const line = (row, number, names) => el("tr", {}, el("th", { scope: "row", class: "number" }, String(number)), (row.children ?? []).map((cell) => figure(drawing.cell(cell, names))));
  return el(
    "table",
    { class: "grid", "aria-label": t("source.sheet") },
    el("thead", {}, letters, empty ? [] : head.map((row) => line(row, 1, true))),
    el("tbody", {}, rows.slice(head.length).map((row, at) => line(row, first + at, false))),
  );
}

/** A number stands at the right, under its like. */
function figure(cell) {
  if (ONLY_NUMBER.test(cell.textContent)) cell.classList.add("figure");
  return cell;
}

/** A column's letters: A … Z, AA … */
export function letter(at) {
  let name = "";
  for (let left = at + 1; left > 0; left = Math.floor((left - 1) / 26)) name = String.fromCharCode(65 + ((left - 1) % 26)) + name;
  return name;
}
