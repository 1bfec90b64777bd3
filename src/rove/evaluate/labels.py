"""Relevance labels by several annotators, made one: 1 relevant, 2 related, 3 not; by plurality, ties by fixed rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

RELEVANT, RELATED, NOT_RELEVANT = 1, 2, 3
LABELS = (RELEVANT, RELATED, NOT_RELEVANT)
TIES: dict[tuple[int, ...], int] = {
    (RELEVANT, RELATED): RELATED,
    (RELEVANT, NOT_RELEVANT): NOT_RELEVANT,
    (RELATED, NOT_RELEVANT): RELATED,
    LABELS: RELATED,
}
GRADES = {RELEVANT: 2, RELATED: 1, NOT_RELEVANT: 0}


@dataclass(frozen=True, slots=True)
class Vote:
    """What one annotator says of a document for a question. `label` None: looked at, or listed, without a label."""

    annotator: str
    question_id: str
    document_id: str
    label: int | None


@dataclass(frozen=True, slots=True)
class Merged:
    """What the annotators say together. `label` None: nobody gave one."""

    question_id: str
    document_id: str
    label: int | None


def plurality(labels: Iterable[int | None]) -> int | None:
    """Return the label that most annotators gave; None where nobody gave one.

    Ties, as in the Pawsitive Retrieval study: 1 and 2 → 2, 1 and 3 → 3, 2 and 3 → 2, all three → 2. What is none of the
    three labels (a slip of the keyboard, such as 21) is no vote.

    >>> [plurality(votes) for votes in ((1, 1, 3), (1, 2), (1, 3), (2, 3), (1, 2, 3), (None, 21))]
    [1, 2, 3, 2, 2, None]
    """
    counts = Counter(label for label in labels if label in LABELS)
    if not counts:
        return None
    most = max(counts.values())
    winners = tuple(label for label in LABELS if counts[label] == most)
    return TIES.get(winners, winners[0])


def merge_votes(votes: Iterable[Vote]) -> list[Merged]:
    """Merge all votes on a document for a question, in the order in which these first come.

    An annotator who votes twice on the same has the last word.

    >>> merge_votes([Vote("a", "q", "d", 1), Vote("a", "q", "d", 3), Vote("b", "q", "d", 3)])
    [Merged(question_id='q', document_id='d', label=3)]
    """
    cast: dict[tuple[str, str], dict[str, int | None]] = {}
    for vote in votes:
        cast.setdefault((vote.question_id, vote.document_id), {})[vote.annotator] = vote.label
    return [Merged(*key, plurality(labels.values())) for key, labels in cast.items()]


def gold_of(merged: Iterable[Merged], grades: Mapping[int, int] = GRADES) -> dict[str, dict[str, int]]:
    """Return question → document → grade, as `measure` wants it; what has no label is left out: it was not judged.

    Where a document has several labels for a question, the highest grade counts.

    >>> gold_of([Merged("q", "a", 1), Merged("q", "b", 3), Merged("q", "c", None)])
    {'q': {'a': 2, 'b': 0}}
    """
    gold: dict[str, dict[str, int]] = {}
    for found in merged:
        own = gold.setdefault(found.question_id, {})
        if found.label is not None:
            own[found.document_id] = max(grades[found.label], own.get(found.document_id, grades[found.label]))
    return gold
