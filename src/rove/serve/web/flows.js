// Flows: listed with the runs that are kept; each flow and each run has an address of its own.

import { get, here } from "./api.js";
import { el, fill } from "./dom.js";
import { drawRuns } from "./flow_runs.js";
import { addressOfText, drawFiles } from "./flow_files.js";
import { openFlow } from "./flow_view.js";
import { busy, empty, wrong } from "./states.js";
import { store } from "./store.js";
import { t } from "./words.js";

/** "#/flows", "#/flows/NAME", "#/flows/NAME/RUN". */
export async function flows(main, { rest: [name, run], signal, entitle }) {
  if (name) {
    await openFlow(main, { name, run, signal, entitle });
    return;
  }
  const [list, past] = [el("div", {}, busy()), el("section", { class: "spaced", "aria-label": t("flows.runs") })];
  const files = el("div");
  fill(main, el("h1", {}, t("nav.flows")), el("p", { class: "muted" }, t("flows.text")), files, list, past);
  await Promise.all([drawList(list, signal), drawRuns(past, { signal }), store.manages && drawFiles(files, signal)]);
}

async function drawList(list, signal) {
  try {
    const found = await get(here("/flows"), signal);
    const about = el("div", {}, el("p", {}, t("flows.none.text")), el("pre", { class: "hint" }, 'rove flow show qa-first --source > flows/qa-first.toml\n\n[serve]\nflows = "flows"'));
    fill(list, found.length ? el("ul", { class: "list" }, found.map(drawOne)) : empty(t("flows.none"), "", about));
  } catch (problem) {
    if (problem.name !== "AbortError") fill(list, wrong(problem, () => drawList(list, signal)));
  }
}

function drawOne(flow) {
  const asks = flow.steps.some((one) => one.use === "human");
  return el(
    "li",
    { class: "card" },
    el("h2", {}, el("a", { href: `#/flows/${encodeURIComponent(flow.name)}` }, flow.title)),
    flow.about && el("p", {}, flow.about),
    el("p", { class: "facts" }, el("span", {}, t("flows.steps", { count: flow.steps.length })), el("span", {}, flow.inputs.map((one) => one.name).join(", ")), asks && el("span", { class: "badge" }, t("flows.asks-you")), store.manages && el("a", { href: addressOfText(flow.name), "aria-label": t("edit.edit-named", { name: flow.title }) }, t("edit.edit"))),
  );
}
