"""Reranking by any cross-encoder in ONNX: a folder with `model.onnx` and `tokenizer.json`, as hubs export them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import numpy as np

from rove.models import Embedder, KeptOfChunks, Vectors
from rove.models.onnx_folder import OnnxFolder
from rove.records import Hit
from rove.settings import RerankerSettings


class OnnxReranker:
    """Reads question and passage together, and scores the pair. See `Reranker`.

    The score is the last column of the output, which is the logit of "relevant" in models of one class and of two.

    Raises:
        ConfigError: no folder is set, or it does not hold the two files, or they cannot be read.
    """

    weight = 0.6

    def __init__(self, embedder: Embedder, kept: KeptOfChunks, settings: RerankerSettings) -> None:
        del embedder, kept
        self._model = OnnxFolder(
            settings.model,
            what='The reranker "onnx"',
            setting="reranker.model",
            threads=settings.threads,
        )

    async def scores(self, question: str, hits: Sequence[Hit]) -> Vectors:
        """See `Reranker.scores`: logits."""
        if not hits:
            return np.zeros(0, np.float32)
        pairs = [(question, hit.chunk.indexed_text) for hit in hits]
        return (await asyncio.to_thread(self._model.logits, pairs))[:, -1]
