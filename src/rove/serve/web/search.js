// Search: passages, best first, and for each the lists that had it.

import { here, post } from "./api.js";
import { el, fill, say } from "./dom.js";
import { askForm } from "./form.js";
import { drawLinks, drawRendered, drawSame } from "./rendered.js";
import { openSource } from "./source.js";
import { busy, empty, wrong } from "./states.js";
import { named, t } from "./words.js";

const MODES = ["hybrid", "keyword", "semantic", "gather", "tree", "questions", "graph", "summaries", "themes"];

export function search(main, { rest, signal }) {
  const found = el("div", { "aria-live": "polite" }, empty(t("search.empty"), t("search.empty.text")));
  const mode = el("select", { "aria-label": t("search.mode") }, MODES.map((name) => el("option", { value: name }, named("search.mode", name))));
  let turn = 0;

  async function look(question) {
    const mine = (turn += 1);
    fill(found, busy());
    try {
      const { hits } = await post(here("/search"), { question, mode: mode.value, top_k: 20 }, signal);
      if (mine !== turn) return;
      if (hits.length) fill(found, el("ol", { class: "list" }, hits.map(drawHit)));
      else fill(found, empty(t("search.none"), t("search.none.text")));
      say(t("search.found", { count: hits.length }));
    } catch (problem) {
      if (problem.name !== "AbortError" && mine === turn) fill(found, wrong(problem, () => look(question)));
    }
  }

  fill(main, el("h1", {}, t("search.title")), askForm({ label: t("search.label"), button: t("search.button"), hint: t("search.hint"), onAsk: look, extra: [mode], value: rest[0] }), found);
}

function drawHit(hit) {
  const open = (event) => openSource(hit, event.currentTarget);
  const where = [...hit.headings, hit.page ? t("source.page", { page: hit.page }) : ""].filter(Boolean).join(" › ");
  const ranks = Object.entries(hit.lists).map(([name, place]) => t("search.rank", { list: named("search.mode", name), rank: place.rank }));
  return el(
    "li",
    { class: "card hit" },
    el("h2", {}, el("button", { type: "button", class: "link", on: { click: open } }, hit.title || hit.source || hit.document_id)),
    where && el("p", { class: "path muted" }, where),
    (hit.question || hit.theme || hit.summary) && el("p", { class: "asked" }, el("em", {}, hit.question || hit.theme || hit.summary)),
    el("div", { class: hit.rendered.text.length < 420 ? "snippet short" : "snippet", lang: hit.language === "und" ? null : hit.language }, drawRendered(hit.rendered)),
    drawLinks([hit.rendered]),
    drawSame(hit),
    el("p", { class: "facts" }, el("span", {}, hit.source), ranks.map((rank) => el("span", {}, rank))),
  );
}
