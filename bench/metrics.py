"""The four numbers of a run, and what "as good as" means."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from rove.evaluate import metrics
from rove.evaluate.metrics import Rankings

CUT = 10
EVEN = 0.005
NAMES = (f"ndcg_linear@{CUT}", f"recall@{CUT}", f"rr@{CUT}", f"all@{CUT}")


@dataclass(frozen=True, slots=True)
class Quality:
    """Means over the queries, 0–1. `all_found`: the share of queries with every gold document in the top 10."""

    ndcg: float
    recall: float
    mrr: float
    all_found: float


def measure(rankings: Rankings, gold: Mapping[str, Mapping[str, int]]) -> Quality:
    """nDCG@10, recall@10, MRR@10 and all@10; a query without a ranking counts 0.

    >>> measure({"q": ["x", "a"]}, {"q": {"a": 1}})
    Quality(ndcg=0.6309297535714575, recall=1.0, mrr=0.5, all_found=1.0)
    """
    scores = metrics.measure(NAMES, rankings, gold)
    return Quality(*(scores.mean(name) or 0.0 for name in NAMES))


def all_at(cut: int, rankings: Rankings, gold: Mapping[str, Collection[str]]) -> float:
    """Share of queries all of whose gold documents stand in the first `cut` places.

    >>> all_at(2, {"q": ["a", "b"], "r": ["a", "x", "b"]}, {"q": ["a", "b"], "r": ["a", "b"]})
    0.5
    """
    name = f"all@{cut}"
    return metrics.measure([name], rankings, {q: dict.fromkeys(docs, 1) for q, docs in gold.items()}).mean(name) or 0.0


def verdict(ours: float, baseline: float, *, even: float = EVEN) -> str:
    """Say how ours stands to the baseline: "=" within `even`, else "+" or "−".

    >>> verdict(0.9, 0.896), verdict(0.91, 0.9), verdict(0.89, 0.9)
    ('=', '+', '−')
    """
    if abs(ours - baseline) <= even + 1e-12:
        return "="
    return "+" if ours > baseline else "−"
