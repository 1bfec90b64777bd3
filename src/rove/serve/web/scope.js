// What a question is asked of: some files, folders, tags or types in place of all documents; as chips, and as a filter.
//
//   const scope = scopeOf(host, { id: conversation_id, onChange: (where) => … });
//   post(here("/ask"), { question, where: scope.where() });    // undefined where all documents are meant
//   scope.keepAs(id);                                          // a new conversation has got its id
//   both(scope.where(), another)                               // two filters at once
//
// What was chosen is kept for each conversation, as long as the tab is open.

import { get, here } from "./api.js";
import { el, fill, say } from "./dom.js";
import { t } from "./words.js";

const PREFIX = "rove.scope.";
const PAUSE_MS = 200;
const MOST = 8; // of each kind, in the list
const MOST_IDS = 1000; // values of one comparison
const KINDS = ["folder", "tag", "file", "type"];
let made = 0;

/** Put the choice of a conversation into `host`; returns {where, fold, keepAs, clear}. See above. */
export function scopeOf(host, { id = "", onChange = () => {} } = {}) {
  const seat = { id, chosen: kept(id) };
  const chips = el("ul", { class: "chips" });
  const panel = el("div", { class: "scope-panel", hidden: true });
  made += 1;
  panel.id = `scope-${made}`;
  const toggle = el("button", { type: "button", class: "quiet scope-toggle", "aria-expanded": "false", "aria-controls": panel.id, on: { click: () => open(panel.hidden) } });
  const picker = pickerOf({ has: (one) => seat.chosen.some((other) => same(one, other)), put });
  fill(host, el("div", { class: "scope" }, toggle, chips, panel));
  panel.append(picker.host);
  document.addEventListener("keydown", function escape(event) {
    if (!host.isConnected) document.removeEventListener("keydown", escape);
    const focused = document.activeElement; // the page itself, where the list was drawn anew under the focus
    if (event.key !== "Escape" || panel.hidden || !(focused === document.body || host.contains(focused))) return;
    open(false);
    toggle.focus();
  });

  function open(wanted) {
    panel.hidden = !wanted;
    toggle.setAttribute("aria-expanded", String(wanted));
    if (wanted) picker.begin();
  }

  async function put(one, wanted) {
    const whole = wanted && one.kind === "folder" ? { ...one, ids: await inFolder(one.value) } : one;
    seat.chosen = wanted ? [...seat.chosen, whole] : seat.chosen.filter((other) => !same(one, other));
    changed(t(wanted ? "scope.added" : "scope.removed", { name: one.name }));
  }

  function changed(words) {
    keep(seat.id, seat.chosen);
    draw();
    say(words);
    onChange(where());
  }

  function draw() {
    toggle.textContent = seat.chosen.length ? t("scope.label") : t("scope.all");
    fill(chips, seat.chosen.map((one) => chip(one, () => (put(one, false), toggle.focus(), picker.draw()))));
  }

  function where() {
    return whereOf(seat.chosen);
  }

  draw();
  return {
    where,
    /** Close the list, which would stand over the answer. */
    fold: () => open(false),
    keepAs(given) {
      seat.id = given;
      keep(given, seat.chosen);
    },
    clear() {
      seat.chosen = [];
      changed(t("scope.all"));
    },
  };
}

/** The filter of what was chosen: of files and folders any, and of tags any, and of types any. */
export function whereOf(chosen) {
  const ids = chosen.flatMap((one) => (one.kind === "file" ? [one.value] : one.kind === "folder" ? one.ids : []));
  const parts = [any("document_id", [...new Set(ids)]), ...["tag", "type"].map((kind) => any(kind === "tag" ? "tags" : kind, chosen.filter((one) => one.kind === kind).map((one) => one.value)))];
  return parts.reduce(both, undefined);
}

/** What passes two filters, of which either may be none. */
export function both(one, other) {
  return one && other ? { and: [one, other] } : one ?? other;
}

function any(field, values) {
  if (!values.length) return undefined;
  const parts = Array.from({ length: Math.ceil(values.length / MOST_IDS) }, (_, at) => ({ field, op: "in", value: values.slice(at * MOST_IDS, (at + 1) * MOST_IDS) }));
  return parts.length > 1 ? { or: parts } : parts[0];
}

/** The field and the list of what can be chosen: {host, begin, draw}. */
function pickerOf({ has, put }) {
  const field = el("input", { type: "search", "aria-label": t("scope.find"), placeholder: t("scope.find"), autocomplete: "off", maxlength: 200 });
  const list = el("div", { class: "scope-list" });
  let shown = [];
  let waiting = 0;
  let asked = 0;

  async function look() {
    const mine = (asked += 1);
    const words = field.value.trim();
    const told = await get(here("/documents", { words, limit: 200, facets: true }));
    if (mine !== asked) return;
    shown = offered(told, words.toLocaleLowerCase());
    draw();
  }

  function draw() {
    const line = (one) => {
      const box = el("input", { type: "checkbox", checked: has(one), on: { change: () => put(one, box.checked) } });
      return el("li", {}, el("label", { class: "check" }, box, el("span", {}, one.name), one.count && el("span", { class: "muted small" }, String(one.count))));
    };
    const groups = KINDS.map((kind) => [kind, shown.filter((one) => one.kind === kind).slice(0, MOST)]).filter(([, some]) => some.length);
    fill(list, groups.length ? groups.map(([kind, some]) => el("fieldset", {}, el("legend", { class: "label" }, t(`scope.${kind}s`)), el("ul", {}, some.map(line)))) : el("p", { class: "muted" }, t("scope.none")));
  }

  field.addEventListener("keydown", (event) => event.key === "Enter" && event.preventDefault());
  field.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(look, PAUSE_MS);
  });
  const begin = () => {
    field.focus();
    look();
  };
  return { host: el("div", {}, field, list), begin, draw };
}

/** What a page of documents offers, of what has the words in its name. */
function offered({ documents, facets }, words) {
  const fits = (one) => !words || one.name.toLocaleLowerCase().includes(words);
  const counted = (kind, counts = {}) => Object.entries(counts).map(([value, count]) => ({ kind, value, name: value, count }));
  const types = facets?.types ?? counts(documents.map((one) => one.type));
  const tags = facets?.tags ?? counts(documents.flatMap((one) => one.metadata.tags ?? []));
  const files = documents.map((one) => ({ kind: "file", value: one.document_id, name: one.title || one.source, also: one.source }));
  return [...counted("folder", facets?.folders), ...counted("tag", tags), ...counted("type", types)].filter(fits).concat(files.filter((one) => fits(one) || one.also.toLocaleLowerCase().includes(words)));
}

function counts(values) {
  const found = {};
  for (const value of values) found[value] = (found[value] ?? 0) + 1;
  return found;
}

/** The ids of the documents in a folder. */
async function inFolder(folder) {
  const ids = [];
  for (let cursor = 0; cursor !== null; ) {
    const part = await get(here("/documents", { folder, cursor, limit: 1000 }));
    ids.push(...part.documents.map((one) => one.document_id));
    cursor = part.next_cursor;
  }
  return ids;
}

function chip(one, drop) {
  return el("li", { class: "chip" }, el("span", { class: "muted small" }, t(`scope.${one.kind}`)), el("span", {}, one.name), el("button", { type: "button", class: "quiet", "aria-label": t("scope.remove", { name: one.name }), on: { click: drop } }, "×"));
}

function same(one, other) {
  return one.kind === other.kind && one.value === other.value;
}

function kept(id) {
  try {
    const read = JSON.parse(sessionStorage.getItem(PREFIX + id)) ?? [];
    return read.filter((one) => KINDS.includes(one.kind) && typeof one.value === "string");
  } catch {
    return []; // storage is off, or holds something else
  }
}

function keep(id, chosen) {
  try {
    if (chosen.length) sessionStorage.setItem(PREFIX + id, JSON.stringify(chosen));
    else sessionStorage.removeItem(PREFIX + id);
  } catch {
    return;
  }
}
