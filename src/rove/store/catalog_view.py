"""What one operation has read of the catalog: its revision, looked at once, and what was fetched along with chunks."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from time import monotonic
from typing import Literal

Along = Literal["", "tokens", "vectors"]
"""What of a chunk can be fetched in the same query as its text."""
FRESH_S = 2.0
"""Seconds for which a revision is used: an operation that has waited for a model or a listener sees what is new."""


class Reading:
    """An operation's view of a catalog, or of several."""

    def __init__(self) -> None:
        self._revisions: dict[object, tuple[float, int]] = {}
        self._along: dict[tuple[object, Along], dict[str, bytes]] = {}

    def revision(self, catalog: object, look: Callable[[], int]) -> int:
        """Return a catalog's revision: `look` for it the first time, and again once it is `FRESH_S` old."""
        now = monotonic()
        at, revision = self._revisions.get(catalog, (-FRESH_S, 0))
        if now - at >= FRESH_S:
            revision = look()
            self._revisions[catalog] = now, revision
        return revision

    def along(self, catalog: object, along: Along) -> dict[str, bytes]:
        """What was fetched along with chunks of a catalog, by their ids; the caller reads it, and adds to it."""
        return self._along.setdefault((catalog, along), {})

    def renew(self) -> None:
        """Forget what was read: who asks next looks again."""
        self._revisions.clear()
        self._along.clear()


_current: ContextVar[Reading | None] = ContextVar("reading", default=None)


@contextmanager
def reading() -> Generator[Reading]:
    """Share one view among all reads in this block, its threads and tasks too; within such a block, that block's."""
    if (outer := _current.get()) is not None:
        yield outer
        return
    token = _current.set(view := Reading())
    try:
        yield view
    finally:
        _current.reset(token)


def current() -> Reading | None:
    """The view of the operation under way; None outside of one."""
    return _current.get()
