// A button that tries a model with one tiny request, and says what came of it.

import { here, post } from "./api.js";
import { el, fill } from "./dom.js";
import { said } from "./said.js";
import { busy } from "./states.js";
import { t } from "./words.js";

/** The models that can be tried, by the section of the settings that names them. */
export const TRIED = ["chat", "embedder", "reranker", "judge"];

export function tryButton(model, name) {
  const told = el("div", { role: "status", class: "tried" });
  const press = async () => {
    button.disabled = true;
    fill(told, busy());
    try {
      fill(told, drawn(await post(here("/settings/try"), { model })));
    } catch (problem) {
      fill(told, el("p", {}, problem.title, " ", said(problem.message)));
    }
    button.disabled = false;
  };
  const button = el("button", { type: "button", "aria-label": t("config.try-named", { name }), on: { click: press } }, t("config.try"));
  return el("div", { class: "row try" }, button, told);
}

function drawn(one) {
  const took = el("span", {}, t("config.took", { ms: Math.round(one.ms) }));
  if (!one.works) return [el("p", { class: "facts" }, el("span", { class: "badge bad" }, t("config.fails")), took), el("p", { class: "small" }, said(one.detail)), one.cure && el("p", { class: "small muted" }, said(one.cure))];
  return [
    el(
      "p",
      { class: "facts" },
      el("span", { class: "badge good" }, t("config.works")),
      took,
      el("span", {}, one.name),
      one.dimension > 0 && el("span", {}, t("config.dimension", { count: one.dimension })),
      one.tokens_read + one.tokens_written > 0 && el("span", {}, t("config.tokens", { read: one.tokens_read, written: one.tokens_written })),
    ),
    one.words && el("p", { class: "small" }, "“", one.words, "”"),
  ];
}
