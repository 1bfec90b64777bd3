"""Sentiment from the vectors that ingest has made anyway: a linear probe on the packaged embedder.

It works in every language of the embedder, and costs one matrix product. How it was trained and what it is worth:
train/sentiment.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rove.enrich.sentiment import Labels
from rove.errors import ConfigError
from rove.models import Embedder
from rove.settings import EnrichSettings

MODEL = Path(__file__).with_name("sentiment.npz")
LABELS = np.array([-1, 0, 1], np.float32)


class ProbeSentiment:
    """See `SentimentModel`. Logistic regression: the label of the largest of v · `weights` + `bias`.

    `sentiment.npz` holds `weights` (384, 3) and `bias` (3,), for −1, 0, +1, and the name of the embedder's `model`.

    Raises:
        ConfigError: the base's embedder is another one than it was trained on.
    """

    reads_texts = False
    limits = "the packaged probe always has an opinion."

    def __init__(self, settings: EnrichSettings, embedder: Embedder) -> None:
        del settings
        if not self.fits(embedder):
            message = f'The sentiment "probe" does not know the vectors of {embedder.fingerprint.model!r}.'
            raise ConfigError(message, cure='Set enrich.sentiment to "onnx", with a model\'s folder, or to "none".')
        with np.load(MODEL) as file:
            self._weights: NDArray[np.float32] = np.asarray(file["weights"], np.float32)
            self._bias: NDArray[np.float32] = np.asarray(file["bias"], np.float32)

    @staticmethod
    def fits(embedder: Embedder) -> bool:
        """Say whether the probe was trained on this embedder's vectors."""
        with np.load(MODEL) as file:
            return str(file["model"]) == embedder.fingerprint.model

    def scores(self, texts: Sequence[str], vectors: NDArray[np.float32], languages: Sequence[str]) -> Labels:
        """See `SentimentModel.scores`."""
        del texts, languages
        return LABELS[np.argmax(vectors @ self._weights + self._bias, axis=1)]


class NoSentiment:
    """See `SentimentModel`. Has no opinion of anything, and says so."""

    reads_texts = False

    def __init__(self, settings: EnrichSettings, embedder: Embedder) -> None:
        del settings
        self.limits = (
            f"there is no packaged sentiment for the embedder {embedder.fingerprint.model!r}. "
            'Set enrich.sentiment to "onnx" and enrich.model to the folder of a text classifier.'
        )

    def scores(self, texts: Sequence[str], vectors: NDArray[np.float32], languages: Sequence[str]) -> Labels:
        """See `SentimentModel.scores`."""
        del texts, languages
        return np.full(len(vectors), np.nan, np.float32)
