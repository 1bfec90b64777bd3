"""The best by a sum of parts without working out every sum: MaxScore (Turtle & Flood, Query Evaluation, 1995)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]
Number = TypeVar("Number", bound=np.generic)
MARGIN = 1 - 1e-4
"""Bounds are worked out in float32; what is under the floor by less than that is looked at."""

WORTH = 4_096
"""Units of which it pays to know that they need no look."""


class Part(Protocol):
    """What one term gives to units: rows, or documents with all their rows."""

    bound: float
    """The most that it gives to any."""
    count: int
    """How many units it gives to, about."""

    def above(self, floor: float) -> tuple[Ints, Floats]:
        """The units to which it gives at least `floor`, ascending, and what it gives them at most."""
        ...

    def to(self, units: Ints) -> Floats:
        """What it gives at most to each of these units, which ascend."""
        ...


class Scorer(Protocol):
    """Works out in full what units come to."""

    def scored(self, units: Ints) -> tuple[NDArray[Any], Floats]:
        """The rows of these units, which ascend, that have any of the terms, and their scores."""
        ...


def best(parts: Sequence[Part], scorer: Scorer, top_k: int, tried: int) -> tuple[NDArray[Any], Floats]:
    """Return rows and scores, unordered: at least the `top_k` best and all that tie with the last, or all there are.

    So many units as are `tried` are scored in full early, so that it is known what the others have to reach.
    """
    parts = sorted(parts, key=lambda part: -part.bound)
    rest = [*accumulate([0.0, *(part.bound for part in reversed(parts))])][::-1]
    ahead = [*(part.count for part in parts[1:]), 0]
    units, sums = np.zeros(0, np.int32), np.zeros(0, np.float32)
    floor = 0.0
    for at, part in enumerate(parts):
        if rest[at] >= floor:
            units, sums = _with(part, units, sums, floor - rest[at + 1])
        elif len(units) > WORTH:
            sums = sums + part.to(units)
        else:
            break
        if max(len(units), ahead[at]) > WORTH:
            floor = max(floor, _floor(scorer, _highest(units, sums, tried), top_k))
        near = sums + np.float32(rest[at + 1]) >= floor
        units, sums = units[near], sums[near]
    return scorer.scored(units)


def _floor(scorer: Scorer, units: Ints, top_k: int) -> float:
    """What the best have to reach, given that these units are among those to choose from."""
    scores = scorer.scored(units)[1]
    edge = len(scores) - top_k
    return float(np.partition(scores, edge)[edge]) * MARGIN if edge >= 0 else 0.0


def _with(part: Part, units: Ints, sums: Floats, floor: float) -> tuple[Ints, Floats]:
    """Add what a part gives: to the units that are in the running, and the units that it brings in."""
    new, gains = part.above(floor)
    if not len(units):
        return new, gains
    sums = sums + part.to(units)
    fresh = np.ones(len(new), bool)
    fresh[common(units, new)[1]] = False
    units, sums = np.concatenate([units, new[fresh]]), np.concatenate([sums, gains[fresh]])
    order = np.argsort(units, kind="stable")
    return units[order], sums[order]


def _highest(units: Ints, sums: Floats, count: int) -> Ints:
    """So many of the units with the highest sums, ascending."""
    if len(units) <= count:
        return units
    return np.sort(units[np.argpartition(sums, len(sums) - count)[len(sums) - count :]])


def common(a: NDArray[Number], b: NDArray[Number]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return where what two arrays have in common stands in each; both ascend and have nothing twice.

    >>> [places.tolist() for places in common(np.array([2, 5, 7]), np.array([5, 6, 7, 9]))]
    [[1, 2], [0, 2]]
    """
    if len(a) > len(b):
        there, here = common(b, a)
        return here, there
    at = b.searchsorted(a)
    here = (b.take(at, mode="clip") == a).nonzero()[0]
    return here, at[here]
