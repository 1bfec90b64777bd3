"""The best by the sum of their terms' scores, without summing for each: MaxScore (Turtle & Flood, 1995).

Turtle & Flood, "Query Evaluation: Strategies and Optimizations", Information Processing & Management 31. What is scored
is called a unit: a row, or a document with all its rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rove.store.ascending import common, distinct

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]
MARGIN = 1 - 1e-4
"""The score to reach is lowered by this factor, since bounds are worked out in float32."""

WORTH = 4_096
"""Leaving units out pays from so many on."""
RISES = 2
"""The score to reach is worked out again once the terms to come give no more than so many times what it is."""


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

    count: int
    """How many units there are, numbered from 0."""

    def scored(self, units: Ints) -> tuple[NDArray[Any], Floats]:
        """Return the rows of these units, which ascend, that have any of the terms, and their scores."""
        ...


def best(parts: Sequence[Part], scorer: Scorer, top_k: int, tried: int) -> tuple[NDArray[Any], Floats]:
    """Return rows and scores, unordered: at least the `top_k` best and all that tie with the last, or all there are.

    `tried`: how many units are scored by all terms at once, to know the score that the others have to reach.
    """
    parts = sorted(parts, key=lambda part: -part.bound)
    rest = [*accumulate([0.0, *(part.bound for part in reversed(parts))])][::-1]
    ahead = [*(part.count for part in parts[1:]), 0]
    floor = _Floor(scorer, top_k, tried)
    every = np.zeros(scorer.count, np.float32)
    held: list[Ints] = []
    postings = 0
    for at, part in enumerate(parts):
        needed = floor.score - rest[at + 1]
        if needed > 0 and part.count > postings:
            break
        units, gains = part.above(0)
        np.add.at(every, units, gains)
        held.append(units if needed <= 0 else units[gains >= needed])
        postings += len(units)
        if ahead[at] > WORTH and (not floor.score or rest[at + 1] <= RISES * floor.score):
            floor.rise(units, every.take(units))
    units = _reaching(held, every, floor.score - rest[len(held)])
    sums = every.take(units)
    for at in range(len(held), len(parts)):
        if rest[at] >= floor.score:
            units, sums = _add_term_scores(parts[at], units, sums, floor.score - rest[at + 1])
        elif len(units) > WORTH:
            sums = sums + parts[at].to(units)
        else:
            break
        if len(units) > WORTH:
            floor.rise(units, sums)
        near = sums >= floor.score - rest[at + 1]
        units, sums = units[near], sums[near]
    return scorer.scored(units)


class _Floor:
    """The score that a unit has to reach: that of the `top_k`-th of those that were tried, 0 where they are fewer."""

    def __init__(self, scorer: Scorer, top_k: int, tried: int) -> None:
        self.score = 0.0
        self._scorer = scorer
        self._top_k = top_k
        self._tried = tried
        self._known = np.zeros(0, np.int32)
        self._scores = np.zeros(0, np.float32)

    def rise(self, units: Ints, sums: Floats) -> None:
        """Try those of these units that have the highest sums of what some terms give them."""
        fresh = np.setdiff1d(_highest(units, sums, self._tried), self._known)
        self._known = np.concatenate([self._known, fresh])
        self._scores = np.concatenate([self._scores, self._scorer.scored(fresh)[1]])
        edge = len(self._scores) - self._top_k
        if edge >= 0:
            self.score = float(np.partition(self._scores, edge)[edge]) * MARGIN


def _reaching(held: Sequence[Ints], every: Floats, least: float) -> Ints:
    """Return those of the units in `held` whose sums are `least` or more, ascending."""
    near = [units[every.take(units) >= least] for units in held]
    return distinct(np.concatenate([np.zeros(0, np.int32), *near]))


def _add_term_scores(part: Part, units: Ints, sums: Floats, floor: float) -> tuple[Ints, Floats]:
    """Add a term's scores to the sums of the candidates, and the candidates that it brings in."""
    new, gains = part.above(floor)
    sums = sums + part.to(units)
    fresh = np.ones(len(new), bool)
    fresh[common(units, new)[1]] = False
    units, sums = np.concatenate([units, new[fresh]]), np.concatenate([sums, gains[fresh]])
    order = np.argsort(units, kind="stable")
    return units[order], sums[order]


def _highest(units: Ints, sums: Floats, count: int) -> Ints:
    """Return the `count` units with the highest sums."""
    if len(units) <= count:
        return units
    return units[np.argpartition(sums, len(sums) - count)[len(sums) - count :]]
