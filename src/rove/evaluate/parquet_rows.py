"""Results as a table for other tools: one row for each configuration and question, in parquet."""

# Arrow's annotations leave the types of columns open.
# pyright: reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from rove.evaluate.ask_all import question_key
from rove.evaluate.dataset import Dataset
from rove.evaluate.metrics import Scores
from rove.evaluate.results import Outcome


def write_rows(
    path: Path,
    dataset: Dataset,
    scores: Mapping[str, Scores],
    outcomes: Mapping[str, Mapping[str, Outcome]],
    choices: Mapping[str, Mapping[str, str]],
) -> None:
    """Write what was found and what it is worth, whole or not at all.

    Columns: configuration, choice_<factor> for each factor, question_id, question, <metric> for each metric (null: it
    cannot be scored), seconds, error, ranking (documents, best first).

    Args:
        path: the file.
        dataset: whose questions were asked.
        scores: configuration → scores.
        outcomes: configuration → name of the question → outcome.
        choices: configuration → factor → choice.
    """
    factors = list(dict.fromkeys(factor for own in choices.values() for factor in own))
    metrics = list(dict.fromkeys(metric for own in scores.values() for metric in own.values))
    columns: dict[str, list[object]] = {"configuration": [], **{f"choice_{factor}": [] for factor in factors}}
    columns |= {name: [] for name in ("question_id", "question", *metrics, "seconds", "error", "ranking")}
    for name, found in outcomes.items():
        for question in dataset.questions:
            outcome = found.get(question_key(question))
            if outcome is None:
                continue
            row: dict[str, object] = {f"choice_{f}": choices.get(name, {}).get(f) for f in factors}
            row |= {metric: scores[name].values[metric].get(question.question_id) for metric in metrics}
            row |= {"configuration": name, "question_id": question.question_id, "question": question.text}
            row |= {"seconds": outcome.seconds, "error": outcome.error, "ranking": list(outcome.ranking)}
            for column, value in row.items():
                columns[column].append(value)
    texts = pa.string()
    types = {"seconds": pa.float64(), "ranking": pa.list_(texts), **dict.fromkeys(metrics, pa.float64())}
    table = pa.table({name: pa.array(values, types.get(name, texts)) for name, values in columns.items()})
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f"{path.name}.new")
    pq.write_table(table, beside)
    beside.replace(path)
