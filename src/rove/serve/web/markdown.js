// Markdown, as elements: what a model writes gets its layout and nothing else. HTML stays text, pictures stay their words,
// and a link is its words with its address behind it: nothing here leads anywhere.

import { el } from "./dom.js";
import { inline } from "./inline.js";
import { t } from "./words.js";

const DEEPEST = 6; // lists and quotes in each other; what lies deeper is a paragraph
const TOP_HEADING = 3; // an answer stands under the view's and the question's heading
const FENCE = /^ {0,3}(`{3,}|~{3,})([^`]*)$/;
const HEADING = /^ {0,3}(#{1,6})(?: +(.*))?$/;
const RULE = /^ {0,3}([-*_])(?: *\1){2,} *$/;
const QUOTE = /^ {0,3}> ?/;
const ITEM = /^( *)(?:([-*+•])|(\d{1,9})([.)、]))(?: +|$)/;
const INTERRUPTS = /^ {0,3}(?:[-*+•]|1[.)])(?: |$)/; // "1986." at the start of a line is a year
const TURNS = /[\u202a-\u202e\u2066-\u2069]/g; // would turn the letters of what stands beside them
const drawn = new WeakMap();

/**
 * Draw a text into an element. What is there already and has not changed stays, so that a text can grow.
 * `hooks.mark(number, sign)`: the element of a reference [number] (sign ""), [number≠?] ("≠"), [?] (0, "?") or […] (0, "…"), or null; `hooks.kept`: see `inline`.
 */
export function drawMarkdown(host, text, hooks) {
  const blocks = read(lines(text), 0, []);
  const held = drawn.get(host) ?? [];
  let same = 0;
  while (same < held.length && same < blocks.length && held[same] === blocks[same].said) same += 1;
  while (host.childNodes.length > same) host.lastChild.remove();
  for (const block of blocks.slice(same)) host.append(block.draw(hooks));
  drawn.set(host, blocks.map((block) => block.said));
  return host;
}

function lines(text) {
  const straight = text.replace(TURNS, "").split(/\r\n?|\n/);
  return straight.map((line) => line.replace(/^[ \t]+/, (space) => space.replaceAll("\t", "    ")));
}

/** The blocks of lines: {end, said, draw}. `outline`: the levels of the headings that stand above. */
function read(lines, deep, outline) {
  const blocks = [];
  for (let at = 0; at < lines.length; ) {
    if (!lines[at].trim()) {
      at += 1;
      continue;
    }
    const nests = deep < DEEPEST;
    const block =
      fence(lines, at) ?? heading(lines, at, outline) ?? rule(lines, at) ?? table(lines, at) ??
      (nests ? (quote(lines, at, deep, outline) ?? list(lines, at, deep, outline)) : null) ?? paragraph(lines, at);
    blocks.push({ said: `${outline.length} ${lines.slice(at, block.end).join("\n")}`, ...block });
    at = block.end;
  }
  return blocks;
}

function fence(lines, at) {
  const open = FENCE.exec(lines[at]);
  if (!open) return null;
  let end = at + 1;
  while (end < lines.length && !closes(lines[end].trim(), open[1])) end += 1;
  const code = lines.slice(at + 1, end).join("\n");
  return { end: Math.min(end + 1, lines.length), draw: ({ kept }) => scrolled("pre", t("answer.code"), el("code", { dir: "ltr" }, kept.whole(code))) };
}

function closes(line, opened) {
  return line.length >= opened.length && line === opened[0].repeat(line.length);
}

function heading(lines, at, outline) {
  const found = HEADING.exec(lines[at]);
  if (!found) return null;
  const level = found[1].length;
  while (outline.length && outline.at(-1) >= level) outline.pop();
  outline.push(level);
  const tag = `h${Math.min(6, TOP_HEADING - 1 + outline.length)}`;
  const text = (found[2] ?? "").trimEnd().replace(/ #+$/, "");
  return { end: at + 1, draw: (hooks) => el(tag, {}, inline(text, hooks)) };
}

function rule(lines, at) {
  return RULE.test(lines[at]) ? { end: at + 1, draw: () => el("hr") } : null;
}

function table(lines, at) {
  if (!heads(lines, at)) return null;
  const names = cells(lines[at]);
  const sides = cells(lines[at + 1]).map((cell) => (cell.endsWith(":") ? (cell.startsWith(":") ? "middle" : "end") : null));
  let end = at + 2;
  while (end < lines.length && lines[end].includes("|")) end += 1;
  const rows = lines.slice(at + 2, end).map((line) => cells(line).slice(0, names.length));
  const draw = (hooks) => {
    const row = (tag) => (texts) => el("tr", {}, texts.map((text, place) => el(tag, { class: sides[place], scope: tag === "th" && "col" }, inline(text, hooks))));
    return scrolled("div", t("answer.table"), el("table", {}, el("thead", {}, row("th")(names)), el("tbody", {}, rows.map(row("td")))));
  };
  return { end, draw };
}

/** Say whether a table begins here: a row of names, and below it a rule of as many cells. */
function heads(lines, at) {
  const below = lines[at + 1] ?? "";
  if (!lines[at].includes("|") || !below.includes("-") || !below.includes("|")) return false;
  const rules = cells(below);
  return rules.every((cell) => /^:?-+:?$/.test(cell)) && rules.length === cells(lines[at]).length;
}

function cells(line) {
  const row = line.trim();
  const parts = row.slice(row.startsWith("|") ? 1 : 0).split(/(?<!\\)\|/);
  if (parts.length > 1 && !parts.at(-1)) parts.pop();
  return parts.map((cell) => cell.trim().replaceAll("\\|", "|"));
}

/** A table or code that is wider than the page scrolls by itself. */
export function scrolled(tag, name, inside) {
  return el(tag, { class: "wide", tabindex: 0, role: "region", "aria-label": name }, inside);
}

function quote(lines, at, deep, outline) {
  let end = at;
  while (end < lines.length && QUOTE.test(lines[end])) end += 1;
  if (end === at) return null;
  const blocks = read(lines.slice(at, end).map((line) => line.replace(QUOTE, "")), deep + 1, outline);
  return { end, draw: (hooks) => el("blockquote", {}, blocks.map((block) => block.draw(hooks))) };
}

function list(lines, at, deep, outline) {
  const first = ITEM.exec(lines[at]);
  if (!first) return null;
  const margin = first[1].length;
  const items = [];
  let end = at;
  for (let next = at; next < lines.length; next = filled(lines, end)) {
    const found = ITEM.exec(lines[next]);
    if (!found || found[1].length > margin + 1 || found[2] !== first[2] || found[4] !== first[4] || RULE.test(lines[next])) break;
    const own = [lines[next].slice(found[0].length)];
    end = belonging(lines, next + 1, margin, found[0].length, own);
    items.push({ number: found[3], blocks: read(own, deep + 1, outline) });
  }
  const draw = (hooks) => el(first[2] ? "ul" : "ol", {}, items.map(({ number, blocks }) => el("li", { value: number && Number(number) }, blocks.map((block) => block.draw(hooks)))));
  return { end, draw };
}

/** Put the lines that belong to an item into `own`; returns where they end. */
function belonging(lines, at, margin, width, own) {
  let end = at;
  while (end < lines.length) {
    const next = filled(lines, end);
    const inside = next < lines.length && lines[next].search(/[^ ]/) >= margin + 2;
    if (!inside && (next > end || starts(lines, next) || ITEM.test(lines[next]))) break;
    if (next > end) own.push("");
    const line = lines[next];
    own.push(line.slice(inside ? Math.min(width, line.search(/[^ ]/)) : 0));
    end = next + 1;
  }
  return end;
}

/** The next line that is not blank. */
function filled(lines, at) {
  let next = at;
  while (next < lines.length && !lines[next].trim()) next += 1;
  return next;
}

function paragraph(lines, at) {
  let end = at + 1;
  while (end < lines.length && lines[end].trim() && !starts(lines, end)) end += 1;
  const text = lines.slice(at, end).map((line) => line.trim()).join("\n");
  return { end, draw: (hooks) => el("p", {}, inline(text, hooks)) };
}

function starts(lines, at) {
  return [FENCE, HEADING, RULE, QUOTE, INTERRUPTS].some((sign) => sign.test(lines[at])) || heads(lines, at);
}
