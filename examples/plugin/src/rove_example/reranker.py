"""A reranker: short passages first."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rove.models import Embedder, KeptOfChunks, Vectors
from rove.records import Hit
from rove.settings import RerankerSettings


class ShortFirst:
    """See `rove.models.Reranker`."""

    weight = 1.0

    def __init__(self, embedder: Embedder, store: KeptOfChunks, settings: RerankerSettings) -> None:
        del embedder, store, settings

    async def scores(self, question: str, hits: Sequence[Hit]) -> Vectors:
        """See `Reranker.scores`."""
        del question
        return np.array([1 / len(hit.chunk.text) for hit in hits], np.float32)
