"""A vector that is damaged in the catalog is said, never compared; the cure that is named brings all back."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from rove import ConfigError, Rove, Text
from rove.records.walk_events import Answered
from rove.store import array_file, catalog_check, resident, store
from rove.store.catalog_rows import blob_of, blobs_of, check_vectors, vectors_of
from rove.sync.rebuilding import rebuild_base

FAKE = {"embedder": {"name": "fake"}}
TEXTS = {
    "en": "The lighthouse keeper counted the ships.",
    "de": "Der Leuchtturmwärter zählte die Schiffe.",
    "hu": "A világítótorony őre megszámolta a hajókat.",
    "zh": "灯塔看守人数船。",
    "ja": "灯台守は船を数えた。",
}
DAMAGES = {
    "nan": lambda blob: np.full(len(blob) // 2, np.nan, "<f4").tobytes(),
    "infinite": lambda blob: np.full(len(blob) // 2, np.inf, "<f4").tobytes(),
    "stretched": lambda blob: blob[:-1] + bytes([blob[-1] + 1]),
    "short": lambda blob: blob[:-4],
    "long": lambda blob: blob + blob,
    "part": lambda blob: blob[:-1],
    "empty": lambda _: b"",
    "text": lambda _: "no bytes",
}


def damage(folder: Path, how: str, table: str = "vectors", column: str = "vector", *, at: int = 1) -> None:
    with closing(sqlite3.connect(folder / "catalog.sqlite")) as catalog, catalog:
        rows = f"SELECT rowid, {column} FROM {table} ORDER BY rowid LIMIT 1 OFFSET ?"
        seq, blob = catalog.execute(rows, (at,)).fetchone()
        catalog.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (DAMAGES[how](blob), seq))


@pytest.fixture
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(resident, "KEPT_FROM", 1_000)  # without a snapshot vectors are read from the catalog
    folder = tmp_path / "kb"
    with Rove.open(folder, **FAKE) as kb:
        kb.add([Text(text, id=code) for code, text in TEXTS.items()])
        assert any(isinstance(event, Answered) for event in kb.walk("Who counted the ships at the lighthouse?"))
    return folder


@pytest.mark.parametrize("how", DAMAGES)
def test_a_damaged_vector_is_said_at_every_search_and_by_doctor_and_the_cure_helps(how: str, base: Path) -> None:
    damage(base, how)
    with Rove.open(base, **FAKE) as kb:
        for mode in ("semantic", "keyword", "hybrid"):  # a second search finds no part of the base either
            with pytest.raises(ConfigError, match=r"catalog is torn: .* vector .* rove doctor --rebuild-from"):
                kb.search("lighthouse ships", mode=mode)
        with pytest.raises(ConfigError, match=r"catalog is torn: .* of these documents: 'de'\. .* --rebuild-from"):
            kb.doctor()
    made = rebuild_base("here", base, **FAKE)
    assert (made.documents, made.vectors, made.lost) == (len(TEXTS), len(TEXTS) - 1, ())
    with Rove.open(base, **FAKE) as kb:
        assert {hit.chunk.document_id for hit in kb.search("lighthouse", mode="semantic")} == set(TEXTS)
        assert kb.doctor().ok


@pytest.mark.parametrize(("table", "column"), [("memory_facts", "vector"), ("memory_facts", "asked")])
def test_damaged_vectors_of_what_walks_have_learned_are_said_too(table: str, column: str, base: Path) -> None:
    with Rove.open(base, **FAKE) as kb:
        for question in ("Wer zählte die Schiffe?", "灯台守は何を数えた？"):
            list(kb.walk(question))
        assert len(kb.memory().facts()) > 1
    damage(base, "nan", table, column)
    with Rove.open(base, **FAKE) as kb:
        with pytest.raises(ConfigError, match="catalog is torn"):
            kb.memory().search("ships")
        with pytest.raises(ConfigError, match=r"catalog is torn: .* of these documents: '\w\w'"):
            kb.doctor()


def test_what_is_not_looked_at_in_a_snapshot_takes_no_other_chunk_away(
    base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resident, "KEPT_FROM", 1)
    monkeypatch.setattr(store, "FEW_CHUNKS", 1)
    with Rove.open(base, **FAKE) as kb:
        kb.add(Text("The harbour master wrote it down.", id="more"))
        want = [hit.chunk.document_id for hit in kb.search("lighthouse ships", mode="semantic", top_k=3)]
    monkeypatch.setattr(array_file, "MEMORY_BYTES", 0)
    monkeypatch.setattr(array_file, "_chosen", lambda count: range(0))  # as in a block that is in no sample
    (file,) = (base / "resident").glob("*/arrays.bin")
    upper = json.loads(file.with_name("facts.json").read_bytes())["arrays"]["upper"]
    data, (rows, width) = bytearray(file.read_bytes()), upper["shape"]
    end = upper["offset"] + rows * width
    data[end - width : end] = np.random.default_rng(1).bytes(width)
    file.write_bytes(data)
    with Rove.open(base, **FAKE) as kb:
        for mode in ("semantic", "hybrid"):
            hits = kb.search("lighthouse ships", mode=mode, top_k=3)
            assert hits and all(np.isfinite(hit.score) for hit in hits)
        found = [hit.chunk.document_id for hit in kb.search("lighthouse ships", mode="semantic", top_k=4)]
        assert [name for name in found if name != "more"] == want
    assert "more" not in want


@pytest.mark.parametrize("how", DAMAGES)
def test_doctor_names_the_documents_of_damaged_vectors_that_no_search_reads(
    how: str, base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resident, "KEPT_FROM", 1)
    monkeypatch.setattr(store, "FEW_CHUNKS", 1)
    monkeypatch.setattr(catalog_check, "READ_AT_ONCE", 1)  # nothing beside it says how long a vector is
    with Rove.open(base, **FAKE) as kb:
        kb.add(Text("The harbour master wrote it down.", id="more"))
    for at in range(len(TEXTS)):
        damage(base, how, at=at)
    with Rove.open(base, **FAKE) as kb:
        assert len(kb.search("lighthouse", mode="semantic")) == len(TEXTS) + 1  # by the snapshot
        monkeypatch.setattr(catalog_check, "NAMED", 3)
        with pytest.raises(ConfigError, match=r"of these documents: 'de', 'en', 'hu', …\. .* --rebuild-from"):
            kb.doctor()
    made = rebuild_base("here", base, **FAKE)
    assert (made.documents, made.vectors) == (len(TEXTS) + 1, 1)
    with Rove.open(base, **FAKE) as kb:
        assert kb.doctor().ok


def test_a_damaged_vector_of_no_document_is_said_too(base: Path) -> None:
    with closing(sqlite3.connect(base / "catalog.sqlite")) as catalog, catalog:
        catalog.execute("INSERT INTO vectors (key, vector) VALUES ('unused', x'00')")
    with Rove.open(base, **FAKE) as kb, pytest.raises(ConfigError, match=r"catalog is torn: .* of no document"):
        kb.doctor()


def test_whole_vectors_pass() -> None:
    check_vectors([])
    old, new = np.ones(3, "<f4").tobytes(), blob_of(np.array([0.6, 0.0, -0.8], np.float32))
    check_vectors([old] * 2)
    check_vectors([new, blob_of(np.zeros(3, np.float32)), old])


def test_a_vector_comes_back_as_it_was_but_for_the_sixteenth_bit() -> None:
    chance = np.random.default_rng(3).standard_normal((200, 48)).astype(np.float32)
    vectors = chance / np.linalg.norm(chance, axis=1, keepdims=True)
    once = np.stack(vectors_of(blobs_of(vectors)))
    assert np.abs(once - vectors).max() < 2**-16
    assert np.array_equal(np.stack(vectors_of(blobs_of(once))), once), "rounded again it is another"
    old = vectors[0].astype("<f4").tobytes()
    assert np.array_equal(vectors_of([old, blob_of(vectors[1])])[0], vectors[0])
