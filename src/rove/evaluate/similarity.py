"""Retrieval similarity: how near the texts that were found lie to those that were expected, by an embedder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePath

import numpy as np
from numpy.typing import NDArray

from rove.engine import AsyncRove
from rove.models import Vectors
from rove.records import DocumentInfo, Hit
from rove.retrieve.judging import judge_now
from rove.store import Vector

Cosines = NDArray[np.float64]
"""(m, n): of each of m expected texts with each of n that were found, best first."""


def cosines(expected: Vectors, found: Vectors) -> Cosines:
    """Return the cosine of each expected text with each one found.

    Args:
        expected: (m, dim) float32, unit length.
        found: (n, dim) float32, unit length.
    """
    return (expected.astype(np.float64) @ found.astype(np.float64).T).clip(-1, 1)  # unit vectors are rounded


def retrieval_similarity(near: Cosines) -> float | None:
    """Return the mean cosine of each expected text with each one found, as DB-GPT's retriever evaluation has it.

    Range −1 … 1, though most embedders stay above 0: compare runs of one embedder only. None: nothing is expected, or
    nothing was found.

    >>> retrieval_similarity(np.array([[1.0, 0.0]]))
    0.5
    """
    return float(near.mean()) if near.size else None


def best_similarity(near: Cosines) -> float | None:
    """Return the mean, over the expected texts, of the cosine with the nearest text that was found.

    Unlike the mean over all, it does not fall where more is found. Range and None: see `retrieval_similarity`.

    >>> best_similarity(np.array([[1.0, 0.0]]))
    1.0
    """
    return float(near.max(axis=1).mean()) if near.size else None


class Expected:
    """The documents of a base that are expected, as vectors: of each the mean of its chunks', at unit length."""

    def __init__(self, kb: AsyncRove) -> None:
        self._kb = kb
        self._named: dict[str, str] | None = None
        self._vectors: dict[str, Vector | None] = {}

    async def cosines(self, hits: Sequence[Hit], grades: Mapping[str, int]) -> Cosines:
        """Compare hits with the documents that the gold calls relevant; what is not in the base is left out."""
        wanted = [await self._vector(name) for name, grade in grades.items() if grade > 0]
        known = [vector for vector in wanted if vector is not None]
        if not known or not hits:
            return np.zeros((len(known), len(hits)))
        found = await self._vectors_of([hit.chunk.chunk_id for hit in hits])
        return cosines(np.stack(known), found)

    async def _vector(self, name: str) -> Vector | None:
        if name not in self._vectors:
            self._vectors[name] = await self._mean(name)
        return self._vectors[name]

    async def _vectors_of(self, chunk_ids: Sequence[str]) -> Vectors:
        await judge_now(self._kb.search_context, chunk_ids)
        return await self._kb.store.chunk_vectors(chunk_ids)

    async def _mean(self, name: str) -> Vector | None:
        if self._named is None:
            self._named = _document_ids_by_gold_name(await self._kb.documents())
        if name not in self._named:
            return None
        _, chunks = await self._kb.document(self._named[name])
        vectors = await self._vectors_of([chunk.chunk_id for chunk in chunks])
        mean = vectors.mean(axis=0) if len(vectors) else np.zeros(0, np.float32)
        length = float(np.linalg.norm(mean))
        return (mean / length).astype(np.float32) if length else None


def _document_ids_by_gold_name(documents: Sequence[DocumentInfo]) -> dict[str, str]:
    """Return the names that a gold may have for documents (see `gold_name`), each with the document's id."""
    found: dict[str, str] = {}
    for info in documents:
        record = info.metadata.get("record_id")
        names = (info.document_id, record, info.source, PurePath(info.source).name, info.title)
        for name in names:
            if isinstance(name, str) and name:
                found.setdefault(name, info.document_id)
    return found
