"""The merge of votes that the study published its scores with."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

FIRST = {"00": "mo", "02": "kk"}
"""Whose file each run's merge began with; a post that this file lacks is not in the merge."""


def plurality(votes: Iterable[int]) -> int:
    """The label with most votes. Ties: 1 and 3 give 3, every other 2.

    >>> plurality([1, 1, 3]), plurality([1, 3]), plurality([1, 2, 3]), plurality([2, 3])
    (1, 3, 2, 2)
    """
    counts = Counter(votes)
    most = max(counts.values())
    first = {label for label, count in counts.items() if count == most}
    return first.pop() if len(first) == 1 else 3 if first == {1, 3} else 2


def published_labels(rows: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, int]]:
    """Merge votes as the study did: left joins on the first file of each run, then the plurality of each row."""
    votes: dict[tuple[str, str, str], dict[str, int]] = defaultdict(dict)
    for row in rows:
        if row["label"] is not None:
            votes[row["run"], row["query"], row["reddit_name"]][row["annotator"]] = row["label"]
    labels: dict[str, dict[str, int]] = defaultdict(dict)
    for (run, query, post), given in votes.items():
        if FIRST[run] in given:
            labels[query][post] = plurality(given.values())
    return dict(labels)
