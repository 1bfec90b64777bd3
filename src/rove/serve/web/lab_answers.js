// The answers in a report of the lab: what they are worth by each metric, how long they took, what the model used.

import { el } from "./dom.js";
import { between, drawInterval, drawWorth, figure } from "./interval.js";
import { locale, named, t } from "./words.js";

/** Draw what was answered; `called` says the name of a way of searching. Nothing, where no answers were asked for. */
export function drawAnswers({ answers }, called) {
  if (!answers.length) return null;
  const compared = answers.length > 1;
  return [
    el("h2", { class: "spaced" }, t("lab.answers")),
    el("p", { class: "small muted" }, t("lab.answers.text")),
    answers.map((one, at) => drawLine(one, { compared, first: at === 0, called })),
  ];
}

function drawLine(one, { compared, first, called }) {
  const known = one.means.filter((mean) => mean.mean !== null);
  const headings = ["lab.answers.metric", "lab.mean", "lab.interval", "lab.beside"].slice(0, compared && !first ? 4 : 3);
  return el(
    "section",
    { class: "card metric answers" },
    compared && el("h3", {}, one.configurations.map(called).join(", "), first && [" ", el("span", { class: "small muted" }, t("lab.baseline"))]),
    el(
      "table",
      {},
      el("thead", {}, el("tr", {}, headings.map((name) => el("th", { scope: "col" }, t(name))))),
      el("tbody", {}, known.map((mean) => drawMean(mean, one.beside[mean.metric], compared && !first))),
    ),
    drawCost(one),
  );
}

function drawMean(mean, beside, compared) {
  const told = named("metric", mean.metric);
  return el(
    "tr",
    {},
    el("th", { scope: "row" }, mean.metric, told !== mean.metric && el("span", { class: "told small muted" }, told), mean.scored < mean.asked && el("span", { class: "told small muted" }, t("lab.scored", { scored: mean.scored, asked: mean.asked }))),
    el("td", { class: "number" }, figure(mean.mean)),
    el("td", { class: "range-cell" }, drawInterval(mean), el("span", { class: "small muted" }, between(mean))),
    compared && el("td", { class: "beside" }, beside && drawWorth(beside)),
  );
}

/** Time and tokens, each a line. */
function drawCost(one) {
  const number = (value, places = 0) => value.toLocaleString(locale(), { maximumFractionDigits: places });
  const lines = [];
  if (one.p50_s !== null) lines.push(t("lab.answers.time", { p50: number(one.p50_s, 2), p95: number(one.p95_s, 2) }));
  if (one.calls > 0) lines.push(t("lab.answers.tokens", { calls: number(one.calls), read: number(one.tokens_read), written: number(one.tokens_written) }));
  if (one.judge_calls > 0) lines.push(t("lab.answers.judge", { calls: number(one.judge_calls), tokens: number(one.judge_tokens) }));
  if (one.estimated) lines.push(t("lab.answers.estimated"));
  if (one.graded_by) lines.push([t("lab.answers.graded"), " ", el("span", { lang: "en" }, one.graded_by)]);
  if (one.errors > 0) lines.push(t("lab.errors", { count: number(one.errors) }));
  return el("ul", { class: "times small muted" }, lines.map((line) => el("li", {}, line)));
}
