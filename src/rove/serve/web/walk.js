// One walk, watched: listened to as it goes, paused, edited, resumed, stopped, told again step by step.

import { get, here, post, told } from "./api.js";
import { calmly, el, fill, say } from "./dom.js";
import { busy, wrong } from "./states.js";
import { drawEdit, further } from "./walk_edit.js";
import { drawMap } from "./walk_map.js";
import { begun, fold } from "./walk_state.js";
import { drawBudget, drawTrail, lostIn } from "./walk_view.js";
import { t } from "./words.js";

const SPOKEN = new Set(["RoundStarted", "Paused", "Stopped", "Answered"]);
const STEP_MS = 220;

/** Watch a new walk for a question, or one that is there, by its id. */
export async function watch(main, { question, budget, walkId = "", signal }) {
  const seat = { walkId, state: begun(), going: false, control: null, replaying: false, editing: false, open: new Set() };
  const title = el("h1", {}, question ?? "");
  const trail = el("div", { class: "trail" });
  const side = el("div", { class: "walk-side" });
  const trouble = el("div");
  const origin = el("div", { role: "status" });
  fill(main, el("p", {}, el("a", { href: "#/walk" }, `‹ ${t("walk.all")}`)), title, origin, el("div", { class: "walk" }, el("div", {}, trouble, trail), side));
  signal.addEventListener("abort", () => seat.control?.abort());

  function drawNow() {
    const held = document.activeElement?.dataset?.key;
    const { state, going } = seat;
    const room = main.querySelector(".map-room")?.scrollLeft ?? 0;
    title.textContent = state.question || question || "";
    fill(trail, drawTrail(state, { going, fork, fold: folded, map: state.rounds.length > 0 && drawMap(state, show, folded) }));
    fill(side, controls(), drawBudget(state), rests() && drawEdit(state, edit, seat));
    main.querySelector(".map-room")?.scrollTo(room, 0);
    if (held) main.querySelector(`[data-key="${CSS.escape(held)}"]`)?.focus({ preventScroll: true });
  }
  const draw = calmly(drawNow);

  /** A part that is shown on demand, and stays as it is when all is drawn anew. */
  function folded(name, summary, ...what) {
    const pressed = (event) => (event.currentTarget.parentElement.open ? seat.open.delete(name) : seat.open.add(name));
    return el("details", { class: "small fold", open: seat.open.has(name) }, el("summary", { data: { key: `fold-${name}` }, on: { click: pressed } }, summary), what);
  }

  /** Go to where a round, a lead or the answer stands; what it is folded in opens. */
  function show(spot) {
    const { round = 0, state: fate } = seat.state.leads.get(spot.replace(/^lead-/, "")) ?? {};
    if (spot !== "answer") seat.open.add("way");
    if (fate === "dropped") seat.open.add(lostIn(round));
    drawNow();
    const found = main.querySelector(`[data-spot="${CSS.escape(spot)}"]`);
    found?.focus({ preventScroll: true });
    found?.scrollIntoView({ block: "center" });
  }

  const rests = () => !seat.going && seat.walkId && !seat.replaying;

  function take({ event, data }) {
    if (event === "WalkStarted") {
      seat.state = begun(); // whoever listens anew is told all from the start
      if (!seat.walkId) history.replaceState(null, "", `#/walk/${data.walk_id}`);
      seat.walkId = data.walk_id;
    }
    fold(seat.state, event, data);
    if (SPOKEN.has(event)) say(spoken(event, data));
    draw();
  }

  async function listen(method, path, body) {
    seat.control?.abort();
    seat.control = new AbortController();
    seat.going = true;
    fill(trouble);
    draw();
    try {
      for await (const one of told(method, path, { body, signal: seat.control.signal })) take(one);
    } catch (problem) {
      if (problem.name !== "AbortError") fill(trouble, wrong(problem, seat.walkId ? () => listen("GET", where("/events")) : () => listen(method, path, body)));
    } finally {
      seat.going = false;
      draw();
    }
  }

  const where = (action) => here(`/walks/${encodeURIComponent(seat.walkId)}${action}`);

  async function steer(action, body) {
    try {
      await post(where(action), body);
      fill(trouble);
      return true;
    } catch (problem) {
      fill(trouble, wrong(problem));
      return false;
    }
  }

  /** Begin another walk after an event of this one, and go there: it rests until it is let go on. */
  async function fork(at) {
    try {
      const { walk_id } = await post(where("/fork"), { at });
      location.hash = `#/walk/${walk_id}`;
    } catch (problem) {
      fill(trouble, wrong(problem));
      trouble.scrollIntoView({ block: "center" });
    }
  }

  async function goOn() {
    if (seat.state.paused && !(await steer("/resume"))) return;
    await listen("GET", where("/events"));
  }

  async function edit(change) {
    if (await steer("/edit", change)) await tell();
  }

  /** Show all that the walk has told, without going on with it. */
  async function tell(slowly = false) {
    const { events } = await get(where(""), signal);
    seat.replaying = slowly;
    for (const one of events) {
      take(one);
      if (slowly) await new Promise((done) => setTimeout(done, STEP_MS));
      if (slowly && (signal.aborted || !seat.replaying)) break;
    }
    seat.replaying = false;
    draw();
  }

  function controls() {
    const { state, going, replaying } = seat;
    const over = Boolean(state.answer) && !state.paused;
    const button = (name, act, more = {}) => el("button", { type: "button", data: { key: name }, on: { click: act }, ...more }, t(`walk.${name}`));
    return el(
      "div",
      { class: "row controls", role: "group", "aria-label": t("walk.controls") },
      going && button("pause", () => steer("/pause"), { class: "main", disabled: !seat.walkId }),
      going && button("stop", () => steer("/stop"), { disabled: !seat.walkId }),
      rests() && !over && button("resume", goOn, { class: "main" }),
      rests() && !over && button("stop", async () => (await steer("/stop")) && goOn()),
      rests() && over && button("further", async () => (await steer("/edit", { budget: further(state) })) && goOn(), { class: "main" }),
      rests() && over && button("replay", () => tell(true)),
      replaying && button("show-all", () => ((seat.replaying = false), tell())),
    );
  }

  if (walkId) {
    fill(trail, busy());
    try {
      await tell();
      const { forked, at } = seat.state;
      seat.editing = forked?.at === at;
      if (forked) fill(origin, drawOrigin(forked, seat.editing));
    } catch (problem) {
      if (problem.name !== "AbortError") fill(main, wrong(problem));
    }
  } else await listen("POST", here("/walks"), { question, budget });
}

function spoken(event, data) {
  if (event === "RoundStarted") return t("walk.round", { round: data.round });
  if (event === "Answered") return data.answer.text;
  return event === "Paused" ? t("stop.paused") : data.text;
}

function drawOrigin({ walkId, round }, fresh) {
  return el(
    "p",
    { class: "origin" },
    el("span", { class: "badge good" }, t("walk.a-fork")),
    el("span", {}, round ? t("walk.forked", { round }) : t("walk.forked-start")),
    el("a", { href: `#/walk/${encodeURIComponent(walkId)}` }, t("walk.forked-from")),
    fresh && el("span", {}, t("walk.forked-fresh")),
  );
}
