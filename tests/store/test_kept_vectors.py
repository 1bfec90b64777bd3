"""Vectors that were made once are found by their key; what a damaged ledger lacks is read around."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from rove import AsyncRove, Rove
from rove.store.salvage import Salvage

FAKE = {"embedder": {"name": "fake"}}
VECTOR = np.array([0.6, 0.8] + [0.0] * 62, np.float32)


async def test_vectors_that_are_put_are_found_again(tmp_path: Path) -> None:
    async with AsyncRove.open(tmp_path / "kb", **FAKE) as kb:
        vectors = kb.store.vectors
        vectors.put({"one": VECTOR, "two": -VECTOR}, {"two": b"tokens"})
        vectors.put({"one": -VECTOR}, {})
        vectors.put({}, {})
        assert vectors.known(["one", "two", "three"]) == {"one", "two"}
        assert vectors.get(["one"])["one"] == pytest.approx(VECTOR, abs=1e-3), "a key keeps its first vector"
        assert vectors.tokens(["one", "two"]) == {"two": b"tokens"}


def test_a_ledger_without_a_column_is_still_read(tmp_path: Path) -> None:
    """A base of an older version, or a damaged one, may lack what a newer ledger has."""
    with Rove.open(tmp_path / "kb", **FAKE) as kb:
        kb.add(str(_file(tmp_path)))
    with closing(sqlite3.connect(tmp_path / "kb" / "catalog.sqlite")) as held, held:
        held.execute("ALTER TABLE ledger DROP COLUMN cure")
    (entry,) = Salvage(tmp_path / "kb" / "catalog.sqlite").ledger()
    assert entry.source.endswith("note.txt")
    assert entry.cure == ""


def _file(folder: Path) -> Path:
    path = folder / "note.txt"
    path.write_text("The bridge opened in 1908.", "utf-8")
    return path


def test_a_salvaged_catalog_says_whose_vectors_it_has(tmp_path: Path) -> None:
    with Rove.open(tmp_path / "kb", **FAKE) as kb:
        kb.add(str(_file(tmp_path)))
        model = str(kb._kb.embedder.fingerprint)
    salvage = Salvage(tmp_path / "kb" / "catalog.sqlite")
    assert salvage.is_made_with(model)
    assert not salvage.is_made_with(f"{model} of another size")


def test_what_is_fetched_by_a_key_is_not_looked_for_row_by_row(tmp_path: Path) -> None:
    """A column that rows are found by has an index, in every table that grows with the documents."""
    with Rove.open(tmp_path / "kb", **FAKE) as kb:
        kb.add(str(_file(tmp_path)))
    looked_up = (
        ("tokens", "vector"), ("vectors", "key"), ("vectors", "seq"), ("chunks", "chunk_id"), ("chunks", "document"),
        ("chunks", "vector"), ("documents", "document_id"), ("texts", "document"), ("enrichments", "document"),
        ("triplets", "subject_key"), ("triplets", "object_key"), ("summaries", "document"), ("graphed", "document"),
    )  # fmt: skip
    with closing(sqlite3.connect(tmp_path / "kb" / "catalog.sqlite")) as held:
        for table, column in looked_up:
            (*_, plan) = held.execute(f"EXPLAIN QUERY PLAN SELECT * FROM {table} WHERE {column} = ?", ["x"]).fetchone()
            assert plan.startswith("SEARCH"), (table, column, plan)
