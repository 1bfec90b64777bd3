// The keys of programs: listed, made, and revoked; a new one is shown once.

import { accessFields } from "./access_fields.js";
import { labelsOf, rightsOf, spacesOf } from "./account.js";
import { erase, getAll, post } from "./api.js";
import { el, fill, labelled, say } from "./dom.js";
import { cell, unit } from "./people_table.js";
import { shownOnce } from "./shown_once.js";
import { wrong } from "./states.js";
import { eraser } from "./sure.js";
import { named, t } from "./words.js";

const RIGHTS = ["read", "add", "delete", "admin"];
const COLUMNS = { title: "people.column.name", role: "access.rights", spaces: "access.spaces", labels: "access.labels", where: "keys.where" };

/** Draw all of it into its place. */
export async function drawKeys(place, signal) {
  const list = el("div");
  const once = el("div");
  const form = el("div", { class: "card adder", hidden: true });
  const add = el("button", { type: "button", "aria-expanded": "false" }, t("keys.add"));
  const shut = () => {
    fill(form);
    form.hidden = true;
    add.setAttribute("aria-expanded", "false");
  };
  const again = async () => fill(list, drawTable((await getAll((query) => `v1/keys?${new URLSearchParams(query)}`, "keys", signal)).keys, again));
  add.addEventListener("click", () => {
    if (!form.hidden) return shut();
    const made = async (key) => {
      shut();
      await again();
      const card = shownOnce(t("keys.made", { name: key.name }), t("keys.made.text"), key.key, { done: () => add.focus() });
      fill(once, card);
      card.focus();
    };
    fill(form, keyForm({ made, leave: () => (shut(), add.focus()) }));
    form.hidden = false;
    add.setAttribute("aria-expanded", "true");
    form.querySelector("input").focus();
  });
  fill(place, el("div", { class: "row title-row" }, el("h2", {}, t("keys.title")), add), el("p", { class: "muted" }, t("keys.text")), form, once, list);
  await again();
}

function drawTable(keys, again) {
  if (!keys.length) return el("p", { class: "muted" }, t("keys.none"));
  const head = Object.entries(COLUMNS).map(([name, words]) => el("th", { role: "columnheader", scope: "col", class: `col-${name}` }, t(words)));
  const row = (one) =>
    el(
      "tr",
      { role: "row" },
      el("th", { role: "rowheader", scope: "row", class: "col-title" }, el("strong", {}, one.name)),
      cell("role", rightsOf(one)),
      cell("spaces", unit("access.spaces"), spacesOf(one)),
      cell("labels", unit("access.labels"), labelsOf(one)),
      cell("where", unit("keys.where"), named("keys.where", one.where)),
      cell("open", revoker(one, again)),
    );
  return el(
    "div",
    { class: "table" },
    el("table", { class: "documents people keys", role: "table", "aria-label": t("keys.title") }, el("thead", { role: "rowgroup" }, el("tr", { role: "row" }, head, el("th", { role: "columnheader", scope: "col", class: "col-open" }, el("span", { class: "hidden" }, t("keys.revoke"))))), el("tbody", { role: "rowgroup" }, keys.map(row))),
  );
}

function revoker(one, again) {
  const gone = async () => {
    await erase(`v1/keys/${encodeURIComponent(one.name)}`);
    await again();
    say(t("keys.revoked", { name: one.name }));
  };
  const ask = el("button", { type: "button", class: "quiet", "aria-label": t("keys.revoke-named", { name: one.name }) }, t("keys.revoke"));
  return eraser(t("keys.revoke-named", { name: one.name }), gone, ask, t("keys.revoke-sure"));
}

function keyForm({ made, leave }) {
  const name = el("input", { required: true, maxlength: 64, autocomplete: "off", autocapitalize: "none", spellcheck: "false" });
  const access = accessFields();
  const boxes = RIGHTS.map((right) => el("input", { type: "checkbox", value: right, checked: right === "read" }));
  const rights = () => boxes.filter((box) => box.checked).map((box) => box.value);
  const changed = () => {
    boxes[0].setCustomValidity(rights().length ? "" : t("access.no-right"));
    access.bind(!rights().includes("admin"));
  };
  for (const box of boxes) box.addEventListener("change", changed);
  const state = el("div");
  const submit = async (event) => {
    event.preventDefault();
    fill(state);
    try {
      await made(await post("v1/keys", { name: name.value.trim(), rights: rights(), ...access.value() }));
    } catch (problem) {
      fill(state, wrong(problem));
    }
  };
  const keydown = (event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    leave();
  };
  return el(
    "form",
    { class: "plain person", on: { submit, keydown } },
    labelled(t("people.column.name"), name),
    el("fieldset", {}, el("legend", {}, t("access.rights")), el("div", { class: "checks" }, boxes.map((box) => el("label", { class: "check" }, box, named("right", box.value))))),
    access.parts,
    el("div", { class: "row" }, el("button", { type: "submit", class: "main" }, t("keys.add")), el("button", { type: "button", class: "quiet", on: { click: leave } }, t("edit.cancel"))),
    state,
  );
}
