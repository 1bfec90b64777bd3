// A flow is written: its text, what is wrong with it, its picture as it is written, tried before it is saved.

import { change, erase, get, here, post, put } from "./api.js";
import { el, fill, labelled, say } from "./dom.js";
import { addressOfText, beginFlow, draftOf, keepDraft, sourceAt } from "./flow_files.js";
import { drawFlow } from "./flow_map.js";
import { drawOperators } from "./flow_operators.js";
import { fresh } from "./flow_state.js";
import { flowTrial } from "./flow_trial.js";
import { said } from "./said.js";
import { busy, wrong } from "./states.js";
import { eraser } from "./sure.js";
import { t } from "./words.js";

const PAUSE_MS = 400; // after the last key
const ABOVE = 3; // lines that are seen above what is gone to
const NOTHING_SAVED = { text: "", version: "", before: false };

/** "#/edit-flow": a new one; "#/edit-flow/NAME": the text of one. */
export async function editFlow(main, { rest: [name], signal, entitle }) {
  entitle(name ?? t("edit.new"));
  fill(main, busy());
  await (name ? openText(main, name, signal) : beginFlow(main, signal));
}

/** What the server has of a file; of one that was deleted, the state before that. */
async function savedOf(name, signal) {
  try {
    return { ...(await get(sourceAt(name), signal)), gone: false };
  } catch (problem) {
    if (problem.status !== 404) throw problem;
  }
  try {
    return { ...(await get(sourceAt(name, { before: true }), signal)), version: "", gone: true };
  } catch (problem) {
    if (problem.status === 404 || problem.status === 400) return { ...NOTHING_SAVED, gone: false };
    throw problem;
  }
}

async function openText(main, name, signal) {
  let saved = await savedOf(name, signal);
  const draft = draftOf(name);
  const seat = { version: draft?.version ?? saved.version, flow: null, faulty: new Map(), lines: [], faults: [], state: null, chosen: "" };
  const ends = saved.text.includes("\r\n") ? "\r\n" : "\n"; // a field knows one way to end a line
  const field = el("textarea", { class: "code flow-source", rows: 24, wrap: "off", spellcheck: "false", autocomplete: "off", autocapitalize: "off", maxlength: 64000, value: draft?.text ?? saved.text });
  const [told, faults, picture, outcome, standing, more] = ["div", "div", "div", "div", "span", "div"].map((tag) => el(tag));
  standing.className = "small muted";
  const written = () => field.value.replaceAll("\n", ends);
  const isSaved = () => Boolean(saved.version) && written() === saved.text;
  const trial = flowTrial({ text: () => field.value, redraw: drawPicture, signal });
  const operators = el("details", { class: "spaced" }, el("summary", {}, t("edit.operators")));
  operators.addEventListener("toggle", () => operators.open && drawOperators(operators, putIn, signal), { once: true });
  let timer = 0;
  let checking = new AbortController();
  signal.addEventListener("abort", () => (clearTimeout(timer), checking.abort()));

  function noteChange() {
    keepDraft(name, isSaved() ? null : { text: field.value, version: seat.version });
    drawStanding();
    clearTimeout(timer);
    timer = setTimeout(check, PAUSE_MS);
  }

  /** Ask the server what is wrong with the text as it stands. */
  async function check() {
    clearTimeout(timer);
    checking.abort();
    checking = new AbortController();
    const text = field.value;
    try {
      const found = await post(here("/flows/check"), { text, name }, checking.signal);
      if (text !== field.value) return;
      const count = new Map();
      for (const one of found.faults) if (one.step) count.set(one.step, (count.get(one.step) ?? 0) + 1);
      Object.assign(seat, { faulty: count, lines: found.lines, faults: found.faults, flow: found.flow ?? seat.flow });
      if (seat.flow) seat.state = { ...fresh(seat.flow), faulty: count };
      drawFaults(found);
      trial.offer(found.faults.length ? null : found.flow);
      drawPicture();
    } catch (problem) {
      if (problem.name !== "AbortError") fill(faults, wrong(problem, check));
    }
  }

  function drawFaults({ faults: all, lacks }) {
    const item = (one) => el("li", {}, el("button", { type: "button", class: "link", on: { click: () => goToFault(one) } }, t("edit.line", { line: one.line }), one.place && ` · ${one.place}`), el("p", {}, said(one.reason)), one.cure && el("p", { class: "small muted" }, said(one.cure)));
    const list = (title, some, look) => some.length > 0 && el("section", { class: `flow-faults ${look}`, "aria-label": title }, el("h2", {}, title), el("ul", {}, some.map(item)));
    const words = all.length ? t("edit.faults", { count: all.length }) : t("edit.right");
    if (faults.textContent && faults.dataset.said !== words) say(words);
    faults.dataset.said = words;
    fill(faults, all.length ? list(words, all, "wrong") : el("p", { class: "flow-right" }, `✓ ${words}`), list(t("edit.lacks"), lacks, "lacks"));
  }

  function drawPicture() {
    if (!seat.flow) {
      fill(picture, el("p", { class: "muted" }, t("edit.no-picture")));
      return;
    }
    const on = document.activeElement?.dataset?.key;
    fill(picture, drawFlow(trial.state() ?? seat.state, goToStep, seat.chosen), el("p", { class: "small muted" }, t("edit.map-text")));
    if (on?.startsWith("step-")) picture.querySelector(`[data-key="${CSS.escape(on)}"]`)?.focus({ preventScroll: true });
  }

  function goToFault(one) {
    const step = seat.lines.find(({ name: known, first }) => known === one.step && first === one.line);
    goTo(one.line, step?.last ?? one.line);
  }

  function goToStep(step) {
    seat.chosen = step;
    drawPicture();
    const found = seat.lines.find((one) => one.name === step);
    if (found) goTo(found.first, found.last);
  }

  /** Mark lines of the text, from 1 on, and bring them into sight. */
  function goTo(first, last) {
    const lines = field.value.split("\n");
    const start = lines.slice(0, first - 1).reduce((sum, line) => sum + line.length + 1, 0);
    const end = start + lines.slice(first - 1, last).join("\n").length;
    field.focus();
    field.setSelectionRange(start, end);
    field.scrollTop = Math.max(0, (first - ABOVE) * Number.parseFloat(getComputedStyle(field).lineHeight));
  }

  /** Put a step of an operator below the table in which the cursor stands. */
  async function putIn(use) {
    const text = field.value;
    const line = text.slice(0, field.selectionStart).split("\n").length;
    const made = await post(here("/flows/insert"), { text, use, line }, signal);
    if (text !== field.value) {
      await putIn(use); // it was written on meanwhile
      return;
    }
    const lines = text.split("\n");
    const at = lines.slice(0, made.after).join("\n").length;
    const next = (lines[made.after] ?? "").trim();
    const piece = `${made.after ? "\n\n" : ""}${made.text.trimEnd()}${next || !made.after ? "\n" : ""}`;
    field.focus();
    field.setSelectionRange(at, at);
    if (!document.execCommand("insertText", false, piece)) field.setRangeText(piece, at, at, "end"); // the first can be undone
    noteChange();
    const from = made.after + (made.after ? 2 : 1);
    goTo(from, from + made.text.trimEnd().split("\n").length - 1);
    say(t("edit.put-in-said", { name: made.name }));
    await check();
  }

  function drawStanding() {
    dropper.hidden = isSaved();
    fill(standing, isSaved() ? t("edit.saved") : saved.gone && !draftOf(name) ? t("edit.deleted") : t("edit.not-saved"));
  }

  async function save() {
    await check();
    if (seat.faults.length) {
      fill(outcome, el("p", { class: "notice refused", role: "alert" }, t("edit.faults-left")));
      faults.querySelector("button")?.focus();
      return;
    }
    const text = written();
    await tried(async () => {
      saved = { ...(await put(sourceAt(name), { text, version: seat.version }, signal)), gone: false };
      seat.version = saved.version;
      keepDraft(name, isSaved() ? null : { text: field.value, version: seat.version });
      fill(outcome, el("p", { class: "notice", role: "status" }, t("edit.saved-served"), " ", el("a", { href: `#/flows/${encodeURIComponent(name)}` }, t("edit.open"))));
    });
  }

  /** Do something with the file, and say what went wrong; where somebody was faster, whose text shall stay is chosen. */
  async function tried(act) {
    fill(outcome);
    try {
      await act();
    } catch (problem) {
      if (problem.name === "AbortError") return;
      fill(outcome, wrong(problem), problem.kind === "changed" && el("div", { class: "row" }, button(t("edit.take-theirs"), () => decide(true)), button(t("edit.keep-mine"), () => decide(false))));
    }
    drawStanding();
    drawMore();
  }

  const button = (label, act, look = "") => el("button", { type: "button", class: look, on: { click: act } }, label);

  const dropper = button(t("edit.drop"), drop);

  async function decide(theirs) {
    await tried(async () => {
      saved = await savedOf(name, signal);
      seat.version = saved.version;
      if (theirs) field.value = saved.text;
      noteChange();
    });
    field.focus();
  }

  async function takeBefore() {
    await tried(async () => {
      field.value = (await get(sourceAt(name, { before: true }), signal)).text;
      noteChange();
    });
    field.focus();
  }

  function drop() {
    field.value = saved.text;
    seat.version = saved.version;
    noteChange();
    field.focus();
  }

  function drawMore() {
    const wanted = el("input", { required: true, maxlength: 64, pattern: "[A-Za-z0-9][A-Za-z0-9_\\-]*", value: name, autocomplete: "off", spellcheck: "false" });
    const rename = (event) => {
      event.preventDefault();
      const other = wanted.value.trim();
      tried(async () => {
        await change(sourceAt(name), { name: other, version: seat.version }, signal);
        const left = draftOf(name);
        keepDraft(other, left);
        keepDraft(name, null);
        location.hash = addressOfText(other);
      });
    };
    const remove = async () => {
      await erase(sourceAt(name, { version: seat.version }));
      keepDraft(name, null);
      location.hash = "#/flows";
    };
    fill(
      more,
      saved.version && el("form", { class: "plain", on: { submit: rename } }, labelled(t("edit.rename"), wanted), el("div", { class: "row" }, el("button", { type: "submit" }, t("edit.rename")))),
      el("div", { class: "row spaced" }, saved.before && saved.version && button(t("edit.before"), takeBefore), saved.version && dropper, saved.version && eraser(t("documents.delete-named", { title: name }), remove, undefined, t("edit.delete-sure"))),
    );
  }

  field.addEventListener("input", noteChange);
  field.addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.key !== "s") return;
    event.preventDefault();
    save();
  });
  fill(
    told,
    saved.gone && el("p", { class: "notice small" }, t("edit.gone-text")),
    draft && saved.version && draft.text !== saved.text && el("p", { class: "small muted" }, t("edit.draft-text")),
  );
  const others = el("details", { class: "spaced" }, el("summary", {}, t("edit.more")), more);
  fill(
    main,
    el("p", {}, el("a", { href: "#/flows" }, `‹ ${t("flows.all")}`)),
    el("h1", {}, name),
    told,
    el("div", { class: "row" }, button(t("edit.save"), save, "main"), standing),
    outcome,
    el("div", { class: "flow" }, el("div", { class: "flow-side" }, el("div", {}, labelled(t("edit.text"), field)), faults, operators, others), el("section", { class: "flow-picture", "aria-label": t("flows.map") }, picture, trial.place)),
  );
  drawMore();
  drawStanding();
  await check();
}
