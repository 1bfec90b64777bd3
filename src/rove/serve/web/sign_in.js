// Signing in: by name and password, through another service, or with a key. Who comes from an address goes back to it.

import { get, post } from "./api.js";
import { el, fill, labelled, say } from "./dom.js";
import { LANGUAGE_NAMES } from "./look.js";
import { mark, passwordField } from "./password_field.js";
import { brand } from "./rail.js";
import { wrongWords } from "./states.js";
import { store } from "./store.js";
import { named, t } from "./words.js";

/**
 * The view. `problem`: why the other service did not let somebody in; `expired`: who was here is known no longer;
 * `aside`: something that was written waits in this window, so other services open in another.
 */
export function signIn(main, { problem, expired, aside, refresh }) {
  const { ways } = store.session;
  const password = ways.password && passwordForm(refresh);
  const services = ways.oidc.map(({ name, label }) => service(name, label, aside));
  fill(
    main,
    door(
      t("nav.sign-in"),
      refresh,
      problem && el("p", { class: "notice", role: "alert" }, named("sign-in.problem", problem, t("sign-in.problem.other"))),
      expired && !problem && el("p", { class: "muted" }, t("sign-in.expired")),
      password,
      password && services.length > 0 && el("p", { class: "or", "aria-hidden": "true" }, t("sign-in.or")),
      services.length > 0 && el("div", { class: "services" }, services, aside && el("p", { class: "small muted" }, t("sign-in.aside"))),
      ways.keys && keyForm(refresh, { open: !password && !services.length }),
    ),
  );
  main.querySelector("form input")?.focus({ preventScroll: true });
}

/** What stands there before anybody is known: a card with a title, and beneath it the language. */
export function door(title, refresh, ...inside) {
  const language = el("select", { "aria-label": t("settings.language") }, Object.entries(LANGUAGE_NAMES).map(([value, name]) => el("option", { value, lang: value, selected: value === store.language }, name)));
  language.addEventListener("change", () => {
    store.language = language.value;
    refresh();
  });
  return [el("div", { class: "door card" }, brand(), el("h1", {}, title), inside), el("p", { class: "door-foot" }, language)];
}

/** Somebody has signed in, by a cookie, else with this key: show what was asked for. */
export async function arrived(refresh, key = "", keep = false) {
  store.setKey(key, keep); // a key would go before a cookie
  if (/^#\/(sign-in|invitation)\b/.test(location.hash)) history.replaceState(null, "", store.back || "#/ask");
  await refresh();
  const main = document.getElementById("main");
  if (!main.contains(document.activeElement)) main.focus({ preventScroll: true });
  say(document.title);
}

function passwordForm(refresh) {
  const name = el("input", { autocomplete: "username", autocapitalize: "none", spellcheck: "false", required: true, maxlength: 64 });
  const { field, parts } = passwordField(t("sign-in.password"), "current-password");
  const state = el("p", { class: "form-state", role: "alert" });
  const submit = async (event) => {
    event.preventDefault();
    fill(state);
    try {
      await post("v1/session", { name: name.value.trim(), password: field.value });
      await arrived(refresh);
    } catch (problem) {
      fill(state, wrongWords(problem));
      mark(field);
    }
  };
  return el("form", { class: "plain", on: { submit } }, labelled(t("sign-in.name"), name), parts, button(t("nav.sign-in")), state);
}

/** A link, which leaves the page; where it comes back to is kept. Or it opens in a window of its own. */
function service(name, label, aside) {
  const leave = () => aside || (store.back = location.hash);
  return el("a", { class: "button", href: `v1/session/oidc/${encodeURIComponent(name)}`, target: aside ? "_blank" : null, on: { click: leave } }, t("sign-in.with", { label }));
}

function keyForm(refresh, { open }) {
  const key = el("input", { type: "password", autocomplete: "off", spellcheck: "false", required: true });
  const keep = el("input", { type: "checkbox" });
  const state = el("p", { class: "form-state", role: "alert" });
  const submit = async (event) => {
    event.preventDefault();
    fill(state);
    store.setKey(key.value.trim(), false);
    try {
      await get("v1/session");
      await arrived(refresh, store.key, keep.checked);
    } catch (problem) {
      store.setKey("", false);
      fill(state, problem.status === 401 ? t("sign-in.key.unknown") : wrongWords(problem));
      mark(key);
    }
  };
  const form = el("form", { class: "plain", on: { submit } }, labelled(t("sign-in.key.label"), key), el("p", { class: "small muted" }, t("sign-in.key.text")), el("label", { class: "check" }, keep, t("sign-in.key.keep")), button(t("nav.sign-in")), state);
  return open ? form : el("details", { class: "with-key" }, el("summary", {}, t("sign-in.key")), form);
}

function button(text) {
  return el("button", { type: "submit", class: "main wide-button" }, text);
}
