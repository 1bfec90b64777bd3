"""News of a base: who waits for what others write to it is woken, where its home can tell."""

from __future__ import annotations

import asyncio
from typing import Protocol


class News(Protocol):
    """Counts how often others, or this process, have written to a base.

    Read `count`, look, then wait `after` that count: so nothing is missed. One event loop uses it.
    """

    @property
    def count(self) -> int:
        """How often something was heard of."""
        ...

    async def after(self, count: int, timeout_s: float) -> None:
        """Wait until more was heard of than `count`, or until the time is over: what is lost on the way counts then."""
        ...

    async def close(self) -> None:
        """Stop listening."""
        ...


class NoNews:
    """Hears of nothing. See `News`."""

    count = 0

    async def after(self, count: int, timeout_s: float) -> None:
        """Wait until the time is over."""
        del count
        await asyncio.sleep(timeout_s)

    async def close(self) -> None:
        """Do nothing."""
