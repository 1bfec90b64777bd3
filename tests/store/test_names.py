"""The graph of names: kept at ingest, in step with the catalog, and there for bases of before as well."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from rove import Rove, Text
from rove.prepare import Preparer, Recipe
from rove.records import Document
from rove.sandbox.messages import encoder, pack, unpack
from rove.store.name_graph import NameGraph
from rove.store.tables import SCHEMA_VERSION

TEXTS = (
    Text("Silent Harbour was printed by Marlow Press.", id="novel", title="Silent Harbour (novel)"),
    Text("The house has printed since 1990. Its founder was Love Crane.", id="press", title="Marlow Press"),
    Text("A film about nothing.", id="film", title="Love"),
)


def names_of(kb: Rove) -> NameGraph:
    return kb._kb.store.names


def test_a_title_is_found_where_it_is_named(tmp_path: Path) -> None:
    with Rove.open(tmp_path, embedder={"name": "fake"}) as kb:
        kb.add(list(TEXTS))
        names = names_of(kb)
        assert names.titled("read at marlow press yesterday", "en") == {"press": 1.0}
        assert names.titled("He likes Silent Harbour.", "en") == {"novel": 1.0}
        assert names.sharing(["marlow_press"], most=5) == {"novel": 1.0}
        assert names.sharing(["marlow_press"], most=0) == {}
        assert "marlow_press" in names.titles("press")


def test_a_document_shares_the_rarest_of_the_names_that_it_holds(tmp_path: Path) -> None:
    with Rove.open(tmp_path, embedder={"name": "fake"}) as kb:
        kb.add(
            [
                Text("We met Anna Lee and Marlow Press.", id="both"),
                Text("We met Anna Lee.", id="one"),
                Text("Then we met Anna Lee again.", id="two"),
            ]
        )
        found = names_of(kb).sharing(["marlow_press", "anna_lee", "nobody"], most=3)
        assert found == {"both": 1.0, "one": 1 / 3, "two": 1 / 3}
        assert names_of(kb).sharing(["marlow_press", "anna_lee"], most=2) == {"both": 1.0}


def test_a_title_of_one_word_must_be_a_name_or_part_of_one(tmp_path: Path) -> None:
    with Rove.open(tmp_path, embedder={"name": "fake"}) as kb:
        kb.add(list(TEXTS))
        names = names_of(kb)
        assert names.titled("all for love", "en") == {}
        assert names.titled("the film Love", "en", ["love"]) == {"film": 1.0}
        assert names.titled("Love Crane", "en", ["love_crane"]) == {"film": 0.5}


def test_of_a_longer_name_its_ends_may_be_a_title(tmp_path: Path) -> None:
    """Nothing is known of a third part: "Maria" alone names anyone."""
    with Rove.open(tmp_path, embedder={"name": "fake"}) as kb:
        titles = {"first": "Anna", "last": "Lee", "both": "Anna Lee", "middle": "Maria"}
        kb.add([Text("She wrote.", id=name, title=title) for name, title in titles.items()])
        found = names_of(kb).titled("it is signed", "en", ["anna_maria_lee"])
        assert found == {"first": 0.5, "last": 0.5, "both": 0.5}


def test_a_title_of_too_many_documents_points_nowhere(tmp_path: Path) -> None:
    with Rove.open(tmp_path, embedder={"name": "fake"}) as kb:
        kb.add([Text(f"Page {n}.", id=f"d{n}", title="Annual Report") for n in range(8)])
        assert names_of(kb).titled("the annual report", "en") == {f"d{n}": 1 / 8 for n in range(8)}
        kb.add(Text("One more.", id="more", title="Annual Report"))
        assert names_of(kb).titled("the annual report", "en") == {}


def test_the_graph_follows_what_is_deleted_and_changed(tmp_path: Path) -> None:
    with Rove.open(tmp_path, embedder={"name": "fake"}) as kb:
        kb.add(list(TEXTS))
        names = names_of(kb)
        assert names.titled("Marlow Press", "en") == {"press": 1.0}
        kb.delete("press")
        assert names.titled("Marlow Press", "en") == {}
        assert names.titles("press") == []
        kb.add(Text("It is named otherwise now, after Anna Lee.", id="press", title="Crane Books"))
        assert names.titled("Crane Books", "en") == {"press": 1.0}
        kb.add(Text("Silent Harbour has no printer.", id="novel", title="Silent Harbour"))
        assert names.sharing(["marlow_press"], most=5) == {}


def test_two_processes_see_the_same_graph(tmp_path: Path) -> None:
    with Rove.open(tmp_path, embedder={"name": "fake"}) as kb, Rove.open(tmp_path, embedder={"name": "fake"}) as other:
        assert names_of(other).titled("Marlow Press", "en") == {}
        kb.add(list(TEXTS))
        assert names_of(other).titled("Marlow Press", "en") == {"press": 1.0}


def test_a_base_of_before_is_brought_up_to_date_and_walks(tmp_path: Path) -> None:
    with Rove.open(tmp_path, embedder={"name": "fake"}) as kb:
        kb.add(list(TEXTS))
    with sqlite3.connect(tmp_path / "catalog.sqlite") as connection:
        connection.execute("ALTER TABLE chunks DROP COLUMN names")
        connection.execute("UPDATE facts SET value = '3' WHERE name = 'schema'")
    connection.close()
    with Rove.open(tmp_path, embedder={"name": "fake"}) as kb:
        assert kb._kb.store.catalog.fact("schema") == str(SCHEMA_VERSION)
        hits = kb.search("who printed Silent Harbour?", mode="walk")
        assert {hit.chunk.document_id for hit in hits} >= {"novel", "press"}
        kb.add(Text("Anna Lee wrote of Marlow Press.", id="new"))
        assert names_of(kb).sharing(["marlow_press"], most=5) == {"new": 1.0}


@pytest.mark.parametrize("text", ["Silent Harbour was printed by Marlow Press.", "no names at all"])
def test_names_come_through_the_pipes_of_the_sandbox(text: str) -> None:
    prepared = Preparer(Recipe(model="m", pipeline="p")).prepare(Document("d", "d", "text", text, language="en"), "d")
    assert unpack(encoder.encode([pack(prepared)])) == [replace(prepared)]
    assert [bool(names) for names in prepared.names] == ["Marlow" in text]
