// The picture of a flow, from the top down: each step below what it waits for, how it stands, and the loops around theirs.

import { el, svg } from "./dom.js";
import { LETTER, lines, pressed, rove } from "./drawing.js";
import { standing } from "./flow_state.js";
import { locale, t } from "./words.js";

const [WIDTH, HEIGHT, GAP_X, GAP_Y, MARGIN] = [168, 52, 22, 40, 20];
const SIGNS = { idle: "", running: "…", finished: "✓", failed: "✗", skipped: "–", waits: "?" };
const LEAST = 0.01; // seconds that are told apart
const TEXT_ROOM = 46; // of a box, for its sign and its time

/** Seconds as the reader's language writes them. */
export function seconds(value) {
  const digits = value < 10 ? 2 : 0;
  const written = Math.max(value, LEAST).toLocaleString(locale(), { maximumFractionDigits: digits });
  return t("flows.seconds", { seconds: value < LEAST ? `< ${written}` : written });
}

/** The picture of a run's flow as it stands; `choose(name)` is called with the step that is pressed, `chosen` is lit. */
export function drawFlow(state, choose, chosen) {
  const { steps, loops } = state.flow;
  const rows = [...new Set(steps.map((one) => one.row))].map((row) => steps.filter((one) => one.row === row));
  const most = Math.max(1, ...rows.map((row) => row.length));
  const width = 2 * MARGIN + most * (WIDTH + GAP_X) - GAP_X + GAP_X * (long(steps).length > 0);
  const spots = new Map();
  for (const [at, row] of rows.entries()) {
    const left = MARGIN + ((most - row.length) * (WIDTH + GAP_X)) / 2;
    for (const [place, one] of row.entries()) spots.set(one.name, { x: left + place * (WIDTH + GAP_X), y: MARGIN + at * (HEIGHT + GAP_Y), step: one });
  }
  const height = 2 * MARGIN + rows.length * (HEIGHT + GAP_Y) - GAP_Y;
  const rooms = new Map(loops.map((loop) => [loop, roomOf(loop, spots)]).filter(([, room]) => room));
  const nodes = [...spots.values()].map((spot) => drawNode(state, spot, choose, chosen));
  const drawing = svg(
    "svg",
    { class: "flow-map", viewBox: `0 0 ${width} ${height}`, width, height, role: "group", "aria-label": t("flows.map") },
    svg("defs", {}, svg("marker", { id: "flow-arrow", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" }, svg("path", { d: "M0 0L8 4L0 8z" }))),
    ...[...rooms].map(([loop, room]) => drawLoop(state, loop, room, spots)),
    ...edgesOf(steps).map(([from, to, kind]) => drawEdge(placeIn(spots.get(from), rooms, spots.get(to)), spots.get(to), kind)),
    ...nodes,
  );
  rove(drawing);
  return el("div", { class: "map-room" }, drawing);
}

/** [from, to, of which class]; what is said by the way over other steps is not drawn once more. */
function edgesOf(steps) {
  const known = new Map(steps.map((one) => [one.name, one]));
  const ways = new Map(); // step → all that lead to it; each is followed once, however many ways there are
  const leading = (name) => {
    if (!ways.has(name)) {
      ways.set(name, new Set()); // of a draft that is a circle
      ways.set(name, new Set(known.get(name).before.flatMap((one) => [one, ...leading(one)])));
    }
    return ways.get(name);
  };
  const led = (from, to) => leading(to).has(from);
  const direct = steps.flatMap(({ name, before }) => before.filter((one) => !before.some((other) => other !== one && led(one, other))).map((one) => [one, name, "ahead"]));
  return [...direct, ...steps.flatMap(({ name, back }) => back.map((one) => [one, name, "back"]))];
}

function long(steps) {
  return steps.filter((one) => one.back.length);
}

function drawEdge(from, to, kind) {
  if (kind === "back") {
    const [x1, x2, side] = [from.x + WIDTH, to.x + WIDTH, Math.max(from.x, to.x) + WIDTH + GAP_X];
    const [y1, y2] = [from.y + HEIGHT / 2, to.y + HEIGHT / 2];
    return svg("path", { class: "edge back", "marker-end": "url(#flow-arrow)", d: `M${x1} ${y1}C${side + 8} ${y1} ${side + 8} ${y2} ${x2 + 1} ${y2}` });
  }
  const [x1, y1, x2, y2] = [from.x + WIDTH / 2, from.y + HEIGHT, to.x + WIDTH / 2, to.y - 1];
  const bend = (y2 - y1) / 2;
  return svg("path", { class: "edge", "marker-end": "url(#flow-arrow)", d: `M${x1} ${y1}C${x1} ${y1 + bend} ${x2} ${y2 - bend} ${x2} ${y2}` });
}

/** Where a step that is in a loop ends for those that wait for the loop: at the foot of the loop. */
function placeIn(spot, rooms, to) {
  const room = [...rooms].find(([loop]) => loop.name === spot.step.loop && to.step.loop !== loop.name)?.[1];
  return room ? { ...spot, y: room.bottom - HEIGHT } : spot;
}

function roomOf(loop, spots) {
  const mine = [...spots.values()].filter(({ step }) => step.loop === loop.name);
  if (!mine.length) return null;
  const [xs, ys] = [mine.map((one) => one.x), mine.map((one) => one.y)];
  return { left: Math.min(...xs) - 10, top: Math.min(...ys) - 19, right: Math.max(...xs) + WIDTH + GAP_X + 4, bottom: Math.max(...ys) + HEIGHT + 9 };
}

function drawLoop(state, loop, { left, top, right, bottom }, spots) {
  const mine = [...spots.values()].filter(({ step }) => step.loop === loop.name);
  const round = Math.max(...mine.map(({ step }) => standing(state, step.name).round));
  const words = round ? t("flows.round-of", { name: loop.name, round, most: loop.at_most }) : t("flows.loop", { name: loop.name, most: loop.at_most });
  return svg("g", { class: "flow-loop" }, svg("rect", { x: left, y: top, width: right - left, height: bottom - top, rx: 12 }), svg("text", { x: left + 10, y: top + 14 }, `↻ ${words}`));
}

function drawNode(state, { x, y, step }, choose, chosen) {
  const { state: word, seconds: took, times } = standing(state, step.name);
  const time = word === "finished" ? seconds(took) : "";
  const faults = state.faulty?.get(step.name) ?? 0; // of one that is being written
  const label = [`${step.name}: ${step.use}`, faults ? t("edit.faults", { count: faults }) : t(`flows.state.${word}`), time, times > 1 && t("flows.times", { count: times })].filter(Boolean).join(", ");
  const [name] = lines(step.name, Math.floor((WIDTH - TEXT_ROOM) / LETTER));
  const group = svg(
    "g",
    { class: `node flow-${faults ? "failed faulty" : word}${step.name === chosen ? " chosen" : ""}`, role: "button", tabindex: -1, "aria-label": label, "data-key": `step-${step.name}`, "data-state": word },
    svg("title", {}, label),
    svg("rect", { x, y, width: WIDTH, height: HEIGHT, rx: 8, ...(step.when && { "stroke-dasharray": "5 3" }) }),
    svg("text", { class: "flow-name", x: x + 12, y: y + 21 }, name),
    svg("text", { class: "flow-use", x: x + 12, y: y + 40 }, step.use),
    svg("text", { class: "flow-sign", x: x + WIDTH - 12, y: y + 21, "text-anchor": "end" }, faults ? "!" : SIGNS[word]),
    svg("text", { class: "flow-use", x: x + WIDTH - 12, y: y + 40, "text-anchor": "end" }, times > 1 ? `${times}× ${time}` : time),
  );
  return pressed(group, () => choose(step.name));
}
