// A job as it is drawn: its stages, how much is embedded and how long it will take, what is under way, and what has ended.

import { el } from "./dom.js";
import { said } from "./said.js";
import { named, t } from "./words.js";

const STEPS = ["queued", "loaded", "chunked", "embedded", "indexed", "waiting", "searchable", "done"];
const NEXT = { reading: "loaded", chunked: "embedded", embedded: "indexed", indexed: "indexed" }; // what a stage is followed by
export const NEW = { state: "queued", expected: 0, ended: 0, cut: 0, chunks: 0, left_s: null, under_way: [], trouble: "", shallow: 0 };

export function drawJob(job) {
  const at = STEPS.indexOf(stepOf(job));
  const steps = STEPS.filter((step) => !["waiting", "searchable"].includes(step) || job.state === step).map((step) => {
    const place = STEPS.indexOf(step);
    return el("li", { class: place < at ? "past" : place === at ? "now" : "", "aria-current": place === at ? "step" : null }, named("stage", step));
  });
  const known = job.cut > 0 && job.state === "running";
  const [value, max] = known && job.ended + job.under_way.length >= job.expected ? [job.chunks, job.cut] : [job.ended, job.expected];
  return [
    el("ol", { class: "stages" }, steps),
    job.state !== "done" && el("progress", { max: Math.max(1, max), value: max ? value : null, "aria-label": t("add.progress") }),
    el(
      "p",
      { class: "facts" },
      el("span", {}, t("add.ended", { done: job.ended, expected: Math.max(job.expected, job.ended) })),
      el("span", {}, known ? t("add.embedded-of", { chunks: job.chunks, known: job.cut }) : t("add.embedded", { chunks: job.chunks })),
      job.left_s !== null && job.state === "running" && el("span", {}, left(job.left_s)),
    ),
    job.shallow > 0 && el("p", { class: "small" }, t("add.shallow", { count: job.shallow })),
    job.trouble && el("p", { class: "cure" }, said(job.trouble)),
    job.under_way.length > 0 && el("ul", { class: "list" }, job.under_way.map(drawUnderWay)),
  ];
}

/** How long it will still take, no finer than it can be known. */
function left(seconds) {
  if (seconds < 60) return t("add.left-seconds", { count: Math.max(5, 5 * Math.ceil(seconds / 5)) });
  if (seconds < 5400) return t("add.left-minutes", { count: Math.round(seconds / 60) });
  return t("add.left-hours", { count: Math.round(seconds / 3600) });
}

/** The step that a job is at: while it runs, that of the source that is furthest behind. */
function stepOf(job) {
  if (job.state !== "running") return job.state;
  const next = job.under_way.map((one) => STEPS.indexOf(NEXT[one.stage]));
  return next.length ? STEPS[Math.min(...next)] : "loaded";
}

function drawUnderWay(one) {
  const scan = one.pages > 1 && el("span", { class: "facts" }, t("source.page", { page: `${one.page}/${one.pages}` }));
  return el("li", { class: "card" }, el("div", { class: "row" }, el("strong", {}, one.source), scan, el("span", { class: "badge" }, named("stage", one.stage))));
}

/** What became of one source: by its type in the reader's language, then with the details, which are English. */
export function drawSource(one) {
  const bad = one.state === "failed";
  const foreign = document.documentElement.lang !== "en";
  const state = one.unchanged ? t("add.unchanged") : named("stage", one.state);
  return el(
    "li",
    { class: "card" },
    el("div", { class: "row" }, el("strong", {}, one.source), el("span", { class: bad ? "badge bad" : "badge good" }, bad && one.outcome ? named("outcome", one.outcome) : state)),
    one.outcome && foreign && el("p", { class: "small" }, named("outcome", `${one.outcome}.text`, "")),
    (one.reason || one.cure) && el("p", { class: "small", lang: "en" }, el("span", { class: foreign ? "muted" : "" }, one.reason), " ", el("span", { class: "muted" }, one.cure)),
    !bad && el("p", { class: "facts" }, el("span", {}, t("add.made", { documents: one.documents, chunks: one.chunks }))),
  );
}
