// A flow that is not saved is tried: with a form of its inputs, and its picture while it runs. Nothing is kept of it.

import { drawDraft } from "./answer.js";
import { here, told } from "./api.js";
import { calmly, el, fill, say } from "./dom.js";
import { drawInputs } from "./flow_forms.js";
import { drawValue } from "./flow_output.js";
import { drawStatus } from "./flow_runs.js";
import { cut, fold, fresh } from "./flow_state.js";
import { said } from "./said.js";
import { busy, wrong } from "./states.js";
import { t } from "./words.js";

/** A trial: `place` is where it stands, `offer(flow)` says what can be run, null: nothing; `state()`: of the last run. */
export function flowTrial({ text, redraw, signal }) {
  const [form, result] = [el("div"), el("div", { class: "flow-result" })];
  const place = el("section", { class: "card flow-trial", "aria-label": t("edit.try") }, el("h2", {}, t("edit.try")), el("p", { class: "small muted" }, t("edit.try-text")), form, result);
  const draft = el("div", { class: "draft" });
  let [state, control, shape, given, flowNow] = [null, null, "", {}, null];
  signal.addEventListener("abort", () => control?.abort());

  function offer(flow) {
    if (!control) state = null;
    const now = JSON.stringify(flow?.inputs ?? null);
    flowNow = flow;
    if (now === shape) return;
    shape = now;
    fill(form, flow ? drawInputs(flow, given, run) : el("p", { class: "muted" }, t("edit.try-later")));
  }

  function drawResult(problem) {
    const stop = el("button", { type: "button", on: { click: () => control?.abort() } }, t("flows.stop"));
    const names = Object.entries(state.output);
    fill(
      result,
      el("div", { class: "row" }, control ? [busy(t("flows.status.running")), stop] : drawStatus(state.status)),
      control && draft,
      problem ? wrong(problem) : state.status === "failed" && state.reason && el("p", { class: "notice" }, said(state.reason)),
      names.length > 0 && el("section", { "aria-label": t("flows.output") }, names.map(([label, value]) => [el("h3", { class: "small" }, label.replaceAll("_", " ")), drawValue(value)])),
    );
  }

  async function run(values) {
    control?.abort();
    const mine = new AbortController();
    [control, given] = [mine, values];
    const now = fresh(flowNow, values);
    state = now;
    now.status = "running";
    const draw = calmly(() => {
      redraw();
      drawDraft(draft, now.draft);
    });
    let trouble = null;
    drawResult();
    redraw();
    try {
      for await (const { event, data } of told("POST", here("/flows/try"), { body: { text: text(), given: values, stream: true }, signal: mine.signal })) {
        fold(now, event, data);
        draw();
      }
    } catch (problem) {
      cut(now, problem.name === "AbortError" ? "open" : "failed");
      trouble = problem.name === "AbortError" ? null : problem;
    }
    if (control !== mine) return;
    control = null;
    if (signal.aborted) return;
    drawResult(trouble);
    redraw();
    say(t(`flows.status.${now.status}`));
  }

  return { place, offer, state: () => state };
}
