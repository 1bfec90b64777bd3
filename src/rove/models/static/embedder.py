"""The embedder "static": microseconds a passage, no layers, the packaged model's own pieces."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import cache
from threading import Lock
from typing import cast

import numpy as np
import regex
from numpy.typing import NDArray

from rove.models import Fingerprint, Vectors, WordRule
from rove.models.e5 import packaged
from rove.models.e5.tokens import Tokenizer
from rove.models.static.pieces import PieceVectors, shipped
from rove.settings import EmbedderSettings

_find = cast("Callable[[str], list[str]]", regex.compile(r"\w+").findall)
_find_signs = cast("Callable[[str], list[str]]", regex.compile(r"\S+").findall)
_loading = Lock()


class StaticEmbedder:
    """See `Embedder`. Questions and passages are embedded alike. All of one process share one model."""

    max_distance = 0.65
    min_lead = 0.15
    """Both measured, see docs/decisions/044-static.md."""
    word_rule = WordRule(words=0.5, near=0.5, foreign=0.75)
    """What is answered from: read off the open sets of `python -m bench static-refusal`."""
    trust = 0.5
    """See `trust_of`; chosen on the open sets of docs/static.md."""

    def __init__(self, settings: EmbedderSettings) -> None:
        del settings

    @property
    def fingerprint(self) -> Fingerprint:
        """See `Embedder.fingerprint`."""
        mark, dimension = shipped()
        return Fingerprint(f"multilingual-e5-small/static-{mark}", dimension)

    async def passages(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder.passages`."""
        return await asyncio.to_thread(_embed_static_texts, texts)

    async def queries(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder.queries`."""
        return await asyncio.to_thread(_embed_static_texts, texts)


class StaticModel:
    """Cuts texts and adds up their pieces. Threads may share one."""

    def __init__(self, tokenizer: Tokenizer, vectors: PieceVectors) -> None:
        self.vectors = vectors
        self._words = tokenizer.words

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return (n, dimension) float32, unit length; the first unit vector for a text that has nothing to add up."""
        totals = np.zeros((len(texts), self.vectors.dimension), np.float64)
        for total, text in zip(totals, texts, strict=True):
            total[:] = self.vectors.sum(self._words(text, _find) or self._words(text, _find_signs))
        totals[~totals.any(axis=1), 0] = 1
        return (totals / _sequential_row_norms(totals)).astype(np.float32)


def _sequential_row_norms(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return (n, 1), added up from first to last, so that all processors round alike."""
    return np.sqrt(np.add.accumulate(rows * rows, axis=1)[:, -1:])


def _embed_static_texts(texts: Sequence[str]) -> Vectors:
    with _loading:
        model = _load_static_model()
    return model.embed(texts)


@cache
def _load_static_model() -> StaticModel:
    return StaticModel(packaged.tokenizer(), PieceVectors(packaged.weights(), packaged.vocabulary()))
