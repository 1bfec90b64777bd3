// An answer, laid out: each sentence with the numbers of the words that hold it; and its sources.

import { drawCards, reference } from "./cards.js";
import { dataHint } from "./data_hint.js";
import { el } from "./dom.js";
import { graphOf } from "./graph.js";
import { Kept } from "./inline.js";
import { drawMarkdown } from "./markdown.js";
import { relatedOf } from "./related.js";
import { drawLinks, drawRendered } from "./rendered.js";
import { openSource } from "./source.js";
import { named, placed, t } from "./words.js";

const OWN_MODES = ["extractive", "refused", "unsourced", "clarifying", "chitchat"];
const SIGNS = /[^\p{L}\p{N}\s]/u;
const RULE = /^:?-+:?$/;
const GAP = "[…]"; // in the place of a deleted sentence
const PLAIN_MODES = ["refused", "clarifying", "chitchat"]; // fixed sentences, and names of documents in them

/** A button that opens the words which a citation rests on. */
export function cite(citation, sign = String(citation.number), differs = false) {
  const page = placed(citation);
  const open = (event) => openSource(citation, event.currentTarget);
  const label = t(differs ? "answer.cite-differs" : "answer.cite", { number: sign === "¶" ? "" : citation.number, title: citation.title });
  return el("button", { type: "button", class: differs ? "cite differs" : "cite", "aria-label": label, title: [differs ? label : citation.title, page].filter(Boolean).join(" · "), on: { click: open } }, sign);
}

/** Draw what has passed of an answer that is still being written: its numbers open nothing before its sources are here. */
export function drawDraft(host, text) {
  const kept = new Kept();
  return drawMarkdown(host, kept.put(text), { kept, mark: (number, sign) => (number ? el("span", { class: "cite pending" }, sign + number) : sign === "?" ? unsourced() : null) });
}

/** What stands behind a sentence that no source says. */
function unsourced() {
  return el("span", { class: "unsourced", title: t("answer.unsourced.text") }, t("answer.unsourced"));
}

/** A number whose source says otherwise, and beside it what the source says. */
function differing(citation) {
  const words = citation.rendered ? citation.rendered.text : citation.quote;
  return el("span", { class: "differing" }, cite(citation, `≠${citation.number}`, true), " ", el("q", {}, words.split(/\s+/).filter(Boolean).join(" ")));
}

/** The answer's text: what a model wrote is markdown, and what a source says stands as it was rendered. */
function drawText(answer) {
  const host = el("div", { class: `answer-text mode-${OWN_MODES.includes(answer.mode) ? answer.mode : "model"}`, lang: answer.language === "und" ? null : answer.language });
  const kept = new Kept(PLAIN_MODES.includes(answer.mode) && !answer.sentences.length ? [answer.text] : quotations(answer));
  return drawMarkdown(host, kept.put(answer.text), { kept, mark: marks(answer) });
}

/** The sentences of an answer of quotations; in every answer, what stands in quotation marks and is the source's own. */
function quotations(answer) {
  const words = answer.sentences.flatMap(({ text, citations }) => [text, ...citations.map(({ quote }) => quote.split(/\s+/).filter(Boolean).join(" "))]);
  const quoted = words.map((one) => `“${one}”`);
  return answer.mode === "extractive" ? [...quoted, ...answer.sentences.flatMap(({ text }) => (text.startsWith("|") ? cells(text) : text))] : quoted;
}

/** The cells of a quoted table in which a sign could be taken for markdown: its rows are laid out, what they hold is not. */
function cells(table) {
  return table.split(/(?<!\\)\|/).map((cell) => cell.trim()).filter((cell) => SIGNS.test(cell) && !RULE.test(cell));
}

/** The sentences that do not stand in the text, where each has its sign there; else none. */
function gaps(answer) {
  const out = deleted(answer);
  return answer.text.split(GAP).length - 1 === out.length ? out : [];
}

function deleted(answer) {
  return answer.mode === "unsourced" ? [] : answer.sentences.filter((one) => one.deleted);
}

/** The [n] of a text come in the order of the sentences' citations: each becomes the button of its own. */
function marks(answer) {
  const citations = answer.sentences.filter((one) => !one.deleted).flatMap((one) => one.citations);
  const out = gaps(answer);
  let next = 0;
  return (number, sign) => {
    if (sign === "?") return unsourced();
    if (sign === "…") return out.length ? el("details", { class: "gap" }, el("summary", { "aria-label": t("answer.left-out", { count: 1 }) }, GAP), " ", out.shift().text) : null;
    const found = citations.findIndex((one, place) => place >= next && one.number === number);
    if (found >= 0) next = found + 1;
    const citation = citations[found] ?? citations.findLast((one) => one.number === number);
    return citation && (sign ? differing(citation) : cite(citation));
  };
}

/** Sentences that a model wrote and that do not stand in the answer, where no sign of them does either. */
function leftOut(answer) {
  const out = gaps(answer).length ? [] : deleted(answer);
  return out.length > 0 && el("details", { class: "left-out" }, el("summary", {}, t("answer.left-out", { count: out.length })), el("ul", {}, out.map((one) => el("li", {}, one.text))));
}

/** The passages that came nearest where the answer is a refusal, said to be no answer. */
function nearest(hits) {
  const passage = (hit, at) => {
    const item = reference(hit, at + 1);
    if (hit.rendered) item.append(el("div", { class: "snippet", lang: hit.language === "und" ? null : hit.language }, drawRendered(hit.rendered)));
    return item;
  };
  return el("section", { class: "nearest" }, el("h3", {}, t("answer.nearest")), el("ol", {}, hits.map(passage)));
}

/** An answer, its sources, and what to go on with; `where`: the filter that it was asked with. */
export function drawAnswer(answer, { where } = {}) {
  const mode = OWN_MODES.includes(answer.mode) ? named("mode", answer.mode) : t("mode.model", { model: answer.mode });
  const read = [...new Set(answer.sentences.flatMap(({ citations }) => citations.map(({ chunk_id }) => chunk_id)))].slice(0, 50);
  const text = drawText(answer);
  return [
    text,
    answer.short && el("p", { class: "short muted" }, t("answer.short"), " ", el("strong", {}, answer.short.quote), answer.short.subject && ` (${answer.short.subject})`, " ", cite(answer.short, "¶")),
    answer.cut && el("p", { class: "notice refused" }, t("answer.cut")),
    el("p", { class: "made muted" }, el("span", { class: "badge" }, mode), answer.note && el("span", { lang: answer.language }, answer.note)),
    answer.mode === "extractive" && drawLinks(answer.sentences.flatMap((one) => one.citations.map(({ rendered }) => rendered))),
    leftOut(answer),
    answer.thoughts && el("details", { class: "thoughts" }, el("summary", {}, t("answer.thoughts")), el("p", {}, answer.thoughts)),
    answer.nearest?.length > 0 && nearest(answer.nearest),
    drawCards(answer, text),
    !answer.notes?.some(({ code }) => code === "from-rows") && dataHint(answer.question, { where }),
    relatedOf(answer, { where }),
    read.length > 0 && graphOf({ chunks: read }),
  ];
}
