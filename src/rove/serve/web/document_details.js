// One document, opened beneath its row: its sections with what they say, its chunks, its graph, its tags and its file.

import { erase, get, here, post } from "./api.js";
import { el, fill, labelled, say } from "./dom.js";
import { graphOf } from "./graph.js";
import { said } from "./said.js";
import { saveAs } from "./save.js";
import { openSource } from "./source.js";
import { busy, wrong } from "./states.js";
import { store } from "./store.js";
import { eraser } from "./sure.js";
import { locale, t } from "./words.js";

/** All that a row opens. `changed` is called after something of the document was changed. */
export function details(one, changed) {
  const gone = async () => {
    await erase(here("/document", { document_id: one.document_id }));
    await changed();
  };
  const state = el("span", { role: "status", class: "small" });
  return [
    store.may("add") && tagForm([one], one.tags, changed),
    opened(t("documents.sections"), (place) => drawTree(place, one)),
    opened(t("documents.passages", { count: one.chunks }), (place) => drawChunks(place, one)),
    one.metadata.corrected_at && opened(t("documents.corrections"), (place) => drawCorrections(place, one)),
    graphOf({ documents: [one.document_id] }),
    el(
      "div",
      { class: "row" },
      el("button", { type: "button", class: "quiet", on: { click: () => save(one, "original", state) } }, t("documents.save-file")),
      el("button", { type: "button", class: "quiet", on: { click: () => save(one, "text", state) } }, t("documents.save-text")),
      store.may("delete") && eraser(t("documents.delete-named", { title: titleOf(one) }), gone),
      state,
    ),
  ];
}

export function titleOf(one) {
  return one.title || one.source || one.document_id;
}

/** Part of the details that asks for what it shows when it is opened. */
function opened(name, draw) {
  const place = el("div", {}, busy());
  const part = el("details", {}, el("summary", {}, name), place);
  part.addEventListener("toggle", () => part.open && draw(place), { once: true });
  return part;
}

async function save(one, what, state) {
  fill(state);
  try {
    const name = one.source.split(/[/›]/).at(-1).trim() || "document";
    await saveAs(here("/download", { document_id: one.document_id, what }), what === "text" ? `${name.replace(/\.\w+$/, "")}.md` : name);
    say(t("documents.saved", { name: titleOf(one) }));
  } catch (problem) {
    fill(state, said(problem.detail), " ", said(problem.cure));
  }
}

/** Put tags on documents, or take off those that stand there. */
export function tagForm(some, tags, changed) {
  const field = el("input", { maxlength: 64, autocomplete: "off", list: "all-tags" });
  const state = el("span", { role: "status", class: "small" });
  const set = async (change) => {
    try {
      await post(here("/documents/tags"), { document_ids: some.map((one) => one.document_id), ...change });
      await changed();
    } catch (problem) {
      fill(state, said(problem.message));
    }
  };
  const submit = (event) => {
    event.preventDefault();
    const add = field.value.split(",").map((tag) => tag.trim()).filter(Boolean);
    if (add.length) set({ add });
  };
  const off = (tag) => el("button", { type: "button", class: "tag", "aria-label": t("documents.tag-off", { tag }), on: { click: () => set({ remove: [tag] }) } }, tag, el("span", { "aria-hidden": "true" }, "×"));
  return el("form", { class: "tags", on: { submit } }, tags.map(off), labelled(t("documents.tag-new"), field), el("button", { type: "submit" }, t("documents.tag-on")), state);
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

async function drawChunks(place, one, cursor = 0) {
  const list = cursor ? place.querySelector("ol") : el("ol", { class: "chunks" });
  place.querySelector(".more")?.remove();
  try {
    const page = await get(here("/chunks", { document_id: one.document_id, cursor, limit: 20 }));
    list.append(...page.chunks.map((chunk) => drawChunk(chunk, one, () => drawChunks(place, one))));
    const further = (event) => (event.currentTarget.remove(), drawChunks(place, one, page.next_cursor));
    const more = page.next_cursor !== null && el("button", { type: "button", class: "more", on: { click: further } }, t("documents.more-passages"));
    if (cursor) place.append(more || "");
    else fill(place, list, more);
  } catch (problem) {
    fill(place, wrong(problem, () => drawChunks(place, one)));
  }
}

/** A chunk: the words themselves, and before them in grey what is indexed with them. `again`: it was corrected. */
function drawChunk(chunk, one, again) {
  const open = (event) => openSource({ ...one, span: chunk.span }, event.currentTarget);
  const text = el("p", { class: "chunk", lang: chunk.language === "und" ? null : chunk.language }, chunk.text);
  const words = el("div", {}, text);
  const edit = el("button", { type: "button", class: "quiet" }, t("documents.correct"));
  const back = () => {
    fill(words, text);
    edit.hidden = false;
    edit.focus();
  };
  edit.addEventListener("click", () => {
    edit.hidden = true;
    drawEditor(words, chunk, one, again, back);
  });
  return el(
    "li",
    { value: chunk.position + 1 },
    el(
      "p",
      { class: "facts" },
      el("button", { type: "button", class: "link", on: { click: open } }, t("documents.passage", { number: chunk.position + 1 })),
      el("span", {}, t("documents.characters", { start: chunk.span[0], end: chunk.span[1] })),
      chunk.page !== null && el("span", {}, t("source.page", { page: chunk.page })),
      store.may("add") && edit,
    ),
    chunk.prefix && el("p", { class: "small muted prefix" }, chunk.prefix),
    words,
  );
}

/** The words of a chunk in a field. What is saved is a correction of the document's text, which stays when its file is read again. */
function drawEditor(words, chunk, one, again, back) {
  const field = el("textarea", { rows: Math.min(16, 2 + Math.ceil(chunk.text.length / 80)), value: chunk.text });
  const state = el("div", { role: "status" });
  const submit = async (event) => {
    event.preventDefault();
    try {
      await post(here("/corrections"), { document_id: one.document_id, span: chunk.span, before: chunk.text, text: field.value });
      say(t("documents.corrected", { title: titleOf(one) }));
      again();
    } catch (problem) {
      fill(state, wrong(problem));
    }
  };
  const keydown = (event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    back();
  };
  const save = el("button", { type: "submit", class: "main" }, t("documents.correct-save"));
  const leave = el("button", { type: "button", class: "quiet", on: { click: back } }, t("edit.cancel"));
  fill(words, el("form", { class: "editor", on: { submit, keydown } }, labelled(t("documents.correct-words"), field), el("p", { class: "small muted" }, t("documents.correct.text")), el("div", { class: "row" }, save, leave), state));
  field.focus();
}

async function drawCorrections(place, one) {
  const when = (at) => new Date(at).toLocaleString(locale());
  const undo = (number) => async () => {
    try {
      await post(here("/corrections/take_back"), { document_id: one.document_id, number });
      say(t("documents.taken-back", { title: titleOf(one) }));
      drawCorrections(place, one);
    } catch (problem) {
      fill(place, wrong(problem, () => drawCorrections(place, one)));
    }
  };
  const draw = ({ number, before, after, by, made_at, span, taken_back_by }) =>
    el(
      "li",
      {},
      el(
        "p",
        { class: "facts" },
        el("span", {}, by),
        el("time", { datetime: made_at }, when(made_at)),
        taken_back_by !== null && el("span", {}, t("documents.was-taken-back")),
        span !== null && store.may("add") && el("button", { type: "button", class: "link", on: { click: undo(number) } }, t("documents.take-back")),
      ),
      el("p", { class: "chunk" }, el("del", {}, before)),
      el("p", { class: "chunk" }, el("ins", {}, after)),
    );
  try {
    fill(place, el("ol", { class: "chunks" }, (await get(here("/corrections", { document_id: one.document_id }))).map(draw)));
  } catch (problem) {
    fill(place, wrong(problem, () => drawCorrections(place, one)));
  }
}
