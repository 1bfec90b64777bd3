"""Metrics that weigh a document's grade by its place: nDCG in its usual forms, and as one study published it.

DCG = Σ gain(gradeᵢ) / log2(i + 1), i from 1; nDCG = DCG / ideal DCG (Järvelin and Kekäläinen, TOIS 2002). The gain is
2^grade − 1 (Burges et al., ICML 2005), or the grade itself (trec_eval); both are the same where grades are 0 and 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import log2

from rove.evaluate.judged import JudgedRanking

Gain = Callable[[int], float]


def exponential(grade: int) -> float:
    """2^grade − 1; 0 below grade 1.

    >>> exponential(2), exponential(-1)
    (3.0, 0.0)
    """
    return 2.0**grade - 1.0 if grade > 0 else 0.0


def linear(grade: int) -> float:
    """Return the grade; 0 below grade 1.

    >>> linear(2), linear(-1)
    (2.0, 0.0)
    """
    return float(max(grade, 0))


def dcg(gains: Iterable[float]) -> float:
    """Σ gainᵢ / log2(i + 1), i from 1.

    >>> dcg([1.0, 0.0, 1.0])
    1.5
    """
    return sum(gain / log2(place + 1) for place, gain in enumerate(gains, 1))


def ndcg(judged: JudgedRanking) -> float | None:
    """NDCG with gain 2^grade − 1, the ideal being all graded documents, best first. Range 0 … 1.

    What was not judged gains nothing. None where no grade is above 0.

    >>> ndcg(JudgedRanking(["x", "a"], {"a": 1, "b": 0}, frozenset("a")))
    0.6309297535714575
    """
    return _ndcg_with_gain(judged, exponential)


def ndcg_linear(judged: JudgedRanking) -> float | None:
    """NDCG with the grade itself as gain, as trec_eval and ir-measures have it. Range 0 … 1. See `ndcg`.

    >>> ndcg_linear(JudgedRanking(["b", "a"], {"a": 3, "b": 1}, frozenset("ab"))) > 0.79
    True
    """
    return _ndcg_with_gain(judged, linear)


def ndcg_blind(judged: JudgedRanking) -> float | None:
    """NDCG as the Pawsitive Retrieval study published it: the ideal is the found list itself, re-sorted by grade.

    It is blind to recall: a list with one relevant document of a hundred, at its top, has 1. Every occurrence of an id
    gains. Range 0 … 1; 0 where nothing found has a grade above 0, None where no document at all has one.

    >>> ndcg_blind(JudgedRanking(["a"], {"a": 1, "b": 1}, frozenset("ab")))
    1.0
    """
    if not any(grade > 0 for grade in judged.grades.values()):
        return None
    gains = [exponential(judged.grades.get(name, 0)) for name in judged.top]
    ideal = dcg(sorted(gains, reverse=True))
    return dcg(gains) / ideal if ideal else 0.0


def ndcg_condensed(judged: JudgedRanking) -> float | None:
    """NDCG of the condensed list: what was not judged is taken out before the list is cut (Sakai, SIGIR 2007).

    A run is not punished for finding what nobody has judged; read "judged" beside it. Range 0 … 1. None where no grade
    is above 0.

    >>> ndcg_condensed(JudgedRanking(["x", "a"], {"a": 1}, frozenset("a")))
    1.0
    """
    known = [name for name in judged.ranking if name in judged.grades]
    return ndcg(JudgedRanking(known, judged.grades, judged.relevant, judged.cut))


def _ndcg_with_gain(judged: JudgedRanking, gain: Gain) -> float | None:
    ideal = dcg(sorted(map(gain, judged.grades.values()), reverse=True)[: judged.cut])
    if not ideal:
        return None
    left = dict(judged.grades)  # a repeated id gains once
    return dcg(gain(left.pop(name, 0)) for name in judged.top) / ideal
