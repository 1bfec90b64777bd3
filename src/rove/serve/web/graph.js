// The neighbourhood of an answer or a document in the graph of knowledge: a picture, and each relation with its words.

import { here, post } from "./api.js";
import { el, fill, say, svg } from "./dom.js";
import { openSource } from "./source.js";
import { busy, wrong } from "./states.js";
import { t } from "./words.js";

const [WIDTH, LEAST_HEIGHT, ROOM, MARGIN] = [1000, 400, 14, 70];
const MOST_WORDS = 40; // relations up to which the picture names each
const LONGEST = 24;
const LIMIT = 60;
export const TOGETHER = "named together with"; // as rove.records.graph has it

/** A part of the page that shows the graph when it is opened, and is there where the graph has something. `asked`: {names}, {documents} or {chunks}. */
export function graphOf(asked) {
  const body = el("div", {});
  const part = el("details", { class: "graph", hidden: true }, el("summary", {}, t("graph.title")), body);
  part.addEventListener("toggle", () => part.open && explore(body, asked), { once: true });
  const place = el("div", {}, part);
  const seen = new IntersectionObserver(async ([{ isIntersecting }]) => {
    if (!isIntersecting) return; // an old answer far up asks nothing
    seen.disconnect();
    const { links, entities } = await post(here("/graph"), { ...asked, limit: 1 }).catch(() => ({ links: [], entities: [] })); // all else is whole without it
    part.hidden = !links.length && !entities.length;
  });
  seen.observe(place);
  return place;
}

async function explore(body, asked) {
  fill(body, busy());
  try {
    const graph = await post(here("/graph"), { limit: LIMIT, ...asked });
    if (graph.links.length || graph.entities.length) draw(body, graph, asked);
    else fill(body, el("p", { class: "muted" }, t("graph.none")));
    say(t("graph.counted", { entities: graph.entities.length, relations: graph.links.length }));
  } catch (problem) {
    fill(body, wrong(problem, () => explore(body, asked)));
  }
}

function draw(body, graph, asked) {
  const names = new Map(graph.entities.map((one) => [one.key, one.names[0]]));
  const around = (key) => explore(body, { names: graph.entities.find((one) => one.key === key).names.slice(0, 5) });
  fill(
    body,
    el("div", { class: "graph-picture" }, picture(graph, names, around)),
    graph.more && el("p", { class: "muted small" }, t("graph.more")),
    asked.names && el("p", { class: "small" }, t("graph.around", { name: names.get(graph.entities[0]?.key) ?? asked.names[0] })),
    el("ul", { class: "relations" }, graph.links.map((link) => drawLink(link, names, around)), graph.entities.filter((one) => one.joined.length).map(drawNames)),
  );
}

/** The picture, for who looks; the list below it says the same, and is what a keyboard reaches. */
function picture(graph, names, around) {
  const height = Math.max(LEAST_HEIGHT, ROOM * graph.entities.length);
  const spots = new Map(graph.entities.map((one) => [one.key, [MARGIN + one.x * (WIDTH - 2 * MARGIN), MARGIN + one.y * (height - 2 * MARGIN)]]));
  const words = (link, x, y) => (graph.links.length <= MOST_WORDS ? [svg("text", { x, y }, short(linking(link)))] : []);
  const lines = graph.links.map((link) => {
    const [[x1, y1], [x2, y2]] = [spots.get(link.subject), spots.get(link.object)];
    const drawn = svg("g", { class: "relation" }, svg("line", { x1, y1, x2, y2 }), ...words(link, (x1 + x2) / 2, (y1 + y2) / 2 - 3), titled(`${names.get(link.subject)} ${linking(link)} ${names.get(link.object)}`));
    drawn.addEventListener("click", () => openSource(link.relations[0]));
    return drawn;
  });
  const dots = graph.entities.map((one) => {
    const [cx, cy] = spots.get(one.key);
    const drawn = svg("g", { class: one.hops ? "entity" : "entity seed" }, svg("circle", { cx, cy, r: one.hops ? 6 : 9 }), svg("text", { x: cx, y: cy + 22 }, short(one.names[0])), titled(one.names.join(" · ")));
    drawn.addEventListener("click", () => around(one.key));
    return drawn;
  });
  return svg("svg", { viewBox: `0 0 ${WIDTH} ${height}`, role: "img", "aria-label": t("graph.counted", { entities: graph.entities.length, relations: graph.links.length }) }, ...lines, ...dots);
}

/** What links two things: words of the source, or that one sentence names both. */
function linking({ predicate }) {
  return predicate === TOGETHER ? t("graph.together") : predicate;
}

function titled(text) {
  return svg("title", {}, text);
}

function short(text) {
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST - 1)}…`;
}

function drawLink(link, names, around) {
  const entity = (key) => el("button", { type: "button", class: "link", on: { click: () => around(key) } }, names.get(key));
  return el("li", {}, entity(link.subject), ` ${linking(link)} `, entity(link.object), " ", link.relations.map(quoted));
}

/** Names that are one thing, and the words that say so. */
function drawNames(one) {
  return el("li", {}, t("graph.names", { names: one.names.join(" = ") }), " ", one.joined.map(quoted));
}

function quoted(relation) {
  const by = relation.by === "walk" ? ` · ${t("graph.by-walk")}` : "";
  const label = t("graph.words", { title: relation.title || relation.source });
  return el("button", { type: "button", class: "cite", "aria-label": label, title: `${relation.quote}${by}`, on: { click: (event) => openSource(relation, event.currentTarget) } }, "¶");
}
