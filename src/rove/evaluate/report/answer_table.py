"""What the answers are worth: one table, a line for each way of answering."""

from __future__ import annotations

from collections.abc import Sequence

from rove.evaluate.answering import AnswerLine
from rove.evaluate.report.intervals import interval_text
from rove.markup import Markup, tag
from rove.paper.figure import Data, table


def answers_table(lines: Sequence[AnswerLine]) -> list[Markup]:
    """Draw the lines, metrics that could score nothing left out; the difference from the first line in brackets."""
    metrics = [metric for metric in lines[0].answered.scores.values if _has_metric_scores(lines, metric)]
    headings = ["answers of", *metrics, "s for an answer (p50)", "calls", "tokens read", "tokens written"]
    rows = [_answer_table_row(line, metrics) for line in lines]
    graders = dict.fromkeys(line.answered.graded_by for line in lines if line.answered.graded_by)
    words = [f"Relevancy was graded by {'; '.join(graders)}."] if graders else []
    if errors := sum(line.answered.errors for line in lines):
        words.append(f"{errors} times a question could not be asked.")
    words.append("An answer comes of a configuration's settings and filter; its mode and top_k are those of searches.")
    return [tag("div", table(Data(headings, rows)), class_="frame"), tag("p", " ".join(words))]


def _has_metric_scores(lines: Sequence[AnswerLine], metric: str) -> bool:
    return any(line.answered.scores.coverage(metric).scored for line in lines)


def _answer_table_row(line: AnswerLine, metrics: Sequence[str]) -> tuple[str, ...]:
    one = line.answered
    cells = [_answer_metric_cell(line, metric) for metric in metrics]
    seconds = f"{one.latency.p50:.2f}" if one.latency else ""
    about = "about " if one.usage.estimated else ""
    tokens = (str(one.usage.requests), f"{about}{one.usage.input_tokens}", f"{about}{one.usage.output_tokens}")
    return (", ".join(line.names), *cells, seconds, *tokens)


def _answer_metric_cell(line: AnswerLine, metric: str) -> str:
    values = line.answered.scores
    mean = values.mean(metric) if metric in values.values else None
    if mean is None:
        return ""
    beside = line.beside.get(metric)
    return f"{mean:.3f} ({interval_text(beside)})" if beside else f"{mean:.3f}"
