"""From what was found to one value a question: metrics of rankings, and of the exact spans where they are known."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np

from rove.errors import ConfigError, meant
from rove.evaluate.ask_all import question_key
from rove.evaluate.dataset import Dataset
from rove.evaluate.metrics import METRICS, Scores, measure
from rove.evaluate.results import Outcome
from rove.evaluate.similarity import Cosines, best_similarity, retrieval_similarity
from rove.evaluate.spans import SpanScore, score_spans
from rove.records.document import Span

SPAN_METRICS: dict[str, Callable[[SpanScore], float | None]] = {
    "span_recall": lambda score: score.recall,
    "span_whole": lambda score: score.whole,
    "span_precision": lambda score: score.precision,
    "span_iou": lambda score: score.iou,
}
"""Metrics of what was read of the words that answer; "span_recall@5" looks at the first five hits."""


NEAR_METRICS: dict[str, Callable[[Cosines], float | None]] = {
    "similarity": retrieval_similarity,
    "similarity_best": best_similarity,
}
"""Metrics of how near what was found lies to the expected documents; "similarity@3" looks at the first three hits."""


def metric_names() -> tuple[str, ...]:
    """The names of all metrics of what was found."""
    return (*METRICS.names(), *SPAN_METRICS, *NEAR_METRICS)


def need_nearness(names: Sequence[str]) -> bool:
    """Say whether any of these metrics compares what was found with what was expected."""
    return any(name.partition("@")[0] in NEAR_METRICS for name in names)


def check_metrics(names: Sequence[str]) -> None:
    """See that every metric is known.

    Raises:
        ConfigError: one is not, or its cut is no number from 1.
    """
    for name in names:
        metric, _, cut = name.partition("@")
        if metric not in SPAN_METRICS and metric not in NEAR_METRICS:
            if metric not in METRICS.names():
                message = f"There is no metric {metric!r}."
                raise ConfigError(
                    message, cure=f"{meant(metric, metric_names())}Choose among: {', '.join(metric_names())}."
                )
            measure([name], {}, {})
        elif "@" in name and not (cut.isdecimal() and int(cut)):
            message = f"The metric {name!r} has no valid cut."
            raise ConfigError(message, cure=f"Write a number of places from 1, e.g. {metric}@5.")


def score(names: Sequence[str], outcomes: Mapping[str, Outcome], dataset: Dataset, *, each_place: bool) -> Scores:
    """Score what one way of asking has found.

    Args:
        names: see `metric_names`.
        outcomes: by the name of the question (`question_key`).
        dataset: whose questions were asked.
        each_place: count every chunk of a document; else only its first.
    """
    found = {q.question_id: outcomes[question_key(q)] for q in dataset.questions if question_key(q) in outcomes}
    rankings = {question: outcome.ranking for question, outcome in found.items()}
    gold = {q.question_id: dataset.gold.get(q.question_id, {}) for q in dataset.questions}
    others = {**SPAN_METRICS, **NEAR_METRICS}
    of_rankings = [name for name in names if name.partition("@")[0] not in others]
    scores = measure(of_rankings, rankings, gold, duplicates="each" if each_place else "first")
    values = dict(scores.values)
    for name in names:
        if name not in values:
            own = _nearness_metric_value if need_nearness([name]) else partial(_span_metric_value, dataset=dataset)
            values[name] = {q: own(name, found.get(q), question=q) for q in gold}
    return Scores({name: values[name] for name in names})


def _nearness_metric_value(name: str, outcome: Outcome | None, question: str) -> float | None:
    del question
    metric, _, cut = name.partition("@")
    if outcome is None or not outcome.near:
        return None
    return NEAR_METRICS[metric](np.array(outcome.near, np.float64)[:, : int(cut) if cut else None])


def _span_metric_value(name: str, outcome: Outcome | None, *, dataset: Dataset, question: str) -> float | None:
    metric, _, cut = name.partition("@")
    gold: dict[str, list[Span]] = {}
    for own in dataset.spans.get(question, ()):
        gold.setdefault(own.document_id, []).append(own.span)
    read: dict[str, list[Span]] = {}
    for document, start, end in (outcome.places if outcome else ())[: int(cut) if cut else None]:
        read.setdefault(document, []).append((start, end))
    return SPAN_METRICS[metric](score_spans(read, gold))
