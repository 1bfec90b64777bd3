// Search within one document: how many places, the next and the one before; in the text they are lit up.

import { get, here } from "./api.js";
import { el } from "./dom.js";
import { t } from "./words.js";

const PAUSE_MS = 250;
const LIT = ["rove-found", "rove-now"];

/** A bar that searches a document; `show(found, all)` brings a place into sight, null when there is none. */
export function findBar(document_id, { signal, show }) {
  let found = [];
  let at = -1;
  let waiting = 0;
  let asked = 0;
  const field = el("input", { type: "search", "aria-label": t("source.find"), placeholder: t("source.find"), maxlength: 200 });
  const count = el("span", { class: "muted small count", "aria-live": "polite" });
  const before = el("button", { type: "button", class: "quiet", "aria-label": t("source.find-before"), disabled: true, on: { click: () => step(-1) } }, "↑");
  const after = el("button", { type: "button", class: "quiet", "aria-label": t("source.find-after"), disabled: true, on: { click: () => step(1) } }, "↓");

  async function look() {
    const mine = (asked += 1);
    const words = field.value.trim();
    const told = words ? await get(here("/find", { document_id, words }), signal).catch(() => ({ found: [] })) : { found: [] };
    if (mine !== asked) return;
    found = told.found;
    at = -1;
    for (const button of [before, after]) button.disabled = !found.length;
    count.textContent = words && !found.length ? t("source.find-none") : "";
    if (found.length) await step(1);
    else await show(null, []);
  }

  async function step(by) {
    at = (at + by + found.length) % found.length;
    await show(found[at], found);
    count.textContent = t("source.find-at", { at: at + 1, count: found.length });
  }

  field.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(look, PAUSE_MS);
  });
  field.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && field.value) {
      field.value = "";
      look();
      event.stopPropagation();
    }
    if (event.key !== "Enter") return;
    event.preventDefault();
    if (found.length) step(event.shiftKey ? -1 : 1);
  });
  signal.addEventListener("abort", () => {
    clearTimeout(waiting);
    dark();
  });
  return el("search", { class: "find" }, field, count, before, after);
}

/** Light up places in a reader's text; the one that is meant apart. */
export async function lightUp(reader, now, all) {
  dark();
  const range = now && (await reader.goTo(now.span));
  if (!range || !globalThis.CSS?.highlights) return;
  CSS.highlights.set(LIT[0], new Highlight(...all.map(({ span }) => reader.range(span)).filter(Boolean)));
  const meant = new Highlight(range);
  meant.priority = 1;
  CSS.highlights.set(LIT[1], meant);
}

function dark() {
  for (const name of LIT) globalThis.CSS?.highlights?.delete(name);
}
