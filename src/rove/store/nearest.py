"""Nearest vectors by brute force: a look at 8 bits of each, then the few that can matter in full."""

from __future__ import annotations

import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from math import sqrt
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from simsimd import cdist

from rove.store import Vector

Floats = NDArray[np.float32]
Bytes = NDArray[np.int8]
Number = TypeVar("Number", np.float32, np.int8)
LEVELS = 127
SIGMAS = 6.0
"""How far, in standard deviations of the rounding error, a vector may stand below the edge and still be looked at."""
CORES = os.cpu_count() or 1
PARALLEL_FROM = 20_000
THREADS = ThreadPoolExecutor(CORES, thread_name_prefix="rove-nearest")
FEW = 2_048
"""Vectors up to which the look at 8 bits does not pay."""


class Nearest:
    """Unit vectors in rows, in float32 and in 8 bits: 5 bytes a dimension.

    The scan of 8 bits is bound by memory, and so four times as fast as one of float32. Rounding moves a cosine by about
    0.0005, which is known; all rows that could be among the best in spite of it are compared in float32.
    """

    def __init__(self, dimension: int) -> None:
        self.count = 0
        self._vectors: Floats = np.zeros((0, dimension), np.float32)
        self._rounded: Bytes = np.zeros((0, dimension), np.int8)
        self._scales: Floats = np.zeros(0, np.float32)

    def extend(self, vectors: Floats) -> None:
        """Add rows: (n, dimension) float32, of unit length."""
        first, end = self.count, self.count + len(vectors)
        if end > len(self._vectors):
            room = max(end, 2 * len(self._vectors))
            self._vectors = _grown(self._vectors[:first], room)
            self._rounded = _grown(self._rounded[:first], room)
            self._scales = _grown(self._scales[:first], room)
        self._vectors[first:end] = vectors
        self._rounded[first:end], self._scales[first:end] = _round(vectors)
        self.count = end

    def packed(self, keep: NDArray[np.bool_]) -> dict[str, NDArray[Any]]:
        """Return what `restore` needs of the rows to keep, (count,) bool."""
        held = {"vectors": self._vectors, "rounded": self._rounded, "scales": self._scales}
        return {name: array[: self.count][keep] for name, array in held.items()}

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Hold what `packed` returned, without a copy."""
        self._vectors, self._rounded, self._scales = arrays["vectors"], arrays["rounded"], arrays["scales"]
        self.count = len(self._vectors)

    @property
    def vectors(self) -> Floats:
        """All rows, (count, dimension) float32."""
        return self._vectors[: self.count]

    def best(
        self, vector: Vector, top_k: int, keep: NDArray[np.bool_] | None = None
    ) -> tuple[NDArray[np.intp], Floats]:
        """Return rows and their cosines to `vector`, unordered: at least the `top_k` best, or all there are.

        `keep`: (count,) bool, the rows to choose from; all by default.
        """
        kept = self.count if keep is None else int(keep.sum())
        if kept <= max(FEW, self.count // 8, 2 * top_k):
            rows = np.arange(self.count) if keep is None else np.flatnonzero(keep)
        else:
            rows = self._likely(vector, top_k, keep)
        return rows, np.vecdot(self._vectors[rows], vector)

    def _likely(self, vector: Vector, top_k: int, keep: NDArray[np.bool_] | None) -> NDArray[np.intp]:
        """Return the rows that may be among the `top_k` best."""
        asked, scale = _round(vector[None])
        cosines = _products(asked, self._rounded[: self.count])
        cosines *= self._scales[: self.count] * scale
        if keep is not None:
            cosines[~keep] = -np.inf
        edge = np.partition(cosines, self.count - top_k)[self.count - top_k]
        coarsest = float(self._scales[: self.count].max())
        margin = SIGMAS * sqrt((coarsest**2 + float(scale[0]) ** 2) / 12)
        return np.flatnonzero(cosines >= edge - margin)


def _products(asked: Bytes, rows: Bytes) -> Floats:
    """Multiply (1, dimension) by (n, dimension): (n,) float32. Many rows are shared out to a thread per core."""

    def scan(part: Bytes) -> Floats:
        return np.asarray(cdist(asked, part, metric="dot"))[0].astype(np.float32)

    if len(rows) < PARALLEL_FROM:
        return scan(rows)
    size = -(-len(rows) // CORES)
    return np.concatenate(list(THREADS.map(scan, [rows[start : start + size] for start in range(0, len(rows), size)])))


def _round(vectors: Floats) -> tuple[Bytes, Floats]:
    """Return (n, dimension) int8 and the scale of each row, (n,) float32: vector = scale · bytes, nearly."""
    scales = np.abs(vectors).max(axis=1) / np.float32(LEVELS)
    scales[scales == 0] = 1
    return np.rint(vectors / scales[:, None]).astype(np.int8), scales


def _grown(array: NDArray[Number], room: int) -> NDArray[Number]:
    grown = np.empty((room, *array.shape[1:]), array.dtype)
    grown[: len(array)] = array
    return grown
