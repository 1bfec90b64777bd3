"""Notices that the base has changed under a reader: a chunk that a list named is gone when it is fetched."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from contextlib import contextmanager
from contextvars import ContextVar

from rove.store.catalog_view import current

TRIES = 8
"""How often a reader looks again that meets with a change each time; one change is over in less than a look."""
MOST_LOOKS = 2 * TRIES
"""How often an index is asked for more when some of what it has found is gone."""
_gone: ContextVar[set[str] | None] = ContextVar("gone", default=None)


@contextmanager
def noticing() -> Generator[set[str]]:
    """Give a set that fills, until the block ends, with the chunks that were to be fetched and are gone."""
    gone = set[str]()
    token = _gone.set(gone)
    try:
        yield gone
    finally:
        _gone.reset(token)


def note_gone(chunk_ids: Iterable[str]) -> None:
    """Tell whoever is `noticing` of chunks that are gone; the operation under way looks at the revision again."""
    missed = set(chunk_ids)
    if missed and (view := current()) is not None:
        view.renew()
    gone = _gone.get()
    if gone is not None:
        gone.update(missed)
