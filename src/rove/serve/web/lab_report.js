// One report of the lab: each metric with its intervals, what each way is worth beside the first, the worst questions.

import { get, here } from "./api.js";
import { el, fill, say } from "./dom.js";
import { between, drawInterval, drawWorth, figure } from "./interval.js";
import { drawAnswers } from "./lab_answers.js";
import { said } from "./said.js";
import { saveAs } from "./save.js";
import { openSource } from "./source.js";
import { busy, wrong } from "./states.js";
import { locale, named, t } from "./words.js";


/** A time of the server's in the reader's language. */
export function when(iso) {
  return new Date(iso).toLocaleString(locale(), { dateStyle: "medium", timeStyle: "short" });
}

export async function report(main, { id, signal }) {
  const path = `/evaluations/${encodeURIComponent(id)}`;
  const back = el("p", {}, el("a", { href: "#/lab" }, t("lab.all")));
  fill(main, el("h1", { class: "hidden" }, t("lab.title")), back, busy());
  const { evaluation, report: found } = await get(here(path), signal);
  const name = evaluation.name || t("lab.made");
  if (!found) {
    const state = el("p", {}, el("span", { class: evaluation.state === "failed" ? "badge bad" : "badge" }, named("lab.state", evaluation.state)));
    fill(main, el("h1", {}, name), back, state, evaluation.reason && el("p", {}, said(evaluation.reason)), evaluation.cure && el("p", { class: "muted" }, said(evaluation.cure)));
    return;
  }
  fill(
    main,
    back,
    el("h1", {}, name),
    el(
      "p",
      { class: "about" },
      el("span", {}, when(evaluation.began_at)),
      el("span", {}, t("lab.questions", { count: found.questions })),
      el("span", {}, t("documents.count", { count: found.documents })),
    ),
    verdict(found),
    el("div", { class: "row" }, saver(here(`${path}/page`), id)),
    found.metrics.map((metric) => drawMetric(metric, found)),
    drawTimes(found),
    drawAnswers(found, called),
    el("p", { class: "small muted" }, t("lab.reading")),
    drawWorst(found),
  );
}

/** What a way of asking is called: ours by the page's words, others by their own. */
function called(name) {
  return named("search.mode", name);
}

/** The result in a sentence. */
function verdict({ baseline, best, metrics, rows }) {
  if (rows.length < 2) return null;
  const beside = rows.find((row) => row.configuration.name === best).beside[metrics[0]];
  const slots = { best: called(best), baseline: called(baseline), metric: metrics[0] };
  if (best === baseline) return el("p", { class: "verdict" }, t("lab.verdict.baseline", slots));
  return el("p", { class: "verdict" }, t(beside && beside.low > 0 ? "lab.verdict.better" : "lab.verdict.open", slots));
}

/** A button that keeps the whole report as a file; it is never shown inside the page. */
function saver(path, id) {
  const save = async () => {
    try {
      await saveAs(path, `evaluation-${id}.html`);
    } catch (problem) {
      say(problem.message);
    }
  };
  return el("button", { type: "button", on: { click: save } }, t("lab.save"));
}

function drawMetric(metric, { rows, baseline }) {
  const kind = metric.split("@")[0];
  const told = named("metric", kind);
  const lines = rows.map((row) => ({ row, mean: row.means.find((one) => one.metric === metric), beside: row.beside[metric] }));
  const [{ mean: first }] = lines;
  return el(
    "section",
    { class: "card metric" },
    el("h2", {}, metric),
    told !== kind && el("p", { class: "small muted" }, told),
    el(
      "table",
      {},
      el("thead", {}, el("tr", {}, ["lab.way", "lab.mean", "lab.interval", "lab.beside"].slice(0, rows.length > 1 ? 4 : 3).map((name) => el("th", { scope: "col" }, t(name))))),
      el("tbody", {}, lines.map((line) => drawLine(line, baseline, rows.length > 1))),
    ),
    first.scored < first.asked && el("p", { class: "small muted" }, t("lab.scored", { scored: first.scored, asked: first.asked })),
  );
}

function drawLine({ row, mean, beside }, baseline, compared) {
  const name = row.configuration.name;
  const known = mean.mean !== null;
  return el(
    "tr",
    {},
    el("th", { scope: "row" }, called(name)),
    el("td", { class: "number" }, known ? figure(mean.mean) : "–"),
    el("td", { class: "range-cell" }, known && [drawInterval(mean), el("span", { class: "small muted" }, between(mean))]),
    compared &&
      el(
        "td",
        { class: "beside" },
        name === baseline && el("span", { class: "muted" }, t("lab.baseline")),
        beside && drawWorth(beside),
      ),
  );
}

function drawTimes({ rows }) {
  const whole = (ms) => (ms < 10 ? ms.toFixed(1) : Math.round(ms));
  const timed = rows.filter((row) => row.p50_ms !== null);
  return el("ul", { class: "times small muted" }, timed.map((row) => el("li", {}, t("lab.time", { name: called(row.configuration.name), p50: whole(row.p50_ms), p95: whole(row.p95_ms) }), row.errors > 0 && ` ${t("lab.errors", { count: row.errors })}`)));
}

function drawWorst({ worst, metrics }) {
  if (!worst.length) return el("p", {}, t("lab.no-worst"));
  return [
    el("h2", { class: "spaced" }, t("lab.worst")),
    el("p", { class: "small muted" }, t("lab.worst.text", { metric: metrics[0] })),
    el("ol", { class: "list" }, worst.map(drawQuestion)),
  ];
}

function drawQuestion(one) {
  const values = Object.entries(one.values).map(([name, value]) => el("span", {}, `${called(name)}: ${value === null ? "–" : figure(value)}`));
  return el(
    "li",
    { class: "card" },
    el("h3", {}, one.question),
    el("p", { class: "facts" }, values),
    one.expected.length > 0 && el("p", { class: "small" }, el("span", { class: "muted" }, t("lab.expected")), " ", one.expected.join("; ")),
    one.found.length > 0 && el("div", { class: "small" }, el("span", { class: "muted" }, t("lab.found")), el("ol", { class: "found-list" }, one.found.map(drawFound))),
    one.error && el("p", { class: "small", lang: "en" }, one.error),
    el("p", { class: "row small" }, el("a", { href: `#/ask/${encodeURIComponent(one.question)}` }, t("lab.ask")), el("a", { href: `#/search/${encodeURIComponent(one.question)}` }, t("lab.search"))),
  );
}

function drawFound(one) {
  const open = (event) => openSource({ document_id: one.document_id, title: one.title, span: [0, 0] }, event.currentTarget);
  return el("li", {}, el("button", { type: "button", class: "link", on: { click: open } }, one.title), one.expected && [" ", el("span", { class: "badge good" }, t("lab.right"))]);
}
