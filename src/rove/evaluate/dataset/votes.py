"""Folders of posts.parquet and labels.parquet: posts, and what annotators said of them, question by question."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import cast

from rove.errors import InputError
from rove.evaluate.dataset import Dataset, Question
from rove.evaluate.dataset.dataset_lines import read_parquet
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
        for run, question, post, annotator, label in _read_vote_rows(path / LABELS):
            rounds.setdefault(run, []).append(Vote(annotator, question, post, label))
        merged = [one for votes in rounds.values() for one in merge_votes(votes)]
        gold = gold_of(merged, GRADES)
        questions = tuple(Question(text, text, (), detect(text)) for text in sorted(gold))
        return Dataset(path.name, questions, [path / POSTS], gold)


def _read_vote_rows(path: Path) -> Iterator[tuple[str, str, str, str, int | None]]:
    """Yield `COLUMNS` of each row.

    Raises:
        InputError: it is no parquet file, or lacks a column.
        ConfigError: the extra is not installed.
    """
    for row in read_parquet(path):
        if missing := [name for name in COLUMNS if name not in row.values]:
            message = f"{path} lacks the column {missing[0]!r}."
            raise InputError(message, cure=f"Votes have the columns {', '.join(COLUMNS)}.")
        run, question, post, annotator, label = (row.values[name] for name in COLUMNS)
        yield str(run), str(question), str(post), str(annotator), cast("int | None", label)
