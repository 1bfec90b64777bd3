// The sources of an answer as cards: title, file, page and headings, and the words that are cited, before any click.

import { el } from "./dom.js";
import { asItWas, drawRendered, drawSame } from "./rendered.js";
import { openSource } from "./source.js";
import { placed, t } from "./words.js";

const FIRST = 4; // cards that are open; the others are folded
const QUOTES = 3; // of one source

/** The cards of what an answer cites, and the passages that were read beside; none where it cites nothing. */
export function drawCards(answer, text) {
  const cited = new Map();
  for (const citation of answer.sentences.flatMap((one) => one.citations)) {
    const known = cited.get(citation.number) ?? { citation, hit: answer.references?.find((one) => one.chunk_id === citation.chunk_id), quotes: new Map() };
    known.quotes.set(citation.quote, citation);
    cited.set(citation.number, known);
  }
  const cards = [...cited].sort(([a], [b]) => a - b).map(([number, source]) => card(number, source));
  const others = (answer.references ?? []).map((hit, at) => [hit, at + 1]).filter(([hit, number]) => !cited.has(number) && !answer.nearest?.some((one) => one.chunk_id === hit.chunk_id));
  if (!cards.length && !others.length) return false;
  const list = (some) => el("ol", { class: "cards" }, some);
  const host = el(
    "section",
    { class: "sources" },
    cards.length > 0 && [el("h3", {}, t("answer.sources", { count: cards.length })), list(cards.slice(0, FIRST))],
    cards.length > FIRST && el("details", {}, el("summary", {}, t("answer.more-sources", { count: cards.length - FIRST })), list(cards.slice(FIRST))),
    others.length > 0 && el("details", { class: "references" }, el("summary", {}, t("answer.read", { count: others.length })), el("ol", {}, others.map(([hit, number]) => reference(hit, number)))),
  );
  tie(text, host);
  return host;
}

function card(number, { citation, hit, quotes }) {
  const open = (one) => (event) => openSource(one, event.currentTarget);
  const title = el("button", { type: "button", class: "link", on: { click: open(citation) } }, citation.title || citation.source);
  const words = [...quotes.values()].slice(0, QUOTES).map((one) => el("blockquote", { lang: language(hit) }, one.rendered ? drawRendered(one.rendered) : el("p", {}, one.quote), quotes.size > 1 && el("button", { type: "button", class: "cite", "aria-label": t("answer.cite", { number, title: citation.title }), on: { click: open(one) } }, "¶")));
  const item = el("li", { class: "card source-card", value: number }, el("p", { class: "card-top" }, el("span", { class: "card-number", "aria-hidden": "true" }, String(number)), title), where(citation, hit), words, hit && drawSame(hit));
  item.addEventListener("click", ({ target }) => target.closest("button, summary, a") || String(getSelection()) || openSource(citation, title)); // for the mouse; the title is for the keyboard
  return item;
}

function where(citation, hit) {
  const named = citation.source && citation.source !== citation.title ? citation.source : "";
  const parts = [named, placed(citation), (hit?.headings ?? []).filter((name) => name !== citation.title).join(" › ")].filter(Boolean);
  const aged = asItWas(citation);
  return (parts.length > 0 || aged) && el("p", { class: "facts" }, parts.map((part) => el("span", {}, part)), aged);
}

/** A passage by its title and place. */
export function reference(hit, number) {
  const place = [...hit.headings, placed(hit)].filter(Boolean).join(" › ");
  return el(
    "li",
    { value: number },
    el("button", { type: "button", class: "link", on: { click: (event) => openSource(hit, event.currentTarget) } }, hit.title || hit.source),
    place && el("span", { class: "muted" }, ` ${place}`),
    asItWas(hit),
    drawSame(hit),
  );
}

function language(hit) {
  return !hit || hit.language === "und" ? null : hit.language;
}

/** A number in the text and its card are lit together, by the mouse and by the keyboard. */
function tie(text, cards) {
  const numbered = (part) => [...part.querySelectorAll(part === text ? ".cite" : ".source-card")];
  const numberOf = (one) => one && (one.value || Number.parseInt(one.textContent, 10)); // "1" and "1?"; a card has it as its value
  for (const [event, lit] of [["pointerover", true], ["pointerout", false], ["focusin", true], ["focusout", false]]) {
    for (const [from, to] of [[text, cards], [cards, text]]) {
      from.addEventListener(event, ({ target }) => {
        const number = numberOf(target.closest(from === text ? ".cite" : ".source-card"));
        for (const one of numbered(to)) if (numberOf(one) === number) one.classList.toggle("lit", lit);
      });
    }
  }
}
