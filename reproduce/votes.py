"""The annotators' votes, merged as the study merged them: its published scores rest on these labels."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from rove.evaluate.labels import Merged, Vote, plurality

FIRST = {"00": "mo", "02": "kk"}
"""Whose votes the study began with when it merged each of its rounds. See `published_votes`."""


def published_votes(votes: Iterable[Vote], first: str) -> list[Merged]:
    """Merge the votes of one round as the study did.

    The rows of the annotator `first` are kept in their order, repeated ones too, and the others' labels joined to them
    by question and document; what only others voted on is dropped. Relevant is what has label 1 in either round.

    >>> votes = [Vote("a", "q", "d", 1), Vote("b", "q", "d", 2), Vote("b", "q", "only b", 1)]
    >>> published_votes(votes, "a")
    [Merged(question_id='q', document_id='d', label=2)]
    """
    votes = list(votes)
    others: dict[tuple[str, str], list[int | None]] = {}
    for vote in votes:
        if vote.annotator != first:
            others.setdefault((vote.question_id, vote.document_id), []).append(vote.label)
    own = (vote for vote in votes if vote.annotator == first)
    return [
        Merged(key[0], key[1], plurality((vote.label, *others.get(key, ()))))
        for vote in own
        for key in [(vote.question_id, vote.document_id)]
    ]


def write_dataset(posts: Path, merged: Mapping[str, Sequence[Merged]], folder: Path) -> None:
    """Write a dataset for `rove sweep pawsitive`: the posts, and for each round the merged votes as one annotator's."""
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(posts, folder / "posts.parquet")
    rows = [
        {"run": run, "query": m.question_id, "reddit_name": m.document_id, "annotator": "merged", "label": m.label}
        for run, votes in merged.items()
        for m in votes
    ]
    pq.write_table(pa.Table.from_pylist(rows), folder / "labels.parquet")
