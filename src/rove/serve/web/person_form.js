// A person as a form: a new one, who gets an invitation.

import { accessFields } from "./access_fields.js";
import { post } from "./api.js";
import { el, fill, labelled } from "./dom.js";
import { wrong } from "./states.js";
import { named, t } from "./words.js";

/** A field for a role of these, with what it means: {parts, field, changed}. */
export function roleField(roles, role, changed = () => {}) {
  const field = el("select", {}, Object.keys(roles).map((name) => el("option", { value: name, selected: name === role }, named("role", name))));
  const meaning = el("p", { class: "small muted" });
  const draw = () => {
    fill(meaning, named("role", `${field.value}.text`, roles[field.value]?.join(", ")));
    changed(roles[field.value]?.includes("admin") ?? false);
  };
  field.addEventListener("change", draw);
  draw();
  return { field, parts: [labelled(t("access.role"), field), meaning] };
}

/** The form for a new person. `made` is told of {person, invitation}; `first`: it is the first of all, who opens every space. */
export function personForm(roles, { made, leave, first = false }) {
  const name = el("input", { required: true, maxlength: 64, autocomplete: "off", autocapitalize: "none", spellcheck: "false" });
  const full = el("input", { maxlength: 200, autocomplete: "off" });
  const access = accessFields();
  const role = roleField(roles, Object.keys(roles)[0], (admin) => access.bind(!admin));
  const state = el("div");
  const submit = async (event) => {
    event.preventDefault();
    fill(state);
    try {
      made(await post("v1/people", { name: name.value.trim(), full_name: full.value.trim(), role: role.field.value, ...access.value() }));
    } catch (problem) {
      fill(state, wrong(problem));
    }
  };
  const keydown = (event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    leave();
  };
  const hint = el("p", { class: "small muted", id: "name-hint" }, t("people.name.text"));
  name.setAttribute("aria-describedby", hint.id);
  return el(
    "form",
    { class: "plain person", on: { submit, keydown } },
    labelled(t("sign-in.name"), name),
    hint,
    labelled(t("account.full-name"), full),
    !first && [role.parts, access.parts],
    el("div", { class: "row" }, el("button", { type: "submit", class: "main" }, t("people.invite")), el("button", { type: "button", class: "quiet", on: { click: leave } }, t("edit.cancel"))),
    state,
  );
}
