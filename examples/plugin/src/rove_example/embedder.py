"""An embedder: how often each letter occurs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rove.models import Fingerprint, Vectors
from rove.settings import EmbedderSettings

LETTERS = 64


class LetterEmbedder:
    """See `rove.models.Embedder`."""

    max_distance = 0.5
    min_lead = 0.0

    def __init__(self, settings: EmbedderSettings) -> None:
        self.fingerprint = Fingerprint("letters", settings.dimension or LETTERS)

    async def passages(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder.passages`."""
        vectors = np.full((len(texts), self.fingerprint.dimension), 1e-3, np.float32)
        for row, text in zip(vectors, texts, strict=True):
            for letter in text.casefold():
                row[ord(letter) % len(row)] += letter.isalnum()
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    async def queries(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder.queries`."""
        return await self.passages(texts)
