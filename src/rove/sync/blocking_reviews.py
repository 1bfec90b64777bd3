"""The blocking face of `rove.review_operations`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Sequence
from typing import TypeVar

from rove.argument_checks import Positive
from rove.correction_operations import LOCAL
from rove.engine import AsyncRove
from rove.records.filter import Where
from rove.records.reviewed import ReviewDecision, ReviewItem, ReviewKind, Verdict
from rove.sync.docstrings import explained_by

T = TypeVar("T")


@explained_by(AsyncRove)
class BlockingReviews(ABC):
    """The calls of `Rove` that concern expert review. How they are run is said by `Rove`."""

    _kb: AsyncRove

    @abstractmethod
    def _run(self, work: Awaitable[T]) -> T: ...

    def review_queue(
        self, *, by: str = LOCAL, kinds: Sequence[ReviewKind] = (), most: Positive = 50, where: Where | None = None
    ) -> list[ReviewItem]:
        """See `AsyncRove.review_queue`."""
        return self._run(self._kb.review_queue(by=by, kinds=kinds, most=most, where=where))

    def review(
        self, item_id: str, verdict: Verdict, edit: Sequence[str] = (), *, by: str = LOCAL, where: Where | None = None
    ) -> None:
        """See `AsyncRove.review`."""
        self._run(self._kb.review(item_id, verdict, edit, by=by, where=where))

    def reviews(self) -> list[ReviewDecision]:
        """See `AsyncRove.reviews`."""
        return self._run(self._kb.reviews())
