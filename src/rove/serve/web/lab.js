// The lab: how well the base is found in. What was measured, and what measures: a table of questions, or made ones.

import { erase, getAll, here, Problem, post, told } from "./api.js";
import { el, filePicker, fill, labelled, say } from "./dom.js";
import { between, drawInterval, figure } from "./interval.js";
import { report, when } from "./lab_report.js";
import { said } from "./said.js";
import { busy, empty, wrong } from "./states.js";
import { store } from "./store.js";
import { eraser } from "./sure.js";
import { named, t } from "./words.js";

const MODES = ["hybrid", "keyword", "semantic", "gather"];
const STATES = ["preparing", "asking", "answering", "scoring", "done"];
const SHOWN = 4;

export async function lab(main, { rest, signal }) {
  if (!store.may("admin")) {
    fill(main, el("h1", {}, t("lab.title")), empty(t("lab.refused"), t("lab.refused.text")));
    return;
  }
  if (rest[0]) {
    await report(main, { id: rest[0], signal });
    return;
  }
  const list = el("div", {}, busy());
  const again = () => drawList(list, signal);
  fill(main, el("h1", {}, t("lab.title")), el("p", { class: "muted" }, t("lab.text")), form(again, signal), list);
  await again();
}

/** Say what is to be asked, and in which ways. */
function form(again, signal) {
  const chosen = el("span", { class: "muted" }, t("lab.file.none"));
  const file = el("input", { type: "file", accept: ".csv,.tsv,.jsonl", on: { change: () => (chosen.textContent = file.files[0]?.name ?? t("lab.file.none")) } });
  const count = el("input", { type: "number", min: 1, max: 1000, value: 30 });
  const model = el("input", { type: "checkbox" });
  const answers = el("input", { type: "checkbox", name: "answers" });
  const modes = MODES.map((mode) => [mode, el("input", { type: "checkbox", value: mode, checked: mode === "hybrid" || mode === "keyword" })]);
  const table = el("div", { class: "plain" }, el("p", { class: "label" }, t("lab.file")), el("div", { class: "row" }, filePicker(t("lab.file.choose"), file), chosen), el("p", { class: "small muted" }, t("lab.file.text")));
  const made = el(
    "div",
    { class: "plain", hidden: true },
    labelled(t("lab.count"), count),
    el("label", { class: "check" }, model, t("lab.model")),
    el("p", { class: "small muted" }, t("lab.made.text")),
  );
  const source = chooser({ [t("lab.table")]: table, [t("lab.made")]: made });
  const state = el("div");
  const submit = async (event) => {
    event.preventDefault();
    const chosen = modes.filter(([, box]) => box.checked).map(([mode]) => ({ name: mode, mode }));
    const body = { configurations: chosen.length ? chosen : [{ name: "hybrid" }], answers: answers.checked };
    if (!made.hidden) body.make = { count: Number(count.value) || 30, model: model.checked };
    else if (file.files[0]) body.table = { name: file.files[0].name, text: await file.files[0].text() };
    else {
      fill(state, el("p", { class: "cure" }, t("lab.choose")));
      say(t("lab.choose"));
      file.focus();
      return;
    }
    fill(state);
    try {
      await post(here("/evaluations"), body, signal);
      say(t("lab.begun"));
      await again();
    } catch (problem) {
      if (problem.name !== "AbortError") fill(state, wrong(problem));
    }
  };
  return el(
    "form",
    { class: "card lab-form", on: { submit } },
    el("h2", {}, t("lab.new")),
    source,
    table,
    made,
    el("fieldset", {}, el("legend", {}, t("lab.ways")), modes.map(([mode, box]) => el("label", { class: "check" }, box, named("search.mode", mode)))),
    el("label", { class: "check" }, answers, t("lab.answers.choose")),
    el("div", { class: "row" }, el("button", { type: "submit", class: "main" }, t("lab.run"))),
    state,
  );
}

/** Buttons of which one is pressed; its part is shown. */
function chooser(parts) {
  const press = (wanted) => {
    buttons.forEach(([name, button]) => {
      button.setAttribute("aria-pressed", String(name === wanted));
      parts[name].hidden = name !== wanted;
    });
  };
  const buttons = Object.keys(parts).map((name, at) => [name, el("button", { type: "button", "aria-pressed": String(at === 0), on: { click: () => press(name) } }, name)]);
  return el("div", { class: "choice" }, buttons.map(([, button]) => button));
}

async function drawList(list, signal) {
  const again = () => drawList(list, signal);
  try {
    const { evaluations } = await getAll((query) => here("/evaluations", query), "evaluations", signal);
    if (!evaluations.length) fill(list, empty(t("lab.none"), t("lab.none.text")));
    else fill(list, el("h2", { class: "spaced" }, t("lab.reports")), el("ul", { class: "list" }, evaluations.map((one) => drawOne(one, again))));
    const running = evaluations.find((one) => !isOver(one));
    if (running) watch(list.querySelector(`[data-id="${CSS.escape(running.evaluation_id)}"]`), running, again, signal);
  } catch (problem) {
    if (problem.name !== "AbortError") fill(list, wrong(problem, again));
  }
}

function isOver(one) {
  return ["done", "failed", "cancelled"].includes(one.state);
}

/** Redraw a card as the evaluation goes on. */
async function watch(card, one, again, signal) {
  try {
    for await (const { data } of told("GET", here(`/evaluations/${encodeURIComponent(one.evaluation_id)}/events`), { signal })) {
      if (!isOver(data)) {
        const before = card.querySelector(".progress");
        before.replaceWith(drawProgress(data));
        continue;
      }
      say(`${nameOf(data)}: ${named("lab.state", data.state)}`);
      await again();
      return;
    }
    throw new Problem({ title: t("problem.ended"), detail: t("lab.goes-on") });
  } catch (problem) {
    if (problem.name !== "AbortError") card.append(wrong(problem, again));
  }
}

/** What a report is called: by its table, or by where its questions came from. */
export function nameOf(one) {
  return one.name || t("lab.made");
}

function drawOne(one, again) {
  const path = `/evaluations/${encodeURIComponent(one.evaluation_id)}`;
  const name = nameOf(one);
  const done = one.state === "done";
  const cancel = async () => {
    await post(here(`${path}/cancel`)).catch((problem) => say(problem.message));
    await again();
  };
  return el(
    "li",
    { class: "card", data: { id: one.evaluation_id } },
    el("h3", {}, done ? el("a", { href: `#/lab/${encodeURIComponent(one.evaluation_id)}` }, name) : name),
    el(
      "p",
      { class: "facts" },
      isOver(one) && el("span", { class: done ? "badge good" : one.state === "failed" ? "badge bad" : "badge" }, named("lab.state", one.state)),
      el("span", {}, when(one.began_at)),
      one.questions > 0 && el("span", {}, t("lab.questions", { count: one.questions })),
      done && one.configurations.length > 1 && el("span", {}, t("lab.best", { name: named("search.mode", one.best) })),
    ),
    done && drawHeadline(one),
    one.reason && el("p", { class: "small" }, said(one.reason)),
    one.cure && el("p", { class: "small muted" }, said(one.cure)),
    !isOver(one) && drawProgress(one),
    isOver(one)
      ? eraser(t("documents.delete-named", { title: name }), async () => (await erase(here(path)), await again()))
      : el("button", { type: "button", on: { click: cancel } }, t("lab.cancel")),
  );
}

function drawHeadline(one) {
  const known = one.headline.filter((mean) => mean.mean !== null).slice(0, SHOWN);
  return el("dl", { class: "headline" }, known.map((mean) => el("div", {}, el("dt", {}, mean.metric), el("dd", {}, el("strong", {}, figure(mean.mean)), drawInterval(mean), el("span", { class: "small muted" }, between(mean))))));
}

function drawProgress(one) {
  const states = STATES.filter((state) => one.answers || state !== "answering");
  const at = states.indexOf(one.state);
  const steps = states.map((state, place) =>
    el("li", { class: place < at ? "past" : place === at ? "now" : "", "aria-current": place === at ? "step" : null }, named("lab.state", state)),
  );
  return el(
    "div",
    { class: "progress" },
    el("ol", { class: "stages" }, steps),
    el("progress", { max: Math.max(1, one.expected), value: one.expected ? one.asked : null, "aria-label": t("add.progress") }),
    el("p", { class: "facts" }, el("span", {}, t(one.answers ? "lab.asked-answers" : "lab.asked", { asked: one.asked, expected: one.expected }))),
  );
}
