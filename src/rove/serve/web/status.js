// What runs: the server, its spaces, jobs and evaluations, limits, and what failed; looked at again and again while it is seen.

import { get } from "./api.js";
import { el, fill } from "./dom.js";
import { when } from "./lab_report.js";
import { said } from "./said.js";
import { megabytes } from "./spaces.js";
import { busy, empty, wrong } from "./states.js";
import { locale, named, t } from "./words.js";

const EVERY_MS = 3000;
const FULL = 0.9;

export async function status(main, { signal }) {
  const cards = el("div", { class: "status" }, busy());
  fill(main, el("h1", {}, t("status.title")), el("p", { class: "muted" }, t("status.text"), " ", el("a", { href: "#/settings" }, t("settings.title"))), cards);
  const look = looker(cards, signal);
  if (await look()) goOn(look, signal);
}

/** What looks once, and draws what it sees; it says whether to look again. */
function looker(cards, signal) {
  let before = null;
  return async () => {
    try {
      const now = await get("v1/status", signal);
      if (!cards.contains(document.activeElement)) fill(cards, drawn(now, before));
      before = now;
    } catch (problem) {
      if (problem.name === "AbortError") return false;
      if (problem.status === 403) {
        fill(cards, empty(t("status.refused"), t("status.refused.text")));
        return false;
      }
      fill(cards, wrong(problem));
    }
    return true;
  };
}

async function goOn(look, signal) {
  await pause(signal);
  while (!signal.aborted && (await look())) await pause(signal);
}

/** Wait a little, and as long as nobody looks. */
function pause(signal) {
  return new Promise((resolve) => {
    const seen = () => {
      if (document.visibilityState === "visible") done();
    };
    const done = () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", seen);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(() => document.visibilityState === "visible" && done(), EVERY_MS);
    document.addEventListener("visibilitychange", seen);
    signal.addEventListener("abort", done);
  });
}

function drawn(now, before) {
  return [server(now, before), work(now), now.spaces.map(space), limits(now), failures(now)];
}

function card(title, ...inside) {
  return el("section", { class: "card" }, el("h2", {}, title), ...inside);
}

/** Figures with their names: [[name, value], …]; one that is not known is left out. */
function figures(pairs) {
  return el("dl", { class: "headline" }, pairs.filter(([, value]) => value !== null).map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, el("strong", {}, value)))));
}

/** How much is used of something, drawn and said. */
function meter(label, used, whole, text) {
  const share = whole > 0 ? Math.min(1, used / whole) : 0;
  return el("div", { class: "meter" }, el("span", { class: "small" }, label), el("progress", { max: 1, value: share, "aria-label": label, class: share > FULL ? "full" : "" }), el("span", { class: "small muted" }, text));
}

function server(now, before) {
  const { process, machine } = now;
  const span = before ? now.uptime_s - before.uptime_s : now.uptime_s;
  const cpu = span > 0 ? (process.cpu_s - (before?.process.cpu_s ?? 0)) / span : 0;
  const tokens = now.tokens_read + now.tokens_written;
  return card(
    t("status.server"),
    figures([
      [t("status.version"), now.version],
      [t("status.up"), duration(now.uptime_s)],
      [t("status.memory"), process.memory_bytes === null ? null : megabytes(process.memory_bytes)],
      [t("status.cpu"), t("status.cores", { used: number(Math.max(0, cpu), 2), cores: machine.cores })],
      [t("status.load"), machine.load && machine.load.map((one) => number(one, 1)).join(" · ")],
      [t("status.replies"), number(Object.values(now.replies).reduce((sum, one) => sum + one, 0))],
      [t("status.tokens"), tokens ? number(tokens) : null],
    ]),
    machine.memory_bytes && meter(t("status.machine-memory"), machine.memory_bytes - machine.free_bytes, machine.memory_bytes, t("status.free", { free: megabytes(machine.free_bytes), whole: megabytes(machine.memory_bytes) })),
  );
}

function work(now) {
  const resting = !now.jobs.length && !now.evaluations.length;
  return card(
    t("status.work"),
    figures([
      [t("status.requests"), number(now.requests)],
      [t("status.streams"), number(now.streams)],
      [t("status.walks"), number(now.walks)],
      [t("status.jobs"), number(now.jobs.length)],
    ]),
    resting && el("p", { class: "muted" }, t("status.resting")),
    el("ul", { class: "status-list" }, now.jobs.map(job), now.evaluations.map(evaluation)),
  );
}

function job(one) {
  const [value, max] = one.cut ? [one.chunks, one.cut] : [one.ended, one.expected];
  return el(
    "li",
    {},
    el("div", { class: "row" }, el("strong", {}, one.space), el("span", { class: "badge" }, named("stage", one.state)), el("span", { class: "small muted" }, one.caller)),
    el("progress", { max: Math.max(1, max), value: max ? value : null, "aria-label": t("add.progress") }),
    el("p", { class: "facts" }, el("span", {}, t("add.ended", { done: one.ended, expected: Math.max(one.expected, one.ended) })), el("span", {}, t("add.embedded", { chunks: one.chunks }))),
    one.shallow > 0 && el("p", { class: "small" }, t("add.shallow", { count: one.shallow })),
    one.trouble && el("p", { class: "small cure" }, said(one.trouble)),
  );
}

function evaluation(one) {
  return el(
    "li",
    {},
    el("div", { class: "row" }, el("strong", {}, one.space), el("a", { href: "#/lab" }, one.name || t("lab.made")), el("span", { class: "badge" }, named("lab.state", one.state))),
    el("progress", { max: Math.max(1, one.expected), value: one.asked, "aria-label": t("add.progress") }),
  );
}

function space(one) {
  const reached = one.chunks - one.shallow;
  return card(
    t("status.space", { name: one.name }),
    el(
      "p",
      { class: "facts" },
      el("span", { class: one.problem || one.moved ? "badge bad" : "badge good" }, t(one.moved ? "status.moved" : one.problem ? "status.sick" : "status.well")),
      el("span", {}, t("add.made", { documents: one.documents, chunks: one.chunks })),
      one.in_database && el("span", {}, t("spaces.in-database")),
    ),
    one.problem && el("p", { class: "small" }, said(one.problem)),
    one.shallow > 0 && meter(t("status.embedded"), reached, one.chunks, `${number(reached)} / ${number(one.chunks)}`),
    one.disk_bytes && meter(t("status.disk"), one.disk_bytes - one.disk_free_bytes, one.disk_bytes, t("status.free", { free: megabytes(one.disk_free_bytes), whole: megabytes(one.disk_bytes) })),
    one.index && el("p", { class: "facts" }, el("span", { class: one.index.works ? "badge good" : "badge bad" }, t(one.index.works ? "status.index-there" : "status.index-gone", { name: one.index.name })), el("span", {}, t("config.took", { ms: Math.round(one.index.ms) }))),
    one.index?.detail && el("p", { class: "small" }, said(one.index.detail)),
  );
}

function limits(now) {
  const line = (one) => el("tr", {}, el("th", { scope: "row" }, el("code", {}, one.name)), el("td", {}, one.used === null ? t("status.each-key") : number(one.used)), el("td", {}, number(one.value)));
  return card(
    t("status.limits"),
    el("table", { class: "status-table" }, el("thead", {}, el("tr", {}, ["status.limit", "status.used", "status.most"].map((name) => el("th", { scope: "col" }, t(name))))), el("tbody", {}, now.limits.map(line))),
  );
}

function failures(now) {
  if (!now.failures.length) return card(t("status.failures"), el("p", { class: "muted" }, t("status.no-failures")));
  const line = (one) => el("tr", {}, el("th", { scope: "row" }, el("span", { class: one.status >= 500 ? "badge bad" : "badge" }, one.status || "–"), " ", el("code", { class: "small" }, one.route)), el("td", {}, number(one.count)), el("td", {}, when(one.at)));
  return card(
    t("status.failures"),
    el("p", { class: "small muted" }, t("status.failures.text")),
    el("table", { class: "status-table" }, el("thead", {}, el("tr", {}, ["status.call", "status.count", "status.last"].map((name) => el("th", { scope: "col" }, t(name))))), el("tbody", {}, now.failures.map(line))),
  );
}

function number(value, digits = 0) {
  return new Intl.NumberFormat(locale(), { maximumFractionDigits: digits }).format(value);
}

/** How long, in its two largest units. */
function duration(seconds) {
  const units = [["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]];
  const first = Math.max(0, units.findIndex(([, length]) => seconds >= length));
  let left = Math.floor(seconds);
  return units.slice(first, first + 2).map(([unit, length]) => {
    const count = Math.floor(left / length);
    left -= count * length;
    return new Intl.NumberFormat(locale(), { style: "unit", unit, unitDisplay: "short" }).format(count);
  }).join(" ");
}
