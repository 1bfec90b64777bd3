"""Rerankers that are packaged."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

import numpy as np

from rove.models import Embedder, Vectors
from rove.records import Hit

ChunkVectors = Callable[[Sequence[Hit]], Awaitable[Vectors]]


class EmbedderReranker:
    """Scores every hit by the embedder's cosine to the question, those that only the keywords found included.

    The chunks' vectors are those of the index, so this costs one query embedding and no passage.
    """

    def __init__(self, embedder: Embedder, vectors: ChunkVectors) -> None:
        self._embedder = embedder
        self._vectors = vectors

    async def scores(self, question: str, hits: Sequence[Hit]) -> Vectors:
        """See `Reranker.scores`: cosines, -1 to 1."""
        if not hits:
            return np.zeros(0, np.float32)
        vector = (await self._embedder.queries([question]))[0]
        return (await self._vectors(hits)) @ vector
