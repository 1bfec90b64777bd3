// A document's blocks as elements: headings, lists, tables, code; every piece of text knows where it stands in the source.

import { el, points } from "./dom.js";
import { drawGrid } from "./sheet.js";
import { t } from "./words.js";

const PAIRS = /[\ud800-\udfff]/;
const INLINE = { strong: "strong", emphasis: "em", literal: "code", formula: "code" };

/**
 * Draws blocks. `marks`: spans that are marked; `grid`: tables as sheets; `top`: the level above that of the first
 * heading; `pictured`: called with the place of each picture and its name, to show it there once it is in sight.
 */
export class Drawing {
  constructor({ marks = [], grid = false, top = 2, pictured = () => {} } = {}) {
    this.marks = marks.filter(([start, end]) => end > start);
    this.grid = grid;
    this.pictured = pictured;
    this.levels = [{ own: 0, shown: top }];
  }

  /** The elements of some blocks, and their pieces of text in order: [{span, whole, node}]. */
  draw(blocks) {
    this.pieces = [];
    const elements = blocks.map((block) => this.block(block));
    return { elements, pieces: this.pieces };
  }

  block(node) {
    switch (node.kind) {
      case "heading":
        return el(`h${this.level(node.level)}`, { class: "block" }, this.inside(node));
      case "list":
        return el("ul", {}, this.inside(node));
      case "numbered":
        return el("ol", { start: node.level ?? 0 }, this.inside(node));
      case "item":
        return el("li", {}, this.inside(node));
      case "quote":
        return el("blockquote", {}, this.inside(node));
      case "code":
        return framed("pre", t("answer.code"), el("code", { dir: "ltr" }, this.inside(node)));
      case "formula":
        return framed("pre", t("source.formula"), el("code", { class: "formula", dir: "ltr" }, this.inside(node)));
      case "table":
        return this.grid ? framed("div", t("source.sheet"), drawGrid(node, this)) : framed("div", t("answer.table"), this.table(node));
      case "rule":
        return el("hr");
      case "paragraph":
        return el("p", {}, this.inside(node));
      default:
        return this.inline(node);
    }
  }

  inside(node) {
    return (node.children ?? []).map((child) => this.block(child));
  }

  inline(node) {
    if (node.kind === "text") return this.run(node);
    if (node.kind === "break") return el("br");
    if (node.kind === "wrap") return "\n";
    const inside = this.inside(node);
    if (node.kind === "image") {
      const place = el("span", { class: "picture", title: node.target || null }, el("span", { class: "hidden" }, t("source.picture")), inside);
      if (node.target) this.pictured(place, node.target);
      return place;
    }
    if (node.kind === "link") return el("span", { class: "linked", title: node.target || null }, inside); // where it leads is told, and never gone to
    return el(INLINE[node.kind] ?? "span", { class: node.kind === "formula" ? "formula" : null, dir: node.kind === "literal" ? "ltr" : null }, inside);
  }

  table(node) {
    const rows = node.children.map((row) => row.children ?? []);
    const drawn = rows.map((cells, at) => el("tr", {}, cells.map((cell) => this.cell(cell, node.headed && at === 0))));
    return el("table", {}, node.headed && el("thead", {}, drawn[0]), el("tbody", {}, node.headed ? drawn.slice(1) : drawn));
  }

  /** A cell; one that names a column, unless it is empty, is a header. */
  cell(cell, names) {
    const inside = (cell.children ?? []).map((child) => this.inline(child));
    return names && inside.length > 0 ? el("th", { scope: "col" }, inside) : el("td", {}, inside);
  }

  /** A heading's level on the page: deeper than the one that it stands under, by one at most. */
  level(own) {
    while (this.levels.length > 1 && this.levels.at(-1).own >= own) this.levels.pop();
    const shown = Math.min(6, this.levels.at(-1).shown + 1);
    this.levels.push({ own, shown });
    return shown;
  }

  /** A run of text, cut where a mark begins or ends. One that stands for other characters than its own is marked as a whole. */
  run({ span, text }) {
    const [start, end] = span;
    const letters = PAIRS.test(text) ? points(text) : text;
    const whole = letters.length !== end - start;
    const touching = this.marks.filter(([from, to]) => from < end && start < to);
    const edges = whole ? [start, end] : [...new Set([start, end, ...touching.flat().filter((at) => start < at && at < end)])].sort((a, b) => a - b);
    return edges.slice(1).map((to, at) => {
      const from = edges[at];
      const piece = whole ? text : slice(letters, from - start, to - start);
      const node = document.createTextNode(piece);
      this.pieces.push({ span: [from, to], whole, node });
      return touching.some(([first, last]) => first < to && from < last) ? el("mark", {}, node) : node;
    });
  }
}

function slice(letters, from, to) {
  const cut = letters.slice(from, to);
  return typeof cut === "string" ? cut : cut.join("");
}

/** What is wider than the page scrolls by itself. */
function framed(tag, name, inside) {
  return el(tag, { class: "wide", tabindex: 0, role: "group", "aria-label": name }, inside);
}

/** Put the first block of a window to the one that it goes on with, of the same kind; returns whether it was. */
export function joined(before, after) {
  for (const [frame, part] of [["table", "tbody"], ["pre", "code"]]) {
    const [first, second] = [before, after].map((one) => (one?.matches?.(".wide") && (frame === "pre") === (one.tagName === "PRE") ? one.querySelector(part) : null));
    if (!first || !second) continue;
    first.append(...(frame === "pre" ? ["\n"] : []), ...second.childNodes);
    return true;
  }
  return false;
}
