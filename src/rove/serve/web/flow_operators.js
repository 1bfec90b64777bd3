// What steps can use: operators, found by words, each put into the text of a flow by a press.

import { get, here } from "./api.js";
import { el, fill, labelled } from "./dom.js";
import { busy, wrong } from "./states.js";
import { named, t } from "./words.js";

/** Draw the list into `host`, below its summary; `putIn(use)` puts one into the text. */
export async function drawOperators(host, putIn, signal) {
  const place = el("div", {}, busy());
  host.append(place);
  try {
    const all = await get(here("/flows/operators"), signal);
    const words = el("input", { type: "search", autocomplete: "off", on: { input: () => filter() } });
    const outcome = el("div");
    const press = async (use) => {
      fill(outcome);
      try {
        await putIn(use);
      } catch (problem) {
        if (problem.name !== "AbortError") fill(outcome, wrong(problem));
      }
    };
    const rows = all.map((one) => [`${one.name} ${one.about} ${one.output}`.toLowerCase(), drawOne(one, press)]);
    const none = el("p", { class: "muted", role: "status", hidden: true }, t("config.none"));
    const filter = () => {
      const wanted = words.value.trim().toLowerCase().split(/\s+/).filter(Boolean);
      for (const [text, row] of rows) row.hidden = !wanted.every((word) => text.includes(word));
      none.hidden = rows.some(([, row]) => !row.hidden);
    };
    const piece = (use) => el("button", { type: "button", on: { click: () => press(use) } }, t(`edit.${use}`));
    fill(place, el("div", { class: "row" }, piece("loop"), piece("branch")), labelled(t("edit.find-operator"), words), outcome, none, el("ul", { class: "list flow-operators" }, rows.map(([, row]) => row)));
  } catch (problem) {
    if (problem.name !== "AbortError") fill(place, wrong(problem));
  }
}

function drawOne(one, press) {
  const put = el("button", { type: "button", "aria-label": t("edit.put-in-named", { name: one.name }), on: { click: () => press(one.name) } }, t("edit.put-in"));
  const input = ({ name, type, required, default: usual }) => el("li", {}, el("code", {}, name), required && el("span", { "aria-label": t("edit.required"), title: t("edit.required") }, " *"), el("span", { class: "muted", lang: "en" }, ` ${type}`), usual && el("code", { class: "muted" }, ` = ${usual}`));
  return el(
    "li",
    { class: "card" },
    el("div", { class: "row" }, el("strong", { class: "grow" }, one.name), one.changes ? el("span", { class: "badge bad" }, t("edit.changes")) : put),
    el("p", { class: "small", lang: "en" }, one.about),
    el("ul", { class: "small plain-list" }, one.inputs.map(input)),
    el("p", { class: "facts small" }, el("span", {}, "→ ", el("span", { lang: "en" }, one.output)), one.needs.map((need) => el("span", { class: "badge" }, named("edit.needs", need)))),
  );
}
