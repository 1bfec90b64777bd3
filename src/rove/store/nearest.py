"""Nearest neighbours: 8 bits of all rows, or of likely partitions, are scanned; the best are compared in full."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rove.store import Vector
from rove.store.blocks import ArrayInParts
from rove.store.clustering import partitioned
from rove.store.codes import AskedCode, Floats, Run
from rove.store.fixed_point import FixedVectors
from rove.store.growing import Growing, blocks_of
from rove.store.partitions import Ints, PartitionOrder, Partitions

Array = NDArray[Any]
Places = NDArray[np.intp]
FEW = 2_048
"""Vectors up to which all are compared in float32."""
MANY = 32_768
"""Where a filter keeps so many vectors at most, all their codes are scanned, partitions or not."""
FIRST = 8_192
"""Vectors that are scanned first where all are: what may be among the best of these is not kept of the rest."""
LEAST = 32
"""So many at least are looked for in partitions: whether a check finds none of fewer says too little."""
PARTITIONED_FROM = 1 << 21
"""Vectors from which on there are partitions. Below, what is found is exact, and so the same on every machine."""


class Nearest:
    """Unit vectors in rows, in 16 bits a number, of which the upper 8 are scanned.

    A scan is bound by memory, and so four times as fast as one of float32. It moves a cosine by about 0.001, which is
    known; all rows that could be among the best in spite of it are compared in full: `FixedVectors`.

    A vector stands at its row, unless there are partitions: then all are in the order of `Partitions`, and rows that
    were added since come at the end. Where a vector stands is called its position.
    """

    def __init__(self, dimension: int, *, partitioned_from: int = PARTITIONED_FROM) -> None:
        self.vectors = FixedVectors(dimension)
        """All rows: an index array or a slice gives (n, dimension) float32."""
        self._coarsest = 0.0
        self._partitions: Partitions | None = None
        self._partitioned_from = partitioned_from

    @property
    def count(self) -> int:
        """Number of rows."""
        return len(self.vectors)

    def extend(self, vectors: Floats) -> None:
        """Add rows: (n, dimension) float32, of unit length."""
        before = self.count
        self.vectors.extend(vectors)
        added = self.vectors.scales(np.arange(before, self.count))
        self._coarsest = max(self._coarsest, float(added.max(initial=0)))

    def packed(self, keep: NDArray[np.bool_]) -> dict[str, Array | ArrayInParts]:
        """Return the arrays that `restore` takes, of the rows to keep, (count,) bool; in parts where they are many."""
        rows = np.flatnonzero(keep)
        held = self.vectors
        positions = held.positions(rows)
        more = dict[str, Array]()
        if len(rows) >= self._partitioned_from:
            made = partitioned(held, rows, self._labels()[positions], self._partitions)
            positions, more = positions[made.order], made.arrays()
        return {
            "upper": _gather_rows_in_blocks(held.upper, positions),
            "lower": _gather_rows_in_blocks(held.lower, positions),
            "exponents": held.exponents[positions],
            **more,
        }

    def restore(self, arrays: Mapping[str, Array]) -> None:
        """Hold what `packed` returned, without a copy."""
        self._partitions = Partitions.of(arrays)
        order = self._partitions.order if self._partitions else None
        self.vectors.begin(arrays["upper"], arrays["lower"], arrays["exponents"], order)
        self._coarsest = float(self.vectors.scales().max(initial=0))

    def best(
        self, vector: Vector, top_k: int, keep: NDArray[np.bool_] | None = None, *, exact: bool = False
    ) -> tuple[Places, Floats]:
        """Return rows and their cosines to `vector`, unordered: at least the `top_k` best, or all there are.

        Args:
            vector: (dimension,) float32, unit length.
            top_k: how many are wanted.
            keep: (count,) bool, the rows to choose from; all by default.
            exact: scan all partitions. Otherwise, one of the best is missed now and then where there are partitions.
        """
        kept = self.count if keep is None else int(np.count_nonzero(keep))
        if kept <= max(FEW, 2 * top_k):
            rows = np.arange(self.count) if keep is None else np.flatnonzero(keep)
        else:
            rows = self.vectors.rows(self._likely(vector, top_k, keep, kept, exact=exact))
        return rows, np.vecdot(self.vectors[rows], vector).clip(-1, 1)  # unit vectors are rounded

    def _likely(self, vector: Vector, top_k: int, keep: NDArray[np.bool_] | None, kept: int, *, exact: bool) -> Places:
        """Return the positions of the rows that may be among the `top_k` best."""
        asked = AskedCode(vector)
        whole = exact or self._partitions is None or self.count < self._partitioned_from
        likely = _Likely(top_k if whole else max(top_k, LEAST), asked.margin(self._coarsest))
        keep = None if keep is None else self._by_position(keep)
        if keep is not None and kept <= self.count // 8 and (whole or kept <= MANY):
            positions = np.flatnonzero(keep)
            for block in blocks_of(kept):
                at = positions[block]
                cosines = asked.cosines([(self.vectors.upper[at], self.vectors.scales(at))])
                near = likely.near(cosines)
                likely.take(at[near], cosines[near])
        elif self._partitions is None or whole:
            first = min(FIRST, self.count)
            self._scan(likely, asked, [(0, first)], keep)
            self._scan(likely, asked, [(first, self.count)], keep)
        else:
            self._go_through(self._partitions, likely, asked, vector, keep)
        return likely.positions

    def _go_through(
        self,
        partitions: Partitions,
        likely: _Likely,
        asked: AskedCode,
        vector: Vector,
        keep: NDArray[np.bool_] | None,
    ) -> None:
        """Scan what was added since, then the partitions where the best may be."""
        starts = partitions.starts
        held = int(starts[-1])
        self._scan(likely, asked, [(held, self.count)], keep)
        order = PartitionOrder(partitions, vector, partitions.sizes if keep is None else partitions.counts(keep[:held]))
        while len(chosen := order.next(likely.edge, likely.top_k, found=likely.found)):
            chosen.sort()
            begins = np.flatnonzero(np.diff(chosen, prepend=-2) > 1)  # neighbours are scanned as one
            ends = np.append(begins[1:], len(chosen)) - 1
            spans = zip(starts[chosen[begins]].tolist(), starts[chosen[ends] + 1].tolist(), strict=True)
            self._scan(likely, asked, list(spans), keep)

    def _scan(
        self, likely: _Likely, asked: AskedCode, spans: list[tuple[int, int]], keep: NDArray[np.bool_] | None
    ) -> None:
        """Take in what in these spans is kept, by approximate cosines."""
        runs: list[Run] = []
        for first, end in spans:
            runs += self.vectors.runs(first, end)
        cosines = asked.cosines(runs)
        near = likely.near(cosines)
        firsts, ends = np.array(spans, np.intp).T
        begins = np.cumsum(ends - firsts) - (ends - firsts)
        positions = near + (firsts - begins)[begins.searchsorted(near, "right") - 1]
        if keep is not None:
            kept = keep[positions]
            near, positions = near[kept], positions[kept]
        likely.take(positions, cosines[near])

    def _by_position(self, keep: NDArray[np.bool_]) -> NDArray[np.bool_]:
        if not self._partitions:
            return keep
        order = self._partitions.order
        return np.concatenate([keep.take(order), keep[len(order) :]])

    def _labels(self) -> Ints:
        """Return the partition at each position, or -1."""
        labels = np.full(self.count, -1, np.int32)
        if self._partitions:
            labels[: len(self._partitions.order)] = self._partitions.labels()
        return labels


class _Likely:
    """The positions that may be among the `top_k` best of all that were scanned; `edge`: the cosine of the last."""

    def __init__(self, top_k: int, margin: float) -> None:
        self.top_k = top_k
        self.positions: Places = np.zeros(0, np.intp)
        self.edge = -2.0
        self.found = False
        """Whether any of those that were taken in last is among the best now."""
        self._cosines: Floats = np.zeros(0, np.float32)
        self._margin = margin

    def near(self, cosines: Floats) -> Places:
        """Which of these approximate cosines may be among the best."""
        return np.flatnonzero(cosines >= self.edge - self._margin)

    def take(self, positions: Places, cosines: Floats) -> None:
        """Take in positions that were not scanned before and are `near`, with their approximate cosines."""
        fresh = cosines
        positions = np.concatenate([self.positions, positions])
        cosines = np.concatenate([self._cosines, cosines])
        if len(cosines) >= self.top_k:
            self.edge = float(np.partition(cosines, -self.top_k)[-self.top_k])
            near = np.flatnonzero(cosines >= self.edge - self._margin)
            positions, cosines = positions[near], cosines[near]
        self.found = bool((fresh >= self.edge).any())
        self.positions, self._cosines = positions, cosines


def _gather_rows_in_blocks(rows: Growing[np.int8] | Growing[np.uint8], chosen: Places) -> ArrayInParts:
    """These rows, in this order, as blocks. Rows that are added meanwhile do not matter."""

    def parts() -> Iterator[Array]:
        for block in blocks_of(len(chosen)):
            yield rows[chosen[block]]

    dtype: np.dtype[Any] = np.dtype(rows.dtype)
    return ArrayInParts((len(chosen), *rows.shape[1:]), dtype, parts)
