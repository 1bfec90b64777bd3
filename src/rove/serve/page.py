"""Lists over HTTP come in pages: so many entries from a place on, and where the next page begins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, TypeVar

from fastapi import Query

T = TypeVar("T")
Cursor = Annotated[int, Query(ge=0, le=10**9, description="Where the page begins: `next_cursor` of the one before.")]
Limit = Annotated[int, Query(ge=1, le=1_000, description="How many at most.")]
LIMIT = 200


def page(rest: Sequence[T], cursor: int, limit: int) -> tuple[Sequence[T], int | None]:
    """Return a page of what there is from `cursor` on, and where the next one begins.

    >>> page("abc", 10, 2), page("ab", 10, 2)
    (('ab', 12), ('ab', None))
    """
    return rest[:limit], cursor + limit if len(rest) > limit else None
