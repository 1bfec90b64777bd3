// What more can be said of a question: how to search, how far to walk, and what the documents must be like.

import { el, fill, labelled } from "./dom.js";
import { iconButton } from "./icons.js";
import { named, t } from "./words.js";

const MODES = ["hybrid", "keyword", "semantic", "gather", "tree", "questions", "graph", "summaries", "themes"];
const FIELDS = ["title", "source", "type", "language", "page"];
const TEXTS = new Set(["title", "source", "type", "language", "document_id"]);
const SIGNS = { is: "==", not: "!=", least: ">=", most: "<=", some: "in" };
const ROUNDS = 4;
const FOUND = 10;

/** Make the options: {host, draw, asked, any}; `draw(way)` shows those of a way, `asked(way)` is what is sent for them. */
export function options() {
  const mode = el("select", {}, MODES.map((name) => el("option", { value: name }, named("search.mode", name))));
  const most = el("input", { type: "number", min: 1, max: 200, value: FOUND });
  const rounds = el("input", { type: "number", min: 1, max: 50, value: ROUNDS });
  const known = el("datalist", { id: "filter-fields" }, FIELDS.map((name) => el("option", { value: name })));
  const rows = el("div", { class: "filters" });
  const host = el("div", { class: "options", hidden: true });
  const own = {
    answer: [],
    search: [el("div", { class: "option" }, labelled(t("search.mode"), mode)), el("div", { class: "option counted" }, labelled(t("search.most"), most))],
    database: [],
    walk: [el("div", { class: "option counted" }, labelled(t("walk.rounds"), rounds))],
  };
  const plus = el("button", { type: "button", class: "quiet", on: { click: () => add().focus() } }, t("filter.add"));
  const add = () => {
    const row = drawFilter(() => (row.host.remove(), plus.focus()));
    rows.append(row.host);
    row.host.row = row;
    return row;
  };
  const conditions = () => [...rows.children].map((one) => one.row.condition()).filter(Boolean);
  add();
  return {
    host,
    draw: (way) => fill(host, own[way], el("fieldset", { class: "filtered" }, el("legend", { class: "label" }, t("filter.label")), known, rows, plus)),
    asked(way) {
      const all = conditions();
      return {
        ...(all.length && { where: all.length === 1 ? all[0] : { and: all } }),
        ...(way === "search" && { mode: mode.value, top_k: Number(most.value) || FOUND }),
        ...(way === "walk" && { budget: { rounds: Number(rounds.value) || ROUNDS } }),
      };
    },
    any: (way) => conditions().length > 0 || (way === "search" && mode.value !== MODES[0]) || (way === "walk" && Number(rounds.value) !== ROUNDS),
  };
}

/** One condition: {host, focus, condition}; it is none as long as its value is empty. */
function drawFilter(gone) {
  const field = el("input", { list: "filter-fields", value: FIELDS[0], "aria-label": t("filter.field"), autocomplete: "off", maxlength: 200 });
  const sign = el("select", { "aria-label": t("filter.sign") }, Object.keys(SIGNS).map((name) => el("option", { value: SIGNS[name] }, t(`filter.sign.${name}`))));
  const value = el("input", { "aria-label": t("filter.value"), placeholder: t("filter.value"), autocomplete: "off", maxlength: 1000 });
  const condition = () => {
    const [name, text] = [field.value.trim(), value.value.trim()];
    if (!name || !text) return null;
    const parts = sign.value === "in" ? text.split(",").map((part) => part.trim()).filter(Boolean) : [text];
    const values = parts.map((part) => (TEXTS.has(name) ? part : typed(part)));
    return { field: name, op: sign.value, value: sign.value === "in" ? values : values[0] };
  };
  const host = el("div", { class: "filter" }, field, sign, value, iconButton("close", t("filter.remove"), gone));
  return { host, condition, focus: () => field.focus() };
}

/** Numbers are compared as numbers. */
function typed(text) {
  if (text === "true" || text === "false") return text === "true";
  return Number.isFinite(Number(text)) ? Number(text) : text;
}
