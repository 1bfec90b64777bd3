"""Two speeds: a passage is found at once by the stand-in, and becomes deep; what is deep is what one pass makes."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import event

from rove.engine import AsyncRove
from rove.records import Text
from rove.store import IndexRow
from rove.store.memory_index import MemoryIndex
from rove.store.snapshot import read_snapshot, write_snapshot

TEXTS = [
    Text(f"The harbour master of town {i} keeps {i} letters about ships and the weather.", id=f"t{i}")
    for i in range(40)
]
QUESTION = "Who writes about boats in town 7?"
FIRST = {"first": "static"}


async def found(kb: AsyncRove) -> list[tuple[str, float]]:
    return [(hit.uri, round(hit.score, 4)) for hit in await kb.search(QUESTION, top_k=5)]


async def test_what_is_deep_at_last_is_what_one_pass_makes(tmp_path: Path) -> None:
    async with AsyncRove.open(tmp_path / "one") as kb:
        await kb.add(TEXTS)
        wanted = await found(kb)
    async with AsyncRove.open(tmp_path / "two", embedder=FIRST) as kb:
        await kb.add(TEXTS, deep=False)
        assert kb.store.catalog.depth().shallow == len(TEXTS)
        assert (await found(kb))[0][0] == wanted[0][0]
        assert (await kb.doctor()).ok
    async with AsyncRove.open(tmp_path / "two") as kb:  # without the setting, too
        assert (await kb.search(QUESTION, mode="semantic"))[0].uri == wanted[0][0]
        await kb.add()
        assert kb.store.catalog.depth().shallow == 0
        assert await found(kb) == wanted
        assert (await kb.doctor()).ok


async def test_what_was_found_is_embedded_once_and_goes_with_its_document(tmp_path: Path) -> None:
    async with AsyncRove.open(tmp_path, embedder=FIRST) as kb:
        await kb.add(TEXTS, deep=False)
        first = await kb.search(QUESTION, top_k=3)
        await kb.store.judged.close()
        shallow = kb.store.catalog.shallow_of([hit.chunk.chunk_id for hit in first])
        assert len(shallow) == len(first)
        assert kb.store.vectors.known([one.key for one in shallow.values()])
        assert kb.store.catalog.next_shallow().texts.keys() >= {one.key for one in shallow.values()}
        await kb.delete(*[hit.chunk.document_id for hit in first])
        assert not kb.store.vectors.known([one.key for one in shallow.values()])


@pytest.mark.parametrize("hindrance", ["a writer", "no right to write"])
async def test_a_search_waits_for_nobody_to_keep_what_it_has_embedded(tmp_path: Path, hindrance: str) -> None:
    async with AsyncRove.open(tmp_path, embedder=FIRST) as kb:
        await kb.add(TEXTS, deep=False)
    async with AsyncRove.open(tmp_path, embedder=FIRST) as kb:
        engine = kb.store.catalog.database.dialect.engine
        with closing(sqlite3.connect(tmp_path / "catalog.sqlite", isolation_level=None)) as other:
            if hindrance == "a writer":
                other.execute("BEGIN IMMEDIATE")
            else:
                event.listen(engine, "connect", lambda connection, _: connection.execute("PRAGMA query_only=ON"))
                engine.dispose()
            ids = [hit.chunk.chunk_id for hit in await kb.search(QUESTION, top_k=3)]
            shallow = kb.store.judged.shallow_of(ids)
            assert kb.store.judged.vectors(shallow).keys() == set(ids)
            assert not kb.store.vectors.known([one.key for one in shallow.values()])
            assert [hit.chunk.chunk_id for hit in await kb.search(QUESTION, top_k=3)] == ids
            if hindrance == "a writer":
                other.execute("ROLLBACK")
        await kb.store.judged.close()
        kept = kb.store.vectors.known([one.key for one in shallow.values()])
        assert len(kept) == (3 if hindrance == "a writer" else 0)


def rows(first: int, count: int, *, shallow: bool) -> list[IndexRow]:
    vectors = np.random.default_rng(first).normal(size=(count, 3 if shallow else 5)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return [
        IndexRow(f"c{first + i:03}", "word", vector, {"document_id": f"d{first + i}"}, "en", shallow)
        for i, vector in enumerate(vectors)
    ]


@pytest.mark.parametrize("deep_first", [True, False])
def test_a_snapshot_keeps_both_sets(tmp_path: Path, deep_first: bool) -> None:
    index = MemoryIndex(dimension=5)
    for turn in (deep_first, not deep_first, deep_first):
        index.extend(rows(index.live, 20, shallow=not turn))
    index.discard(["c003", "c025"])
    copy = MemoryIndex(dimension=5)
    kept = read_snapshot(tmp_path, write_snapshot(tmp_path, index.packed(7)))
    assert kept
    copy.restore(kept)
    assert copy.shallow == index.shallow > 0
    deep, quick = np.eye(5, dtype=np.float32)[0], np.eye(3, dtype=np.float32)[0]
    for vector, look in ((deep, "best_semantic"), (quick, "best_shallow")):
        best = getattr(index, look)(vector, top_k=9)
        assert getattr(copy, look)(vector, top_k=9) == best
        names = [name for name, _ in best]
        shallow = look == "best_shallow"
        near = index.nearness(vector, names, shallow=shallow)
        assert copy.nearness(vector, names, shallow=shallow) == pytest.approx(near, abs=1e-5)


def test_an_index_of_deep_rows_alone_says_nothing_of_others(tmp_path: Path) -> None:
    index, never = MemoryIndex(dimension=5), MemoryIndex(dimension=5)
    index.extend(rows(0, 10, shallow=True))
    for one in (index, never):
        one.extend(rows(0, 10, shallow=False))
    assert write_snapshot(tmp_path / "a", index.packed(1)) == write_snapshot(tmp_path / "b", never.packed(1))
