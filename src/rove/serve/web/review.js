// Expert review: one thing at a time, with the words that it was found in; a button or a key accepts, edits or rejects it.

import { get, here, post } from "./api.js";
import { el, fill, labelled, say } from "./dom.js";
import { TOGETHER } from "./graph.js";
import { openSource } from "./source.js";
import { busy, empty, wrong } from "./states.js";
import { named, t } from "./words.js";

const SHOWN_CHARS = 1200;
const KEYS = { a: "accept", e: "edit", r: "reject", s: "skip" };
const PARTS = ["review.subject", "review.predicate", "review.object"];

/** "#/review", "#/review/KIND". */
export async function review(main, { rest: [kind], signal }) {
  const place = el("div", {}, busy());
  fill(main, el("h1", {}, t("nav.review")), el("p", { class: "muted" }, t("review.text")), place);
  await drawQueue(place, kind, signal);
}

async function drawQueue(place, kind, signal) {
  try {
    const waiting = await get(here("/reviews/queue", kind ? { kind } : {}), signal);
    say(t("review.left", { count: waiting.length }));
    if (waiting.length) drawFirst(place, waiting, () => drawQueue(place, kind, signal), signal);
    else fill(place, empty(t("review.none"), t("review.none.text")));
  } catch (problem) {
    if (problem.name !== "AbortError") fill(place, wrong(problem, () => drawQueue(place, kind, signal)));
  }
}

/** Draw the first thing; what is decided about it, or left for later, leads to the next; after the last, `over`. */
function drawFirst(place, [item, ...rest], over, signal) {
  const [below, heading] = [el("div"), el("h2", { id: "review-words" }, wordsOf(item))];
  const go = () => (rest.length ? drawFirst(place, rest, over, signal) : over());
  const decide = async (verdict, edit = []) => {
    try {
      await post(here("/reviews"), { item_id: item.item_id, verdict, edit }, signal);
      await go();
    } catch (problem) {
      if (problem.name !== "AbortError") below.append(wrong(problem));
    }
  };
  const press = { accept: () => decide("accept"), edit: () => drawForm(below, item, decide), reject: () => decide("reject"), skip: go };
  const buttons = Object.entries(KEYS).map(([key, name]) => el("button", { type: "button", class: name === "accept" ? "main" : name === "skip" ? "quiet" : "", "aria-keyshortcuts": key, on: { click: press[name] } }, t(`review.${name}`)));
  const keydown = (event) => {
    const name = KEYS[event.key.toLowerCase()];
    if (!name || event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, textarea")) return;
    event.preventDefault();
    press[name]();
  };
  const card = el("section", { class: "card review", "aria-labelledby": "review-words", tabindex: -1, on: { keydown } }, heading, drawEvidence(item), el("div", { class: "row" }, buttons), below);
  fill(place, card);
  card.focus();
}

function wordsOf({ kind, words, language }) {
  if (kind === "correction") return [el("del", { lang: language }, words[0]), " → ", el("ins", { lang: language }, words[1])];
  return words.map((word, at) => [at > 0 && " · ", at === 1 && word === TOGETHER ? t("graph.together") : el("span", { lang: language }, word)]);
}

/** The words that it was found in, where they stand, and what others have decided. */
function drawEvidence(item) {
  const open = (event) => openSource({ ...item, span: item.span ?? [0, 0] }, event.currentTarget);
  return [
    el("blockquote", { class: "source-text", lang: item.language }, item.evidence.length > SHOWN_CHARS ? `${item.evidence.slice(0, SHOWN_CHARS)}…` : item.evidence),
    el(
      "p",
      { class: "facts" },
      el("span", { class: "badge" }, named("review.kind", item.kind)),
      el("button", { type: "button", class: "link", "aria-label": t("graph.words", { title: item.title || item.source }), on: { click: open } }, item.title || item.source),
      item.made_by && el("span", {}, item.made_by),
      item.decisions.map((one) => el("span", {}, `${one.by}: ${named("review.verdict", one.verdict)}`)),
    ),
  ];
}

/** Fields for other words: three of a triplet, else one. */
function drawForm(below, { kind, words, language }, decide) {
  const parts = kind === "triplet" ? words : words.slice(-1);
  const fields = parts.map((value) => el("input", { value, required: kind !== "correction", autocomplete: "off", lang: language }));
  const submit = (event) => {
    event.preventDefault();
    decide("edit", fields.map((field) => field.value));
  };
  const cancel = () => (fill(below), below.closest("section").focus());
  fill(
    below,
    el(
      "form",
      { class: "plain spaced", on: { submit } },
      fields.map((field, at) => labelled(t(kind === "triplet" ? PARTS[at] : "review.words"), field)),
      el("div", { class: "row" }, el("button", { type: "submit", class: "main" }, t("review.save")), el("button", { type: "button", class: "quiet", on: { click: cancel } }, t("review.cancel"))),
    ),
  );
  fields[0].focus();
}
