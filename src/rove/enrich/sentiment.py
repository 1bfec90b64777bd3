"""Sentiment of texts: +1, 0 or −1 each, or no opinion.

A new model is one file with a `SentimentModel` and one line in `SENTIMENTS`; `enrich.sentiment` names it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from rove.models import Embedder
from rove.registry import Registry
from rove.settings import EnrichSettings

Labels = NDArray[np.float32]
"""(n,) float32: 1 positive, 0 neutral, −1 negative, NaN no opinion."""


class SentimentModel(Protocol):
    """Labels texts by their sentiment. Built as `SentimentModel(settings, embedder)`."""

    reads_texts: bool
    """False for one that needs the vectors alone: the texts are then not fetched."""
    limits: str
    """Of which texts it has no opinion, and what to do about it."""

    def scores(self, texts: Sequence[str], vectors: NDArray[np.float32], languages: Sequence[str]) -> Labels:
        """Label n chunks, given their texts (none where it does not read them), unit vectors (n, d) and languages."""
        ...


SENTIMENTS = Registry(
    "sentiment model",
    "rove.sentiments",
    {
        "probe": "rove.enrich.sentiment_probe:ProbeSentiment",
        "onnx": "rove.enrich.sentiment_onnx:OnnxSentiment",
        "none": "rove.enrich.sentiment_probe:NoSentiment",
    },
)


def sentiment_of(settings: EnrichSettings, embedder: Embedder) -> SentimentModel:
    """Build the model that the settings name; "" is the packaged probe where it fits the embedder, else none.

    Raises:
        ConfigError: no model has that name, or it cannot be made.
    """
    name = settings.sentiment or ("probe" if SENTIMENTS.get("probe").fits(embedder) else "none")
    return SENTIMENTS.get(name)(settings, embedder)
