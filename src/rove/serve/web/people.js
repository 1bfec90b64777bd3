// People: who signs in here and what each may do; and the keys of programs.

import { get, getAll } from "./api.js";
import { el, fill } from "./dom.js";
import { drawKeys } from "./keys_table.js";
import { personForm } from "./person_form.js";
import { drawPeople } from "./people_table.js";
import { shownOnce } from "./shown_once.js";
import { busy, empty } from "./states.js";
import { store } from "./store.js";
import { locale, t } from "./words.js";

export async function people(main, { signal }) {
  const title = el("h1", {}, t("nav.people"));
  if (!store.manages) {
    fill(main, title, empty(t("people.refused"), t("people.refused.text")));
    return;
  }
  const once = el("div");
  const list = el("div", {}, busy());
  const keys = el("section", { class: "spaced" });
  if (store.session.ways.open) {
    const { roles } = await get("v1/people", signal);
    fill(main, title, drawFirst(roles));
    return;
  }
  const again = async (name) => {
    const told = await getAll((query) => `v1/people?${new URLSearchParams(query)}`, "people", signal);
    fill(list, drawPeople(told, { again, show }));
    if (name) list.querySelector(`[data-person="${CSS.escape(name)}"]`)?.focus();
    return told;
  };
  /** Show an invitation above the table. */
  const show = (person, invitation) => {
    const card = linkCard(person, invitation, { done: () => list.querySelector(`[data-person="${CSS.escape(person.name)}"]`)?.focus() });
    fill(once, card);
    card.focus();
    card.scrollIntoView({ block: "nearest" });
  };
  const add = el("button", { type: "button", class: "main", "aria-expanded": "false" }, t("people.add"));
  const place = el("div", { class: "card adder", hidden: true });
  const close = () => {
    fill(place);
    place.hidden = true;
    add.setAttribute("aria-expanded", "false");
  };
  fill(main, el("div", { class: "row title-row" }, title, add), el("p", { class: "muted" }, t("people.text")), place, once, list, keys);
  const [{ roles }] = await Promise.all([again(), drawKeys(keys, signal)]);
  add.addEventListener("click", () => {
    if (!place.hidden) return close();
    const made = async ({ person, invitation }) => {
      close();
      await again();
      show(person, invitation);
    };
    fill(place, personForm(roles, { made, leave: () => (close(), add.focus()) }));
    place.hidden = false;
    add.setAttribute("aria-expanded", "true");
    place.querySelector("input").focus();
  });
}

/** The address of an invitation: at the path where this page is reached, if it is of this server. */
function addressed(link) {
  const url = new URL(link, location.href);
  return url.origin === location.origin ? `${location.origin}${location.pathname}${url.hash}` : url.href;
}

function linkCard(person, { link, expires }, more) {
  const time = new Date(expires).toLocaleString(locale(), { dateStyle: "medium", timeStyle: "short" });
  return shownOnce(t("people.link", { name: person.full_name || person.name }), t("people.link.text", { time }), addressed(link), more);
}

/** What an open server says of people: how the first comes in, and what changes by it. Nothing is asked of the server any more then: it knows nobody here. */
function drawFirst(roles) {
  const place = el("div");
  const made = ({ person, invitation }) => {
    const open = el("a", { class: "button", href: new URL(invitation.link, location.href).hash }, t("people.link.open"));
    const card = linkCard(person, invitation, { more: [el("span", {}, t("people.link.first")), open] });
    fill(place, card);
    card.focus();
  };
  const first = Object.fromEntries(Object.entries(roles).filter(([, rights]) => rights.includes("admin")));
  const add = el("button", { type: "button", class: "main" }, t("people.add-first"));
  const leave = () => (fill(place, add), add.focus());
  add.addEventListener("click", () => {
    fill(place, el("div", { class: "card adder" }, personForm(first, { made, leave, first: true })));
    place.querySelector("input").focus();
  });
  fill(place, add);
  return [el("div", { class: "open-server" }, el("p", { class: "empty-title" }, t("people.open")), el("p", {}, t("people.open.text"))), place];
}
