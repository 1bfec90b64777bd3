"""Cosines by 8 bits of each number, the upper half of what is kept of it: a scan of them reads half of the bytes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from math import sqrt

import numpy as np
from numpy.typing import NDArray
from simsimd import cdist

from rove.store import Vector

Floats = NDArray[np.float32]
Bytes = NDArray[np.int8]
Run = tuple[Bytes, Floats]
"""Codes, (n, dimension), one after the other in memory, and their scales, (n,): vector ≈ scale · (code + ½)."""
LEVELS = 127
MIDDLE = 0.5
"""Codes are cut off, and not rounded: what is meant lies in the middle of a step."""
SIGMAS = 6.0
"""A vector is compared in full if its approximate cosine is below the edge by so many standard deviations at most."""
CORES = os.cpu_count() or 1
PARALLEL_FROM = 20_000
THREADS = ThreadPoolExecutor(CORES, thread_name_prefix="rove-nearest")


class AskedCode:
    """A query vector in 8 bits, to be compared with codes."""

    def __init__(self, vector: Vector) -> None:
        self._scale = float(np.abs(vector).max(initial=0)) / LEVELS or 1.0
        self._code = np.rint(vector[None] / np.float32(self._scale)).astype(np.int8)
        self._offset = np.float32(MIDDLE * float(self._code.sum(dtype=np.int64)))

    def margin(self, coarsest: float) -> float:
        """Return how far rounding moves a cosine, `SIGMAS` standard deviations, where no scale is above `coarsest`."""
        return SIGMAS * sqrt((coarsest**2 + self._scale**2) / 12)

    def cosines(self, runs: Sequence[Run]) -> Floats:
        """Return the approximate cosines to all vectors of the runs, (n,), in their order. Many use all cores."""
        count = sum(len(scales) for _, scales in runs)
        found = np.empty(count, np.float32)
        if count < PARALLEL_FROM:
            self._scan(runs, found)
        else:
            shares = _split_runs_evenly(runs, -(-count // CORES))
            ends = np.cumsum([sum(len(scales) for _, scales in share) for share in shares])
            list(THREADS.map(self._scan, shares, np.split(found, ends[:-1])))
        return found

    def _scan(self, runs: Sequence[Run], found: Floats) -> None:
        at = 0
        for codes, scales in runs:
            end = at + len(codes)
            np.add(np.asarray(cdist(self._code, codes, metric="dot"))[0], self._offset, out=found[at:end])
            found[at:end] *= scales
            at = end
        found *= self._scale


def _split_runs_evenly(runs: Sequence[Run], size: int) -> list[list[Run]]:
    """Share runs out: `size` rows to each, in their order; a run is cut where a share is full."""
    shares: list[list[Run]] = [[]]
    room = size
    for codes, scales in runs:
        while len(codes):
            if not room:
                shares.append([])
                room = size
            shares[-1].append((codes[:room], scales[:room]))
            took = min(room, len(codes))
            codes, scales = codes[took:], scales[took:]
            room -= took
    return shares
