"""Metrics that ask only whether a document is relevant: reciprocal rank, recall, precision, average precision.

Source of the standard ones: trec_eval (Buckley and Voorhees), against which the tests hold them.
"""

from __future__ import annotations

from collections.abc import Sequence

from rove.evaluate.judged import JudgedRanking


def reciprocal_rank(judged: JudgedRanking) -> float | None:
    """RR = 1 / n₁, n₁ the first relevant place; 0 where none is found. Range 0 … 1. None: nothing is relevant.

    >>> reciprocal_rank(JudgedRanking(["x", "a"], {"a": 1}, frozenset("a")))
    0.5
    """
    if not judged.relevant:
        return None
    return next((1.0 / place for place in judged.positions), 0.0)


def extended_rr(judged: JudgedRanking) -> float | None:
    """Extended RR of the Pawsitive Retrieval study, K being the number of relevant ids. None: nothing is relevant.

    See `extended_reciprocal_rank`. Every occurrence of an id in the ranking counts.

    >>> extended_rr(JudgedRanking(["a", "x", "y", "b"], {"a": 1, "b": 1}, frozenset("ab")))
    0.75
    """
    return extended_reciprocal_rank(judged.positions, len(judged.relevant))


def extended_reciprocal_rank(positions: Sequence[int], relevant: int) -> float | None:
    """ExtRR = (1/K) Σ kᵢ, kᵢ = 1 where nᵢ ≤ K, else 1 / (nᵢ − K), nᵢ the relevant places from 1, K = `relevant`.

    Range 0 … 1 where each relevant item has one place; with several (chunks of one post) it can pass 1, as it did in
    the study that it comes from. None where K is 0.

    >>> extended_reciprocal_rank([1, 2, 5], 3), extended_reciprocal_rank([1, 2, 3], 1)
    (0.8333333333333334, 2.5)
    """
    if not relevant:
        return None
    return sum(1.0 if place <= relevant else 1.0 / (place - relevant) for place in positions) / relevant


def recall(judged: JudgedRanking) -> float | None:
    """Relevant ids found / all relevant ids. Range 0 … 1. None: nothing is relevant.

    >>> recall(JudgedRanking(["x", "a"], {"a": 1, "b": 1}, frozenset("ab")))
    0.5
    """
    return len(judged.first_positions) / len(judged.relevant) if judged.relevant else None


def precision(judged: JudgedRanking) -> float | None:
    """Relevant ids found / k; k is the number of places looked at, also where fewer were filled. Range 0 … 1.

    Without a cut k is the length of the ranking; an empty one has precision 0. None: nothing is relevant.

    >>> precision(JudgedRanking(["x", "a"], {"a": 1}, frozenset("a"), cut=4))
    0.25
    """
    if not judged.relevant:
        return None
    places = judged.cut or len(judged.ranking)
    return len(judged.first_positions) / places if places else 0.0


def hit(judged: JudgedRanking) -> float | None:
    """1 where any relevant id is found, else 0: its mean is the hit rate. None: nothing is relevant.

    >>> hit(JudgedRanking(["x", "a"], {"a": 1, "b": 1}, frozenset("ab")))
    1.0
    """
    return float(bool(judged.positions)) if judged.relevant else None


def all_found(judged: JudgedRanking) -> float | None:
    """1 where every relevant id is found, else 0. None: nothing is relevant.

    >>> all_found(JudgedRanking(["x", "a"], {"a": 1, "b": 1}, frozenset("ab")))
    0.0
    """
    return float(len(judged.first_positions) == len(judged.relevant)) if judged.relevant else None


def average_precision(judged: JudgedRanking) -> float | None:
    """AP = (1/R) Σ i / nᵢ over the relevant places n₁ < n₂ < …, R = all relevant ids; its mean is MAP. Range 0 … 1.

    None: nothing is relevant.

    >>> average_precision(JudgedRanking(["a", "x", "b"], {"a": 1, "b": 1}, frozenset("ab")))
    0.8333333333333333
    """
    if not judged.relevant:
        return None
    return sum(found / place for found, place in enumerate(judged.first_positions, 1)) / len(judged.relevant)
