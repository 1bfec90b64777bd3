"""Folders of posts.parquet and labels.parquet: posts, and what annotators said of them, question by question."""

# Arrow's annotations leave the types of filters open.
# pyright: reportUnknownMemberType=false

from __future__ import annotations

from pathlib import Path
from typing import cast

import pyarrow as pa
import pyarrow.parquet as pq

from rove.errors import InputError
from rove.evaluate.dataset import Dataset, Question
from rove.evaluate.labels import NOT_RELEVANT, RELATED, RELEVANT, Vote, gold_of, merge_votes
from rove.language.detect import detect

POSTS, LABELS = "posts.parquet", "labels.parquet"
COLUMNS = ("run", "query", "reddit_name", "annotator", "label")
GRADES = {RELEVANT: 1, RELATED: 0, NOT_RELEVANT: 0}
"""Only what has label 1 is relevant, as in the study "Pawsitive Retrieval"."""


class VotesLayout:
    """See `Layout`. A question is named by its text, a post by its full name; several rounds of votes ("run") add up.

    Votes of one round are merged as `merge_votes` says. A post is relevant where it is in any round.
    """

    def matches(self, path: Path) -> bool:
        """See `Layout.matches`."""
        return (path / POSTS).is_file() and (path / LABELS).is_file()

    def read(self, path: Path) -> Dataset:
        """See `Layout.read`."""
        rounds: dict[str, list[Vote]] = {}
        for run, question, post, annotator, label in _rows(path / LABELS):
            rounds.setdefault(str(run), []).append(Vote(str(annotator), str(question), str(post), label))
        merged = [one for votes in rounds.values() for one in merge_votes(votes)]
        gold = gold_of(merged, GRADES)
        questions = tuple(Question(text, text, (), detect(text)) for text in sorted(gold))
        return Dataset(path.name, questions, [path / POSTS], gold)


def _rows(path: Path) -> list[tuple[object, object, object, object, int | None]]:
    try:
        table = pq.read_table(path)
    except (pa.ArrowException, OSError) as error:
        message = f"{path} is no whole parquet file: {error}."
        raise InputError(message, cure="Get the file again.") from error
    missing = [name for name in COLUMNS if name not in table.column_names]
    if missing:
        message = f"{path} lacks the column {missing[0]!r}."
        raise InputError(message, cure=f"Votes have the columns {', '.join(COLUMNS)}.")
    columns = [table.column(name).to_pylist() for name in COLUMNS]
    return cast("list[tuple[object, object, object, object, int | None]]", list(zip(*columns, strict=True)))
