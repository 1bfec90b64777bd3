"""Scores of rankings: metrics by name, one value or none for each question, and how many questions have one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, cast

from rove.errors import ConfigError
from rove.evaluate.judged import JudgedRanking, relevant_ids, without_repetitions
from rove.registry import Registry

Metric = Callable[[JudgedRanking], float | None]
Rankings = Mapping[str, Sequence[str]]
Gold = Mapping[str, Mapping[str, int]]
Duplicates = Literal["first", "each"]

METRICS = Registry(
    "metric",
    "rove.metrics",
    {
        "rr": "rove.evaluate.relevance:reciprocal_rank",
        "ext_rr": "rove.evaluate.relevance:extended_rr",
        "ndcg": "rove.evaluate.gain:ndcg",
        "ndcg_linear": "rove.evaluate.gain:ndcg_linear",
        "ndcg_blind": "rove.evaluate.gain:ndcg_blind",
        "ndcg_condensed": "rove.evaluate.gain:ndcg_condensed",
        "recall": "rove.evaluate.relevance:recall",
        "precision": "rove.evaluate.relevance:precision",
        "all": "rove.evaluate.relevance:all_found",
        "hit": "rove.evaluate.relevance:hit",
        "map": "rove.evaluate.relevance:average_precision",
        "judged": "rove.evaluate.incomplete_judgements:judged_share",
        "bpref": "rove.evaluate.incomplete_judgements:bpref",
    },
)


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many questions a metric could score, of how many.

    >>> str(Coverage(24, 26))
    '24/26'
    """

    scored: int
    asked: int

    def __str__(self) -> str:
        return f"{self.scored}/{self.asked}"


@dataclass(frozen=True, slots=True)
class Scores:
    """`values`: metric → question → value; None where the metric says nothing of the question. Never NaN."""

    values: Mapping[str, Mapping[str, float | None]] = field(default_factory=dict[str, Mapping[str, float | None]])

    def mean(self, metric: str, *, undefined: float | None = None) -> float | None:
        """Return the mean over the questions that have a value; None where none has.

        With `undefined`, questions without a value count as that, e.g. 0.0.
        """
        values = self.values[metric].values()
        known = [undefined if value is None else value for value in values]
        return mean([value for value in known if value is not None])

    def coverage(self, metric: str) -> Coverage:
        """Return how many questions have a value, of how many."""
        values = self.values[metric].values()
        return Coverage(sum(value is not None for value in values), len(values))


def measure(
    names: Iterable[str], rankings: Rankings, gold: Gold, *, duplicates: Duplicates = "first", least: int = 1
) -> Scores:
    """Score rankings against what is known of their documents.

    Every question of either mapping has a value or None for each metric: one without a ranking found nothing; one
    without gold cannot be scored.

    Args:
        names: metrics, each with or without a cut: "rr", "ndcg@10". See `METRICS`.
        rankings: question → document ids, best first.
        gold: question → document id → grade; 0 and less is "judged, and not relevant".
        duplicates: a repeated id (chunks of one document): "first": it is taken out before the ranking is cut, and
            what is below moves up. "each": the ranking stays as it is; "ext_rr" and "ndcg_blind" then count each
            occurrence, as the study that they come from did, and the others the first one, at its place.
        least: the lowest grade that is relevant; nDCG weighs grades below it too.

    Raises:
        ConfigError: no such metric, or a cut below 1.

    >>> scores = measure(["rr", "recall@1"], {"q": ["x", "a"], "r": ["y"]}, {"q": {"a": 1}})
    >>> scores.mean("rr"), scores.mean("recall@1"), str(scores.coverage("rr"))
    (0.5, 0.0, '1/2')
    """
    chosen = {name: parse_metric(name) for name in names}
    questions = dict.fromkeys((*gold, *rankings))
    found = {q: rankings.get(q, ()) for q in questions}
    if duplicates == "first":
        found = {q: without_repetitions(ranking) for q, ranking in found.items()}
    relevant = {q: relevant_ids(gold.get(q, {}), least) for q in questions}
    return Scores(
        {
            name: {
                q: metric(JudgedRanking(found[q], gold[q], relevant[q], cut)) if gold.get(q) else None
                for q in questions
            }
            for name, (metric, cut) in chosen.items()
        }
    )


def parse_metric(name: str) -> tuple[Metric, int | None]:
    """Return the metric and the cut of a name.

    Raises:
        ConfigError: no such metric, or a cut below 1.

    >>> parse_metric("ndcg@10")[1], parse_metric("rr")[1]
    (10, None)
    """
    metric, at, cut = name.partition("@")
    if at and not (cut.isascii() and cut.isdecimal() and int(cut)):
        message = f"The metric {name!r} has no valid cut."
        raise ConfigError(message, cure=f"Write a number of places from 1, e.g. {metric}@10.")
    return cast("Metric", METRICS.get(metric)), int(cut) if at else None


def mean(values: Sequence[float]) -> float | None:
    """Return the mean; None of no values.

    >>> mean([1.0, 0.0]), mean([])
    (0.5, None)
    """
    return sum(values) / len(values) if values else None
