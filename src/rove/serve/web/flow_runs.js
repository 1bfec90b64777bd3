// The runs of flows that are kept: how each stands, what it waits for; opened again, and deleted.

import { erase, get, here } from "./api.js";
import { el, fill } from "./dom.js";
import { wrong } from "./states.js";
import { eraser } from "./sure.js";
import { locale, named, t } from "./words.js";

const MOST = 1000; // the latest
const OPEN = 8; // runs that are open; the others are folded
const LOOKS = { done: "badge good", failed: "badge bad", unreadable: "badge bad" };

/** The address of a run on this page. */
export function addressOfRun(flow, id) {
  return `#/flows/${encodeURIComponent(flow)}/${encodeURIComponent(id)}`;
}

/** A badge that says how a run stands. */
export function drawStatus(status) {
  return el("span", { class: LOOKS[status] ?? "badge" }, named("flows.status", status));
}

/** A button that deletes a run, and then calls `gone`. */
export function runEraser(id, at, gone) {
  return eraser(t("flows.erase-named", { time: at }), async () => {
    await erase(here(`/flows/runs/${encodeURIComponent(id)}`));
    await gone();
  });
}

/** Draw the runs into `host`, of the flow that calls itself `flow` alone, where it is given; `current` is not among them. */
export async function drawRuns(host, { signal, flow = "", current = "", name = "" }) {
  const again = () => drawRuns(host, { signal, flow, current, name });
  try {
    const all = await get(here("/flows/runs", { limit: MOST }), signal);
    const mine = all.filter((one) => (!flow || one.flow === flow) && one.run_id !== current);
    const list = (some) => el("ul", { class: "list" }, some.map((one) => drawOne(one, name || one.flow, again)));
    const rest = mine.slice(OPEN);
    fill(host, mine.length > 0 && [el("h2", {}, t("flows.runs")), list(mine.slice(0, OPEN))], rest.length > 0 && el("details", { class: "spaced" }, el("summary", {}, t("flows.more", { count: rest.length })), list(rest)));
  } catch (problem) {
    if (problem.name !== "AbortError") fill(host, wrong(problem, again));
  }
}

function drawOne(one, name, again) {
  const at = new Date(one.started_at).toLocaleString(locale(), { dateStyle: "medium", timeStyle: "short" });
  return el(
    "li",
    { class: "card flow-run" },
    el("h3", {}, el("a", { href: addressOfRun(name, one.run_id) }, one.question || at)),
    el("div", { class: "facts" }, drawStatus(one.status), el("span", {}, one.flow), one.question && el("span", {}, at), one.waiting.map((question) => el("span", {}, question)), runEraser(one.run_id, at, again)),
  );
}
