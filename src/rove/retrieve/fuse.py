"""Fusion: several ranked lists become one. Pure functions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from math import fsum, sqrt
from operator import neg

from rove.settings import SearchSettings
from rove.store import Scored
from rove.store.search_lists import SearchLists

KEYWORD_WEIGHT = 8.0
"""The best keyword hit that has every word of the question, in standard deviations of the semantic list."""
OUTSTANDING, MOST_BOOST = 4.0, 2.0
"""How far above its list's mean, in standard deviations, the best keyword hit stands from which on the keywords count
for more, and how many times as much at most: docs/decisions/050-tools.md."""
LONG_ENOUGH = 10
"""Hits of a list, from which on its deviation says something."""
DOCUMENT_WEIGHT = 0.25
"""What its document counts beside a passage's own cosine: docs/decisions/025-documents.md."""


def fused(lists: SearchLists, settings: SearchSettings) -> list[Scored]:
    """Fuse by the rule of `FUSIONS` that the settings name."""
    return FUSIONS[settings.fusion](lists, settings)


def adaptive(lists: SearchLists) -> list[Scored]:
    """Fuse by how much the keywords know: each list in its own unit, the keywords by the root of their coverage.

    score(c) = trust · (near(c) - lowest) / σ + KEYWORD_WEIGHT · √coverage · boost · BM25(c) / best BM25
    near(c) = cosine(c) + DOCUMENT_WEIGHT · nearness of its document
    boost = z(best BM25) / OUTSTANDING, from 1 to MOST_BOOST: a long question that asks for several things is covered by
    no chunk, and its words can still be sure of one.

    lowest and σ, the standard deviation, are those of the semantic list; a chunk that a list lacks adds 0 for it. Where
    the words of a question do not occur, as across languages, or only a stray one does, the meaning decides; where one
    chunk has them all, it takes much meaning to outrank it. Ties by id. Measured: docs/decisions/009-fusion.md and
    025-documents.md.

    >>> lists = {"keyword": [("a", 9.0), ("b", 3.0)], "semantic": [("b", 0.9), ("c", 0.7)]}
    >>> [name for name, _ in adaptive(SearchLists(lists, coverage=1.0))]
    ['a', 'b', 'c']
    >>> [name for name, _ in adaptive(SearchLists(lists, coverage=0.02))]
    ['b', 'a', 'c']
    """
    keyword, semantic = (lists.ranked.get(name, ()) for name in ("keyword", "semantic"))
    scores: dict[str, float] = {}
    if semantic:
        near = {name: score + DOCUMENT_WEIGHT * lists.nearness.get(name, 0.0) for name, score in semantic}
        lowest, unit = min(near.values()), _deviation(near.values())
        scores = {name: lists.trust * (score - lowest) / unit if unit else 0.0 for name, score in near.items()}
    best = max((score for _, score in keyword), default=0.0)
    weight = KEYWORD_WEIGHT * sqrt(lists.coverage) * _boost([score for _, score in keyword])
    for name, score in keyword:
        scores[name] = scores.get(name, 0.0) + (weight * score / best if best > 0 else 0.0)
    return _rank_fused_scores(scores)


def zscores(scored: Sequence[Scored], among: Sequence[Scored] | None = None) -> dict[str, float]:
    """Standardise the scores of one list: (score - mean) / standard deviation; all 0 where they do not differ.

    `among`: those whose mean and deviation these are, if not all.

    >>> zscores([("a", 3.0), ("b", 1.0)])
    {'a': 1.0, 'b': -1.0}
    """
    if not scored:
        return {}
    measured = [score for _, score in (among or scored)]
    mean, deviation = fsum(measured) / len(measured), _deviation(measured)
    return {name: (score - mean) / deviation if deviation else 0.0 for name, score in scored}


def zscore_sum(lists: SearchLists) -> list[Scored]:
    """Fuse lists by the sum of their z-scores; one that lacks a chunk gives it the list's lowest. Ties by id.

    Unlike ranks, scores tell a list that knows from one that guesses: where no query word occurs in any chunk, the
    keyword list is empty and the semantic order stands.

    >>> zscore_sum(SearchLists({"keyword": [("a", 9.0), ("b", 1.0)], "semantic": [("b", 0.9), ("c", 0.1)]}))
    [('a', 0.0), ('b', 0.0), ('c', -2.0)]
    """
    standard = [zscores(scored) for scored in lists.ranked.values() if scored]
    names = {name for scores in standard for name in scores}
    floors = [min(scores.values()) for scores in standard]
    return _rank_fused_scores({n: sum(s.get(n, low) for s, low in zip(standard, floors, strict=True)) for n in names})


def reciprocal_rank_fusion(
    rankings: Sequence[Sequence[str]], *, k: int = 60, weights: Sequence[float] = ()
) -> list[Scored]:
    """Fuse rankings by reciprocal rank (Cormack et al., SIGIR 2009).

    score(d) = Σ over rankings of weight / (k + rank), rank from 1; absent counts 0. Ties by id.

    Args:
        rankings: names, best first.
        k: how much less the first places count before the later ones.
        weights: one of each ranking; all 1 where none is given.

    >>> reciprocal_rank_fusion([["a", "b"], ["b"]], k=1)
    [('b', 0.8333333333333333), ('a', 0.5)]
    """
    scores: dict[str, float] = {}
    for ranking, weight in zip(rankings, weights or [1.0] * len(rankings), strict=True):
        for rank, name in enumerate(ranking, start=1):
            scores[name] = scores.get(name, 0.0) + weight / (k + rank)
    return _rank_fused_scores(scores)


def weighted_sum(ranked: Sequence[Sequence[Scored]], weights: Sequence[float]) -> list[Scored]:
    """Fuse lists by the weighted sum of their scores, each list scaled to 0 … 1 (min-max); absent counts 0.

    score(d) = Σ over lists of weight · (score - lowest) / (highest - lowest); a list whose scores are all the same
    gives each of its own the weight. Ties by id.

    >>> weighted_sum([[("a", 9.0), ("b", 5.0), ("c", 1.0)], [("c", 0.8)]], [0.75, 0.25])
    [('a', 0.75), ('b', 0.375), ('c', 0.25)]
    """
    scores: dict[str, float] = {}
    for scored, weight in zip(ranked, weights, strict=True):
        lowest = min((score for _, score in scored), default=0.0)
        width = max((score for _, score in scored), default=0.0) - lowest
        for name, score in scored:
            scores[name] = scores.get(name, 0.0) + weight * ((score - lowest) / width if width else 1.0)
    return _rank_fused_scores(scores)


def _by_rank(lists: SearchLists, settings: SearchSettings) -> list[Scored]:
    rankings = [[name for name, _ in scored] for scored in lists.ranked.values()]
    return reciprocal_rank_fusion(rankings, k=settings.rrf_k, weights=_weights(lists, settings))


def _by_weight(lists: SearchLists, settings: SearchSettings) -> list[Scored]:
    return weighted_sum(list(lists.ranked.values()), _weights(lists, settings))


def _weights(lists: SearchLists, settings: SearchSettings) -> list[float]:
    known = {"keyword": settings.keyword_weight, "semantic": settings.semantic_weight}
    return [known.get(name, 1.0) for name in lists.ranked]


def _boost(scores: Sequence[float]) -> float:
    """Say how much more a keyword list counts whose best stands out of it; 1 of a list too short to tell."""
    deviation = _deviation(scores) if len(scores) >= LONG_ENOUGH else 0.0
    sure = (max(scores) - fsum(scores) / len(scores)) / deviation if deviation else 0.0
    return min(max(sure / OUTSTANDING, 1.0), MOST_BOOST)


def _deviation(values: Collection[float]) -> float:
    """Return the standard deviation, 0 where the values differ by rounding only."""
    mean = fsum(values) / len(values)
    deviation = sqrt(fsum([(value - mean) ** 2 for value in values]) / len(values))
    return deviation if deviation > 1e-12 else 0.0


def _rank_fused_scores(scores: Mapping[str, float]) -> list[Scored]:
    """Return the best first, ties by id."""
    return [(name, -score) for score, name in sorted(zip(map(neg, scores.values()), scores, strict=True))]


FUSIONS: dict[str, Callable[[SearchLists, SearchSettings], list[Scored]]] = {
    "adaptive": lambda lists, _: adaptive(lists),
    "zscore": lambda lists, _: zscore_sum(lists),
    "rrf": _by_rank,
    "weighted": _by_weight,
}
