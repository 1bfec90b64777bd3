// A walk, drawn: rounds along a trail, with what was read, the facts, and the leads that were taken and dropped.

import { cite, drawAnswer } from "./answer.js";
import { el } from "./dom.js";
import { lineOf } from "./rendered.js";
import { said } from "./said.js";
import { openSource } from "./source.js";
import { busy } from "./states.js";
import { named, t } from "./words.js";

const EXPLAINED = new Set(["failed", "no-new-chunk"]); // ends of which more is to be said than the word
const BY_RULE = new Set(["extractive", "memory"]); // others are models, which give their reasons in words of their own

/** `fork(at)` begins another walk that has gone the same way up to the event `at`. */
export function drawTrail(state, going, fork) {
  return [
    el("ol", { class: "rounds" }, state.rounds.map((round) => drawRound(state, round, fork))),
    state.draft.some(Boolean) && el("ul", { class: "drafts" }, state.draft.filter(Boolean).map((text) => el("li", { class: "draft" }, text))),
    state.warnings.map((text) => el("p", { class: "notice refused small" }, said(text))),
    going && !state.answer && busy(t("walk.going")),
    state.paused && el("p", { class: "badge" }, t("stop.paused")),
    state.stopped && drawStop(state),
    state.answer && el("section", { class: "card end", "aria-label": t("walk.answer") }, el("h2", {}, t("walk.answer")), drawAnswer(withNumbers(state.answer))),
  ];
}

/** A walk tells records as they are; the answer of `ask` names the same things a little differently. */
export function withNumbers(answer) {
  const references = (answer.hits ?? []).map((hit) => ({ ...hit.chunk, title: hit.title, source: "", headings: hit.chunk.headings ?? [] }));
  const refused = answer.mode === "refused";
  return { ...answer, refused, references: refused ? [] : references, nearest: refused ? references.slice(0, 3) : [] };
}

function drawRound(state, round, fork) {
  const led = round.follows.map((id) => state.leads.get(id)).filter(Boolean);
  const seen = new Map(round.seen.map((one) => [one.document_id, one]));
  const count = (id) => round.seen.filter((one) => one.document_id === id).length;
  const found = [...state.leads.values()].filter((lead) => lead.round === round.number);
  return el(
    "li",
    { class: "round" },
    el("div", { class: "round-top" }, el("h2", {}, t("walk.round", { round: round.number })), forker(round.at, t("walk.round", { round: round.number }), fork, t("walk.fork"))),
    (!led.length || round.follows.includes("")) && el("p", { class: "small muted" }, t("walk.follows-question")),
    led.length > 0 && el("p", { class: "small muted" }, t("walk.follows", { leads: led.map((lead) => `“${lead.text}”`).join(", ") })),
    seen.size > 0 &&
      el("ul", { class: "chips", "aria-label": t("walk.read") }, [...seen.values()].map((one) => el("li", {}, one.title || one.uri, count(one.document_id) > 1 && ` × ${count(one.document_id)}`))),
    el("ul", { class: "found" }, round.facts.map((id) => drawFact(state.facts.get(id), fork))),
    round.rejected.length > 0 &&
      el("details", { class: "small" }, el("summary", {}, t("walk.rejected", { count: round.rejected.length })), el("ul", {}, round.rejected.map((one) => el("li", {}, lineOf(one), el("span", { class: "muted" }, " — ", said(one.reason)))))),
    found.length > 0 && el("ul", { class: "leads", "aria-label": t("walk.leads") }, found.map((lead) => drawLead(lead, fork))),
    round.judged && drawJudged(round.judged),
  );
}

function drawFact(fact, fork) {
  const share = Math.round(fact.relevance * 100);
  return el(
    "li",
    { class: fact.dropped ? "fact dropped" : "fact" },
    el("span", { class: "fact-text" }, lineOf(fact)),
    fact.citation && withKey(cite(fact.citation, "¶"), `fact-${fact.fact_id}`),
    el("span", { class: "facts small muted" }, fact.citation?.title, ` · ${t("walk.relevance", { share })}`, fact.origin !== "text" && ` · ${named("origin", fact.origin)}`),
    fact.dropped && el("span", { class: "badge bad" }, `${t("walk.dropped")}: `, fact.dropped === "user" ? t("walk.by-you") : said(fact.dropped)),
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

function drawLead(lead, fork) {
  const sign = { open: "○", followed: "→", dropped: "×" }[lead.state];
  const reason = lead.reason === "user" ? t("walk.by-you") : lead.reason && said(lead.reason);
  const what = {
    open: t("walk.lead-open"),
    followed: t("walk.lead-followed", { round: lead.in ?? "", chunks: lead.chunks ?? 0 }),
    dropped: t("walk.lead-dropped"),
  }[lead.state];
  const open = lead.document_id && lead.span ? (event) => openSource({ document_id: lead.document_id, title: lead.text, span: lead.span }, event.currentTarget) : null;
  const text = open ? el("button", { type: "button", class: "link", data: { key: `lead-${lead.lead_id}` }, on: { click: open } }, lead.text) : el("span", {}, lead.text);
  return el(
    "li",
    { class: `lead ${lead.state}` },
    el("span", { class: "sign", "aria-hidden": "true" }, sign),
    el("span", {}, text, el("span", { class: "small muted" }, ` ${named("lead", lead.kind)} · ${what}`, reason && [": ", reason])),
    forker(lead.at, lead.text, fork),
  );
}

function drawJudged(judged) {
  const state = judged.enough ? t("walk.enough") : t("walk.not-enough");
  return el("p", { class: "judged small" }, el("span", { class: judged.enough ? "badge good" : "badge" }, state), " ", BY_RULE.has(judged.by) ? said(judged.reason) : judged.reason, judged.missing && el("span", { class: "muted" }, ` ${t("walk.missing", { missing: judged.missing })}`));
}

function drawStop({ stopped }) {
  return el("p", { class: "stop" }, el("span", { class: "badge good" }, named("stop", stopped.reason)), EXPLAINED.has(stopped.reason) && [" ", said(stopped.text)]);
}

/** What the walk has used of what it may. */
export function drawBudget({ budget, spent }) {
  const lines = ["rounds", "calls", "tokens", "seconds"].filter((name) => budget[name]);
  if (!lines.length) return null;
  return el(
    "dl",
    { class: "budget" },
    lines.map((name) => {
      const used = Math.round(spent[name] ?? 0);
      const label = t(`budget.${name}`);
      return [el("dt", {}, label, el("span", { class: "muted" }, ` ${used.toLocaleString()} / ${Math.round(budget[name]).toLocaleString()}`)), el("dd", {}, el("progress", { max: budget[name], value: Math.min(used, budget[name]), "aria-label": label }))];
    }),
  );
}
