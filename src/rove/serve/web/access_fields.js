// What somebody may see, as fields: which spaces, and which documents in them.

import { el, labelled } from "./dom.js";
import { store } from "./store.js";
import { t } from "./words.js";

let groups = 0;

/** Fields for these spaces and labels: {parts, bind, value}. `value()` gives {spaces, labels}; `bind(false)`: labels cannot be, for an administrator. */
export function accessFields({ spaces = ["*"], labels = null } = {}) {
  groups += 1;
  const every = el("input", { type: "checkbox", checked: spaces.includes("*") });
  const names = [...new Set([...store.spaces, ...spaces.filter((name) => name !== "*")])];
  const boxes = names.map((name) => el("input", { type: "checkbox", value: name, checked: spaces.includes(name) }));
  const some = el("div", { class: "checks" }, boxes.map((box) => el("label", { class: "check" }, box, box.value)));
  const valid = () => boxes[0]?.setCustomValidity(every.checked || boxes.some((box) => box.checked) ? "" : t("access.no-space"));
  const drawSpaces = () => {
    some.hidden = every.checked;
    valid();
  };
  const radio = (checked) => el("input", { type: "radio", name: `labels-${groups}`, checked });
  const [all, only] = [radio(labels === null), radio(labels !== null)];
  const field = el("input", { autocomplete: "off", spellcheck: "false", value: (labels ?? []).join(", ") });
  const hint = el("p", { class: "small muted" }, t("access.labels.text"));
  const host = el("div", { class: "labels" }, labelled(el("span", { class: "hidden" }, t("access.some-labels")), field), hint);
  const admin = el("p", { class: "small muted", hidden: true }, t("access.labels.admin"));
  const choice = el("div", { class: "checks upright" }, el("label", { class: "check" }, all, t("access.every-label")), el("label", { class: "check" }, only, t("access.some-labels")));
  let bound = true;
  const drawLabels = () => {
    choice.hidden = !bound;
    admin.hidden = bound;
    host.hidden = !bound || all.checked;
  };
  for (const box of [every, ...boxes]) box.addEventListener("change", drawSpaces);
  for (const one of [all, only]) one.addEventListener("change", drawLabels);
  drawSpaces();
  drawLabels();
  return {
    parts: [
      el("fieldset", {}, el("legend", {}, t("access.spaces")), el("label", { class: "check" }, every, t("access.every-space")), some),
      el("fieldset", {}, el("legend", {}, t("access.labels")), choice, host, admin),
    ],
    bind(may) {
      bound = may;
      drawLabels();
    },
    value: () => ({
      spaces: every.checked ? ["*"] : boxes.filter((box) => box.checked).map((box) => box.value),
      labels: !bound || all.checked ? null : field.value.split(/[,，、]/).map((label) => label.trim()).filter(Boolean),
    }),
  };
}
