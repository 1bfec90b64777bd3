"""The graph as a page and as GraphML: what documents say stays text, and the same graph gives the same picture."""

from __future__ import annotations

import re
from xml.etree.ElementTree import fromstring

from rove.graph_files import GRAPHML, graph_ml, graph_page, placed
from rove.records.graph import ALIAS, Entity, Link, Relation, Subgraph, Triplet

EVIL = '<script>alert("x")</script> & \x07'


def relation(subject: str, predicate: str, object_: str, *, by: str = "rules 2") -> Relation:
    triplet = Triplet(subject, predicate, object_, (3, 9), subject.casefold(), object_.casefold())
    return Relation(triplet, "d1", "c1", by, "A title", "a.md", f"{subject} {predicate} {object_}.")


def graph(extra: int = 0) -> Subgraph:
    known = relation("Ada", ALIAS, "Lady A")
    entities = [Entity("ada", ("Ada", "Lady A"), 0, (known,)), Entity("evil", (EVIL,), 1)]
    entities += [Entity(f"e{n}", (f"Thing {n}",), 1) for n in range(extra)]
    links = [Link("ada", EVIL, "evil", (relation("Ada", EVIL, EVIL), relation("Ada", EVIL, EVIL, by="walk")))]
    links += [Link("ada", "knows", f"e{n}", (relation("Ada", "knows", f"Thing {n}"),)) for n in range(extra)]
    return Subgraph(tuple(entities), tuple(links), more=True)


def test_the_page_needs_no_script_and_shows_no_markup_of_a_document() -> None:
    page = graph_page(graph(), EVIL)
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert not re.search(r"(?:src|href)=\"(?!#)", page)
    assert "There is more" in page
    assert page.count('id="r1"') == 1
    assert 'href="#r1"' in page
    assert "d1:3-9" in page
    assert "Lady A" in page


def test_graphml_is_well_formed_and_has_each_relation_with_its_words() -> None:
    root = fromstring(graph_ml(graph(3)))
    edges = root.findall(f".//{{{GRAPHML}}}edge")
    nodes = {node.get("id") for node in root.iter(f"{{{GRAPHML}}}node")}
    assert len(edges) == 5
    assert all({edge.get("source"), edge.get("target")} <= nodes for edge in edges)
    told = {data.get("key"): data.text for data in edges[-1]}
    assert told == {
        "predicate": "knows", "quote": "Ada knows Thing 2.", "document": "d1", "start": "3",
        "end": "9", "by": "rules 2",
    }  # fmt: skip


def test_a_picture_is_the_same_each_time_and_nothing_lies_on_another() -> None:
    spots = placed(graph(20))
    assert spots == placed(graph(20))
    assert all(0 <= x <= 1 and 0 <= y <= 1 for x, y in spots.values())
    places = list(spots.values())
    nearest = min(abs(a[0] - b[0]) + abs(a[1] - b[1]) for n, a in enumerate(places) for b in places[:n])
    assert nearest > 0.02


def test_few_things_have_a_place_too() -> None:
    assert placed(Subgraph()) == {}
    assert placed(Subgraph((Entity("a", ("A",)),))) == {"a": (0.5, 0.5)}
    assert "<svg" in graph_page(Subgraph(), "Nothing")
