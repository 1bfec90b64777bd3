"""Documents as wholes: held against the formula, whatever has come and gone."""

from __future__ import annotations

import numpy as np
import pytest

from rove.store import IndexRow
from rove.store.memory_index import MemoryIndex

DIMENSION = 24


def rows(rng: np.random.Generator, sizes: dict[str, int]) -> list[IndexRow]:
    """Chunks with random unit vectors, so many of each document."""
    made: list[IndexRow] = []
    for document, size in sizes.items():
        vectors = rng.normal(size=(size, DIMENSION)) + 1.5
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        made += [
            IndexRow(f"{document}-{at}", "", vector.astype(np.float32), {"document_id": document})
            for at, vector in enumerate(vectors)
        ]
    return made


def expected(held: list[IndexRow], vector: np.ndarray) -> dict[str, float]:
    mean = np.mean([row.vector for row in held], axis=0)
    near: dict[str, float] = {}
    for row in held:
        own = [other.vector - mean for other in held if other.fields["document_id"] == row.fields["document_id"]]
        whole = np.sum(own, axis=0)
        near[row.chunk_id] = float((vector - mean) @ whole / np.linalg.norm(whole))
    return near


def test_it_is_the_formula_through_adds_and_removals() -> None:
    rng = np.random.default_rng(3)
    index = MemoryIndex(dimension=DIMENSION)
    asked = rng.normal(size=DIMENSION).astype(np.float32)
    asked /= np.linalg.norm(asked)
    held: list[IndexRow] = []
    for sizes in ({"a": 1, "b": 5, "c": 2}, {"d": 30, "e": 1}, {"b": 3}):
        again = [row.chunk_id for row in held if row.fields["document_id"] in sizes]
        index.discard(again)
        held = [row for row in held if row.chunk_id not in again]
        new = rows(rng, sizes)
        index.extend(new)
        held += new
        for _ in range(2):  # the second time from memory
            found = index.nearness(asked, [row.chunk_id for row in held])
            assert found == pytest.approx(expected(held, asked), abs=1e-4)  # it is held in 16 bits


def test_one_chunk_alone_is_near_to_nothing() -> None:
    index = MemoryIndex(dimension=DIMENSION)
    only = rows(np.random.default_rng(1), {"a": 1})
    index.extend(only)
    assert index.nearness(only[0].vector, ["a-0"]) == pytest.approx({"a-0": 0.0}, abs=1e-3)
    assert index.nearness(only[0].vector, []) == {}
