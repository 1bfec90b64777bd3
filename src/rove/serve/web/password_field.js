// A field for a password, which can be shown while it is written.

import { el, labelled } from "./dom.js";
import { t } from "./words.js";

const LEAST = 10;
const MOST = 200;

/** A label, the field, and the box that shows what is in it: {parts, field}. `way`: "current-password", or "new-password" with the rules for one. */
export function passwordField(text, way) {
  const chosen = way === "new-password";
  const field = el("input", { type: "password", autocomplete: way, required: true, minlength: chosen ? LEAST : null, maxlength: MOST, spellcheck: "false", autocapitalize: "none" });
  const seen = el("input", { type: "checkbox" });
  seen.addEventListener("change", () => (field.type = seen.checked ? "text" : "password"));
  const rules = chosen && el("p", { class: "small muted", id: "password-rules" }, t("password.rules"));
  if (chosen) field.setAttribute("aria-describedby", rules.id);
  return { field, parts: [labelled(text, field), rules, el("label", { class: "check small shower" }, seen, t("password.show"))] };
}

/** Go back to a field that was filled in wrongly; it is marked until it is written in. */
export function mark(field) {
  field.setAttribute("aria-invalid", "true");
  field.addEventListener("input", () => field.removeAttribute("aria-invalid"), { once: true });
  field.focus();
  field.select();
}
