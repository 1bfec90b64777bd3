// A passage as it is shown: its blocks, tables as tables; and its links apart, as words and addresses that lead nowhere.

import { el, points } from "./dom.js";
import { scrolled } from "./markdown.js";
import { openSource } from "./source.js";
import { t } from "./words.js";

/** What is shown of a passage, a quotation or a fact on a line; one that the reader has just written stands as it is. */
export function lineOf(one) {
  return (one.rendered?.text ?? one.text).replace(/\s+/g, " ");
}

/** The blocks of a rendered text: {text, blocks}. */
export function drawRendered({ text, blocks }) {
  const letters = points(text);
  return blocks.map(({ kind, span, headed }) => drawBlock(kind, letters.slice(...span).join(""), headed));
}

function drawBlock(kind, text, headed) {
  if (kind === "heading") return el("p", {}, el("strong", {}, text));
  if (kind === "code") return scrolled("pre", t("answer.code"), el("code", { dir: "ltr" }, text));
  if (kind !== "table") return el("p", {}, text);
  const rows = text.split("\n").map((line) => line.split("\t"));
  const row = (tag) => (cells) => el("tr", {}, cells.map((cell) => el(tag, { scope: tag === "th" && "col" }, cell)));
  const names = headed ? rows.splice(0, 1) : [];
  return scrolled("div", t("answer.table"), el("table", {}, el("thead", {}, names.map(row("th"))), el("tbody", {}, rows.map(row("td")))));
}

/** Where the links of some rendered texts lead, each once. */
export function drawLinks(texts) {
  const links = new Map(texts.flatMap((one) => one?.links ?? []).map((link) => [`${link.label} ${link.target}`, link]));
  const line = ({ label, target }) => el("li", {}, label, " ", el("bdi", { class: "address", dir: "ltr" }, target));
  return links.size > 0 && el("details", { class: "links" }, el("summary", {}, t("answer.links", { count: links.size })), el("ul", {}, [...links.values()].map(line)));
}

/** From which day a text is whose file is gone or can no longer be read; false where it is up to date. */
export function asItWas({ as_of: day }) {
  return Boolean(day) && el("span", { class: "badge" }, t("source.as-of", { day }));
}

/** The other places where the text of a hit stands; each opens there. */
export function drawSame({ same }) {
  const place = (one) => el("li", {}, el("button", { type: "button", class: "link", on: { click: (event) => openSource(one, event.currentTarget) } }, one.title || one.source || one.document_id));
  return same?.length > 0 && el("details", { class: "links" }, el("summary", {}, t("search.same", { count: same.length })), el("ul", {}, same.map(place)));
}
