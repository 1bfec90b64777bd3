"""The graph of names: kept at ingest, in step with the catalog, and there for bases of before as well."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import rove.store.resident
from rove import Rove, Text, field
from rove.language.names import JOINT
from rove.prepare import Preparer, Recipe
from rove.records import Document
from rove.sandbox.messages import encoder, pack, unpack
from rove.store import IndexRow
from rove.store.blocks import ArrayInParts
from rove.store.documents import Documents
from rove.store.name_graph import NameGraph, NamingText
from rove.store.name_rows import NameRows
from rove.store.tables import SCHEMA_VERSION
from store.test_postgres import holding

TEXTS = (
    Text("Silent Harbour was printed by Marlow Press.", id="novel", title="Silent Harbour (novel)"),
    Text("The house has printed since 1990. Its founder was Love Crane.", id="press", title="Marlow Press"),
    Text("A film about nothing.", id="film", title="Love"),
)


def names_of(kb: Rove) -> NameGraph:
    return kb._kb.store.names


def documents_of(kb: Rove) -> Documents:
    return kb._kb.store.documents


def titled(kb: Rove, text: str, names: Sequence[str] = ()) -> dict[str, float]:
    return names_of(kb).titled([NamingText(text, "en", names)])[0]


def sharing(kb: Rove, names: Sequence[str], most: int) -> dict[str, float]:
    return names_of(kb).sharing([names], most)[0]


def test_a_title_is_found_where_it_is_named(tmp_path: Path) -> None:
    with Rove.open(tmp_path, embedder={"name": "fake"}) as kb:
        kb.add(list(TEXTS))
        assert titled(kb, "read at marlow press yesterday") == {"press": 1.0}
        assert titled(kb, "He likes Silent Harbour.") == {"novel": 1.0}
        assert sharing(kb, ["marlow_press"], most=5) == {"novel": 1.0}
        assert sharing(kb, ["marlow_press"], most=0) == {}
        (chunk_id,) = documents_of(kb).chunk_ids(field("document_id") == "press")
        assert documents_of(kb).names_of([chunk_id])[chunk_id].titles == ["marlow_press"]


def test_a_document_shares_the_rarest_of_the_names_that_it_holds(tmp_path: Path) -> None:
    with Rove.open(tmp_path, embedder={"name": "fake"}) as kb:
        kb.add(
            [
                Text("We met Anna Lee and Marlow Press.", id="both"),
                Text("We met Anna Lee.", id="one"),
                Text("Then we met Anna Lee again.", id="two"),
            ]
        )
        found = sharing(kb, ["marlow_press", "anna_lee", "nobody"], most=3)
        assert found == {"both": 1.0, "one": 1 / 3, "two": 1 / 3}
        assert sharing(kb, ["marlow_press", "anna_lee"], most=2) == {"both": 1.0}


def test_a_title_of_one_word_must_be_a_name_or_part_of_one(tmp_path: Path) -> None:
    with Rove.open(tmp_path, embedder={"name": "fake"}) as kb:
        kb.add(list(TEXTS))
        assert titled(kb, "all for love") == {}
        assert titled(kb, "the film Love", ["love"]) == {"film": 1.0}
        assert titled(kb, "Love Crane", ["love_crane"]) == {"film": 0.5}


def test_of_a_longer_name_its_ends_may_be_a_title(tmp_path: Path) -> None:
    """Nothing is known of a third part: "Maria" alone names anyone."""
    with Rove.open(tmp_path, embedder={"name": "fake"}) as kb:
        titles = {"first": "Anna", "last": "Lee", "both": "Anna Lee", "middle": "Maria"}
        kb.add([Text("She wrote.", id=name, title=title) for name, title in titles.items()])
        found = titled(kb, "it is signed", ["anna_maria_lee"])
        assert found == {"first": 0.5, "last": 0.5, "both": 0.5}


def test_a_title_of_too_many_documents_points_nowhere(tmp_path: Path) -> None:
    with Rove.open(tmp_path, embedder={"name": "fake"}) as kb:
        kb.add([Text(f"Page {n}.", id=f"d{n}", title="Annual Report") for n in range(8)])
        assert titled(kb, "the annual report") == {f"d{n}": 1 / 8 for n in range(8)}
        kb.add(Text("One more.", id="more", title="Annual Report"))
        assert titled(kb, "the annual report") == {}


def test_the_graph_follows_what_is_deleted_and_changed(tmp_path: Path) -> None:
    with Rove.open(tmp_path, embedder={"name": "fake"}) as kb:
        kb.add(list(TEXTS))
        assert titled(kb, "Marlow Press") == {"press": 1.0}
        kb.delete("press")
        assert titled(kb, "Marlow Press") == {}
        kb.add(Text("It is named otherwise now, after Anna Lee.", id="press", title="Crane Books"))
        assert titled(kb, "Crane Books") == {"press": 1.0}
        kb.add(Text("Silent Harbour has no printer.", id="novel", title="Silent Harbour"))
        assert sharing(kb, ["marlow_press"], most=5) == {}


def test_two_processes_see_the_same_graph(tmp_path: Path) -> None:
    with Rove.open(tmp_path, embedder={"name": "fake"}) as kb, Rove.open(tmp_path, embedder={"name": "fake"}) as other:
        assert titled(other, "Marlow Press") == {}
        kb.add(list(TEXTS))
        assert titled(other, "Marlow Press") == {"press": 1.0}


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
        assert sharing(kb, ["marlow_press"], most=5) == {"new": 1.0}


@pytest.mark.parametrize("text", ["Silent Harbour was printed by Marlow Press.", "no names at all"])
def test_names_come_through_the_pipes_of_the_sandbox(text: str) -> None:
    prepared = Preparer(Recipe(model="m", pipeline="p")).prepare(Document("d", "d", "text", text, language="en"), "d")
    assert unpack(encoder.encode([pack(prepared)])) == [replace(prepared)]
    assert [bool(names) for names in prepared.names] == ["Marlow" in text]


def test_names_are_mapped_from_the_snapshot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that starts reads no passage for them; what is erased is in no file, and what is new is followed."""
    monkeypatch.setattr(rove.store.resident, "KEPT_FROM", 3)
    with Rove.open(tmp_path, embedder={"name": "fake"}) as kb:
        kb.add([*TEXTS, Text("It prints for Zwirbelhausen Verlag.", id="secret", title="Zwirbel Post")])
    assert holding(tmp_path / "resident", b"zwirbel")
    with Rove.open(tmp_path, embedder={"name": "fake"}) as kb:
        monkeypatch.setattr(Documents, "index_rows", lambda *_, **__: iter(()))
        assert titled(kb, "read at marlow press yesterday") == {"press": 1.0}
        assert sharing(kb, ["marlow_press"], most=5) == {"novel": 1.0}
        assert sharing(kb, ["love_crane"], most=5) == {"press": 1.0}
        monkeypatch.undo()
        monkeypatch.setattr(rove.store.resident, "KEPT_FROM", 3)
        kb.add(Text("Anna Lee wrote of Marlow Press.", id="new"))
        assert sharing(kb, ["marlow_press"], most=5) == {"novel": 0.5, "new": 0.5}
        kb.delete("secret")
        assert titled(kb, "in the Zwirbel Post") == {}
    assert not holding(tmp_path / "resident", b"zwirbel")


@given(
    titles=st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=4), max_size=12),
    texts=st.lists(st.lists(st.sampled_from("abcd"), max_size=10), max_size=4),
    hidden=st.sets(st.integers(0, 11)),
    split=st.integers(0, 12),
)
def test_titles_in_texts_are_all_runs_of_two_terms_and_more_that_are_titles(titles, texts, hidden, split) -> None:
    """Of documents of two rows, the second of which is seen: from memory, and from a snapshot with rows after it."""
    keys = [JOINT.join(title) for title in titles]
    rows = [
        IndexRow(f"{n}-{part}", "", np.zeros(0), {}, titles=[key] if part == 0 else [])
        for n, key in enumerate(keys)
        for part in range(2)
    ]
    held, restored = NameRows(), NameRows()
    held.extend(rows, 0)
    first = NameRows()
    first.extend(rows[: 2 * split], 0)
    packed = first.packed(np.ones(len(rows[: 2 * split]), bool))
    restored.restore({name: whole(array) for name, array in packed.items()})
    restored.extend(rows[2 * split :], len(rows[: 2 * split]))
    owners = np.arange(len(rows), dtype=np.int32) // 2
    alive = np.ones(len(rows), bool)
    seen = np.array([at % 2 == 1 and at // 2 not in hidden for at in range(len(rows))], bool)
    runs = {JOINT.join(text[a:b]) for text in texts for b in range(len(text) + 1) for a in range(b - 1)}
    wanted = {*runs, "b_c", "a"} & set(keys)
    for names in (held, restored):
        assert names.title_keys(texts, ["b_c", "a"]) == wanted
        found = {key: rows.tolist() for key, rows in names.titled(wanted, alive, seen, owners).items()}
        assert found == {key: [2 * n for n, own in enumerate(keys) if own == key and n not in hidden] for key in wanted}


def whole(array: NDArray[Any] | ArrayInParts) -> NDArray[Any]:
    """An array as a snapshot has it."""
    return array if isinstance(array, np.ndarray) else np.concatenate([np.zeros(0, array.dtype), *array.parts()])
