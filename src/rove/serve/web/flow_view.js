// One flow: what it takes, its picture while it runs, what each step gave, what it asks a person, and what comes out.

import { drawDraft } from "./answer.js";
import { get, here, told } from "./api.js";
import { calmly, el, fill, say } from "./dom.js";
import { drawAsked, drawInputs } from "./flow_forms.js";
import { drawFlow } from "./flow_map.js";
import { drawValue } from "./flow_output.js";
import { addressOfRun, drawRuns, drawStatus, runEraser } from "./flow_runs.js";
import { cut, fold, fresh, kept, standing } from "./flow_state.js";
import { drawStep } from "./flow_step.js";
import { said } from "./said.js";
import { busy, empty, wrong } from "./states.js";
import { t } from "./words.js";

const runAt = (id, more = "") => here(`/flows/runs/${encodeURIComponent(id)}${more}`);

/** The view of a flow, or of one of its runs. */
export async function openFlow(main, { name, run, signal, entitle }) {
  fill(main, busy());
  const [all, held] = await Promise.all([get(here("/flows"), signal), run ? get(runAt(run), signal) : null]);
  const offered = all.find((one) => one.name === name) ?? all.find((one) => one.title === held?.flow.title);
  const flow = offered ?? held?.flow;
  const back = el("p", {}, el("a", { href: "#/flows" }, `‹ ${t("flows.all")}`));
  if (!flow) {
    fill(main, back, empty(t("flows.gone"), t("flows.gone.text")));
    return;
  }
  entitle(flow.title);
  const seat = { state: held ? kept(held) : fresh(flow), control: null, chosen: "" };
  const [form, result, picture, step, past] = ["div", "div", "div", "div", "section"].map((tag) => el(tag));
  result.className = "flow-result";
  past.className = "spaced";
  fill(
    main,
    back,
    el("h1", {}, flow.title),
    flow.about && el("p", { class: "muted" }, flow.about),
    el("div", { class: "flow" }, el("div", { class: "flow-side" }, form, result), el("section", { class: "flow-picture", "aria-label": t("flows.map") }, picture, step)),
    past,
  );
  signal.addEventListener("abort", () => seat.control?.abort());
  const draft = el("div", { class: "draft" });
  const listed = () => drawRuns(past, { signal, flow: flow.title, current: seat.state.runId, name });

  const drawPicture = () => {
    const on = document.activeElement?.dataset?.key;
    const room = picture.querySelector(".map-room")?.scrollLeft ?? 0;
    fill(picture, drawFlow(seat.state, choose, seat.chosen), el("p", { class: "small muted" }, t("flows.map.text")));
    picture.querySelector(".map-room").scrollTo(room, 0);
    if (on?.startsWith("step-")) picture.querySelector(`[data-key="${CSS.escape(on)}"]`)?.focus({ preventScroll: true });
    drawDraft(draft, seat.state.draft);
  };
  const draw = calmly(drawPicture);

  /** Show what a step gave: it is fetched when somebody asks for it. */
  async function choose(chosen) {
    seat.chosen = chosen;
    drawPicture();
    fill(step, busy());
    try {
      if (seat.state.runId) await refresh();
      fill(step, drawStep(seat.state, chosen));
      say(`${chosen}: ${t(`flows.state.${standing(seat.state, chosen).state}`)}`);
    } catch (problem) {
      if (problem.name !== "AbortError") fill(step, wrong(problem, () => choose(chosen)));
    }
  }

  async function refresh() {
    const now = kept(await get(runAt(seat.state.runId), signal));
    seat.state.note = now.note;
    for (const [key, one] of now.steps) seat.state.steps.set(key, { ...seat.state.steps.get(key), ...one });
  }

  function drawResult(problem) {
    const { state } = seat;
    const going = Boolean(seat.control);
    const names = Object.entries(state.output);
    const rests = state.runId && !going && state.status !== "done" && state.status !== "waiting";
    fill(
      result,
      state.status !== "new" && el("div", { class: "row" }, going ? busy(t("flows.status.running")) : drawStatus(state.status), going && stopper(), rests && goer(), state.runId && !going && runEraser(state.runId, state.flow.title, () => (location.hash = `#/flows/${encodeURIComponent(name)}`))),
      going && draft,
      !going && state.waiting.length > 0 && state.status === "waiting" && drawAsked(state.waiting, (replies) => go(runAt(state.runId, "/resume"), { replies, stream: true })),
      problem ? wrong(problem) : state.status === "failed" && state.reason && el("p", { class: "notice" }, said(state.reason)),
      state.note && el("p", { class: "notice refused small" }, said(state.note)),
      names.length > 0 && el("section", { "aria-label": t("flows.output") }, names.map(([label, value]) => [el("h2", {}, label.replaceAll("_", " ")), drawValue(value)])),
    );
  }

  const button = (label, act, more = {}) => el("button", { type: "button", on: { click: act }, ...more }, label);
  const stopper = () => button(t("flows.stop"), () => seat.control?.abort());
  const goer = () => button(t("flows.go-on"), () => go(runAt(seat.state.runId, "/resume"), { replies: {}, stream: true }), { class: "main" });

  /** Let a run go on, and show what comes as it comes. */
  async function go(path, body) {
    seat.control?.abort();
    const control = new AbortController();
    const { state } = seat;
    Object.assign(seat, { control });
    Object.assign(state, { status: "running", waiting: [], reason: "" });
    let trouble = null;
    drawResult();
    drawPicture();
    try {
      for await (const { event, data } of told("POST", path, { body, signal: control.signal })) {
        fold(state, event, data);
        if (event === "run") history.replaceState(null, "", addressOfRun(name, state.runId));
        draw();
      }
      if (state.status === "running") cut(state, "open");
    } catch (problem) {
      cut(state, problem.name === "AbortError" ? "open" : "failed");
      trouble = problem.name === "AbortError" ? null : problem;
    }
    if (seat.control !== control) return;
    seat.control = null;
    if (signal.aborted) return;
    drawResult(trouble);
    drawPicture();
    say(t(`flows.status.${state.status}`));
    if (state.status === "waiting") result.querySelector("input, select, textarea, .flow-asked button")?.focus();
    await listed();
  }

  function begin(given) {
    seat.control?.abort();
    seat.control = null;
    seat.state = fresh(flow, given);
    seat.chosen = "";
    fill(step);
    go(here(`/flows/${encodeURIComponent(flow.name)}/run`), { given, keep: true, stream: true });
  }

  if (offered) fill(form, drawInputs(offered, seat.state.given, begin));
  else fill(form, el("p", { class: "notice refused small" }, t("flows.no-longer")));
  drawResult();
  drawPicture();
  await listed();
}
