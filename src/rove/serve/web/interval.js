// A mean with its 95 % interval, as a small drawing; the same stands beside it in figures.

import { el, svg } from "./dom.js";
import { locale, t } from "./words.js";

const WIDTH = 160;
const EDGE = 6;
const LEAST_P = 0.001;
const BADGES = { better: "badge good", worse: "badge bad", open: "badge" };

/** Draw a mean between 0 and 1: a track, the interval on it, and a dot. */
export function drawInterval({ mean, low, high }) {
  const at = (value) => EDGE + Math.min(Math.max(value, 0), 1) * (WIDTH - 2 * EDGE);
  return svg(
    "svg",
    { class: "interval", viewBox: `0 0 ${WIDTH} 16`, "aria-hidden": "true" },
    svg("line", { class: "track", x1: at(0), x2: at(1), y1: 8, y2: 8 }),
    svg("line", { class: "range", x1: at(low), x2: at(high), y1: 8, y2: 8 }),
    svg("circle", { class: "dot", cx: at(mean), cy: 8, r: 5 }),
  );
}

/** A share with two places, as the reader's language writes it; `sign`: also of what is above 0. */
export function figure(value, sign = false) {
  const shape = { minimumFractionDigits: 2, maximumFractionDigits: 2, signDisplay: sign ? "exceptZero" : "auto" };
  return value.toLocaleString(locale(), shape);
}

/** A mean's bounds in words. */
export function between({ low, high }, sign = false) {
  return t("lab.between", { low: figure(low, sign), high: figure(high, sign) });
}

/** What something is worth beside what it is compared with: the difference, its interval, and what may be said of it. */
export function drawWorth(beside) {
  const worth = beside.low > 0 ? "better" : beside.high < 0 ? "worse" : "open";
  return [
    el("span", { class: "worth" }, figure(beside.mean, true)),
    el("span", { class: "small muted" }, between(beside, true), ", ", chance(beside.p_value)),
    el("span", { class: BADGES[worth] }, t(`lab.${worth}`)),
  ];
}

function chance(p) {
  return p < LEAST_P ? "p < 0.001" : `p = ${p.toLocaleString(locale(), { maximumFractionDigits: 3 })}`;
}
