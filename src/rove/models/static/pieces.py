"""A vector for each of the 250,002 pieces: what the packaged model's token table and its last layer say of it.

    v(i) = round([(row(i) - mean) @ map, ± sign] · a / (a + p(i)))

row(i) is the table's; the signs are those of the components of the state to which the layers bring the piece, in random
company: train/static.py. p is how often a piece occurs, which the vocabulary says (Arora et al., A Simple but
Tough-to-Beat Baseline for Sentence Embeddings, ICLR 2017). Whole numbers are added up, so that a sum is the same in any
order and on any processor.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from rove.models.e5.piece_lookup import PieceLookup
from rove.models.e5.tokens import MARK
from rove.models.e5.weights import PieceVocabulary, Weights

MAP = Path(__file__).with_name("map.npz")
SIGNS = Path(__file__).with_name("signs.npy")
MARK_CHARS = 8
LARGEST = 32_767
PART = 16_384
"""Pieces added up at once: `PART` · `LARGEST` fits in 32 bits."""
FIRST_PIECES = 1_024


@cache
def shipped() -> tuple[str, int]:
    """Return what tells the vectors of these files from those of others, and their dimension."""
    mark = hashlib.sha256(MAP.read_bytes() + SIGNS.read_bytes()).hexdigest()[:MARK_CHARS]
    with np.load(MAP) as file:
        return mark, int(file["map"].shape[1]) + 8 * int(np.load(SIGNS, mmap_mode="r").shape[1])


class PieceVectors:
    """Reads `map.npz` (`map` (384, n), `mean` (384,), `smoothing`, `sign`) and `signs.npy`, eight signs a byte.

    A piece's vector is made when it is first met, and kept in 16 bits a dimension. Threads may share one.
    """

    def __init__(self, weights: Weights, vocabulary: PieceVocabulary) -> None:
        with np.load(MAP) as file:
            self._map = np.asarray(file["map"], np.float64)
            self._mean = np.asarray(file["mean"], np.float64)
            self._sign = float(file["sign"])
            smoothing = float(file["smoothing"])
        self._signs: NDArray[np.uint8] = np.load(SIGNS, mmap_mode="r")
        self._weights = weights
        self._shares: NDArray[np.float64] = smoothing / (smoothing + np.exp(vocabulary.scores.astype(np.float64)))
        # The model's own signs, and a word's mark alone, say nothing.
        self._shares[vocabulary.scores == 0] = 0
        self._shares[PieceLookup(vocabulary).pieces_at(MARK, 0)[0][1]] = 0
        self.dimension = shipped()[1]
        self._place = np.full(len(vocabulary), -1, np.int32)
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
        mapped = (self._weights.words(ids).astype(np.float64) - self._mean) @ self._map
        signs = np.unpackbits(self._signs[ids], axis=1) * (2 * self._sign) - self._sign
        rows = np.concatenate([mapped, signs], axis=1) * self._shares[ids, None]
        return np.rint(rows).clip(-LARGEST, LARGEST).astype(np.int16)
