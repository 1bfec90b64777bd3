"""What expert review sends and takes over HTTP."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

from pydantic import Field

from rove.records.document import Span
from rove.records.reviewed import ReviewItem, ReviewKind, Verdict
from rove.review_operations import MOST_EDIT_CHARS
from rove.serve.redaction import public_source
from rove.serve.schema import Reply, Wire

Words = Annotated[str, Field(max_length=MOST_EDIT_CHARS)]


class ReviewIn(Wire):
    """A decision about one thing of the queue. `edit`, only with "edit": three words of a triplet, else one text."""

    item_id: str = Field(min_length=1, max_length=2_100)
    verdict: Verdict
    edit: list[Words] = Field(default=[], max_length=3)


class DecisionOut(Reply):
    """What was decided about a thing in these `words`, by whom and when, and the words of an `edit` in their place."""

    item_id: str
    verdict: Verdict
    by: str
    decided_at: str
    words: list[str]
    edit: list[str]


class ReviewItemOut(Reply):
    """A thing to be reviewed. The document's text at `span` is the `evidence` for its `words`.

    Of a correction the words are what stood there and what stands there now, and the evidence is a little of what is
    around. `span` is null where that no longer stands there.
    `sure`: 0 to 1, to put things in order by. `decisions`: of others, the latest last.
    """

    item_id: str
    kind: ReviewKind
    document_id: str
    title: str
    source: str
    words: list[str]
    evidence: str
    span: Span | None
    language: str
    made_by: str
    sure: float
    decisions: list[DecisionOut]

    @classmethod
    def of(cls, item: ReviewItem) -> ReviewItemOut:
        """Make it of a record."""
        return cls.model_validate(asdict(item) | {"source": public_source(item.source)})


class AgreementOut(Reply):
    """How far reviewers agree on the things that two or more decided about. Null: it cannot be told.

    `pairs`: share of pairs of decisions that are equal, 0 to 1; `cohen`: the mean of Cohen's kappa over the pairs of
    reviewers.
    """

    annotators: int
    items: int
    pairs: float | None
    cohen: float | None


class ReviewsOut(Reply):
    """A page of what was decided, in the order in which it was; and how far reviewers agree in all of it."""

    decisions: list[DecisionOut]
    next_cursor: int | None
    agreement: AgreementOut
