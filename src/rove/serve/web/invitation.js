// An invitation: who opens its link chooses a password, and is signed in with it.

import { get, post } from "./api.js";
import { el, fill, labelled } from "./dom.js";
import { mark, passwordField } from "./password_field.js";
import { arrived, door } from "./sign_in.js";
import { busy, wrongWords } from "./states.js";
import { t } from "./words.js";

export async function invitation(main, { rest, signal, refresh }) {
  const [token = ""] = rest;
  fill(main, door(t("nav.invitation"), refresh, busy()));
  try {
    const invited = await get(`v1/session/invitation?${new URLSearchParams({ token })}`, signal);
    fill(main, door(t("invitation.welcome", { name: invited.full_name || invited.name }), refresh, el("p", { class: "muted" }, t("invitation.text")), form(token, invited, refresh)));
    main.querySelector("form input[type=password]").focus({ preventScroll: true });
  } catch (problem) {
    if (problem.status !== 404) throw problem;
    fill(main, door(t("invitation.gone"), refresh, el("p", {}, t("invitation.gone.text")), el("a", { class: "button", href: "#/sign-in" }, t("nav.sign-in"))));
  }
}

function form(token, invited, refresh) {
  const name = el("input", { autocomplete: "username", readonly: true, value: invited.name });
  const { field, parts } = passwordField(t("password.new"), "new-password");
  const state = el("p", { class: "form-state", role: "alert" });
  const submit = async (event) => {
    event.preventDefault();
    fill(state);
    try {
      await post("v1/session/invitation", { token, password: field.value });
      await arrived(refresh);
    } catch (problem) {
      fill(state, wrongWords(problem));
      mark(field);
    }
  };
  return el("form", { class: "plain", on: { submit } }, labelled(t("sign-in.name"), name), parts, el("button", { type: "submit", class: "main wide-button" }, t("invitation.submit")), state);
}
