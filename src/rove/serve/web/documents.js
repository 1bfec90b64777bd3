// Documents: all that are there, each with its sections as a tree; and what did not go in, with its reason.

import { erase, get, here } from "./api.js";
import { el, fill, labelled, say } from "./dom.js";
import { graphOf } from "./graph.js";
import { openSource } from "./source.js";
import { busy, empty, wrong } from "./states.js";
import { store } from "./store.js";
import { eraser } from "./sure.js";
import { named, t } from "./words.js";

export async function documents(main, { signal, refresh }) {
  const list = el("div", {}, busy());
  const failed = el("div");
  const depth = el("div");
  fill(main, el("h1", {}, t("documents.title")), depth, list, failed);
  const [all, far] = await Promise.all([everything(signal), get(here("/depth"), signal)]);
  if (far.shallow) fill(depth, el("p", { class: "notice" }, t("documents.depth", { share: Math.floor(100 * far.share), count: far.shallow })));
  if (all.length) drawList(list, all, refresh);
  else fill(list, empty(t("documents.empty"), t("documents.empty.text"), el("a", { class: "button main", href: "#/add" }, t("nav.add"))));
  if (store.may("admin")) await drawFailed(failed, signal);
}

async function everything(signal) {
  const all = [];
  let cursor = 0;
  while (cursor !== null) {
    const part = await get(here("/documents", { cursor, limit: 1000 }), signal);
    all.push(...part.documents);
    cursor = part.next_cursor;
  }
  return all;
}

function drawList(list, all, refresh) {
  const field = el("input", { type: "search", autocomplete: "off" });
  const items = el("ul", { class: "list" });
  const shown = () => {
    const wanted = field.value.toLocaleLowerCase();
    const some = all.filter((one) => `${one.title} ${one.source}`.toLocaleLowerCase().includes(wanted));
    fill(items, some.slice(0, 500).map((one) => drawDocument(one, refresh)));
    say(t("documents.count", { count: some.length }));
  };
  field.addEventListener("input", shown);
  fill(list, el("div", { class: "plain" }, labelled(t("documents.filter"), field)), items);
  shown();
}

function drawDocument(one, refresh) {
  const title = one.title || one.source || one.document_id;
  const open = (event) => openSource({ ...one, span: [0, 0] }, event.currentTarget);
  const tree = el("div", {}, busy());
  const sections = el("details", {}, el("summary", {}, t("documents.sections")), tree);
  sections.addEventListener("toggle", () => sections.open && drawTree(tree, one), { once: true });
  const gone = async () => {
    await erase(here("/document", { document_id: one.document_id }));
    await refresh();
  };
  const added = new Date(one.added_at.endsWith("Z") || one.added_at.includes("+") ? one.added_at : `${one.added_at}Z`);
  return el(
    "li",
    { class: "card" },
    el("h2", {}, el("button", { type: "button", class: "link", on: { click: open } }, title)),
    el(
      "p",
      { class: "facts" },
      one.source !== title && el("span", {}, one.source),
      el("span", {}, one.type),
      el("span", {}, t("documents.chunks", { count: one.chunks })),
      el("span", {}, t("documents.added", { date: added.toLocaleDateString(document.documentElement.lang) })),
    ),
    sections,
    graphOf({ documents: [one.document_id] }),
    store.may("delete") && eraser(t("documents.delete-named", { title }), gone),
  );
}

async function drawTree(place, one) {
  try {
    const asked = { document_id: one.document_id };
    const [{ sections }, summaries] = await Promise.all([get(here("/text", { ...asked, start: 0, end: 0 })), get(here("/summary", asked))]);
    const said = new Map(summaries.filter((one) => one.headings.length).map((one) => [String(one.span), one]).reverse()); // a section before its parts
    const whole = summaries.find((summary) => !summary.headings.length);
    const tree = sections.length ? el("ul", { class: "tree" }, branches(nested(sections), one, said)) : el("p", { class: "muted" }, t("documents.no-sections"));
    fill(place, whole && drawSummary(whole, one), tree);
  } catch (problem) {
    fill(place, wrong(problem, () => drawTree(place, one)));
  }
}

/** Sections, which come in order with their levels, as a tree. */
function nested(sections) {
  const top = { level: 0, below: [] };
  const path = [top];
  for (const section of sections) {
    const node = { ...section, below: [] };
    while (path.length > 1 && path.at(-1).level >= section.level) path.pop();
    path.at(-1).below.push(node);
    path.push(node);
  }
  return top.below;
}

/** What is said in few sentences; each opens the words that it is made from. */
function drawSummary(summary, one) {
  const open = (spans) => (event) => openSource({ ...one, span: spans[0] }, event.currentTarget);
  return el("p", { class: "said" }, summary.sentences.map(({ text, spans }) => [el("button", { type: "button", class: "link", on: { click: open(spans) } }, text), " "]));
}

function branches(nodes, one, said) {
  return nodes.map((node) => {
    const open = (event) => openSource({ ...one, span: node.span, line: true }, event.currentTarget);
    const link = el("button", { type: "button", class: "link", on: { click: open } }, node.title);
    const summary = said.get(String(node.span));
    const own = summary && drawSummary(summary, one);
    if (!node.below.length) return el("li", {}, link, own);
    return el("li", {}, link, own, el("details", { open: node.level < 2 }, el("summary", {}, t("documents.below", { count: node.below.length })), el("ul", {}, branches(node.below, one, said))));
  });
}

async function drawFailed(place, signal) {
  const { entries } = await get(here("/ledger", { state: "failed" }), signal);
  if (!entries.length) return;
  fill(
    place,
    el("hr"),
    el("h2", {}, t("documents.failed", { count: entries.length })),
    el("ul", { class: "list" }, entries.map(drawSource)),
  );
}

/** What became of one source: by its type in the reader's language, then with the details, which are English. */
export function drawSource(one) {
  const bad = one.state === "failed";
  const foreign = document.documentElement.lang !== "en";
  const state = one.unchanged ? t("add.unchanged") : named("stage", one.state);
  return el(
    "li",
    { class: "card" },
    el("div", { class: "row" }, el("strong", {}, one.source), el("span", { class: bad ? "badge bad" : "badge good" }, bad && one.outcome ? named("outcome", one.outcome) : state)),
    one.outcome && foreign && el("p", { class: "small" }, named("outcome", `${one.outcome}.text`, "")),
    (one.reason || one.cure) && el("p", { class: "small", lang: "en" }, el("span", { class: foreign ? "muted" : "" }, one.reason), " ", el("span", { class: "muted" }, one.cure)),
    !bad && el("p", { class: "facts" }, el("span", {}, t("add.made", { documents: one.documents, chunks: one.chunks }))),
  );
}
