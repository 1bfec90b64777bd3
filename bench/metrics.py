"""The four numbers of a run, and what "as good as" means."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import ir_measures
from ir_measures import RR, R, nDCG

Rankings = Mapping[str, Sequence[str]]
CUT = 10
EVEN = 0.005


@dataclass(frozen=True, slots=True)
class Quality:
    """Means over the queries, 0–1. `all_found`: the share of queries with every gold document in the top 10."""

    ndcg: float
    recall: float
    mrr: float
    all_found: float


def measure(rankings: Rankings, gold: Mapping[str, Mapping[str, int]]) -> Quality:
    """nDCG@10, recall@10, MRR@10 (ir-measures) and all@10; a query without a ranking counts 0.

    >>> measure({"q": ["x", "a"]}, {"q": {"a": 1}})
    Quality(ndcg=0.6309297535714575, recall=1.0, mrr=0.5, all_found=1.0)
    """
    run = {q: {d: float(-i) for i, d in enumerate(rankings.get(q, ())[:CUT])} for q in gold}
    got = ir_measures.calc_aggregate([nDCG @ CUT, R @ CUT, RR @ CUT], {q: dict(g) for q, g in gold.items()}, run)
    return Quality(got[nDCG @ CUT], got[R @ CUT], got[RR @ CUT], all_at(CUT, rankings, gold))


def all_at(cut: int, rankings: Rankings, gold: Mapping[str, Collection[str]]) -> float:
    """Share of queries all of whose gold documents stand in the first `cut` places.

    >>> all_at(2, {"q": ["a", "b"], "r": ["a", "x", "b"]}, {"q": ["a", "b"], "r": ["a", "b"]})
    0.5
    """
    return sum(set(docs) <= set(rankings.get(query, ())[:cut]) for query, docs in gold.items()) / len(gold)


def verdict(ours: float, baseline: float, *, even: float = EVEN) -> str:
    """Say how ours stands to the baseline: "=" within `even`, else "+" or "−".

    >>> verdict(0.9, 0.896), verdict(0.91, 0.9), verdict(0.89, 0.9)
    ('=', '+', '−')
    """
    if abs(ours - baseline) <= even + 1e-12:
        return "="
    return "+" if ours > baseline else "−"
