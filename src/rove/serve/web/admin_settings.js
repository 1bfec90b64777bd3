// The settings of a space, for administrators of every space: found, changed, and saved all at once.

import { change, get, here } from "./api.js";
import { el, fill, labelled, say } from "./dom.js";
import { TRIED, tryButton } from "./model_try.js";
import { said } from "./said.js";
import { shown } from "./setting_field.js";
import { settingRow } from "./setting_row.js";
import { busy, wrong } from "./states.js";
import { named, t } from "./words.js";

const ORDER = ["answer", "search", "question", "chat", "reranker", "judge", "embedder", "walk", "gather", "chunk", "load", "transcriber", "enrich", "store", "serve", ""];

export async function adminSettings(place, { signal }) {
  fill(place, busy());
  try {
    draw(place, await get(here("/settings"), signal), new Map(), signal);
  } catch (problem) {
    if (problem.name === "AbortError") throw problem;
    if (problem.status === 403) fill(place); // an administrator of some spaces only
    else fill(place, wrong(problem, () => adminSettings(place, { signal })));
  }
}

function draw(place, told, drafts, signal) {
  const every = told.sections.flatMap((section) => section.settings);
  const bar = el("div", { class: "save-bar", hidden: true });
  const outcome = el("p", { class: "admin-said small", role: "status" });
  const changed = () => {
    fill(outcome);
    filter();
    drawBar();
  };
  const sections = ORDER.map((name) => told.sections.find((one) => one.name === name)).filter(Boolean).map((section) => drawSection(section, drafts, changed));
  const words = el("input", { type: "search", autocomplete: "off", on: { input: () => filter() } });
  const own = el("input", { type: "checkbox", on: { change: () => filter() } });
  const none = el("p", { class: "muted", hidden: true, role: "status" }, t("config.none"));
  const filter = () => {
    const wanted = words.value.trim().toLowerCase().split(/\s+/).filter(Boolean);
    let found = 0;
    for (const { rows, block } of sections) {
      for (const { one, row } of rows) {
        const text = `${one.name} ${one.name.replaceAll("_", " ")} ${one.meaning}`.toLowerCase();
        row.hidden = !wanted.every((word) => text.includes(word)) || (own.checked && one.origin === "default" && !drafts.has(one.name));
      }
      const shownRows = rows.filter(({ row }) => !row.hidden).length;
      found += shownRows;
      block.hidden = !shownRows;
      if (wanted.length || own.checked) block.open = shownRows > 0;
    }
    none.hidden = found > 0;
  };
  const redraw = (next, left) => draw(place, next, left, signal);
  const drawBar = (reviewed = false) => {
    bar.hidden = drafts.size === 0;
    fill(bar, drawDrafts(drafts, every, reviewed));
    const save = el("button", { type: "button", class: "main", on: { click: () => (reviewed ? send(save) : (drawBar(true), bar.querySelector("button.main").focus())) } }, t(reviewed ? "config.save-now" : "config.save", { count: drafts.size }));
    bar.append(el("div", { class: "row" }, save, el("button", { type: "button", class: "quiet", on: { click: () => redraw(told, new Map()) } }, t("config.discard"))));
  };
  const send = async (save) => {
    save.disabled = true;
    try {
      const reply = await change(here("/settings"), { version: told.version, values: Object.fromEntries(drafts) }, signal);
      redraw(reply.settings, new Map());
      const later = reply.start.length + reply.documents.length;
      const sentence = t(later ? "config.saved-later" : "config.saved", { count: later });
      place.querySelector(".admin-said").textContent = sentence;
      say(sentence);
    } catch (problem) {
      if (problem.name === "AbortError") return;
      save.disabled = false;
      bar.querySelector(".notice")?.remove();
      bar.prepend(wrong(problem, problem.status === 409 ? async () => redraw(await get(here("/settings"), signal), drafts) : undefined));
    }
  };
  fill(
    place,
    el("h2", { class: "spaced" }, t("config.title", { space: told.space })),
    el("p", { class: "muted" }, told.spaces.length > 1 ? t("config.shared", { spaces: told.spaces.join(", "), file: told.file }) : t("config.text", { file: told.file }), " ", el("a", { href: "#/status" }, t("config.status"))),
    told.closed && el("div", { class: "notice refused" }, el("p", {}, said(told.closed)), told.cure && el("p", { class: "cure" }, said(told.cure))),
    el("div", { class: "config-find" }, labelled(t("config.find"), words), el("label", { class: "check" }, own, t("config.own"))),
    outcome,
    sections.map(({ block }) => block),
    none,
    bar,
  );
  filter();
  drawBar();
}

function drawSection(section, drafts, changed) {
  const rows = section.settings.map((one) => ({ one, row: settingRow(one, drafts, changed) }));
  const set = section.settings.filter((one) => one.origin !== "default").length;
  const name = named("config.section", section.name || "more");
  const block = el(
    "details",
    { class: "config-section card" },
    el("summary", {}, el("span", { class: "config-name" }, name), set > 0 && el("span", { class: "badge good" }, t("config.set", { count: set }))),
    TRIED.includes(section.name) && tryButton(section.name, name),
    rows.map(({ row }) => row),
  );
  return { block, rows };
}

/** What is to be saved: how many, and, before it is, each with when it counts. */
function drawDrafts(drafts, every, reviewed) {
  if (!reviewed) return el("p", { role: "status" }, t("config.drafts", { count: drafts.size }));
  const lines = [...drafts].map(([name, value]) => {
    const one = every.find((known) => known.name === name);
    const after = value === null ? t("config.to-default", { value: shown(one.default) }) : shown(value);
    return el("li", {}, el("code", {}, name), ": ", shown(one.waits ? one.next : one.value), " → ", el("strong", {}, after), " ", el("span", { class: "muted small" }, named("config.counts", one.counts)));
  });
  return [el("p", { class: "label" }, t("config.review")), el("ul", { class: "drafts" }, lines)];
}
