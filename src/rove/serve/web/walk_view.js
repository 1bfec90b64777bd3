// A walk, drawn: rounds along a trail, with what was read, the facts, and the leads that were taken and dropped.

import { cite, drawAnswer } from "./answer.js";
import { el } from "./dom.js";
import { lineOf } from "./rendered.js";
import { openSource } from "./source.js";
import { busy } from "./states.js";
import { locale, named, t } from "./words.js";

const EXPLAINED = new Set(["failed", "no-new-chunk"]); // ends of which more is to be said than the word

/**
 * A walk that goes on has its current round on top; of one that has ended the answer stands first, its way folded.
 * `fork(at)` begins another walk that has gone the same way up to the event `at`; `fold(name, title, what)` is a part
 * that stays as open as its reader had it; `map` stands between what is new and what was.
 */
export function drawTrail(state, { going, fork, fold, map }) {
  const rounds = (some) => some.length > 0 && el("ol", { class: "rounds" }, some.map((round) => drawRound(state, round, fork, fold)));
  const warnings = state.warnings.map((text) => el("p", { class: "notice refused small" }, text));
  if (state.answer) {
    const facts = [...state.facts.values()].filter((fact) => !fact.dropped).length;
    return [
      el("section", { class: "card end", tabindex: -1, "aria-label": t("walk.answer"), data: { spot: "answer" } }, el("h2", {}, t("walk.answer")), drawAnswer(withNumbers(state.answer)), state.stopped && drawStop(state)),
      warnings,
      map,
      fold("way", [t("walk.way"), el("span", { class: "muted" }, ` · ${t("walk.counts", { rounds: state.rounds.length, facts })}`)], rounds(state.rounds)),
    ];
  }
  const [now, ...past] = state.rounds.toReversed();
  return [
    going ? busy(t("walk.going")) : el("p", {}, el("span", { class: "badge" }, t(state.paused ? "stop.paused" : "stop.open"))),
    state.draft.some(Boolean) && el("ul", { class: "drafts" }, state.draft.filter(Boolean).map((text) => el("li", { class: "draft" }, text))),
    state.stopped && drawStop(state),
    warnings,
    now && rounds([now]),
    map,
    rounds(past),
  ];
}

/** A walk tells records as they are; the answer of `ask` names the same things a little differently. */
export function withNumbers(answer) {
  const references = (answer.hits ?? []).map((hit) => ({ ...hit.chunk, title: hit.title, source: "", headings: hit.chunk.headings ?? [] }));
  const refused = answer.mode === "refused";
  return { ...answer, refused, references: refused ? [] : references, nearest: refused ? references.slice(0, 3) : [] };
}

function drawRound(state, round, fork, fold) {
  const led = round.follows.map((id) => state.leads.get(id)).filter(Boolean);
  const seen = new Map(round.seen.map((one) => [one.document_id, one]));
  const count = (id) => round.seen.filter((one) => one.document_id === id).length;
  const [facts, lostFacts] = parted(round.facts.map((id) => state.facts.get(id)), (fact) => !fact.dropped);
  const [leads, lostLeads] = parted([...state.leads.values()].filter((lead) => lead.round === round.number), (lead) => lead.state !== "dropped");
  const lost = lostFacts.length + lostLeads.length;
  const rejected = (one) => el("li", {}, lineOf(one), el("span", { class: "muted" }, " — ", one.reason));
  return el(
    "li",
    { class: "round", tabindex: -1, data: { spot: `round-${round.number}` } },
    el("div", { class: "round-top" }, el("h2", {}, t("walk.round", { round: round.number })), forker(round.at, t("walk.round", { round: round.number }), fork, t("walk.fork"))),
    (!led.length || round.follows.includes("")) && el("p", { class: "small muted" }, t("walk.follows-question")),
    led.length > 0 && el("p", { class: "small muted" }, t("walk.follows", { leads: led.map((lead) => `“${lead.text}”`).join(", ") })),
    seen.size > 0 &&
      el("ul", { class: "chips", "aria-label": t("walk.read") }, [...seen.values()].map((one) => el("li", {}, one.title || one.uri, count(one.document_id) > 1 && ` × ${count(one.document_id)}`))),
    facts.length > 0 && el("ul", { class: "found" }, facts.map((fact) => drawFact(fact, fork))),
    leads.length > 0 && el("ul", { class: "leads", "aria-label": t("walk.leads") }, leads.map((lead) => drawLead(lead, fork))),
    lost > 0 && fold(lostIn(round.number), t("walk.lost", { count: lost }), el("ul", { class: "found" }, lostFacts.map((fact) => drawFact(fact, fork)), lostLeads.map((lead) => drawLead(lead, fork)))),
    round.rejected.length > 0 && fold(`rejected-${round.number}`, t("walk.rejected", { count: round.rejected.length }), el("ul", {}, round.rejected.map(rejected))),
    round.judged && drawJudged(round.judged),
  );
}

/** The name of the part in which a round's dropped lines are. */
export function lostIn(number) {
  return `lost-${number}`;
}

function parted(all, kept) {
  return [all.filter(kept), all.filter((one) => !kept(one))];
}

function drawFact(fact, fork) {
  const share = Math.round(fact.relevance * 100);
  return el(
    "li",
    { class: fact.dropped ? "fact dropped" : "fact" },
    el("span", { class: "fact-text" }, lineOf(fact)),
    fact.citation && withKey(cite(fact.citation, "¶"), `fact-${fact.fact_id}`),
    el("span", { class: "facts small muted" }, fact.citation?.title, ` · ${t("walk.relevance", { share })}`, fact.origin !== "text" && ` · ${named("origin", fact.origin)}`),
    fact.dropped && el("span", { class: "badge bad" }, `${t("walk.dropped")}: `, fact.dropped === "user" ? t("walk.by-you") : fact.dropped),
    forker(fact.at, lineOf(fact), fork),
  );
}

/** A button that forks the walk after an event; `name` says of what, for who does not see where it stands. */
function forker(at, name, fork, text = "") {
  const label = t("walk.fork-named", { text: name });
  return at && el("button", { type: "button", class: "quiet fork", "aria-label": label, title: t("walk.fork"), data: { key: `fork-${at}-${text}` }, on: { click: () => fork(at) } }, el("span", { "aria-hidden": "true" }, "↳"), text);
}

function withKey(button, key) {
  button.dataset.key = key;
  return button;
}

/** What has become of a lead, in words. */
export function fateOf(lead) {
  return {
    open: t("walk.lead-open"),
    followed: t("walk.lead-followed", { round: lead.in ?? "", chunks: lead.chunks ?? 0 }),
    dropped: t("walk.lead-dropped"),
  }[lead.state];
}

function drawLead(lead, fork) {
  const sign = { open: "○", followed: "→", dropped: "×" }[lead.state];
  const reason = lead.reason === "user" ? t("walk.by-you") : lead.reason;
  const open = lead.document_id && lead.span ? (event) => openSource({ document_id: lead.document_id, title: lead.text, span: lead.span }, event.currentTarget) : null;
  const text = open ? el("button", { type: "button", class: "link", data: { key: `lead-${lead.lead_id}` }, on: { click: open } }, lead.text) : el("span", {}, lead.text);
  return el(
    "li",
    { class: `lead ${lead.state}`, tabindex: -1, data: { spot: `lead-${lead.lead_id}` } },
    el("span", { class: "sign", "aria-hidden": "true" }, sign),
    el("span", {}, text, el("span", { class: "small muted" }, ` ${named("lead", lead.kind)} · ${fateOf(lead)}`, reason && [": ", reason])),
    forker(lead.at, lead.text, fork),
  );
}

function drawJudged(judged) {
  const state = judged.enough ? t("walk.enough") : t("walk.not-enough");
  return el("p", { class: "judged small" }, el("span", { class: judged.enough ? "badge good" : "badge" }, state), " ", judged.reason, judged.missing && el("span", { class: "muted" }, ` ${t("walk.missing", { missing: judged.missing })}`));
}

function drawStop({ stopped }) {
  return el("p", { class: "stop" }, el("span", { class: "badge good" }, named("stop", stopped.reason)), EXPLAINED.has(stopped.reason) && [" ", stopped.text]);
}

/** What the walk has used of what it may; nothing of what it has not used. */
export function drawBudget({ budget, spent }) {
  const lines = ["rounds", "calls", "tokens", "seconds"].filter((name) => budget[name] && Math.round(spent[name] ?? 0) > 0);
  if (!lines.length) return null;
  return el(
    "dl",
    { class: "budget" },
    lines.map((name) => {
      const used = Math.round(spent[name] ?? 0);
      const label = t(`budget.${name}`);
      return [el("dt", {}, label, el("span", { class: "muted" }, ` ${used.toLocaleString(locale())} / ${Math.round(budget[name]).toLocaleString(locale())}`)), el("dd", {}, el("progress", { max: budget[name], value: Math.min(used, budget[name]), "aria-label": label }))];
    }),
  );
}
