"""The blocking face of an engine that another has opened, and whose event loop runs already."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from concurrent.futures import Future
from typing import Any, TypeVar

from rove.engine import AsyncRove
from rove.sync import Rove

T = TypeVar("T")


class BorrowedRove(Rove):
    """A `Rove` for one thread beside the event loop of an open engine, which it neither opens nor closes."""

    def __init__(self, kb: AsyncRove, loop: asyncio.AbstractEventLoop) -> None:
        self._kb = kb
        self._loop = loop
        self._under_way: Future[Any] | None = None
        self._ended = False

    def end(self) -> None:
        """Cancel the call that is under way, and any that follows. From any thread."""
        self._ended = True
        if self._under_way is not None:
            self._under_way.cancel()

    def close(self) -> None:
        """Do nothing: it is another's."""

    def _run(self, work: Awaitable[T]) -> T:
        self._under_way = asyncio.run_coroutine_threadsafe(_coroutine_from_work(work), self._loop)
        if self._ended:
            self._under_way.cancel()
        return self._under_way.result()


async def _coroutine_from_work(work: Awaitable[T]) -> T:
    return await work
