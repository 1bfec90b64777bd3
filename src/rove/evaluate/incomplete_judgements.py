"""Metrics for incomplete judgements: the share of a ranking that was judged, and bpref, which leaves out the rest."""

from __future__ import annotations

from rove.evaluate.judged import JudgedRanking


def judged_share(judged: JudgedRanking) -> float | None:
    """Places whose document was judged / places filled. Range 0 … 1. None: nothing was found.

    Read every other metric beside it: what was not judged counts as not relevant there.

    >>> judged_share(JudgedRanking(["a", "x"], {"a": 0}, frozenset()))
    0.5
    """
    top = judged.top
    return sum(name in judged.grades for name in top) / len(top) if top else None


def bpref(judged: JudgedRanking) -> float | None:
    """Bpref = (1/R) Σ over relevant found: 1 − (judged irrelevant above it, at most R) / min(R, N).

    R relevant, N judged irrelevant (Buckley and Voorhees, SIGIR 2004, as trec_eval computes it). What was not judged
    is passed over. Range 0 … 1. None: nothing is relevant.

    >>> bpref(JudgedRanking(["x", "n", "a"], {"a": 1, "b": 1, "n": 0}, frozenset("ab")))
    0.0
    """
    if not judged.relevant:
        return None
    least = min(len(judged.relevant), len(judged.grades) - len(judged.relevant))
    above, total = 0, 0.0
    for name in dict.fromkeys(judged.top):
        if name in judged.relevant:
            total += 1.0 - min(above, len(judged.relevant)) / least if above else 1.0
        elif name in judged.grades:
            above += 1
    return total / len(judged.relevant)
