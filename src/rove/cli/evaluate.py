"""`rove eval`: how well one configuration finds and answers, and how long it takes."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rove.cli.session import Session
from rove.engine import AsyncRove
from rove.errors import InputError, count_text
from rove.evaluate.answering import AnswerScores, answer_all, answered, together
from rove.evaluate.configuration import Configuration
from rove.evaluate.cost import Price
from rove.evaluate.dataset import Dataset, read_dataset
from rove.evaluate.dataset.resolve import resolve
from rove.evaluate.lab import Lab
from rove.evaluate.metrics import Scores
from rove.evaluate.one_configuration import ConfigurationScores, evaluate
from rove.evaluate.plan import Way
from rove.evaluate.results import AnswerOutcome, Ingested
from rove.evaluate.scoring import check_metrics, metric_names
from rove.evaluate.sources import documents_of
from rove.evaluate.sweep import ingest
from rove.registry import load_extra
from rove.retrieve.condition import parse_where
from rove.settings import read_settings

METRICS_OF_ONE = ("ndcg@10", "recall@10", "rr", "hit@1", "all@10")
METRIC_NAMES = f"Metric, e.g. ndcg@10; several: repeat it. There are: {', '.join(metric_names())}."
NAME = "this"


def eval_(session: Session, dataset: str, **said: Any) -> None:  # noqa: ANN401 - click's values
    """Run `rove eval`."""
    call = _Eval(**said)
    check_metrics(call.metrics)
    parse_where(call.where)
    asyncio.run(_eval(session, dataset, call))


@dataclass(frozen=True, slots=True)
class _Eval:
    """What the command line said."""

    out: str | None
    metrics: tuple[str, ...]
    mode: str
    rerank: bool | None
    where: tuple[str, ...]
    top_k: int
    limit: int | None
    answers: bool
    price: tuple[float, float] | None
    parquet: str | None


async def dataset_of(session: Session, name: str, limit: int | None, *, documents: bool = True) -> Dataset:
    """Read a dataset; where it has no documents, those of the base are taken, and its expected sources are found there.

    Raises:
        InputError: it is missing or malformed, no dataset is named, or a source is not in the base.
    """
    if not name:
        message = "No dataset is named, neither here nor in the grid."
        raise InputError(message, cure="Give a folder with corpus, queries and qrels, or a CSV of questions.")
    data = read_dataset(name)
    if limit is not None and limit < len(data.questions):
        step = len(data.questions) / limit
        data = replace(data, questions=tuple(data.questions[int(i * step)] for i in range(limit)))
    if data.sources or not any(True for _ in data.documents):
        async with AsyncRove(read_settings(session.location, **session.settings), create=False) as kb:
            data = resolve(data, await kb.documents())
            data = replace(data, documents=await documents_of(kb) if documents else ())
    return data


async def _eval(session: Session, dataset: str, call: _Eval) -> None:
    data = await dataset_of(session, dataset, call.limit, documents=False)
    own = not data.sources
    place = Path(call.out or f"eval-{data.name}") / "base" if own else session.location
    lab = Lab.open(read_settings(place, **session.settings))
    configuration = Configuration(NAME, {}, session.settings, call.mode, call.rerank, call.where, call.top_k)
    try:
        base = await ingest(lab, data.documents) if own else None
        found = await evaluate(lab, data, configuration, call.metrics)
        answers = await _score_answers(lab, data, configuration) if call.answers else None
    finally:
        await lab.close()
    if call.parquet:
        scores = together(found.scores, answers.scores, data) if answers else found.scores
        write_rows = load_extra("rove.evaluate.parquet_rows:write_rows", "parquet", "--parquet")
        write_rows(Path(call.parquet), data, {NAME: scores}, {NAME: found.outcomes}, {})
    price = Price(*call.price) if call.price else None
    if session.output.as_json:
        session.output.json({**summary(data, found, base), **(answers_summary(answers, price) if answers else {})})
        return
    show_one(session, data, found, base)
    if answers:
        show_answers(session, answers, price)


async def _score_answers(lab: Lab, data: Dataset, configuration: Configuration) -> AnswerScores:
    given: dict[str, AnswerOutcome] = {}

    def keep(outcomes: Sequence[AnswerOutcome]) -> None:
        given.update((outcome.question, outcome) for outcome in outcomes)

    await answer_all(lab, [Way(NAME, configuration)], data, (), keep)
    return answered(given, data)


def summary(data: Dataset, found: ConfigurationScores, base: Ingested | None) -> dict[str, object]:
    """What was found, as JSON."""
    errors = {o.question: o.error for o in found.outcomes.values() if o.error}
    report = {"dataset": data.name, "questions": len(data.questions), "metrics": _metrics(found.scores)}
    return {**report, "latency_s": found.latency, "base": base, "errors": errors}


def answers_summary(answered: AnswerScores, price: Price | None) -> dict[str, object]:
    """What was answered, as JSON."""
    cost = price.of(answered.usage) if price else None
    tokens = {"usage": answered.usage, "judging": answered.judging, "cost": cost}
    return {"answers": {"metrics": _metrics(answered.scores), "latency_s": answered.latency,
                        "graded_by": answered.graded_by, **tokens}}  # fmt: skip


def _metrics(scores: Scores) -> dict[str, object]:
    return {name: {"mean": scores.mean(name), "scored": scores.coverage(name).scored} for name in scores.values}


def show_one(session: Session, data: Dataset, found: ConfigurationScores, base: Ingested | None) -> None:
    """Print what one configuration has reached."""
    output, scores = session.output, found.scores
    output.line(f"{data.name}: {count_text(len(data.questions), 'question')}", style="bold")
    rows = [(name, _format_score(scores.mean(name)), str(scores.coverage(name))) for name in scores.values]
    output.table(["metric", "mean", "questions scored"], rows)
    if found.latency:
        output.line(f"A search takes {found.latency.p50 * 1000:.1f} ms (p50), {found.latency.p95 * 1000:.1f} ms (p95).")
    if base:
        output.line(
            f"{count_text(base.documents, 'document')} in {count_text(base.chunks, 'chunk')}, "
            f"added in {base.seconds:.1f} s."
        )
    for error in dict.fromkeys(outcome.error for outcome in found.outcomes.values() if outcome.error):
        output.line(f"Not asked: {error}")


def show_answers(session: Session, answered: AnswerScores, price: Price | None) -> None:
    """Print what the answers are worth, how long they took, and what the chat model used."""
    output, scores, usage = session.output, answered.scores, answered.usage
    output.line()
    rows = [(name, _format_score(scores.mean(name)), str(scores.coverage(name))) for name in scores.values]
    output.table(["answers", "mean", "questions scored"], rows)
    if answered.graded_by:
        output.line(f"Relevancy was graded by {answered.graded_by}.")
    if answered.latency:
        output.line(f"An answer takes {answered.latency.p50:.2f} s (p50), {answered.latency.p95:.2f} s (p95).")
    if usage.requests:
        cost = f", which costs {price.of(usage):.4f}" if price else ""
        about = "about " if usage.estimated else ""
        output.line(
            f"{count_text(usage.requests, 'call')}: {about}{usage.input_tokens} tokens read, "
            f"{usage.output_tokens} written{cost}"
        )


def _format_score(value: float | None) -> str:
    return "cannot be scored" if value is None else f"{value:.4f}"
