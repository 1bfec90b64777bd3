"""Expert review: what waits for a person's decision, and what was decided, by whom and when."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import Literal, get_args

from rove.records.document import Span

ReviewKind = Literal["triplet", "question", "correction", "theme"]
Verdict = Literal["accept", "edit", "reject"]
REVIEW_KINDS: tuple[ReviewKind, ...] = get_args(ReviewKind)
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
EDITED_WORDS: Mapping[ReviewKind, int] = {"triplet": 3, "question": 1, "correction": 1, "theme": 1}
"""How many words an edit gives: of a correction those that are to stand in the place of its second."""


@dataclass(frozen=True, slots=True)
class ReviewDecision:
    """What a person decided about one thing: `words` as they were then, and those of an `edit` in their place.

    `decided_at` is ISO 8601, UTC.
    """

    item_id: str
    verdict: Verdict
    by: str
    decided_at: str
    words: tuple[str, ...]
    edit: tuple[str, ...] = ()

    @property
    def document_id(self) -> str:
        """The document that the thing was found in, with which the decision goes."""
        return document_of_review(self.item_id)


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """A thing to be reviewed: its `words`, and the `evidence` for them.

    The words of a triplet are subject, predicate and object; of a correction what stood there, and what stands there
    now. `item_id`: the same whenever the same words are found in the same evidence again. `span`: of the evidence in
    the document's canonical text, None where it is no longer there. `made_by`: a person, a chat model or rules. `sure`:
    0 to 1, to put things in order by; it is no probability. `decisions`: what was decided about it, the latest last.
    """

    item_id: str
    kind: ReviewKind
    document_id: str
    title: str
    source: str
    words: tuple[str, ...]
    evidence: str
    span: Span | None
    language: str
    made_by: str
    sure: float
    decisions: tuple[ReviewDecision, ...] = ()


def review_id(kind: ReviewKind, document_id: str, words: Iterable[str], evidence: str) -> str:
    """Return the id by which decisions find a thing again, also after its document was read or enriched anew.

    >>> review_id("triplet", "d", ("Ada", "was born in", "London"), "Ada was  born in London.")
    'triplet-65b5f8200bb6456c@d'
    """
    told = "\0".join((*words, " ".join(evidence.split())))
    return f"{kind}-{blake2b(told.encode(), digest_size=8).hexdigest()}@{document_id}"


def document_of_review(item_id: str) -> str:
    """Return the id of the document in which a thing was found; "" where there is none.

    >>> document_of_review("triplet-65b5f8200bb6456c@d")
    'd'
    """
    return item_id.partition("@")[2]


def thing_of_review(item_id: str) -> str:
    """Return what decisions about a thing share: the id; of a theme without the document that it was found in last.

    >>> thing_of_review("theme-65b5f8200bb6456c@d")
    'theme-65b5f8200bb6456c'
    """
    return item_id.partition("@")[0] if item_id.startswith("theme-") else item_id


def latest_decisions(decisions: Iterable[ReviewDecision]) -> dict[str, ReviewDecision]:
    """Return the decision that is in force for each thing (`thing_of_review`): the latest. Given in their order."""
    return {thing_of_review(one.item_id): one for one in decisions}


def group_decisions(decisions: Iterable[ReviewDecision]) -> dict[str, list[ReviewDecision]]:
    """Return the decisions about each document's things, in their order."""
    grouped: dict[str, list[ReviewDecision]] = {}
    for one in decisions:
        grouped.setdefault(one.document_id, []).append(one)
    return grouped
