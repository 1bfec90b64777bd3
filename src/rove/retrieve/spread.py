"""A walker on the graph of passages: where it is likely to be, when it starts at what the question asks for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp


@dataclass(frozen=True, slots=True)
class GraphLink:
    """A way from one chunk to another, and the share of walkers at `source` who take it, if they go on.

    The shares of one source add up to at most 1.
    """

    source: str
    target: str
    share: float


def chances(scores: Mapping[str, float], warmth: float) -> dict[str, float]:
    """Turn scores into chances that add up to 1: e^(score / warmth), normalised.

    >>> chances({"a": 1.0, "b": 1.0}, 1.0)
    {'a': 0.5, 'b': 0.5}
    """
    highest = max(scores.values(), default=0.0)
    raised = {name: exp((score - highest) / warmth) for name, score in scores.items()}
    total = sum(raised.values())
    return {name: value / total for name, value in raised.items()}


def spread(start: Mapping[str, float], links: Sequence[GraphLink], *, onward: float, hops: int) -> dict[str, float]:
    """Return how often each chunk is visited by a walker who follows links: personalised PageRank, cut after `hops`.

    visits = Σ over h = 0 … hops of onwardʰ · start · Wʰ, where row p of W is the shares of p's links; a walker who
    takes none of them stops.

    >>> spread({"a": 1.0}, [GraphLink("a", "b", 1.0)], onward=0.5, hops=3)
    {'a': 1.0, 'b': 0.5}
    """
    visits = dict(start)
    here = dict(start)
    for _ in range(hops):
        there: dict[str, float] = {}
        for link in links:
            if mass := here.get(link.source, 0.0):
                there[link.target] = there.get(link.target, 0.0) + onward * mass * link.share
        for name, mass in there.items():
            visits[name] = visits.get(name, 0.0) + mass
        here = there
    return visits
