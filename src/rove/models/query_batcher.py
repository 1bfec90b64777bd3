"""Questions asked at the same time are embedded together: one call for all, and none waits while the model is idle."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence

import numpy as np

from rove.errors import RoveError, ServiceError
from rove.models import Vectors

AT_ONCE = 64

Embed = Callable[[Sequence[str]], Awaitable[Vectors]]
Futures = Mapping[str, asyncio.Future[Vectors]]


class QueryBatcher:
    """Calls `embed` for one caller at once; those who come meanwhile share the next call.

    A caller that is cancelled leaves the others' call as it is. Where the model refuses a call for several texts, each
    is tried by itself, so that a text fails its own caller only; where the model is down, all fail at once.
    """

    def __init__(self, embed: Embed) -> None:
        self._embed = embed
        self._waiting: dict[str, asyncio.Future[Vectors]] = {}
        self._running: asyncio.Task[None] | None = None

    async def __call__(self, texts: Sequence[str]) -> Vectors:
        """Return (n, dimension) float32 in the order of `texts`, of which there is at least one.

        Raises:
            RoveError: what `embed` raised for one of these texts.
        """
        loop = asyncio.get_running_loop()
        if self._running is None or self._running.done() or self._running.get_loop() is not loop:
            self._waiting = {}
            self._running = loop.create_task(self._run())
        futures = [self._waiting.setdefault(text, loop.create_future()) for text in texts]
        return np.stack(await asyncio.gather(*map(asyncio.shield, futures)))

    async def _run(self) -> None:
        while self._waiting:
            some = dict(list(self._waiting.items())[:AT_ONCE])
            for text in some:
                del self._waiting[text]
            try:
                await self._settle(some)
            except Exception as error:  # noqa: BLE001 - it is its callers' to see
                _fail(some, error)
            finally:
                for future in some.values():
                    future.cancel()  # does nothing to those that are settled

    async def _settle(self, some: Futures) -> None:
        try:
            vectors = await self._embed(list(some))
        except RoveError as error:
            down = isinstance(error, ServiceError) and error.retryable
            if len(some) > 1 and not down:
                for text, future in some.items():
                    await self._settle({text: future})
                return
            _fail(some, error)
        else:
            for future, vector in zip(some.values(), vectors, strict=True):
                future.set_result(vector)


def _fail(futures: Futures, error: Exception) -> None:
    for future in futures.values():
        if not future.done():
            future.set_exception(error)
