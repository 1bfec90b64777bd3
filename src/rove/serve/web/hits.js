// What a search has found: passages, best first, and for each the lists that had it.

import { el } from "./dom.js";
import { asItWas, drawLinks, drawRendered, drawSame } from "./rendered.js";
import { openSource } from "./source.js";
import { empty } from "./states.js";
import { named, placed, t } from "./words.js";

/** Draw the hits of a search. */
export function drawHits(hits) {
  if (!hits.length) return empty(t("search.none"), t("search.none.text"));
  return [el("p", { class: "muted small" }, t("search.found", { count: hits.length })), listHits(hits)];
}

/** Draw hits as a list, and nothing beside. */
export function listHits(hits) {
  return el("ol", { class: "list" }, hits.map(drawHit));
}

function drawHit(hit) {
  const open = (event) => openSource(hit, event.currentTarget);
  const where = [...hit.headings, placed(hit)].filter(Boolean).join(" › ");
  const ranks = Object.entries(hit.lists).map(([name, place]) => t("search.rank", { list: named("search.mode", name), rank: place.rank }));
  return el(
    "li",
    { class: "card hit" },
    el("h3", {}, el("button", { type: "button", class: "link", on: { click: open } }, hit.title || hit.source || hit.document_id)),
    where && el("p", { class: "path muted" }, where),
    (hit.question || hit.theme || hit.summary) && el("p", { class: "asked" }, el("em", {}, hit.question || hit.theme || hit.summary)),
    el("div", { class: hit.rendered.text.length < 420 ? "snippet short" : "snippet", lang: hit.language === "und" ? null : hit.language }, drawRendered(hit.rendered)),
    drawLinks([hit.rendered]),
    drawSame(hit),
    el("p", { class: "facts" }, el("span", {}, hit.source), asItWas(hit), ranks.map((rank) => el("span", {}, rank))),
  );
}
