"""A sentiment model: a smile is good, a frown is bad, and of all else it has no opinion."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rove.enrich.sentiment import Labels
from rove.models import Embedder, Vectors
from rove.settings import EnrichSettings

FACES = {"🙂": 1, "🙁": -1}


class Faces:
    """See `rove.enrich.sentiment.Sentiment`."""

    reads_texts = True
    limits = "texts without a face have no sentiment."

    def __init__(self, settings: EnrichSettings, embedder: Embedder) -> None:
        del settings, embedder

    def scores(self, texts: Sequence[str], vectors: Vectors, languages: Sequence[str]) -> Labels:
        """See `Sentiment.scores`."""
        del vectors, languages
        labels = (next((mood for face, mood in FACES.items() if face in text), np.nan) for text in texts)
        return np.fromiter(labels, np.float32, len(texts))
