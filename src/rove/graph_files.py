"""The graph of knowledge for people and for other programs: a page of HTML with a picture, and GraphML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.resources import files
from math import sqrt
from xml.etree.ElementTree import Element, SubElement, indent, tostring

import numpy as np
from numpy.typing import NDArray

from rove.markup import Markup, tag
from rove.records.graph import DocumentGraph, Entity, Link, Relation, Subgraph

ROUNDS = 150
"""Steps after which the picture is at rest."""
NEAR, GRAVITY = 2.5, 0.1
"""How far entities push one another, in mean distances; and how strongly all are drawn to the middle."""
SEED = 7
SHOWN_CHARS = 28
WIDTH, LEAST_HEIGHT = 1_000.0, 400.0
ROOM = 14.0
"""Height that each entity adds to a picture, from 400 on."""
MOST_WORDS = 40
"""Relations up to which the picture names each; of more only the list below it does."""
MARGIN = 60.0
GRAPHML = "http://graphml.graphdrawing.org/xmlns"
KEYS = {
    "name": "node", "names": "node", "hops": "node", "predicate": "edge", "quote": "edge", "document": "edge",
    "start": "edge", "end": "edge", "by": "edge",
}  # fmt: skip


def placed(graph: Subgraph) -> dict[str, tuple[float, float]]:
    """Return where to draw each entity, x and y from 0 to 1: linked ones near to each other, the others apart.

    The same graph is drawn in the same way. Source: Fruchterman and Reingold (1991).
    """
    keys = [entity.key for entity in graph.entities]
    if len(keys) < 2:
        return dict.fromkeys(keys, (0.5, 0.5))
    number = {key: n for n, key in enumerate(keys)}
    ends = np.array([(number[link.subject], number[link.object]) for link in graph.links] or np.zeros((0, 2)), np.int64)
    spots = np.random.default_rng(SEED).random((len(keys), 2))
    ideal = 1 / sqrt(len(keys))
    for step in range(ROUNDS):
        spots += _push(spots, ends, ideal, most=0.1 * (1 - step / ROUNDS))
    spots -= spots.min(axis=0)
    spots /= np.maximum(spots.max(axis=0), 1e-9)
    return {key: (float(x), float(y)) for key, (x, y) in zip(keys, spots, strict=True)}


def _push(spots: NDArray[np.float64], ends: NDArray[np.int64], ideal: float, *, most: float) -> NDArray[np.float64]:
    """How far each entity is moved in one step."""
    apart = spots[:, None] - spots[None]
    distance = np.maximum(np.linalg.norm(apart, axis=2), 1e-3)
    push = np.where(distance < NEAR * ideal, ideal**2 / distance**2, 0.0)  # what is far away does not matter
    moves = (apart * push[:, :, None]).sum(axis=1) + GRAVITY * (0.5 - spots)
    if len(ends):
        along = spots[ends[:, 0]] - spots[ends[:, 1]]
        pull = along * (np.linalg.norm(along, axis=1, keepdims=True) / ideal)
        np.add.at(moves, ends[:, 0], -pull)
        np.add.at(moves, ends[:, 1], pull)
    length = np.maximum(np.linalg.norm(moves, axis=1, keepdims=True), 1e-9)
    return moves / length * np.minimum(length, most)


def graph_page(graph: Subgraph, title: str) -> str:
    """Return the graph as one page of HTML: the picture, and below it each relation with the words that say so.

    It needs no script and fetches nothing. What comes from documents is text there, never markup.
    """
    style = files("rove").joinpath("graph_page.css").read_text("utf-8")
    names = {entity.key: entity.name for entity in graph.entities}
    relations = [_link_list_item(number, link, names) for number, link in enumerate(graph.links, start=1)]
    other = [_entity_names_item(entity) for entity in graph.entities if entity.joined]
    more = [tag("p", "There is more: a limit left some of it out.")] if graph.more else []
    head = tag("head", tag("meta", charset="utf-8"), tag("title", title), tag("style", Markup(style)))
    body = tag(
        "body",
        tag("h1", title),
        tag("p", f"{len(graph.entities)} entities, {len(graph.links)} relations"),
        *more,
        graph_svg(graph),
        tag("ol", *relations),
        *([tag("h2", "Other names"), tag("ul", *other)] if other else []),
    )
    return f"<!doctype html>\n{tag('html', head, body)}\n"


def graph_svg(graph: Subgraph) -> Markup:
    """Draw the graph as SVG; a relation leads to where the page says it."""
    height = max(LEAST_HEIGHT, ROOM * len(graph.entities))
    spots = {
        key: (MARGIN + x * (WIDTH - 2 * MARGIN), MARGIN + y * (height - 2 * MARGIN))
        for key, (x, y) in placed(graph).items()
    }
    named = len(graph.links) <= MOST_WORDS
    lines = [_link_svg(number, link, spots, named=named) for number, link in enumerate(graph.links, start=1)]
    dots = [_entity_svg(entity, spots[entity.key]) for entity in graph.entities]
    label = f"{len(graph.entities)} entities and how they are related"
    return tag("svg", *lines, *dots, viewBox=f"0 0 {WIDTH:g} {height:g}", role="img", aria_label=label)


def _link_svg(number: int, link: Link, spots: Mapping[str, tuple[float, float]], *, named: bool) -> Markup:
    (x1, y1), (x2, y2) = spots[link.subject], spots[link.object]
    words = tag("text", _graph_label_text(link.predicate), x=(x1 + x2) / 2, y=(y1 + y2) / 2 - 3, class_="link")
    line = tag("line", tag("title", link.predicate), x1=x1, y1=y1, x2=x2, y2=y2)
    return tag("a", line, words if named else Markup(""), href=f"#r{number}")


def _entity_svg(entity: Entity, spot: tuple[float, float]) -> Markup:
    x, y = spot
    return tag(
        "g",
        tag("title", " · ".join(entity.names)),
        tag("circle", cx=x, cy=y, r=8.0 if not entity.hops else 5.0, class_="seed" if not entity.hops else None),
        tag("text", _graph_label_text(entity.name), x=x, y=y + 18),
    )


def _link_list_item(number: int, link: Link, names: Mapping[str, str]) -> Markup:
    said = tag("p", tag("b", names[link.subject]), f" {link.predicate} ", tag("b", names[link.object]))
    return tag("li", said, *map(_relation_quote, link.relations), id=f"r{number}")


def _relation_quote(relation: Relation) -> Markup:
    start, end = relation.triplet.span
    where = f"{relation.title or relation.source} · {relation.document_id}:{start}-{end} · {relation.by}"
    return tag("blockquote", relation.quote, tag("footer", where))


def _entity_names_item(entity: Entity) -> Markup:
    return tag("li", tag("b", entity.name), f": {', '.join(entity.names[1:])}", *map(_relation_quote, entity.joined))


def _graph_label_text(text: str) -> str:
    return text if len(text) <= SHOWN_CHARS else f"{text[: SHOWN_CHARS - 1]}…"


def graph_ml(graph: Subgraph) -> str:
    """Return the graph as GraphML, which Gephi, yEd and networkx read: an edge for each relation, with its words."""
    root, tree = _graphml_root_and_graph(KEYS)
    for entity in graph.entities:
        told = [("name", entity.name), ("names", "\n".join(entity.names)), ("hops", entity.hops)]
        _add_graphml_data(SubElement(tree, "node", id=entity.key), told)
    for link in graph.links:
        for relation in link.relations:
            edge = SubElement(tree, "edge", source=link.subject, target=link.object)
            start, end = relation.triplet.span
            told = [("predicate", link.predicate), ("quote", relation.quote), ("document", relation.document_id)]
            _add_graphml_data(edge, [*told, ("start", start), ("end", end), ("by", relation.by)])
    return _graphml_text(root)


def document_graph_ml(graph: DocumentGraph) -> str:
    """Return a document's own graph as GraphML."""
    root, tree = _graphml_root_and_graph({"name": "node", "kind": "all", "start": "node", "end": "node"})
    for part in graph.parts:
        span = [("start", part.span[0]), ("end", part.span[1])] if part.span else []
        _add_graphml_data(SubElement(tree, "node", id=part.key), [("name", part.name), ("kind", part.kind), *span])
    for bond in graph.bonds:
        _add_graphml_data(SubElement(tree, "edge", source=bond.source, target=bond.target), [("kind", bond.kind)])
    return _graphml_text(root)


def _graphml_root_and_graph(keys: Mapping[str, str]) -> tuple[Element, Element]:
    """A document of GraphML, and the graph in it, whose nodes and edges have these keys."""
    root = Element("graphml", xmlns=GRAPHML)
    for name, of in keys.items():
        kind = "long" if name in {"hops", "start", "end"} else "string"
        SubElement(root, "key", {"id": name, "for": of, "attr.name": name, "attr.type": kind})
    return root, SubElement(root, "graph", edgedefault="directed")


def _graphml_text(root: Element) -> str:
    indent(root)
    return tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _add_graphml_data(parent: Element, values: Sequence[tuple[str, object]]) -> None:
    for key, value in values:
        SubElement(parent, "data", key=key).text = "".join(c for c in str(value) if c.isprintable() or c in "\n\t")
