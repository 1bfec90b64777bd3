"""A vector for each of the 250,002 pieces: its row of the packaged model's token table, mapped, weighted, rounded.

    v(i) = round((row(i) - mean) @ map · a / (a + p(i)))

p is how often a piece occurs, which the vocabulary says (Arora et al., A Simple but Tough-to-Beat Baseline for Sentence
Embeddings, ICLR 2017). Whole numbers are added up, so that a sum is the same in any order and on any processor.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from rove.models.e5.tokens import MARK
from rove.models.e5.weights import PieceVocabulary, Weights

MODEL = Path(__file__).with_name("static.npz")
MARK_CHARS = 8
LARGEST = 32_767
PART = 16_384
"""Pieces added up at once: `PART` · `LARGEST` fits in 32 bits."""
FIRST_PIECES = 1_024


class PieceVectors:
    """Reads `static.npz`: `map` (384, dimension) and `mean` (384,), `smoothing` (a). Threads may share one.

    A piece's vector is made when it is first met, and kept in 16 bits a dimension.
    """

    def __init__(self, weights: Weights, vocabulary: PieceVocabulary, path: Path = MODEL) -> None:
        self.mark = hashlib.sha256(path.read_bytes()).hexdigest()[:MARK_CHARS]
        """What tells these vectors from those of another map."""
        with np.load(path) as file:
            self._map = np.asarray(file["map"], np.float64)
            self._mean = np.asarray(file["mean"], np.float64)
            smoothing = float(file["smoothing"])
        self._weights = weights
        self._shares: NDArray[np.float64] = smoothing / (smoothing + np.exp(vocabulary.scores.astype(np.float64)))
        # The model's own signs, and a word's mark alone, say nothing.
        self._shares[vocabulary.scores == 0] = 0
        self._shares[vocabulary.pieces.index(MARK)] = 0
        self.dimension = self._map.shape[1]
        self._place = np.full(len(vocabulary.pieces), -1, np.int32)
        self._held = np.zeros((FIRST_PIECES, self.dimension), np.int16)
        self._count = 0
        self._lock = Lock()

    def sum(self, ids: Sequence[int]) -> NDArray[np.int64]:
        """Return the sum of the pieces' vectors: (dimension,)."""
        total = np.zeros(self.dimension, np.int64)
        for begin in range(0, len(ids), PART):
            part = np.array(ids[begin : begin + PART], np.int64)
            places = self._place[part]
            if places.min() < 0:
                self._make(part)
                places = self._place[part]
            total += np.add.reduce(self._held.take(places, axis=0), axis=0, dtype=np.int32)
        return total

    def _make(self, part: NDArray[np.int64]) -> None:
        """Make the vectors of those that have none. A reader that holds the old array finds in it all that it knew."""
        with self._lock:
            new = np.unique(part[self._place[part] < 0])
            end = self._count + len(new)
            if end > len(self._held):
                larger = np.zeros((max(2 * len(self._held), end), self.dimension), np.int16)
                larger[: self._count] = self._held[: self._count]
                self._held = larger
            self._held[self._count : end] = self._vectors(new)
            self._place[new] = np.arange(self._count, end)
            self._count = end

    def _vectors(self, ids: NDArray[np.int64]) -> NDArray[np.int16]:
        rows = (self._weights.words(ids).astype(np.float64) - self._mean) @ self._map
        rows *= self._shares[ids, None]
        return np.rint(rows).clip(-LARGEST, LARGEST).astype(np.int16)
