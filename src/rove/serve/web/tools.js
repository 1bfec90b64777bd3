// Tools: found by words; planned before anything runs, what is missing asked for, and a change only after a yes.

import { get, here, post } from "./api.js";
import { el, fill, labelled, say } from "./dom.js";
import { scrolled } from "./markdown.js";
import { said } from "./said.js";
import { busy, empty, wrong } from "./states.js";
import { named, t } from "./words.js";

/** The view: all tools, or those that fit some words, best first. */
export async function tools(main, { signal }) {
  const field = el("input", { type: "search", autocomplete: "off", maxlength: 8000 });
  const list = el("div", {}, busy());
  const find = () => drawList(list, field.value.trim(), signal);
  const submit = (event) => {
    event.preventDefault();
    find();
  };
  const form = el("form", { class: "plain", role: "search", on: { submit } }, labelled(t("tools.wanted"), field), el("div", { class: "row" }, el("button", { type: "submit", class: "main" }, t("tools.find"))));
  fill(main, el("h1", {}, t("nav.tools")), el("p", { class: "muted" }, t("tools.text")), form, list);
  await find();
}

async function drawList(list, request, signal, cursor = 0) {
  const items = el("ul", { class: "list" });
  fill(list, busy());
  try {
    const found = await get(here("/tools", request ? { request } : { cursor }), signal);
    items.append(...found.tools.map((tool) => drawTool(tool, request, signal)));
    fill(
      list,
      found.failed.map((text) => el("p", { class: "notice refused small" }, said(text))),
      found.tools.length ? items : empty(t("tools.none"), t("tools.none.text")),
      found.next_cursor && el("button", { type: "button", on: { click: () => drawList(list, request, signal, found.next_cursor) } }, t("tools.more")),
    );
    say(t("tools.found", { count: found.tools.length }));
  } catch (problem) {
    if (problem.name !== "AbortError") fill(list, wrong(problem, () => drawList(list, request, signal, cursor)));
  }
}

function drawTool(tool, request, signal) {
  const writes = tool.effects === "writes";
  const part = el("details", { class: "tool-use" }, el("summary", {}, t("tools.use")));
  part.addEventListener("toggle", () => part.open && part.append(drawForm(tool, request, signal)), { once: true });
  return el(
    "li",
    { class: "card tool" },
    el("h2", {}, tool.name),
    el("p", { class: "facts" }, el("span", { class: writes ? "badge bad" : "badge" }, t(writes ? "tools.writes" : "tools.reads")), el("span", {}, tool.source)),
    tool.description && el("p", {}, tool.description),
    part,
  );
}

/** What a tool takes, as fields; one that is left empty is filled from the request where it says so. */
function drawForm(tool, request, signal) {
  const wanted = el("textarea", { rows: 2, required: true, value: request || tool.description.split("\n")[0] || tool.name });
  const fields = new Map(tool.parameters.map((one) => [one.name, fieldOf(one)]));
  const result = el("div", { class: "tool-result", role: "status" });
  const run = async (more) => {
    fill(result, busy());
    for (const field of fields.values()) field.removeAttribute("aria-invalid");
    const filled = [...fields].filter(([, field]) => field.value.trim()).map(([name, field]) => [name, valueOf(field.value.trim())]);
    try {
      const done = await post(here("/tools/run"), { request: wanted.value, tool: tool.name, arguments: Object.fromEntries(filled), ...more }, signal);
      fill(result, drawRun(done, () => run({ confirm: true })));
      ask(done.plan, fields);
    } catch (problem) {
      if (problem.name !== "AbortError") fill(result, wrong(problem, () => run(more)));
    }
  };
  const submit = (event) => {
    event.preventDefault();
    run({});
  };
  return el(
    "form",
    { class: "plain", on: { submit } },
    labelled(t("tools.request"), wanted),
    tool.parameters.map((one) => [labelled([one.name, one.required && " *", one.unit && ` (${one.unit})`], fields.get(one.name)), one.description && el("span", { class: "small muted" }, one.description)]),
    el("div", { class: "row" }, el("button", { type: "submit", class: "main" }, t("tools.run")), el("button", { type: "button", on: { click: () => wanted.reportValidity() && run({ dry_run: true }) } }, t("tools.plan"))),
    result,
  );
}

function fieldOf({ choices, type }) {
  const known = choices.length ? choices : type === "boolean" ? ["true", "false"] : [];
  return known.length ? el("select", {}, el("option", { value: "" }, "—"), known.map((one) => el("option", { value: one }, one))) : el("input", { autocomplete: "off" });
}

/** The server makes a number of a text where one is needed; lists and objects are written as JSON. */
function valueOf(text) {
  if (!/^[[{]/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Mark the fields that are missing or wrong, and go to the first. */
function ask(plan, fields) {
  const asked = [...new Set([...(plan?.missing ?? []), ...(plan?.wrong ?? []).map((one) => one.parameter)])].map((name) => fields.get(name)).filter(Boolean);
  for (const field of asked) field.setAttribute("aria-invalid", "true");
  asked[0]?.focus();
}

function drawRun(done, confirm) {
  const { outcome, plan } = done;
  return [
    el("p", {}, el("span", { class: outcome === "ran" ? "badge good" : outcome === "failed" ? "badge bad" : "badge" }, named("tools.outcome", outcome)), done.note && [" ", done.note]),
    plan && drawPlan(plan),
    outcome === "unconfirmed" && el("button", { type: "button", class: "bad", on: { click: confirm } }, t("tools.yes")),
    done.text && scrolled("pre", t("tools.result"), done.text),
  ];
}

function drawPlan(plan) {
  const value = (one) => [el("dt", {}, one.name), el("dd", {}, typeof one.value === "string" ? one.value : JSON.stringify(one.value), el("span", { class: "small muted" }, ` ${named("tools.origin", one.origin)}`, one.text && `: “${one.text}”`))];
  return [
    plan.parameters.length > 0 && el("dl", { class: "tool-plan" }, plan.parameters.map(value)),
    plan.missing.length > 0 && el("p", { class: "notice refused small" }, t("tools.missing", { names: plan.missing.join(", ") })),
    plan.wrong.map((one) => el("p", { class: "notice refused small" }, `${one.parameter}: `, said(one.message))),
    plan.corrections.map((one) => el("p", { class: "small muted" }, t("tools.mended", { name: one.parameter, written: one.written, meant: one.meant }))),
  ];
}
