// Taking something away for good: asked for once, and once more.

import { el, fill } from "./dom.js";
import { wrong } from "./states.js";
import { t } from "./words.js";

/** A button that asks again before it calls `gone`. `label` says what it takes away, to who cannot see what is beside; `words`: what the second press does. */
export function eraser(label, gone, ask = el("button", { type: "button", class: "quiet", "aria-label": label }, t("documents.delete")), words = t("documents.delete-sure")) {
  const place = el("div", { class: "row" }, ask);
  const going = async () => {
    try {
      await gone();
    } catch (problem) {
      fill(place, wrong(problem), ask); // what is wrong can be mended, and tried again
    }
  };
  ask.addEventListener("click", () => {
    const sure = el("button", { type: "button", class: "bad", on: { click: going } }, words);
    const keep = el("button", { type: "button", class: "quiet", on: { click: () => (fill(place, ask), ask.focus()) } }, t("documents.keep"));
    fill(place, sure, keep);
    sure.focus();
  });
  return place;
}
