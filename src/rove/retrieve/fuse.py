"""Fusion: several ranked lists become one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum, sqrt

from rove.store import Scored


def zscores(scored: Sequence[Scored]) -> dict[str, float]:
    """Standardise the scores of one list: (score - mean) / standard deviation; all 0 where they do not differ.

    >>> zscores([("a", 3.0), ("b", 1.0)])
    {'a': 1.0, 'b': -1.0}
    """
    if not scored:
        return {}
    values = [score for _, score in scored]
    mean = fsum(values) / len(values)
    deviation = sqrt(fsum((value - mean) ** 2 for value in values) / len(values))
    return {name: (score - mean) / deviation if deviation > 1e-12 else 0.0 for name, score in scored}


def zscore_sum(lists: Mapping[str, Sequence[Scored]]) -> list[Scored]:
    """Fuse lists by the sum of their z-scores; one that lacks a chunk gives it the list's lowest. Ties by id.

    Unlike ranks, scores tell a list that knows from one that guesses: where no query word occurs in any chunk, the
    keyword list is empty and the semantic order stands.

    >>> zscore_sum({"keyword": [("a", 9.0), ("b", 1.0)], "semantic": [("b", 0.9), ("c", 0.1)]})
    [('a', 0.0), ('b', 0.0), ('c', -2.0)]
    """
    standard = [zscores(scored) for scored in lists.values() if scored]
    names = {name for scores in standard for name in scores}
    floors = [min(scores.values()) for scores in standard]
    fused = [(n, sum(s.get(n, low) for s, low in zip(standard, floors, strict=True))) for n in names]
    return sorted(fused, key=lambda scored: (-scored[1], scored[0]))


def reciprocal_rank_fusion(rankings: Sequence[Sequence[str]], *, k: int = 60) -> list[Scored]:
    """Fuse rankings by reciprocal rank (Cormack et al., SIGIR 2009).

    score(d) = Σ over rankings of 1 / (k + rank), rank from 1; absent counts 0. Ties by id.

    >>> reciprocal_rank_fusion([["a", "b"], ["b"]], k=1)
    [('b', 0.8333333333333333), ('a', 0.5)]
    """
    scores: dict[str, float] = {}
    for ranking in rankings:
        for rank, name in enumerate(ranking, start=1):
            scores[name] = scores.get(name, 0.0) + 1 / (k + rank)
    return sorted(scores.items(), key=lambda scored: (-scored[1], scored[0]))
