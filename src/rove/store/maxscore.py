"""The best by the sum of their terms' scores, without summing for each: MaxScore (Turtle & Flood, 1995).

Turtle & Flood, "Query Evaluation: Strategies and Optimizations", Information Processing & Management 31. What is scored
is called a unit: a row, or a document with all its rows.
"""

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
"""The score to reach is lowered by this factor, since bounds are worked out in float32."""

WORTH = 4_096
"""Leaving units out pays from so many on."""


class Part(Protocol):
    """The scores that one term gives to units, or upper bounds of them."""

    bound: float
    """No unit is given more."""
    count: int
    """About how many units have the term."""

    def above(self, floor: float) -> tuple[Ints, Floats]:
        """Return the units that may be given `floor` or more, ascending, and an upper bound of the score of each."""
        ...

    def to(self, units: Ints) -> Floats:
        """Return an upper bound of the score of each of these units, which ascend."""
        ...


class Scorer(Protocol):
    """Scores units by all terms."""

    def scored(self, units: Ints) -> tuple[NDArray[Any], Floats]:
        """Return the rows of these units, which ascend, that have any of the terms, and their scores."""
        ...


def best(parts: Sequence[Part], scorer: Scorer, top_k: int, tried: int) -> tuple[NDArray[Any], Floats]:
    """Return rows and scores, unordered: at least the `top_k` best and all that tie with the last, or all there are.

    `tried`: how many units are scored by all terms early, to know the score that the others have to reach.
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
    """Return the score that a unit has to reach: that of the `top_k`-th of these, 0 where they are fewer."""
    scores = scorer.scored(units)[1]
    edge = len(scores) - top_k
    return float(np.partition(scores, edge)[edge]) * MARGIN if edge >= 0 else 0.0


def _with(part: Part, units: Ints, sums: Floats, floor: float) -> tuple[Ints, Floats]:
    """Add a term's scores to the sums of the candidates, and the candidates that it brings in."""
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
    """Return the `count` units with the highest sums, ascending."""
    if len(units) <= count:
        return units
    return np.sort(units[np.argpartition(sums, len(sums) - count)[len(sums) - count :]])


def common(a: NDArray[Number], b: NDArray[Number]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the positions, in each of two arrays, of what both have. Both ascend, and have nothing twice.

    >>> [places.tolist() for places in common(np.array([2, 5, 7]), np.array([5, 6, 7, 9]))]
    [[1, 2], [0, 2]]
    """
    if len(a) > len(b):
        there, here = common(b, a)
        return here, there
    at = b.searchsorted(a)
    here = (b.take(at, mode="clip") == a).nonzero()[0]
    return here, at[here]
