"""How near documents are by the vectors of their chunks: the same at every call, and decoded once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rove.store.document_vectors import DocumentVectors, Floats
from rove.store.fixed_point import FixedVectors

CHUNKS, DIMENSION = 40, 32


class Counting(FixedVectors):
    """Counts the rows that are decoded."""

    decoded = 0

    def __getitem__(self, rows: slice | NDArray[np.integer[Any]]) -> Floats:
        found = super().__getitem__(rows)
        self.decoded += len(found)
        return found


def test_a_document_of_several_chunks_is_decoded_once() -> None:
    random = np.random.default_rng(1)
    own = random.standard_normal((CHUNKS, DIMENSION)).astype(np.float32)
    own /= np.linalg.norm(own, axis=1)[:, None]
    vectors, documents = Counting(DIMENSION), DocumentVectors(DIMENSION)
    vectors.extend(own)
    documents.add(own)
    owners = np.arange(CHUNKS, dtype=np.int32) // 8
    rows, alive = np.array([3, 17, 18]), np.ones(CHUNKS, np.bool_)
    found: list[list[float]] = []
    decoded: list[int] = []
    for _ in range(2):
        vectors.decoded = 0
        near = documents.nearness(
            own[3], rows, owners=owners, vectors=vectors, alive=alive, seen=alive, mean=documents.mean()
        )
        found.append(near.tolist())
        decoded.append(vectors.decoded)
    assert found[0] == found[1]
    assert found[0][1] == found[0][2]
    assert decoded == [2 + 2 * 8, 2]  # the first chunk of each of two documents, and all chunks of both
