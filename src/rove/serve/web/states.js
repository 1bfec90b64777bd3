// What a view shows while there is nothing else to show: at work, nothing there, refused, gone wrong.

import { el } from "./dom.js";
import { said } from "./said.js";
import { t } from "./words.js";

export function busy(text = t("state.busy")) {
  return el("p", { class: "busy" }, el("span", { class: "dots", "aria-hidden": "true" }), text);
}

export function empty(title, text = "", ...more) {
  return el("div", { class: "empty" }, el("p", { class: "empty-title" }, title), text && el("p", {}, text), ...more);
}

/** Say in a line what went wrong with what was filled in. */
export function wrongWords(problem) {
  const words = [problem.detail, problem.cure].filter(Boolean).map((text) => [problem.status ? said(text) : text, " "]);
  return [words.length ? words : [problem.title || t("problem.title"), " "], problem.wait && t("problem.wait", { seconds: problem.wait })];
}

/** Say what went wrong and what to do, what is not known of the server's words in English. */
export function wrong(problem, again) {
  const refused = problem.status === 401 || problem.status === 403;
  const known = problem.status !== undefined;
  const words = problem.status ? said : String; // status 0: the page's own
  return el(
    "div",
    { class: refused ? "notice refused" : "notice error", role: "alert" },
    el("p", { class: "notice-title" }, problem.title || t("problem.title")),
    (problem.detail || !known) && el("p", {}, known ? words(problem.detail) : t("problem.page")),
    problem.reasons?.length > 0 && el("ul", { class: "small", lang: "en" }, problem.reasons.map((reason) => el("li", {}, reason))),
    problem.cure && el("p", { class: "cure" }, words(problem.cure)),
    problem.wait && el("p", { class: "cure" }, t("problem.wait", { seconds: problem.wait })),
    !refused && again && el("button", { type: "button", on: { click: again } }, t("state.again")),
  );
}
