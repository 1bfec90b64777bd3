"""Wraps an index, so that whatever it raises, also as a plug-in, becomes a `ServiceError` that names the cure.

An index is a projection of the catalog: nothing that happens to it may end in an error that `heal` does not know. A
panic of a library in Rust arrives as a `BaseException`, which no `except Exception` stops.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Sequence
from contextlib import suppress
from time import time
from typing import TypeVar

from rove.errors import ConfigError, RoveError, ServiceError
from rove.records import Filter
from rove.store import Index, IndexRow, Scored, Vector, VectorIndex

T = TypeVar("T")
LETS_THROUGH = (RoveError, KeyboardInterrupt, SystemExit, GeneratorExit, asyncio.CancelledError)
CURE = "Run: rove doctor"


class GuardedIndex:
    """Any index, whose errors are typed. See `Index`.

    After an error that it did not name, the index is dropped and made again for the next call: a panic can leave it
    in a state in which nothing works any more.
    """

    def __init__(self, make: Callable[[], VectorIndex]) -> None:
        self._make = make
        self._index = make()

    async def add(self, rows: Sequence[IndexRow], *, fresh: bool = False) -> None:
        """See `Index.add`."""
        await self._guard("be written to", lambda index: index.add(rows, fresh=fresh))

    async def remove(self, chunk_ids: Collection[str]) -> None:
        """See `Index.remove`."""
        await self._guard("be written to", lambda index: index.remove(chunk_ids))

    async def keyword(self, terms: Sequence[str], *, top_k: int, where: Filter | None = None) -> list[Scored]:
        """See `Index.keyword`.

        Raises:
            ConfigError: this index compares vectors only.
        """

        async def search(index: VectorIndex) -> list[Scored]:
            if isinstance(index, Index):
                return await index.keyword(terms, top_k=top_k, where=where)
            message = f'store.keywords is "index", and {type(index).__name__} compares no words.'
            raise ConfigError(message, cure='Set store.keywords to "embedded".')

        return await self._guard("be searched", search)

    async def semantic(self, vector: Vector, *, top_k: int, where: Filter | None = None) -> list[Scored]:
        """See `Index.semantic`."""
        return await self._guard("be searched", lambda index: index.semantic(vector, top_k=top_k, where=where))

    async def chunk_ids(self) -> list[str]:
        """See `Index.chunk_ids`."""
        return await self._guard("be read", lambda index: index.chunk_ids())

    async def count(self) -> int:
        """See `Index.count`."""
        return await self._guard("be read", lambda index: index.count())

    async def check(self) -> None:
        """See `Index.check`."""
        await self._guard("be read", lambda index: index.check())

    async def optimize(self) -> None:
        """See `Index.optimize`."""
        await self._guard("be tidied", lambda index: index.optimize())

    async def tidy(self) -> None:
        """See `Index.tidy`."""
        await self._guard("be tidied", lambda index: index.tidy())

    async def erase(self) -> None:
        """See `Index.erase`."""
        await self._guard("be erased from", lambda index: index.erase())

    async def rebuild(self, batches: AsyncIterator[Sequence[IndexRow]]) -> None:
        """See `Index.rebuild`."""
        await self._guard("be made anew", lambda index: index.rebuild(batches))

    async def close(self) -> None:
        """See `Index.close`."""
        await self._guard("be closed", lambda index: index.close())

    async def _guard(self, done: str, call: Callable[[VectorIndex], Awaitable[T]]) -> T:
        try:
            return await call(self._index)
        except LETS_THROUGH:
            raise
        except BaseException as error:
            broken, self._index = self._index, self._make()
            with suppress(BaseException):
                await broken.close()
            message = f"The index could not {done}: {type(error).__name__}: {error}."
            cure = CURE
            if time() < 0:  # LanceDB panics then, whatever it is asked to write
                message += " The clock of this machine stands before 1970."
                cure = "Set the clock, and run: rove doctor"
            raise ServiceError(message, cure=cure, retryable=isinstance(error, OSError | MemoryError)) from error
