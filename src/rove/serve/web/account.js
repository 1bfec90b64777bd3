// Who is signed in: what they may do, their password, and the way out.

import { erase, post } from "./api.js";
import { el, fill, labelled, say } from "./dom.js";
import { passwordField } from "./password_field.js";
import { wrongWords } from "./states.js";
import { store } from "./store.js";
import { named, t } from "./words.js";

/** What stands of somebody's access, in words: spaces and labels. */
export const spacesOf = ({ spaces }) => (spaces.includes("*") ? t("access.all") : spaces.join(", "));
export const labelsOf = ({ labels }) => (labels === null ? t("access.all") : labels.join(", ") || t("access.none"));

/** The part of the settings that says who is here; nothing where nobody has to sign in. */
export function account(refresh) {
  const { person } = store;
  if (!person || person.way === "local") return null;
  const facts = [
    [t("sign-in.name"), person.name],
    person.full_name && [t("account.full-name"), person.full_name],
    [person.role ? t("access.role") : t("access.rights"), person.role ? named("role", person.role) : rightsOf(person)],
    [t("access.spaces"), spacesOf(person)],
    [t("access.labels"), labelsOf(person)],
    [t("account.way"), named("account.way", person.way)],
  ];
  const out = el("button", { type: "button", on: { click: () => signOut(refresh) } }, t("account.sign-out"));
  return el(
    "section",
    { class: "account" },
    el("h2", {}, t("account.title")),
    el("dl", { class: "about-me" }, facts.filter(Boolean).map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)])),
    person.way === "password" && el("details", { class: "change-password" }, el("summary", {}, t("password.change")), passwordForm(person)),
    el("div", { class: "row" }, out),
  );
}

export const rightsOf = ({ rights }) => rights.map((one) => named("right", one)).join(", ");

/** Sign out here; what was begun to be written is forgotten with it. */
export async function signOut(refresh) {
  const { way } = store.person;
  store.forgetDrafts();
  store.setKey("", false);
  if (way !== "key") await erase("v1/session");
  history.replaceState(null, "", "#/ask");
  await refresh();
}

function passwordForm(person) {
  const name = el("input", { autocomplete: "username", value: person.name, readonly: true, hidden: true, "aria-hidden": "true", tabindex: "-1" });
  const before = passwordField(t("password.old"), "current-password");
  const after = passwordField(t("password.new"), "new-password");
  const state = el("p", { class: "form-state", role: "alert" });
  const form = el("form", { class: "plain" }, name, before.parts, after.parts, el("div", { class: "row" }, el("button", { type: "submit", class: "main" }, t("password.change"))), state);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    fill(state);
    try {
      await post("v1/session/password", { old: before.field.value, new: after.field.value });
      form.reset();
      fill(state, t("password.changed"));
      say(t("password.changed"));
    } catch (problem) {
      fill(state, wrongWords(problem));
    }
  });
  return form;
}
