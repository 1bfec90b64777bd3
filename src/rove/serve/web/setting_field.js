// The field of one setting: what fits its kind, and how what stands in it is read.

import { el } from "./dom.js";
import { t } from "./words.js";

const LONG = 60;
let lists = 0;

/** Why what was written cannot be a value. */
export class WrongValue extends Error {}

/** A value as a text, for fields and for what is told of a change. */
export function shown(value) {
  if (value === null || value === "") return "–";
  if (typeof value === "boolean") return t(value ? "config.on" : "config.off");
  if (isTexts(value)) return value.join(", ") || "–";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** The field: [what is put on the page, the element with the value, what reads it]. */
export function fieldOf(one, value) {
  if (one.kind === "boolean") {
    const box = el("input", { type: "checkbox", checked: value === true });
    return { field: box, read: () => box.checked };
  }
  if (one.choices.length) {
    const field = el("select", {}, one.choices.map((choice) => el("option", { value: choice, selected: choice === value }, choice || "–")));
    return { field, read: () => field.value };
  }
  if (one.kind === "integer" || one.kind === "number") return numberField(one, value);
  if (one.kind === "array" && isTexts(value) && isTexts(one.default)) {
    const field = el("textarea", { rows: Math.max(2, Math.min(6, value.length + 1)), value: value.join("\n"), spellcheck: "false" });
    return { field, read: () => field.value.split("\n").map((line) => line.trim()).filter(Boolean), hint: hintOf(one, t("config.lines")) };
  }
  if (one.kind === "array" || one.kind === "object") return jsonField(value);
  return textField(one, value);
}

function isTexts(value) {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

function numberField(one, value) {
  const least = one.least ?? one.above;
  const field = el("input", { type: "number", min: least, max: one.most, step: one.kind === "integer" ? 1 : "any", value: value ?? "", inputmode: one.kind === "integer" ? "numeric" : "decimal" });
  const read = () => {
    if (field.value === "" && one.nullable && !field.validity.badInput) return null;
    const written = Number(field.value);
    if (field.value === "") throw new WrongValue(t("config.number"));
    if (one.above !== null && written <= one.above) throw new WrongValue(t("config.above", { value: one.above }));
    if (one.least !== null && written < one.least) throw new WrongValue(t("config.at-least", { value: one.least }));
    if (one.most !== null && written > one.most) throw new WrongValue(t("config.at-most", { value: one.most }));
    if (!field.validity.valid) throw new WrongValue(t("config.whole"));
    return written;
  };
  return { field, read };
}

function textField(one, value) {
  const long = String(value).length > LONG || String(value).includes("\n") || String(one.default).length > LONG;
  const field = long ? el("textarea", { rows: 3, value }) : el("input", { value, spellcheck: "false", autocomplete: "off" });
  if (!one.suggestions.length || long) return { field, read: () => field.value };
  lists += 1;
  const list = el("datalist", { id: `names-${lists}` }, one.suggestions.map((name) => el("option", { value: name })));
  field.setAttribute("list", list.id);
  return { field, more: list, read: () => field.value.trim() };
}

function jsonField(value) {
  const text = JSON.stringify(value, null, 2);
  const field = el("textarea", { class: "code", rows: Math.max(2, Math.min(10, text.split("\n").length)), value: text, spellcheck: "false" });
  const read = () => {
    try {
      return JSON.parse(field.value);
    } catch {
      throw new WrongValue(t("config.json"));
    }
  };
  return { field, read, hint: "JSON" };
}

function hintOf(one, text) {
  return one.suggestions.length ? `${text} ${one.suggestions.join(", ")}` : text;
}
