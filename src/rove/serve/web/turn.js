// One turn of a conversation: what was asked, what came of it, and what can be done with it.

import { drawAnswer } from "./answer.js";
import { Problem } from "./api.js";
import { el, fill } from "./dom.js";
import { drawHits } from "./hits.js";
import { said } from "./said.js";
import { drawSql } from "./sql_reply.js";
import { busy, wrong } from "./states.js";
import { drawTools } from "./turn_tools.js";
import { drawCard } from "./walk_card.js";
import { t } from "./words.js";

const LONG = 280; // characters from which a question is set as a text rather than as a heading

/**
 * Make a turn: {host, heading, body, finish, cut}. `entry` needs only what was asked until `finish(entry)` says what came
 * of it. `room` is the conversation that it stands in: {id, again(entry), edit(entry, text), signal}.
 */
export function turnOf(entry, room) {
  const heading = el("h2", { tabindex: -1, class: entry.question.length > LONG ? "long" : null }, entry.question);
  const body = el("div", { class: "answer-body" });
  const tools = el("div", { class: "turn-foot" });
  const top = el("div", { class: "turn-top" }, heading);
  const host = el("article", { class: `turn turn-${entry.way}`, id: `turn-${entry.number}`, "aria-label": t("conversation.turn", { number: entry.number }) }, top, body, tools);
  const turn = { host, heading, body, number: entry.number };
  turn.finish = (told) => {
    const whole = { ...entry, ...told };
    turn.number = whole.number;
    turn.over = whole.state !== "asked";
    host.id = `turn-${whole.number}`;
    fill(body, drawWhat(whole, room));
    fill(tools, turn.over && drawTools(whole, { ...room, top, heading, host }));
  };
  /** Show what there is of it where it was stopped, or went wrong on the way. */
  turn.cut = (problem, draft) => {
    const again = () => room.again(entry);
    const stopped = problem.name === "AbortError";
    const incomplete = draft?.text() && ` ${t("problem.ended.text")}`;
    fill(body, draft?.text() && draft.host, stopped ? drawStopped(again, incomplete) : wrong(problem, again));
    const state = turn.refused || !room.id ? "refused" : stopped ? "stopped" : "failed";
    fill(tools, drawTools({ ...entry, state }, { ...room, top, heading, host }));
  };
  return turn;
}

function drawStopped(again, more = "") {
  return el("div", { class: "row" }, el("p", { class: "muted" }, t("ask.stopped"), more), el("button", { type: "button", on: { click: again } }, t("conversation.ask-again")));
}

function drawWhat(entry, room) {
  return [entry.note && el("p", { class: "notice refused small" }, said(entry.note)), drawReply(entry, room)];
}

function drawReply(entry, room) {
  const again = () => room.again(entry);
  if (entry.state === "failed") return [partOf(entry), wrong(new Problem(entry.problem ?? {}), again)];
  if (entry.state === "stopped") return [partOf(entry), drawStopped(again)];
  if (entry.way === "walk" && entry.walk_id) return drawCard(entry.walk_id, { signal: room.signal });
  if (entry.hits) return drawHits(entry.hits);
  if (entry.sql) return drawSql(entry.sql);
  return entry.answer ? drawAnswer(entry.answer) : entry.state === "asked" ? busy(t("ask.searching")) : null;
}

/** What there is of an answer that did not come to its end. */
function partOf(entry) {
  return entry.answer && drawAnswer(entry.answer);
}
