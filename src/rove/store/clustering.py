"""Puts vectors into partitions: spherical k-means over a sample, then each row to the nearest mean, block by block."""

from __future__ import annotations

from dataclasses import replace
from math import isqrt

import numpy as np
from numpy.typing import NDArray

from rove.store.fixed_point import FixedVectors
from rove.store.growing import blocks_of
from rove.store.partitions import Floats, Ints, Partitions

SAMPLE = 64
"""Rows of the sample for each partition."""
ROUNDS = 8
OUTGROWN = 2
"""k-means is run anew once there are so many times as many rows as when it was last run."""
FOUND_AT_ONCE = 4_096


def partitioned(vectors: FixedVectors, rows: NDArray[np.intp], known: Ints, before: Partitions | None) -> Partitions:
    """Return partitions of some rows, which are numbered in them from 0, in the order of `rows`.

    Args:
        vectors: all vectors, (n, dimension), of unit length.
        rows: those to put in, ascending.
        known: for each of them its partition in `before`, or -1.
        before: earlier partitions, None where there are none. They are kept unless outgrown, see `OUTGROWN`.
    """
    if before is None or len(rows) > OUTGROWN * before.trained:
        before = _partitions_from_sample(vectors, rows)
        known = np.full(len(rows), -1, np.int32)
    directions = _to_unit_vectors(before.centres)
    labels = known.copy()
    sizes = np.bincount(known[known >= 0], minlength=len(directions))
    sums = before.centres * sizes[:, None].astype(np.float64)
    new = np.flatnonzero(known < 0)
    for block in blocks_of(len(new)):
        part = vectors[rows[new[block]]]
        labels[new[block]] = of = nearest_of(part, directions)
        _add_up(part, of, sums, sizes)
    centres = np.where(sizes[:, None] > 0, sums / np.maximum(sizes, 1)[:, None], directions)
    return replace(
        before,
        centres=centres.astype(np.float32),
        starts=np.concatenate([[0], sizes.cumsum()]),
        order=np.argsort(labels, kind="stable").astype(np.int32),
    )


def _partitions_from_sample(vectors: FixedVectors, rows: NDArray[np.intp]) -> Partitions:
    """Make empty partitions from a sample of the rows."""
    count = isqrt(len(rows))
    chosen = np.random.default_rng(count).choice(rows, min(len(rows), SAMPLE * count), replace=False)
    sample = vectors[np.sort(chosen)]
    centres = means_of(sample, count)
    of = nearest_of(sample, _to_unit_vectors(centres))
    axes = np.zeros((sample.shape[1], sample.shape[1]), np.float32)
    for block in blocks_of(len(sample)):
        apart = sample[block] - centres[of[block]]
        axes += apart.T @ apart / np.float32(len(sample))
    return Partitions(centres, np.zeros(count + 1, np.int64), np.zeros(0, np.int32), axes, len(rows))


def means_of(sample: Floats, count: int) -> Floats:
    """Return the means of `count` clusters of unit vectors, found by spherical k-means: (count, dimension) float32."""
    centres = sample[np.random.default_rng(count).choice(len(sample), count, replace=False)]
    for _ in range(ROUNDS):
        sums, sizes = np.zeros(centres.shape), np.zeros(count, np.int64)
        _add_up(sample, nearest_of(sample, _to_unit_vectors(centres)), sums, sizes)
        centres = np.where(sizes[:, None] > 0, sums / np.maximum(sizes, 1)[:, None], centres).astype(np.float32)
    return centres


def nearest_of(vectors: Floats, directions: Floats) -> Ints:
    """Return the index of the nearest direction, by dot product, of each vector: (n,) int32."""
    found = np.empty(len(vectors), np.int32)
    for block in blocks_of(len(vectors), FOUND_AT_ONCE):
        found[block] = (vectors[block] @ directions.T).argmax(axis=1)
    return found


def _add_up(vectors: Floats, labels: Ints, sums: NDArray[np.float64], sizes: NDArray[np.int64]) -> None:
    """Add vectors to the sums of their partitions, and to the counts."""
    order = np.argsort(labels, kind="stable")
    of, firsts, counts = np.unique(labels[order], return_index=True, return_counts=True)
    sums[of] += np.add.reduceat(vectors[order], firsts)
    sizes[of] += counts


def _to_unit_vectors(vectors: Floats) -> Floats:
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), np.float32(1e-12))
