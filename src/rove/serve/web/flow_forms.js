// What a flow is given, and what a step asks a person, as forms.

import { el, labelled } from "./dom.js";
import { t } from "./words.js";

const BUTTONS = 4; // so many options are buttons; more are a list to choose from
const NUMBERS = new Set(["integer", "number"]);

/** The inputs of a flow as fields; `run(given)` is called with what is in them. */
export function drawInputs(flow, given, run) {
  const fields = new Map(flow.inputs.map((one) => [one, fieldOf(one, given[one.name] ?? one.default)]));
  const submit = (event) => {
    event.preventDefault();
    const filled = [...fields].map(([one, field]) => [one.name, valueOf(one, field)]).filter(([, value]) => value !== null);
    run(Object.fromEntries(filled));
  };
  const line = ([one, field]) => {
    const about = [one.about, one.type === "strings" && t("flows.lines")].filter(Boolean).join(" · ");
    return [one.type === "boolean" ? el("label", { class: "check" }, field, one.name) : labelled([one.name, one.required && " *"], field), about && el("span", { class: "small muted" }, about)];
  };
  return el("form", { class: "plain", on: { submit } }, [...fields].map(line), el("div", { class: "row" }, el("button", { type: "submit", class: "main" }, t("flows.run"))));
}

function fieldOf({ type, required }, value) {
  if (type === "boolean") return el("input", { type: "checkbox", checked: value === true });
  if (NUMBERS.has(type)) return el("input", { type: "number", step: type === "integer" ? 1 : "any", required, value: value ?? "" });
  const text = Array.isArray(value) ? value.join("\n") : String(value ?? "");
  return required || type === "strings" ? el("textarea", { rows: 2, required, maxlength: 8000, value: text }) : el("input", { autocomplete: "off", value: text });
}

/** What is in a field; null where nothing is, so that the flow takes what is usual. */
function valueOf({ type }, field) {
  if (type === "boolean") return field.checked;
  const text = field.value.trim();
  if (type === "strings") return text ? text.split("\n").map((line) => line.trim()).filter(Boolean) : null;
  if (!text) return null;
  return NUMBERS.has(type) ? Number(text) : text;
}

/** What steps ask; `reply({key: text})` is called with the answers. */
export function drawAsked(waiting, reply) {
  const [first] = waiting;
  if (waiting.length === 1 && first.options.length > 0 && first.options.length <= BUTTONS) {
    const buttons = first.options.map((option) => el("button", { type: "button", on: { click: () => reply({ [first.key]: option }) } }, option));
    return el("div", { class: "card flow-asked", role: "group", "aria-label": first.question }, el("p", {}, first.question), el("div", { class: "row" }, buttons));
  }
  const fields = waiting.map((one) => [one, one.options.length ? el("select", { required: true }, one.options.map((option) => el("option", { value: option }, option))) : el("textarea", { rows: 2, required: true, maxlength: 8000 })]);
  const submit = (event) => {
    event.preventDefault();
    reply(Object.fromEntries(fields.map(([one, field]) => [one.key, field.value.trim()])));
  };
  return el("form", { class: "plain card flow-asked", on: { submit } }, fields.map(([one, field]) => labelled(one.question, field)), el("div", { class: "row" }, el("button", { type: "submit", class: "main" }, t("flows.reply"))));
}
