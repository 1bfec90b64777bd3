// Walks: listed, and opened again; one at a time is watched. They are begun in conversations.

import { erase, getAll, here } from "./api.js";
import { el, fill } from "./dom.js";
import { icon } from "./icons.js";
import { busy, empty, wrong } from "./states.js";
import { locale, named, t } from "./words.js";
import { watch } from "./walk.js";

export async function walks(main, { rest, signal }) {
  if (rest[0]) {
    await watch(main, { walkId: rest[0], signal });
    return;
  }
  const list = el("div", {}, busy());
  fill(
    main,
    el("div", { class: "row" }, el("h1", { class: "grow" }, t("walk.title")), el("a", { class: "button main", href: "#/walk/new" }, icon("plus"), t("walk.new"))),
    el("p", { class: "muted" }, t("walk.text")),
    list,
  );
  await drawList(list, signal);
}

async function drawList(list, signal) {
  try {
    const told = await getAll((query) => here("/walks", query), "walks", signal);
    if (!told.walks.length) fill(list, empty(t("walk.none"), t("walk.none.text")));
    else fill(list, el("ul", { class: "list" }, families(told.walks).map((one) => drawFamily(one, () => drawList(list, signal)))));
  } catch (problem) {
    if (problem.name !== "AbortError") fill(list, wrong(problem, () => drawList(list, signal)));
  }
}

/** Walks with their forks: [{...walk, forks}], the family first in which something has happened last. */
function families(walks) {
  const known = new Map(walks.map((one) => [one.walk_id, { ...one, forks: [] }]));
  const above = (one) => known.get(one.forked_from.split(":")[0]);
  const first = (one) => (above(one) ? first(above(one)) : one);
  for (const one of known.values()) above(one)?.forks.push(one);
  return [...new Set([...known.values()].map(first))];
}

function drawFamily(one, again) {
  return el("li", {}, drawOne(one, again), one.forks.length > 0 && el("ul", { class: "list family" }, one.forks.map((fork) => drawFamily(fork, again))));
}

function drawOne(one, again) {
  const rests = one.status === "open" || one.status === "paused";
  const forget = el("button", { type: "button", class: "quiet", "aria-label": t("walk.forget-named", { question: one.question }) }, t("walk.forget"));
  const card = el(
    "div",
    { class: "card" },
    el("h2", {}, el("a", { href: `#/walk/${encodeURIComponent(one.walk_id)}` }, one.question)),
    el(
      "p",
      { class: "facts" },
      el("span", { class: rests ? "badge good" : "badge" }, named("stop", one.status)),
      one.forked_from && el("span", { class: "badge" }, t("walk.a-fork")),
      el("span", {}, t("walk.counts", { rounds: one.rounds, facts: one.facts })),
      el("span", {}, new Date(one.updated_at.replace(/(?<![Z]|[+]\d\d:\d\d)$/, "Z")).toLocaleString(locale())),
      forget,
    ),
  );
  forget.addEventListener("click", async () => {
    try {
      await erase(here(`/walks/${encodeURIComponent(one.walk_id)}`));
      await again();
    } catch (problem) {
      fill(card, wrong(problem, again));
    }
  });
  return card;
}

