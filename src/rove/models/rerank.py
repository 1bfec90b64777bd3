"""Rerankers that are packaged. Both read what ingest has kept: none embeds a passage."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rove.models import Embedder, KeptOfChunks, LateEmbedder, Vectors
from rove.records import Hit
from rove.settings import RerankerSettings


class LateReranker:
    """Late interaction: every token of the question looks for its best counterpart in the passage (MaxSim).

    Khattab & Zaharia, ColBERT (SIGIR 2020). It has no opinion where the embedder keeps no tokens.
    """

    weight = 0.6

    def __init__(self, embedder: Embedder, kept: KeptOfChunks, settings: RerankerSettings) -> None:
        del settings
        self._embedder = embedder
        self._kept = kept
        self.reads = "tokens" if isinstance(embedder, LateEmbedder) else ""

    async def scores(self, question: str, hits: Sequence[Hit]) -> Vectors:
        """See `Reranker.scores`."""
        silent = np.zeros(len(hits), np.float32)
        if not isinstance(self._embedder, LateEmbedder):
            return silent
        tokens = await self._kept.chunk_tokens([hit.chunk.chunk_id for hit in hits])
        if not all(tokens):
            return silent
        scores = await self._embedder.interactions(question, tokens)
        return silent if scores is None else scores


class EmbedderReranker:
    """Scores every hit by the embedder's cosine to the question, those that only the keywords found included."""

    weight = 0.3
    reads = "vectors"

    def __init__(self, embedder: Embedder, kept: KeptOfChunks, settings: RerankerSettings) -> None:
        del settings
        self._embedder = embedder
        self._kept = kept

    async def scores(self, question: str, hits: Sequence[Hit]) -> Vectors:
        """See `Reranker.scores`: cosines, -1 to 1."""
        if not hits:
            return np.zeros(0, np.float32)
        vector = (await self._embedder.queries([question]))[0]
        return (await self._kept.chunk_vectors([hit.chunk.chunk_id for hit in hits])) @ vector
