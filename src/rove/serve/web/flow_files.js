// The files of flows, for administrators of every space: a new one is begun, one with faults mended, a deleted one brought back.

import { get, here } from "./api.js";
import { el, fill, labelled } from "./dom.js";
import { wrong } from "./states.js";
import { store } from "./store.js";
import { t } from "./words.js";

const NOTHING = 'name = "NAME"\nabout = ""\n\n[input]\nquestion = "string"\n\n[steps.found]\nuse = "search"\nquestion = "$input.question"\n\n[output]\nfound = "$found"\n';
const TITLE = /^name\s*=.*$/m;

/** The address of a flow's text on this page; "": a new one. */
export function addressOfText(name = "") {
  return name ? `#/edit-flow/${encodeURIComponent(name)}` : "#/edit-flow";
}

/** The address of something of a flow's file on the server. */
export function sourceAt(name, query = {}) {
  return here(`/flows/${encodeURIComponent(name)}/source`, query);
}

/** What was begun to be written of a flow: {text, version}, or null. */
export function draftOf(name) {
  try {
    return JSON.parse(store.draft(`flow.${name}`) || "null");
  } catch {
    return null; // not ours
  }
}

export function keepDraft(name, draft) {
  store.setDraft(`flow.${name}`, draft ? JSON.stringify(draft) : "");
}

/** Where no folder is set, or nothing is changed over HTTP: why nothing can be saved; else null. */
export function whyNot({ folder, closed }) {
  if (closed) return el("p", { class: "notice refused small" }, t("edit.closed"));
  return folder ? null : el("p", { class: "notice refused small" }, t("edit.no-folder"), " ", el("a", { href: "#/settings" }, "serve.flows"));
}

/** Above the list of flows: a new one, and the files that are not served. */
export async function drawFiles(host, signal) {
  try {
    const told = await get(here("/flows/files"), signal);
    const rest = told.files.filter((one) => !one.served);
    const start = el("a", { class: "button main", href: addressOfText() }, t("edit.new"));
    fill(host, whyNot(told), el("div", { class: "row" }, start), rest.length > 0 && el("details", { class: "spaced" }, el("summary", {}, t("edit.not-served", { count: rest.length })), el("ul", { class: "list" }, rest.map(drawFile))));
  } catch (problem) {
    if (problem.name !== "AbortError" && problem.status !== 403) fill(host, wrong(problem));
  }
}

function drawFile(one) {
  const state = one.deleted ? t("edit.deleted") : one.faults ? t("edit.faults", { count: one.faults }) : t("edit.changes");
  const link = one.here ? el("a", { href: addressOfText(one.name), "aria-label": t(one.deleted ? "edit.back-named" : "edit.edit-named", { name: one.name }) }, t(one.deleted ? "edit.back" : "edit.edit")) : el("span", {}, t("edit.by-hand"));
  return el("li", { class: "card" }, el("h2", {}, one.file), el("p", { class: "facts" }, el("span", { class: one.faults ? "badge bad" : "badge" }, state), link));
}

/** Choose a name for a new flow, and what it begins with. */
export async function beginFlow(main, signal) {
  const told = await get(here("/flows/files"), signal);
  const name = el("input", { required: true, maxlength: 64, pattern: "[A-Za-z0-9][A-Za-z0-9_\\-]*", autocomplete: "off", spellcheck: "false", title: t("edit.name-text") });
  const served = told.files.filter((one) => one.served && one.here);
  const from = el(
    "select",
    {},
    el("option", { value: "" }, t("edit.from-nothing")),
    el("optgroup", { label: t("edit.from-templates") }, told.templates.map((one) => el("option", { value: `template ${one.name}` }, `${one.name}: ${one.about}`))),
    served.length > 0 && el("optgroup", { label: t("edit.from-served") }, served.map((one) => el("option", { value: `file ${one.name}` }, one.name))),
  );
  const outcome = el("div");
  const submit = async (event) => {
    event.preventDefault();
    const wanted = name.value.trim();
    if (told.files.some((one) => one.name === wanted && !one.deleted)) {
      fill(outcome, el("p", { class: "bad-value", role: "alert" }, t("edit.name-taken")));
      return;
    }
    const [kind, of] = from.value.split(" ");
    try {
      const text = kind === "file" ? (await get(sourceAt(of), signal)).text : (told.templates.find((one) => one.name === of)?.text ?? NOTHING);
      keepDraft(wanted, { text: text.replace(TITLE, `name = ${JSON.stringify(wanted)}`), version: "" });
      location.hash = addressOfText(wanted);
    } catch (problem) {
      if (problem.name !== "AbortError") fill(outcome, wrong(problem));
    }
  };
  const about = el("p", { class: "small muted" }, t("edit.name-text"));
  const form = el("form", { class: "plain", on: { submit } }, labelled(t("edit.name"), name), about, labelled(t("edit.from"), from), outcome, el("div", { class: "row spaced" }, el("button", { type: "submit", class: "main" }, t("edit.begin"))));
  fill(main, el("p", {}, el("a", { href: "#/flows" }, `‹ ${t("flows.all")}`)), el("h1", {}, t("edit.new")), whyNot(told), form);
  name.focus();
}
