"""What a caller's sight hides is counted nowhere: each part of the store by itself; all of it in test_serve_worlds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rove import AsyncRove, Text
from rove.records.filter import AccessFilter
from rove.store import INDEXES, IndexRow
from rove.store.document_vectors import exact_mean
from rove.store.memory_index import MemoryIndex
from rove.store.name_graph import MAX_NAMESAKES, NamingText
from rove.store.store import Store

SIGHT = AccessFilter("access", "in", ("staff",))
FAKE = {"embedder": {"name": "fake"}}
DIMENSION = 16


def row(name: str, terms: str, access: str, seed: int) -> IndexRow:
    vector = np.random.default_rng(seed).standard_normal(DIMENSION).astype(np.float32)
    fields = {"document_id": name.partition("#")[0], "access": (access,)}
    return IndexRow(name, terms, vector / np.linalg.norm(vector), fields, "en" if access == "staff" else "de")


SEEN = [row(f"d{n // 3}#{n}", f"alpha beta{n} " * (n + 1), "staff", n) for n in range(9)]
HIDDEN = [row(f"h{n}", "alpha alpha gamma beta3 " * 9, "board", 100 + n) for n in range(40)]


def interleaved() -> list[IndexRow]:
    return [*HIDDEN[:20], *SEEN[:3], *HIDDEN[20:30], *SEEN[3:], *HIDDEN[30:]]


@pytest.mark.parametrize("name", ["memory", "lancedb"])
async def test_keywords_are_weighed_by_what_is_seen(tmp_path: Path, name: str) -> None:
    found: list[list[tuple[str, float]]] = []
    for number, rows in enumerate((SEEN, interleaved())):
        index = INDEXES.get(name)(folder=tmp_path / str(number), dimension=DIMENSION)
        await index.add(rows, fresh=True)
        found.append(await index.keyword(["alpha", "beta3", "gamma"], top_k=20, where=SIGHT))
        everything = await index.keyword(["alpha"], top_k=99)
        assert len(everything) == len(rows)
        await index.close()
    assert found[0] == found[1]
    assert found[0][0][0] == "d1#3"


async def test_lancedb_weighs_words_as_the_index_in_memory_does(tmp_path: Path) -> None:
    lance, memory = (INDEXES.get(name)(folder=tmp_path / name, dimension=DIMENSION) for name in ("lancedb", "memory"))
    for index in (lance, memory):
        await index.add(interleaved(), fresh=True)
    found, wanted = [dict(await one.keyword(["alpha", "beta3"], top_k=20, where=SIGHT)) for one in (lance, memory)]
    assert found == pytest.approx(wanted, rel=1e-5)
    await lance.add([row("d9#0", "beta3", "staff", 9)], fresh=True)  # what was counted is counted anew
    assert dict(await lance.keyword(["beta3"], top_k=20, where=SIGHT))["d1#3"] < found["d1#3"]
    await lance.close()


def test_documents_are_compared_with_the_mean_of_what_is_seen() -> None:
    asked = SEEN[4].vector
    near: list[dict[str, float]] = []
    for rows in (SEEN, interleaved(), [*reversed(HIDDEN), *SEEN]):
        index = MemoryIndex(dimension=DIMENSION)
        index.extend(rows)
        index.discard(one.chunk_id for one in HIDDEN[::3])
        near.append(index.nearness(asked, [one.chunk_id for one in SEEN], SIGHT))
        assert index.languages(SIGHT) == ["en"]
        assert len(rows) == len(SEEN) or index.nearness(asked, [SEEN[0].chunk_id]) != near[0]
    assert near[0] == near[1] == near[2]


def test_the_mean_is_the_same_in_any_order() -> None:
    vectors = np.stack([one.vector for one in (*SEEN, *HIDDEN)])
    seen = np.ones(len(vectors), bool)
    mean = exact_mean(vectors, seen)
    assert mean == pytest.approx(vectors.mean(axis=0), abs=1e-6)
    for order in (np.arange(len(vectors))[::-1], np.random.default_rng(5).permutation(len(vectors))):
        assert (exact_mean(vectors[order], seen) == mean).all()


@pytest.mark.parametrize("resident_chunks", [0, 1_000])
async def test_names_languages_and_state_keep_to_what_is_seen(tmp_path: Path, resident_chunks: int) -> None:
    staff, board = {"access": ("staff",)}, {"access": ("board",)}
    async with AsyncRove.open(tmp_path, **FAKE, store={"index": "lancedb", "resident_chunks": resident_chunks}) as kb:
        await kb.add(
            Text("It keeps bees. Marlow Press prints it.", id="seen", title="Silent Harbour", metadata=staff),
            Text("A house of books.", id="press", title="Marlow Press", metadata=staff),
        )
        before = await told(kb.store)
        await kb.add(
            *(Text("Nichts.", id=f"n{n}", title="Marlow Press", metadata=board) for n in range(MAX_NAMESAKES)),
            *(Text("Es heißt Marlow Press und Nordwind.", id=f"h{n}", metadata=board) for n in range(20)),
            Text("Geheim.", id="secret", title="Silent Harbour Nordwind", metadata=board),
        )
        assert kb.store.names.titled([NamingText("Marlow Press", "en")]) == [{}]
        assert await kb.store.languages() == ["de", "en"]
        assert await told(kb.store) == before
        assert before[0] == {"press": 1.0, "seen": 1.0}
        assert before[1:3] == ({"seen": 1.0}, ["en"])
        await kb.add(Text("One more.", id="more", metadata=staff))
        assert await kb.store.state(SIGHT) != before[3]


async def told(store: Store) -> tuple[dict[str, float], dict[str, float], list[str], str]:
    text = NamingText("Silent Harbour Nordwind was told to Marlow Press", "en")
    return (
        store.names.titled([text], SIGHT)[0],
        store.names.sharing([["marlow_press"]], 12, SIGHT)[0],
        await store.languages(SIGHT),
        await store.state(SIGHT),
    )
