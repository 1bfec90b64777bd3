"""A table that is large enough for a vector index: recall, also under a filter that few rows pass, and of new rows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rove import field
from rove.records import Filter
from rove.store import IndexRow
from rove.store import lance as module
from rove.store.lance import LanceIndex
from rove.store.memory import MemoryIndex

DIMENSION = 32
ROWS = 6_000
TOP_K = 10


def rows(rng: np.random.Generator, first: int, count: int) -> list[IndexRow]:
    centres = np.random.default_rng(7).standard_normal((40, DIMENSION))
    vectors = centres[rng.integers(0, len(centres), count)] + 0.5 * rng.standard_normal((count, DIMENSION))
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    return [
        IndexRow(f"c{n}", f"word{n % 50}", vector, {"slot": n % 100}) for n, vector in enumerate(vectors, start=first)
    ]


@pytest.mark.parametrize("where", [None, field("slot") == 7, field("slot") < 50], ids=["all", "1 %", "half"])
async def test_recall(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: Filter | None) -> None:
    monkeypatch.setattr(module, "VECTOR_INDEX_FROM", ROWS)
    rng = np.random.default_rng(1)
    index, exact = LanceIndex(folder=tmp_path, dimension=DIMENSION), MemoryIndex(dimension=DIMENSION)
    for batch in (rows(rng, 0, ROWS), rows(rng, ROWS, 200)):  # the second comes after the index is built
        await index.add(batch, fresh=True)
        await index.optimize()
        exact.extend(batch)
    table = await index._open()
    assert "vector_idx" in {found.name for found in await table.list_indices()}
    hits = 0
    asked = [row.vector for row in rows(rng, 0, 30)]
    for vector in asked:
        found = await index.semantic(vector, top_k=TOP_K, where=where)
        true = exact.best_semantic(vector, top_k=TOP_K, where=where)
        assert len(found) == TOP_K
        hits += len({chunk_id for chunk_id, _ in found} & {chunk_id for chunk_id, _ in true})
    assert hits >= 0.95 * TOP_K * len(asked)
    long = await index.semantic(asked[0], top_k=200, where=where)
    assert len(long) == min(200, 62 if where == (field("slot") == 7) else 200)
    assert [score for _, score in long] == sorted((score for _, score in long), reverse=True)
    await index.close()
