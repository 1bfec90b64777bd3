// An answer: its sentences in their places, each with the numbers of the words that hold it; and its sources.

import { el } from "./dom.js";
import { openSource } from "./source.js";
import { named, t } from "./words.js";

const MARKS = /(?:\s?\[\d+\])+/g;

/** A button that opens the words which a citation rests on. */
export function cite(citation, sign = String(citation.number)) {
  const page = citation.page ? t("source.page", { page: citation.page }) : "";
  const open = (event) => openSource(citation, event.currentTarget);
  const label = t("answer.cite", { number: sign === "¶" ? "" : sign, title: citation.title });
  return el("button", { type: "button", class: "cite", "aria-label": label, title: [citation.title, page].filter(Boolean).join(" · "), on: { click: open } }, sign);
}

/** The answer's text from its start to its end: what stands between sentences stays, the [n] in it become buttons. */
export function sentences(answer) {
  const parts = [];
  let at = 0;
  for (const sentence of answer.sentences) {
    const found = answer.text.indexOf(sentence.text, at);
    if (found >= 0) {
      parts.push(answer.text.slice(at, found).replace(MARKS, ""));
      at = found + sentence.text.length;
    } else parts.push(" ");
    const text = el("span", { class: sentence.supported ? "" : "unsupported" }, sentence.text.replace(MARKS, ""));
    if (!sentence.supported) text.title = t("answer.unsupported");
    parts.push(text, ...sentence.citations.map(cite));
  }
  parts.push(answer.text.slice(at).replace(MARKS, ""));
  return parts;
}

function reference(hit, number) {
  const open = (event) => openSource(hit, event.currentTarget);
  const where = [...hit.headings, hit.page ? t("source.page", { page: hit.page }) : ""].filter(Boolean).join(" › ");
  return el(
    "li",
    { value: number },
    el("button", { type: "button", class: "link", on: { click: open } }, hit.title || hit.source),
    where && el("span", { class: "muted" }, ` ${where}`),
  );
}

export function drawAnswer(answer) {
  const mode = ["extractive", "refused", "unsourced", "clarifying"].includes(answer.mode) ? named("mode", answer.mode) : t("mode.model", { model: answer.mode });
  return [
    el("p", { class: answer.refused ? "answer-text none" : "answer-text", lang: answer.language === "und" ? null : answer.language }, sentences(answer)),
    el("p", { class: "made muted" }, el("span", { class: "badge" }, mode), answer.note && el("span", {}, answer.note)),
    answer.references?.length > 0 &&
      el("details", { class: "references" }, el("summary", {}, t("answer.sources", { count: answer.references.length })), el("ol", {}, answer.references.map((hit, at) => reference(hit, at + 1)))),
  ];
}
