"""The report of a finished evaluation, as JSON and as a page, and its line in the list of evaluations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rove.evaluate.answering import AnswerLine
from rove.evaluate.ask_all import question_key
from rove.evaluate.compare import PairedComparison, bootstrap
from rove.evaluate.dataset import Dataset
from rove.evaluate.machine import machine_facts
from rove.evaluate.metrics import Scores
from rove.evaluate.report.plots import best_line
from rove.evaluate.report.report_page import report_html
from rove.evaluate.study import Study, StudyLine
from rove.serve.evaluations.schema import (
    AnswersOut,
    BesideOut,
    EvaluationOut,
    FoundOut,
    MeanOut,
    ReportOut,
    RowOut,
    WayIn,
    WorstOut,
)

MOST_WORST = 30
MOST_FOUND = 3


@dataclass(frozen=True, slots=True)
class FinishedEvaluation:
    """What is to be kept: bytes of JSON and HTML, and the record with its headline."""

    record: EvaluationOut
    report: bytes
    page: bytes


def finish_report(
    record: EvaluationOut, study: Study, dataset: Dataset, titles: Mapping[str, str]
) -> FinishedEvaluation:
    """Make the report. `dataset` has the gold; `titles`: the documents' titles, by id."""
    metric = study.grid.metrics[0]
    best = best_line(study.lines, metric)
    if best.means[metric] == study.baseline.means[metric]:
        best = study.baseline
    ways = {way.name: way for way in record.configurations}
    rows = {line.name: _study_row_out(line, ways[line.name], study.scores[line.name]) for line in study.lines}
    report = ReportOut(
        baseline=study.grid.baseline,
        best=best.name,
        metrics=study.grid.metrics,
        questions=len(study.questions),
        documents=study.documents,
        rows=tuple(rows.values()),
        worst=tuple(_worst(study, dataset, best.name, titles)),
        answers=tuple(_answer_line_out(line) for line in study.answers),
    )
    told = record.model_copy(update={"best": best.name, "headline": rows[best.name].means})
    return FinishedEvaluation(
        told, report.model_dump_json().encode(), report_html(study, machine_facts()).encode("utf-8", "replace")
    )


def _study_row_out(line: StudyLine, way: WayIn, scores: Scores) -> RowOut:
    latency = line.latency
    return RowOut(
        configuration=way,
        means=tuple(_metric_mean_out(metric, values) for metric, values in scores.values.items()),
        beside={
            metric: _metric_difference_out(found, line.p_values[metric])
            for metric, found in line.beside.items()
            if found
        },
        p50_ms=latency.p50 * 1000 if latency else None,
        p95_ms=latency.p95 * 1000 if latency else None,
        errors=line.errors,
        same_as=line.same_as,
    )


def _answer_line_out(line: AnswerLine) -> AnswersOut:
    one, latency = line.answered, line.answered.latency
    return AnswersOut(
        configurations=line.names,
        means=tuple(_metric_mean_out(metric, values) for metric, values in one.scores.values.items()),
        beside={metric: _metric_difference_out(found, line.p_values[metric]) for metric, found in line.beside.items()},
        p50_s=latency.p50 if latency else None,
        p95_s=latency.p95 if latency else None,
        calls=one.usage.requests,
        tokens_read=one.usage.input_tokens,
        tokens_written=one.usage.output_tokens,
        estimated=one.usage.estimated or one.judging.estimated,
        judge_calls=one.judging.requests,
        judge_tokens=one.judging.input_tokens + one.judging.output_tokens,
        graded_by=one.graded_by,
        errors=one.errors,
    )


def _metric_difference_out(found: PairedComparison, p_value: float) -> BesideOut:
    difference = found.difference
    return BesideOut(mean=difference.mean, low=difference.low, high=difference.high, p_value=p_value)


def _metric_mean_out(metric: str, values: Mapping[str, float | None]) -> MeanOut:
    known = [value for value in values.values() if value is not None]
    interval = bootstrap(known)
    return MeanOut(
        metric=metric,
        mean=interval.mean if interval else None,
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        scored=len(known),
        asked=len(values),
    )


def _worst(study: Study, dataset: Dataset, best: str, titles: Mapping[str, str]) -> list[WorstOut]:
    """The questions with the lowest values of the best configuration, those with a full score left out."""
    metric = study.grid.metrics[0]
    values = study.scores[best].values[metric]
    low = sorted((value, name) for name, value in values.items() if value is not None and value < 1.0)
    asked = {question.question_id: question for question in dataset.questions}
    found: list[WorstOut] = []
    for _, name in low[:MOST_WORST]:
        outcome = study.outcomes[best].get(question_key(asked[name]))
        expected = dataset.sources.get(name, ())
        found.append(
            WorstOut(
                question_id=name,
                question=asked[name].text,
                expected=tuple(titles.get(source) or source for source in expected),
                found=_top_documents_out(outcome.ranking if outcome else (), dataset.gold.get(name, {}), titles),
                values={one: scores.values[metric].get(name) for one, scores in study.scores.items()},
                error=outcome.error if outcome else "",
            )
        )
    return found


def _top_documents_out(
    ranking: Sequence[str], grades: Mapping[str, int], titles: Mapping[str, str]
) -> tuple[FoundOut, ...]:
    first = list(dict.fromkeys(ranking))[:MOST_FOUND]
    return tuple(
        FoundOut(document_id=name, title=titles.get(name) or name, expected=grades.get(name, 0) > 0) for name in first
    )
