// What a user changes while a walk rests: the question, the budget, facts and leads.

import { el, fill, labelled } from "./dom.js";
import { lineOf } from "./rendered.js";
import { t } from "./words.js";

const BOUNDS = { rounds: [1, 50], calls: [1, 1_000], tokens: [1, 10_000_000], seconds: [1, 3_600] };
const FURTHER = 2; // rounds

/** The budget with which a walk that has ended can go further; of each bound beside the rounds half is left at least. */
export function further({ budget, spent, rounds }) {
  const left = ([name, [, most]]) => [name, Math.min(budget[name] ? Math.ceil(Math.max(budget[name], (spent[name] ?? 0) + budget[name] / 2)) : most, most)];
  const last = rounds.at(-1)?.number ?? 0;
  return { ...Object.fromEntries(Object.entries(BOUNDS).map(left)), rounds: Math.min(last + FURTHER, BOUNDS.rounds[1]) };
}

/** The panel; `apply` is given what is to change, as POST …/edit takes it. */
export function drawEdit(state, apply, seat) {
  // Noted at the press: what tells of a change comes later, when all may have been drawn anew.
  const pressed = (event) => (seat.editing = !event.currentTarget.parentElement.open);
  return el(
    "details",
    { class: "edit card", open: seat.editing },
    el("summary", { on: { click: pressed } }, t("edit.title")),
    general(state, apply),
    part(t("edit.facts"), t("edit.add-fact"), [...state.facts.values()].filter((fact) => !fact.dropped), "fact_id", "facts", apply),
    part(t("edit.leads"), t("edit.add-lead"), [...state.leads.values()].filter((lead) => lead.state === "open"), "lead_id", "leads", apply),
  );
}

function general(state, apply) {
  const question = el("textarea", { rows: 2, value: state.question });
  const fields = Object.entries(BOUNDS).map(([name, [min, max]]) => [name, el("input", { type: "number", min, max, value: state.budget[name] || max })]);
  const submit = (event) => {
    event.preventDefault();
    const budget = Object.fromEntries(fields.map(([name, field]) => [name, Number(field.value)]));
    const change = { budget };
    if (question.value.trim() && question.value !== state.question) change.question = question.value.trim();
    apply(change);
  };
  return el(
    "form",
    { class: "plain", on: { submit } },
    labelled(t("edit.question"), question),
    fields.map(([name, field]) => labelled(t(`budget.${name}`), field)),
    el("div", { class: "row" }, el("button", { type: "submit" }, t("edit.apply"))),
  );
}

function part(title, adding, items, id, family, apply) {
  const field = el("input", { autocomplete: "off" });
  const submit = (event) => {
    event.preventDefault();
    if (field.value.trim()) apply({ [family]: [{ text: field.value.trim() }] });
  };
  return [
    el("h3", {}, title),
    el("ul", { class: "edits" }, items.map((item) => one(item, id, family, apply))),
    el("form", { class: "plain", on: { submit } }, labelled(adding, field), el("div", { class: "row" }, el("button", { type: "submit" }, t("edit.add")))),
  ];
}

function one(item, id, family, apply) {
  const line = el("li");
  const change = () => {
    const field = el("textarea", { rows: 3, value: item.text, "aria-label": t("edit.change-named", { text: lineOf(item) }) });
    const save = el("button", { type: "button", on: { click: () => field.value.trim() && apply({ [family]: [{ [id]: item[id], text: field.value.trim() }] }) } }, t("edit.apply"));
    fill(line, field, el("div", { class: "row" }, save, el("button", { type: "button", class: "quiet", on: { click: () => draw() } }, t("edit.cancel"))));
    field.focus();
  };
  const button = (name, act) => el("button", { type: "button", class: "quiet", "aria-label": t(`edit.${name}-named`, { text: lineOf(item) }), on: { click: act } }, t(`edit.${name}`));
  const draw = () => fill(line, el("span", {}, lineOf(item)), el("div", { class: "row" }, button("change", change), button("drop", () => apply({ dropped: [item[id]] }))));
  draw();
  return line;
}
