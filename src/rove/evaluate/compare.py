"""Is one configuration better than another? Paired bootstrap intervals, sign-flip tests, Holm's correction, ranks.

Values are paired by question: what is hard is hard for both.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Values = Mapping[str, float | None]
Ties = Literal["mean", "best"]

RESAMPLES = 10_000
EXACT_QUESTIONS = 14  # up to here all 2^n flips of signs are tried
SLAB_CELLS = 4_000_000
ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Interval:
    """`mean` and the bounds of its confidence interval. `questions`: how many values it rests on."""

    mean: float
    low: float
    high: float
    questions: int


@dataclass(frozen=True, slots=True)
class PairedComparison:
    """`difference`: ours − baseline. `p_value`: how often chance alone makes a difference as large, either way."""

    difference: Interval
    p_value: float


def differences(ours: Values, baseline: Values) -> NDArray[np.float64]:
    """Return ours − baseline for every question where both have a value: (n,) float64, in the order of `ours`."""
    pairs = [(value, baseline.get(question)) for question, value in ours.items()]
    return np.array([one - other for one, other in pairs if one is not None and other is not None], np.float64)


def bootstrap(
    values: Sequence[float] | NDArray[np.float64],
    *,
    confidence: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Interval | None:
    """Return the mean with its percentile bootstrap interval (Efron, 1979); give differences for a paired one.

    Questions are drawn with replacement `resamples` times; the bounds are percentiles of their means. The same seed
    gives the same bounds. None of no values; of a single one the interval is a point.

    >>> bootstrap([0.5, 0.5])
    Interval(mean=0.5, low=0.5, high=0.5, questions=2)
    """
    known = np.asarray(values, np.float64)
    if not len(known):
        return None
    generator = np.random.default_rng(seed)
    means = np.concatenate(
        [known[generator.integers(0, len(known), (rows, len(known)))].mean(1) for rows in _slabs(resamples, len(known))]
    )
    low, high = np.percentile(means, [50 * (1 - confidence), 50 * (1 + confidence)])
    return Interval(float(known.mean()), float(low), float(high), len(known))


def sign_flip(
    values: Sequence[float] | NDArray[np.float64], *, resamples: int = RESAMPLES, seed: int = 0
) -> float | None:
    """Return the two-sided p-value of the paired permutation test (Fisher's; Smucker et al., CIKM 2007).

    If the two were alike, each difference could as well have the other sign. p = the share of all flips of signs whose
    mean is at least as far from 0 as the observed one. All flips are tried where at most `EXACT_QUESTIONS` questions
    differ; beyond, p = (1 + as far) / (1 + resamples). Range: above 0 … 1. None of no values.

    >>> sign_flip([1.0, 1.0, 1.0]), sign_flip([0.0, 0.0])
    (0.25, 1.0)
    """
    known = np.asarray(values, np.float64)
    if not len(known):
        return None
    known = known[known != 0.0]
    seen = abs(float(known.sum())) - ROUNDING * (1 + float(np.abs(known).sum()))
    if len(known) <= EXACT_QUESTIONS:
        codes = np.arange(1 << len(known), dtype=np.int64)[:, None]
        flips = np.bitwise_and(np.right_shift(codes, np.arange(len(known))), 1)
        return float((np.abs((1 - 2 * flips) @ known) >= seen).mean())
    generator = np.random.default_rng(seed)
    as_far = sum(
        int((np.abs((1 - 2 * generator.integers(0, 2, (rows, len(known)))) @ known) >= seen).sum())
        for rows in _slabs(resamples, len(known))
    )
    return (1 + as_far) / (1 + resamples)


def compare(
    ours: Values, baseline: Values, *, confidence: float = 0.95, resamples: int = RESAMPLES, seed: int = 0
) -> PairedComparison | None:
    """Compare two configurations by one metric, question by question. None: no question has a value in both.

    >>> compare({"q": 1.0, "r": 0.5}, {"q": 0.5, "r": None}).difference.mean
    0.5
    """
    found = differences(ours, baseline)
    interval = bootstrap(found, confidence=confidence, resamples=resamples, seed=seed)
    p_value = sign_flip(found, resamples=resamples, seed=seed)
    return PairedComparison(interval, p_value) if interval and p_value is not None else None


def holm(p_values: Mapping[str, float]) -> dict[str, float]:
    """Adjust the p-values of several tests (Holm, 1979): the i-th least of m times m − i + 1, at most 1, never falling.

    >>> holm({"a": 0.01, "b": 0.04, "c": 0.03})
    {'a': 0.03, 'b': 0.06, 'c': 0.06}
    """
    adjusted: dict[str, float] = {}
    worst = 0.0
    for place, name in enumerate(sorted(p_values, key=lambda name: p_values[name])):
        worst = max(worst, min(1.0, p_values[name] * (len(p_values) - place)))
        adjusted[name] = worst
    return {name: adjusted[name] for name in p_values}


def ranks(values: Mapping[str, float | None], ties: Ties = "mean") -> dict[str, float]:
    """Rank configurations by one metric, 1 the highest value; what has no value stands last, tied.

    `ties`: they share the mean of their ranks, or each has the best of them, as in sports and in the Pawsitive
    Retrieval study.

    >>> ranks({"a": 0.9, "b": 0.7, "c": 0.9, "d": None})
    {'a': 1.5, 'b': 3.0, 'c': 1.5, 'd': 4.0}
    >>> ranks({"a": 0.9, "b": 0.7, "c": 0.9}, "best")
    {'a': 1.0, 'b': 3.0, 'c': 1.0}
    """
    known = [float("-inf") if value is None else value for value in values.values()]
    order = sorted(known, reverse=True)
    first = {value: place for place, value in reversed(list(enumerate(order, 1)))}
    last = {value: place for place, value in enumerate(order, 1)}
    if ties == "best":
        return {name: float(first[value]) for name, value in zip(values, known, strict=True)}
    return {name: (first[value] + last[value]) / 2 for name, value in zip(values, known, strict=True)}


def mean_ranks(by_metric: Mapping[str, Mapping[str, float | None]], ties: Ties = "mean") -> dict[str, float]:
    """Return each configuration's mean rank over the metrics: metric → configuration → value. See `ranks`.

    >>> mean_ranks({"rr": {"a": 0.9, "b": 0.7}, "ndcg": {"a": 0.5, "b": 0.6}})
    {'a': 1.5, 'b': 1.5}
    """
    tables = [ranks(values, ties) for values in by_metric.values()]
    names = dict.fromkeys(name for table in tables for name in table)
    ranked = {name: [table[name] for table in tables if name in table] for name in names}
    return {name: sum(places) / len(places) for name, places in ranked.items()}


def _slabs(rows: int, columns: int) -> Iterator[int]:
    """Cut a matrix into runs of rows that fit in memory."""
    most = max(1, SLAB_CELLS // max(columns, 1))
    while rows > 0:
        yield min(rows, most)
        rows -= most
