"""An inverted file of vectors (IVF): rows that are alike share a partition, so that a search need not scan all of them.

Partitions are the clusters of spherical k-means. A search takes the cosines of a partition's rows to be normally
distributed around that of its mean. So it knows how many rows above any cosine are to be expected in the partitions
that it has not scanned, and goes on until these are few. Cosines are not quite normally distributed: rows that share a
rare word with the question lie far from the mean of a partition where no row was to be expected. So the estimate is
checked: a search ends when partitions beyond those that it asked for hold none of the best.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import pi, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rove.store import Vector

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
WIDER = np.float32(1.25)
"""The standard deviation of a partition is taken to be so many times the measured one: none is quite normal."""
ROOT = sqrt(2 * pi)
LEAST_SPREAD = np.float32(1e-3)
FIRST = 8_192
"""Rows of the partitions that are scanned first."""
MISSED = 0.01
"""Share of the best that a search may be expected to miss."""
CHECKED = 0.5
"""Rows that are scanned as a check, as a share of those that were scanned before."""
LOOKED, ALL = 1 / 16, 1 / 2
"""Once a sixteenth of the rows was scanned, all are where half of them would be: rows that lie one after the other cost
half as much."""


@dataclass(frozen=True, slots=True)
class Partitions:
    """k partitions of n rows. Rows in the order of their partitions stand at positions 0 to n - 1."""

    centres: Floats
    """(k, dimension), the mean of each; not of unit length."""
    starts: Longs
    """(k + 1,), the position where each begins; the last is n."""
    order: Ints
    """(n,), the row at each position."""
    axes: Floats
    """(dimension, dimension), the covariance of the rows around the means of their partitions."""
    trained: int
    """How many rows there were when k-means was run."""

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return them as arrays, for `of`."""
        return {
            "centres": self.centres,
            "starts_of_partitions": self.starts,
            "order": self.order,
            "axes": self.axes,
            "trained": np.array([self.trained]),
        }

    @classmethod
    def of(cls, arrays: Mapping[str, NDArray[Any]]) -> Partitions | None:
        """Take over what `arrays` returned, without a copy; None where these arrays hold no partitions."""
        if "order" not in arrays:
            return None
        trained = int(arrays["trained"][0])
        return cls(arrays["centres"], arrays["starts_of_partitions"], arrays["order"], arrays["axes"], trained)

    @property
    def sizes(self) -> Longs:
        """The number of rows in each."""
        return np.diff(self.starts)

    def counts(self, keep: NDArray[np.bool_]) -> Longs:
        """Return how many positions of each partition are kept; `keep`: (n,) bool, by position."""
        before = np.concatenate([[0], np.cumsum(keep, dtype=np.int32)])
        return np.diff(before[self.starts]).astype(np.int64)

    def labels(self) -> Ints:
        """Return the partition of each position."""
        return np.repeat(np.arange(len(self.centres), dtype=np.int32), self.sizes)


class PartitionOrder:
    """The order in which one search scans partitions: those first where rows above the edge are most likely."""

    def __init__(self, partitions: Partitions, vector: Vector, left: Longs) -> None:
        """`vector`: the query. `left`: how many rows there are to choose from in each partition, (k,)."""
        self._near = partitions.centres @ vector
        self._wide = _spreads(partitions) * np.sqrt(max(float(vector @ partitions.axes @ vector), 0.0))
        self._wide = np.maximum(self._wide * WIDER, LEAST_SPREAD)
        self._left = left.astype(np.float64)
        self._count = self._left.sum()
        self._seen = 0.0
        self._checked = False

    def next(self, edge: float, top_k: int, *, found: bool) -> NDArray[np.intp]:
        """Return the partitions to scan next; none where enough was scanned.

        `edge`: the cosine that a row must have to be among the `top_k` best so far. `found`: whether the partitions
        that were scanned last hold one of these.
        """
        above = self._above(edge)
        missed = self._left * above
        open_ = np.flatnonzero(self._left > 0)
        room = max(self._seen, FIRST, 16 * top_k)
        if not self._seen:
            chosen = open_[np.argsort(-self._near[open_] - 3 * self._wide[open_], kind="stable")]
            return self._taken(chosen, room)
        chosen = open_[np.argsort(-above[open_], kind="stable")]
        rest = missed.sum() - missed[chosen].cumsum()
        enough = int((rest > MISSED * top_k).sum()) + 1 if missed.sum() > MISSED * top_k else 0
        if not enough and self._checked and not found:
            return chosen[:0]
        self._checked = not enough
        wanted = self._left[chosen[:enough]].sum() if enough else CHECKED * self._seen
        if self._seen >= LOOKED * self._count and self._seen + wanted > ALL * self._count:
            return self._taken(chosen, self._count)
        return self._taken(chosen, min(wanted, room))

    def _taken(self, chosen: NDArray[np.intp], room: float) -> NDArray[np.intp]:
        """Take the first of these partitions, of about so many rows together, at least one if there is one."""
        rows = self._left[chosen].cumsum()
        chosen = chosen[: int(rows.searchsorted(room)) + 1]
        self._seen += self._left[chosen].sum()
        self._left[chosen] = 0
        return chosen

    def _above(self, edge: float) -> NDArray[np.float64]:
        """Return an upper bound of the probability that a row of each partition is above the edge (the normal tail)."""
        far = np.maximum((edge - self._near) / self._wide, 0).astype(np.float64)
        return np.exp(-far * far / 2) / np.maximum(2, far * ROOT)


def _spreads(partitions: Partitions) -> Floats:
    """Return the standard deviation of each partition, relative to the average; of unit vectors, σ² = 1 - |mean|²."""
    squares = np.maximum(1 - np.vecdot(partitions.centres, partitions.centres), 0)
    average = float(np.average(squares, weights=partitions.sizes)) if len(squares) else 0.0
    return np.sqrt(squares / max(average, 1e-12)).astype(np.float32)
