// The table of people: what each may do, and below a row what can be changed; on narrow screens a card for each.

import { accessFields } from "./access_fields.js";
import { labelsOf, spacesOf } from "./account.js";
import { change, erase, post } from "./api.js";
import { el, fill, labelled, say } from "./dom.js";
import { roleField } from "./person_form.js";
import { wrong } from "./states.js";
import { store } from "./store.js";
import { eraser } from "./sure.js";
import { locale, named, t } from "./words.js";

const STATES = { active: "badge good", invited: "badge", disabled: "badge bad" };
const COLUMNS = { name: "people.column.name", role: "access.role", spaces: "access.spaces", labels: "access.labels", state: "people.column.state", seen: "people.column.seen" };

/** Draw it. `again(name)` reads it anew and goes back to this person; `show(person, invitation)` shows an invitation. */
export function drawPeople({ people, roles, oidc_roles }, told) {
  const head = Object.entries(COLUMNS).map(([name, words]) => el("th", { role: "columnheader", scope: "col", class: `col-${name}` }, t(words)));
  return el(
    "div",
    { class: "table" },
    el(
      "table",
      { class: "documents people", role: "table", "aria-label": t("nav.people") },
      el("thead", { role: "rowgroup" }, el("tr", { role: "row" }, head, el("th", { role: "columnheader", scope: "col", class: "col-open" }, el("span", { class: "hidden" }, t("documents.details"))))),
      el("tbody", { role: "rowgroup" }, people.map((one) => drawRow(one, { roles, oidc_roles, ...told }))),
    ),
  );
}

function drawRow(one, told) {
  const more = el("button", { type: "button", class: "quiet", "aria-expanded": "false", "aria-label": t("people.change-named", { name: one.name }), data: { person: one.name } }, el("span", { "aria-hidden": "true" }, "▸"));
  const you = one.name === store.person?.name;
  const row = el(
    "tr",
    { role: "row" },
    el("th", { role: "rowheader", scope: "row", class: "col-title" }, el("strong", {}, one.full_name || one.name), you && [" ", el("span", { class: "badge" }, t("people.you"))], one.full_name && el("span", { class: "where" }, one.name)),
    cell("role", named("role", one.role)),
    cell("spaces", unit("access.spaces"), spacesOf(one)),
    cell("labels", unit("access.labels"), labelsOf(one)),
    cell("state", el("span", { class: STATES[one.state] ?? "badge" }, named("people.state", one.state))),
    cell("seen", unit("people.column.seen"), one.last_seen ? when(one.last_seen) : t("people.never")),
    cell("open", more),
  );
  const inside = el("td", { role: "cell", colspan: Object.keys(COLUMNS).length + 1 });
  const below = el("tr", { role: "row", class: "details", hidden: true }, inside);
  const close = () => {
    below.hidden = true;
    more.setAttribute("aria-expanded", "false");
    more.focus();
  };
  more.addEventListener("click", () => {
    if (!below.hidden) return close();
    fill(inside, changes(one, { ...told, close }));
    below.hidden = false;
    more.setAttribute("aria-expanded", "true");
  });
  return [row, below];
}

/** What a value is, where it stands on a card and no head of a column says it. */
export const unit = (name) => [el("span", { class: "unit" }, t(name)), " "];

export function cell(name, ...inside) {
  return el("td", { role: "cell", class: `col-${name}` }, inside);
}

function when(time) {
  return el("time", { datetime: time }, new Date(time).toLocaleString(locale(), { dateStyle: "medium", timeStyle: "short" }));
}

/** What can be done with a person: other rights; a new invitation, no more coming in, deletion. */
function changes(one, { roles, oidc_roles, again, show, close }) {
  const at = `v1/people/${encodeURIComponent(one.name)}`;
  const state = el("div");
  const tried = async (act) => {
    fill(state);
    try {
      await act();
    } catch (problem) {
      fill(state, wrong(problem));
    }
  };
  const set = (changed, words) =>
    tried(async () => {
      await change(at, changed);
      await again(one.name);
      say(t(words, { name: one.name }));
    });
  const invite = () => tried(async () => show(one, invitationOf(await post(`${at}/invitation`, {}))));
  const button = (words, act) => el("button", { type: "button", on: { click: act } }, t(words));
  const off = one.state === "disabled";
  const foreign = one.way === "oidc";
  return el(
    "div",
    { class: "person-details", on: { keydown: (event) => event.key === "Escape" && (event.stopPropagation(), close()) } },
    foreign && oidc_roles && el("p", { class: "small muted" }, t("people.oidc-role")),
    accessForm(one, roles, (changed) => set(changed, "people.saved")),
    !foreign && el("p", { class: "small muted" }, t("people.reset.text")),
    el("div", { class: "row" }, !foreign && button("people.reset", invite), off ? button("people.enable", () => set({ disabled: false }, "people.enabled")) : button("people.disable", () => set({ disabled: true }, "people.disabled")), remover(one, at, again)),
    state,
  );
}

/** The server may wrap an invitation, or give it as it is. */
const invitationOf = (told) => told.invitation ?? told;

/** The fields of a person; what differs from before is what is sent. */
function accessForm(one, roles, save) {
  const full = el("input", { maxlength: 200, autocomplete: "off", value: one.full_name });
  const access = accessFields(one);
  const role = roleField(one.role in roles ? roles : { [one.role]: [], ...roles }, one.role, (admin) => access.bind(!admin));
  const submit = (event) => {
    event.preventDefault();
    const now = { full_name: full.value.trim(), role: role.field.value, ...access.value() };
    const changed = Object.entries(now).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(one[name]));
    save(Object.fromEntries(changed));
  };
  return el(
    "form",
    { class: "plain person", on: { submit } },
    el("div", { class: "pair" }, el("div", {}, labelled(t("account.full-name"), full)), el("div", {}, role.parts)),
    el("div", { class: "pair" }, access.parts),
    el("div", { class: "row" }, el("button", { type: "submit", class: "main" }, t("people.save"))),
  );
}

/** Deleting asks for the name: it is for good. */
function remover(one, at, again) {
  const typed = el("input", { autocomplete: "off", spellcheck: "false", autocapitalize: "none" });
  const gone = async () => {
    await erase(`${at}?${new URLSearchParams({ confirm: typed.value.trim() })}`);
    await again();
    say(t("people.gone", { name: one.name }));
  };
  const sure = el("button", { type: "button", class: "bad", disabled: true, "aria-label": t("people.remove", { name: one.name }) }, t("documents.delete"));
  typed.addEventListener("input", () => (sure.disabled = typed.value.trim().toLowerCase() !== one.name.toLowerCase()));
  const place = el("div", { class: "row confirm", hidden: true }, labelled(t("people.confirm", { name: one.name }), typed), eraser("", gone, sure));
  const ask = el("button", { type: "button", class: "quiet bad", "aria-label": t("people.remove", { name: one.name }), on: { click: () => ((place.hidden = false), (ask.hidden = true), typed.focus()) } }, t("documents.delete"));
  return [ask, place];
}
