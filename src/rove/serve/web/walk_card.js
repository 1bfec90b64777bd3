// A walk as a turn of a conversation: how far it is, its answer first once it is there, and the way to the whole of it.

import { drawAnswer } from "./answer.js";
import { get, here, post, told } from "./api.js";
import { calmly, el, fill, say } from "./dom.js";
import { lineOf } from "./rendered.js";
import { busy, wrong } from "./states.js";
import { begun, fold } from "./walk_state.js";
import { withNumbers } from "./walk_view.js";
import { named, t } from "./words.js";

const LATEST = 3;

/** Draw a walk's card. One that has not come to its end goes on as long as it is looked at; see `signal`. */
export function drawCard(walkId, { signal }) {
  const card = el("section", { class: "card walk-card", "aria-label": t("conversation.walk") }, busy());
  const seat = { state: begun(), going: false, problem: null };
  const where = (action) => here(`/walks/${encodeURIComponent(walkId)}${action}`);

  const draw = calmly(() => {
    const { state } = seat;
    const held = card.contains(document.activeElement) && document.activeElement.dataset.key;
    card.answer = state.answer && withNumbers(state.answer);
    card.classList.toggle("end", Boolean(state.answer));
    card.setAttribute("aria-busy", String(seat.going));
    fill(card, drawHead(seat), card.answer ? drawAnswer(card.answer) : drawLatest(state), foot());
    if (held) card.querySelector(`[data-key="${CSS.escape(held)}"]`)?.focus();
  });

  function foot() {
    const { state, going, problem } = seat;
    const rests = !going && !state.answer;
    return [
      problem && wrong(problem),
      el(
        "div",
        { class: "row" },
        el("a", { class: "button", href: `#/walk/${encodeURIComponent(walkId)}`, data: { key: "open" } }, t("conversation.open-walk")),
        going && el("button", { type: "button", data: { key: "stop" }, on: { click: stop } }, t("walk.stop")),
        rests && el("button", { type: "button", class: "main", data: { key: "resume" }, on: { click: goOn } }, t("walk.resume")),
      ),
    ];
  }

  function take({ event, data }) {
    if (event === "WalkStarted") seat.state = begun(); // whoever listens anew is told all from the start
    fold(seat.state, event, data);
    draw();
  }

  async function listen() {
    Object.assign(seat, { going: true, problem: null });
    draw();
    try {
      for await (const one of told("GET", where("/events"), { signal })) take(one);
      if (seat.state.answer) say(seat.state.answer.text);
    } catch (problem) {
      if (problem.name !== "AbortError") seat.problem = problem;
    } finally {
      seat.going = false;
      draw();
    }
  }

  async function stop() {
    try {
      await post(where("/stop"));
    } catch (problem) {
      seat.problem = problem;
      draw();
    }
  }

  async function goOn() {
    try {
      if (seat.state.paused) await post(where("/resume"));
      await listen();
    } catch (problem) {
      seat.problem = problem;
      draw();
    }
  }

  async function begin() {
    try {
      const { events } = await get(where(""), signal);
      for (const { event, data } of events) fold(seat.state, event, data);
      draw();
      if (!seat.state.answer && !seat.state.paused) await listen();
    } catch (problem) {
      if (problem.name !== "AbortError") fill(card, wrong(problem));
    }
  }

  begin();
  return card;
}

function drawHead({ state, going }) {
  const live = going && !state.answer;
  const told = state.paused ? t("stop.paused") : state.stopped ? named("stop", state.stopped.reason) : t("stop.open");
  const facts = [...state.facts.values()].filter((fact) => !fact.dropped).length;
  return el(
    "div",
    { class: "facts" },
    live ? busy(t("walk.going")) : el("span", { class: "badge good" }, told),
    el("span", {}, t("walk.counts", { rounds: state.rounds.length, facts })),
  );
}

/** The facts that were found last, as long as there is no answer. */
function drawLatest(state) {
  const facts = [...state.facts.values()].filter((fact) => !fact.dropped).slice(-LATEST);
  return facts.length > 0 && el("ul", { class: "latest" }, facts.map((fact) => el("li", {}, lineOf(fact))));
}
