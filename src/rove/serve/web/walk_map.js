// The map of a walk, from left to right: the question, each round with the facts and leads that it found, the answer.

import { el, svg } from "./dom.js";
import { LETTER, lines, pressed, rove } from "./drawing.js";
import { lineOf } from "./rendered.js";
import { openSource } from "./source.js";
import { t } from "./words.js";
import { fateOf } from "./walk_view.js";

const WIDTHS = { question: 124, round: 76, fact: 164, lead: 164, more: 164, answer: 124 };
const [HEIGHT, GAP_X, GAP_Y, MARGIN] = [44, 24, 10, 10];
const MOST = 10; // facts and leads of a round that are drawn; the others are counted

/** The map; `show(spot)` leads to a round, a fact, a lead or the answer as it stands in the trail. */
export function drawMap(state, show, fold) {
  const columns = placed(columnsOf(state, show));
  const nodes = columns.flat();
  const right = Math.max(...nodes.map((one) => one.x + one.width)) + MARGIN;
  const bottom = Math.max(...nodes.map((one) => one.y)) + HEIGHT + MARGIN;
  const edges = edgesOf(state, new Map(nodes.map((one) => [one.key, one]))).map(drawEdge);
  const drawing = svg("svg", { class: "walk-map", viewBox: `0 0 ${right} ${bottom}`, width: right, height: bottom, role: "group", "aria-label": t("walk.map") }, ...edges, ...nodes.map(drawNode));
  rove(drawing);
  return el(
    "section",
    { class: "map", "aria-label": t("walk.map") },
    el("h2", {}, t("walk.map")),
    el("div", { class: "map-room" }, drawing),
    fold("map-list", t("walk.map-list"), el("ol", {}, nodes.map(drawLine))),
  );
}

function columnsOf(state, show) {
  const columns = [[{ key: "question", kind: "question", text: state.question, label: `${t("edit.question")}: ${state.question}` }]];
  for (const round of state.rounds) {
    const found = [...round.facts.map((id) => factOf(state.facts.get(id))), ...leadsOf(state, round).map((lead) => leadOf(lead, show))].sort((one, other) => one.dropped - other.dropped);
    const rest = found.length - MOST;
    const more = { key: `more-${round.number}`, kind: "more", text: t("walk.map-more", { count: rest }), act: () => show(`round-${round.number}`) };
    columns.push([{ key: `round-${round.number}`, kind: "round", text: t("walk.round", { round: round.number }), act: () => show(`round-${round.number}`) }]);
    if (found.length) columns.push(rest > 1 ? [...found.slice(0, MOST), more] : found);
  }
  if (state.answer) columns.push([{ key: "answer", kind: "answer", text: state.answer.text, label: t("walk.answer"), act: () => show("answer") }]);
  return columns;
}

function factOf(fact) {
  const text = lineOf(fact);
  return { key: `fact-${fact.fact_id}`, kind: "fact", text, dropped: Boolean(fact.dropped), label: t(fact.dropped ? "walk.map-fact-dropped" : "walk.map-fact", { text }), act: fact.citation && ((event) => openSource(fact.citation, event.currentTarget)) };
}

function leadOf(lead, show) {
  const label = t("walk.map-lead", { text: lead.text, what: fateOf(lead) });
  return { key: `lead-${lead.lead_id}`, kind: "lead", text: lead.text, dropped: lead.state === "dropped", open: lead.state === "open", label, act: () => show(`lead-${lead.lead_id}`) };
}

function leadsOf(state, { number }) {
  return [...state.leads.values()].filter((lead) => lead.round === number);
}

/** Give each its place: columns beside each other, each in the middle of the height. */
function placed(columns) {
  const room = (column) => column.length * (HEIGHT + GAP_Y) - GAP_Y;
  const tallest = Math.max(...columns.map(room));
  let x = MARGIN;
  for (const column of columns) {
    const top = MARGIN + (tallest - room(column)) / 2;
    const width = WIDTHS[column[0].kind];
    for (const [at, node] of column.entries()) Object.assign(node, { x, y: top + at * (HEIGHT + GAP_Y), width });
    x += width + GAP_X;
  }
  return columns;
}

/** [from, to, of which class]: what led to a round, what it found, and what the answer rests on. */
function edgesOf(state, nodes) {
  const cited = (state.answer?.sentences ?? []).flatMap(({ citations }) => citations);
  const edges = [];
  for (const round of state.rounds) {
    const here = `round-${round.number}`;
    const asked = !round.follows.length || round.follows.includes("");
    if (asked) edges.push(["question", here, "led"]);
    for (const id of round.follows) if (id) edges.push([`lead-${id}`, here, "led"]);
    for (const id of round.facts) {
      const { citation, dropped } = state.facts.get(id);
      edges.push([here, `fact-${id}`, dropped ? "gone" : "found"]);
      if (citation && !dropped && cited.some((one) => within(one, citation))) edges.push([`fact-${id}`, "answer", "held"]);
    }
    for (const lead of leadsOf(state, round)) edges.push([here, `lead-${lead.lead_id}`, lead.state === "dropped" ? "gone" : "found"]);
    edges.push([here, `more-${round.number}`, "found"]);
  }
  return edges.map(([from, to, kind]) => [nodes.get(from), nodes.get(to), kind]).filter(([from, to]) => from && to);
}

function within(one, other) {
  return one.chunk_id === other.chunk_id && one.span[0] < other.span[1] && other.span[0] < one.span[1];
}

function drawEdge([from, to, kind]) {
  const [x1, y1, x2, y2] = [from.x + from.width, from.y + HEIGHT / 2, to.x, to.y + HEIGHT / 2];
  const bend = Math.max((x2 - x1) / 2, GAP_X / 2);
  return svg("path", { class: `edge ${kind}`, d: `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}` });
}

function drawNode(node) {
  const classes = ["node", `map-${node.kind}`, node.dropped && "dropped", node.open && "open"].filter(Boolean).join(" ");
  const usable = node.act ? { role: "button", tabindex: -1, "aria-label": node.label ?? node.text, "data-key": `map-${node.key}` } : {};
  const shown = lines(node.text, Math.floor((node.width - 20) / LETTER));
  const first = node.y + HEIGHT / 2 + 4.5 - (shown.length - 1) * 8;
  const drawn = svg(
    "g",
    { class: classes, ...usable },
    svg("title", {}, node.label ?? node.text),
    svg("rect", { x: node.x, y: node.y, width: node.width, height: HEIGHT, rx: node.kind === "lead" ? HEIGHT / 2 : 8 }),
    ...shown.map((line, at) => svg("text", { x: node.x + (node.kind === "lead" ? 16 : 10), y: first + at * 16 }, line)),
  );
  return node.act ? pressed(drawn, node.act) : drawn;
}

function drawLine(node) {
  const words = node.label ?? node.text;
  return el("li", {}, node.act ? el("button", { type: "button", class: "link", data: { key: `list-${node.key}` }, on: { click: node.act } }, words) : words);
}
