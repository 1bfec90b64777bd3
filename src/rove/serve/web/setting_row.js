// One setting: what it is called and does, its field or its value, where that comes from, and the way back.

import { el, fill } from "./dom.js";
import { fieldOf, shown, WrongValue } from "./setting_field.js";
import { named, t } from "./words.js";

let rows = 0;

/**
 * A row of a setting. `drafts` holds what is written and not saved, by names; null: out of the file. `changed` is called
 * after each change.
 */
export function settingRow(one, drafts, changed) {
  const short = one.name.split(".").at(-1);
  const row = el("div", { class: "setting", data: { name: one.name } });
  rows += 1;
  const id = `setting-${rows}`;
  const meaning = el("p", { class: "small muted", lang: "en", id: `${id}-meaning` }, one.meaning);
  const heading = (label) => el("div", { class: "setting-what" }, label, " ", el("code", { class: "small muted" }, one.name), meaning);
  if (one.held) {
    fill(row, heading(el("span", { class: "label" }, spoken(short))), el("div", { class: "setting-value" }, el("code", {}, shown(one.value)), facts(one), el("p", { class: "small muted" }, held(one))));
    return row;
  }
  const place = el("div", { class: "setting-value" });
  const draw = () => {
    const value = drafts.get(one.name) ?? (drafts.has(one.name) ? one.default : one.waits ? one.next : one.value);
    const made = fieldOf(one, value);
    const problem = el("p", { class: "small bad-value", role: "alert", id: `${id}-problem` });
    made.field.id = id;
    made.field.setAttribute("aria-describedby", `${id}-meaning ${id}-problem`);
    made.field.addEventListener("change", () => {
      fill(problem);
      made.field.removeAttribute("aria-invalid");
      try {
        keep(made.read());
      } catch (wrong) {
        if (!(wrong instanceof WrongValue)) throw wrong;
        made.field.setAttribute("aria-invalid", "true");
        fill(problem, wrong.message);
      }
    });
    const back = () => {
      if (one.origin === "file") drafts.set(one.name, null);
      else drafts.delete(one.name);
      draw();
      mark();
      changed();
      row.querySelector(`#${id}`).focus();
    };
    const canGoBack = JSON.stringify(value) !== JSON.stringify(one.default);
    fill(
      place,
      one.kind === "boolean" ? el("label", { class: "check" }, made.field, t("config.yes")) : made.field,
      made.more,
      made.hint && el("p", { class: "small muted" }, made.hint),
      problem,
      facts(one),
      canGoBack && el("button", { type: "button", class: "quiet", "aria-label": t("config.back-named", { name: one.name }), on: { click: back } }, t("config.back")),
    );
  };
  const keep = (value) => {
    const before = one.waits ? one.next : one.value;
    if (JSON.stringify(value) === JSON.stringify(before)) drafts.delete(one.name);
    else drafts.set(one.name, value);
    mark();
    changed();
  };
  const mark = () => row.classList.toggle("drafted", drafts.has(one.name));
  fill(row, heading(el("label", { for: id }, spoken(short))), place);
  draw();
  mark();
  return row;
}

/** "max_distance" is read as words. */
function spoken(name) {
  const words = name.replaceAll("_", " ");
  return words[0].toUpperCase() + words.slice(1);
}

function facts(one) {
  return el(
    "p",
    { class: "facts small" },
    one.origin !== "default" && el("span", { class: "badge good" }, named("config.origin", one.origin)),
    el("span", {}, t("config.default", { value: shown(one.default) })),
    one.waits ? el("span", { class: "badge" }, t("config.waits", { value: shown(one.value) })) : one.counts !== "now" && el("span", {}, named("config.counts", one.counts)),
  );
}

function held(one) {
  return one.held === "environment" ? t("config.held.environment", { name: one.variable }) : named("config.held", one.held);
}
