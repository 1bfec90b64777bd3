"""A table that is large enough for a vector index: recall, also under a filter that few rows pass, and of new rows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from lancedb.index import IvfPq, IvfSq

from rove import ConfigError, Rove, field
from rove.records import Filter
from rove.settings import StoreSettings
from rove.store import IndexRow
from rove.store import lance as module
from rove.store.lance import LanceIndex
from rove.store.lance_table import vector_index
from rove.store.memory_index import MemoryIndex
from rove.store.store import check_sub_vectors

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


def test_the_studys_numbers_are_settings() -> None:
    store = StoreSettings(vector_index="ivf_pq", num_partitions=1024, num_sub_vectors=96, nprobes=20, refine_factor=10)
    made = vector_index(store)
    assert isinstance(made, IvfPq)
    assert (made.distance_type, made.num_partitions, made.num_sub_vectors) == ("cosine", 1024, 96)
    check_sub_vectors(store, 384)
    check_sub_vectors(store, 768)
    usual = vector_index(StoreSettings())
    assert isinstance(usual, IvfSq)
    assert (usual.distance_type, usual.num_partitions) == ("cosine", None)


def test_sub_vectors_that_do_not_divide_the_dimension_are_refused_at_opening(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"num_sub_vectors is 100, .* 384.*96"):
        check_sub_vectors(StoreSettings(vector_index="ivf_pq", num_sub_vectors=100), 384)
    with pytest.raises(ConfigError, match="num_sub_vectors"):
        Rove.open(tmp_path, embedder={"name": "fake"}, store={"vector_index": "ivf_pq", "num_sub_vectors": 99_991})
    check_sub_vectors(StoreSettings(num_sub_vectors=100), 384)


async def test_an_index_by_product_quantization_is_built_finds_and_takes_the_place_of_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "VECTOR_INDEX_FROM", ROWS)
    rng = np.random.default_rng(1)
    batch = rows(rng, 0, ROWS)
    before, exact = LanceIndex(folder=tmp_path, dimension=DIMENSION), MemoryIndex(dimension=DIMENSION)
    await before.add(batch, fresh=True)
    await before.optimize()
    await before.close()
    exact.extend(batch)
    settings = StoreSettings(vector_index="ivf_pq", num_partitions=16, num_sub_vectors=8, nprobes=16, refine_factor=10)
    index = LanceIndex(folder=tmp_path, dimension=DIMENSION, settings=settings)
    await index.optimize()
    table = await index._open()
    kinds = {found.name: found.index_type for found in await table.list_indices()}
    assert kinds["vector_idx"] == "IvfPq"
    stats = await table.index_stats("vector_idx")
    assert stats
    assert (stats.num_indexed_rows, stats.num_unindexed_rows) == (ROWS, 0)
    asked = [row.vector for row in rows(rng, 0, 20)]
    hits = 0
    for vector in asked:
        found = await index.semantic(vector, top_k=TOP_K)
        true = exact.best_semantic(vector, top_k=TOP_K, where=None)
        hits += len({name for name, _ in found} & {name for name, _ in true})
    assert hits >= 0.9 * TOP_K * len(asked)
    near = dict(exact.best_semantic(asked[0], top_k=50, where=None))
    found = dict(await index.semantic(asked[0], top_k=50))
    assert len(found) == 50
    assert all(found[name] == pytest.approx(near[name], abs=1e-4) for name in found.keys() & near.keys())
    await index.close()
