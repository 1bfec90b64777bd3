// One step of a run: what it is, what it waits for, and of each round and element how it ended and what it gave.

import { el } from "./dom.js";
import { seconds } from "./flow_map.js";
import { drawValue } from "./flow_output.js";
import { ofStep, standing } from "./flow_state.js";
import { said } from "./said.js";
import { t } from "./words.js";

const LOOKS = { finished: "badge good", failed: "badge bad" };
const OPEN = 3; // rounds and elements that are open; the others are folded

/** Draw what is known of a step. */
export function drawStep(state, name) {
  const step = state.flow.steps.find((one) => one.name === name);
  const runs = ofStep(state, name);
  const after = [...step.before, ...step.back.map((one) => t("flows.round-before", { name: one }))];
  const facts = [step.when && t("flows.when", { condition: step.when }), step.each && t("flows.each"), after.length > 0 && t("flows.after", { names: after.join(", ") })].filter(Boolean);
  return el(
    "div",
    { class: "card flow-step" },
    el("h2", {}, step.name),
    el("p", { class: "small" }, el("code", {}, step.use), " ", step.about && el("span", { lang: "en", class: "muted" }, step.about)),
    facts.length > 0 && el("p", { class: "facts" }, facts.map((one) => el("span", {}, one))),
    runs.length ? runs.map((one, at) => drawRun(one, runs.length, at < OPEN)) : drawState(standing(state, name)),
  );
}

function drawRun(one, count, open) {
  const place = [one.round && t("flows.round", { round: one.round }), one.place !== null && t("flows.element", { number: one.place + 1 })].filter(Boolean).join(", ");
  const inside = [drawState(one), one.reason && el("p", { class: "small" }, said(one.reason)), one.state === "finished" && (one.told ? drawValue(one.output) : el("p", { class: "muted small" }, t("flows.not-told")))];
  return count > 1 ? el("details", { open }, el("summary", {}, place || one.key), inside) : inside;
}

function drawState(one) {
  const time = one.state === "finished" ? ` ${seconds(one.seconds)}` : "";
  return el("p", {}, el("span", { class: LOOKS[one.state] ?? "badge" }, t(`flows.state.${one.state}`), time));
}
