// Spaces: what each holds and which keys open it; administrators make new ones, and take away what was made here.

import { erase, get, post } from "./api.js";
import { el, fill, labelled, say } from "./dom.js";
import { said } from "./said.js";
import { busy, empty, wrong } from "./states.js";
import { store } from "./store.js";
import { eraser } from "./sure.js";
import { locale, t } from "./words.js";

const SETTING = '[serve]\nspaces_folder = "spaces"';

export async function spaces(main, { signal, refresh }) {
  if (!store.may("admin")) {
    fill(main, el("h1", {}, t("spaces.title")), empty(t("spaces.refused"), t("spaces.refused.text")));
    return;
  }
  const list = el("ul", { class: "list" }, el("li", {}, busy()));
  const form = el("div");
  fill(main, el("h1", {}, t("spaces.title")), el("p", { class: "muted" }, t("spaces.text")), form, list);
  const known = await get("v1/spaces", signal);
  fill(form, known.can_make ? maker(refresh) : el("div", { class: "notice refused" }, el("p", {}, t("spaces.no-folder")), el("pre", {}, el("code", {}, SETTING))));
  const told = await Promise.all(known.spaces.map((name) => about(name, signal)));
  fill(list, told.map((one) => drawSpace(one, refresh)));
}

async function about(name, signal) {
  try {
    return await get(`v1/spaces/${encodeURIComponent(name)}/about`, signal);
  } catch (problem) {
    if (problem.name === "AbortError") throw problem;
    return { name, problem };
  }
}

function maker(refresh) {
  const name = el("input", { maxlength: 64, autocomplete: "off", spellcheck: "false", required: true });
  const state = el("p", { role: "status", class: "small" });
  const submit = async (event) => {
    event.preventDefault();
    try {
      const made = await post("v1/spaces", { name: name.value.trim() });
      store.space = made.name;
      await refresh();
      say(t("spaces.made", { name: made.name }));
    } catch (problem) {
      fill(state, said(problem.message), " ", said(problem.cure));
    }
  };
  return el("form", { class: "plain", on: { submit } }, labelled(t("spaces.name"), name), el("div", { class: "row" }, el("button", { type: "submit", class: "main" }, t("spaces.make"))), state);
}

function drawSpace(one, refresh) {
  const here = one.name === store.space;
  const open = () => {
    store.space = one.name;
    location.hash = "#/documents";
  };
  const name = el("h2", {}, one.name, " ", here && el("span", { class: "badge good" }, t("spaces.here")));
  if (one.problem) return el("li", { class: "card" }, name, wrong(one.problem));
  const size = one.disk_bytes === null ? t("spaces.in-database") : megabytes(one.disk_bytes);
  return el(
    "li",
    { class: "card" },
    name,
    el("p", { class: "facts" }, el("span", {}, t("add.made", { documents: one.documents, chunks: one.chunks })), el("span", {}, size)),
    el("p", { class: "facts" }, el("span", {}, t("spaces.embedder", { name: one.embedder }))),
    el("p", { class: "facts" }, el("span", {}, one.keys.length ? t("spaces.keys", { names: one.keys.join(", ") }) : t("spaces.no-keys"))),
    el("div", { class: "row" }, el("button", { type: "button", on: { click: open } }, t("spaces.open")), one.removable && remover(one, refresh)),
  );
}

/** What takes a space away: an empty one after a second press, any other after its name was written. */
function remover(one, refresh) {
  const gone = async () => {
    await erase(`v1/spaces/${encodeURIComponent(one.name)}?${new URLSearchParams({ confirm: one.documents ? typed.value.trim() : "" })}`);
    await refresh();
    say(t("spaces.gone", { name: one.name }));
  };
  const typed = el("input", { autocomplete: "off", spellcheck: "false" });
  const button = eraser(t("documents.delete-named", { title: one.name }), gone);
  if (!one.documents) return button;
  const place = el("div", { class: "row confirm", hidden: true }, labelled(t("spaces.confirm", { name: one.name }), typed), button);
  const ask = el("button", { type: "button", class: "quiet", on: { click: () => ((place.hidden = false), (ask.hidden = true), typed.focus()) } }, t("spaces.remove"));
  return [ask, place];
}

export function megabytes(bytes) {
  const number = new Intl.NumberFormat(locale(), { style: "unit", unit: bytes < 1e9 ? "megabyte" : "gigabyte", maximumFractionDigits: 1 });
  return number.format(bytes / (bytes < 1e9 ? 1e6 : 1e9));
}
