"""News of a base in Postgres: a connection listens to what its writing transactions notify as they are committed."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from psycopg import Error

from rove.store.postgres import PostgresDialect
from rove.store.postgres_lines import hang_up, open_line

AGAIN_S = 2.0
"""After so long a connection that was lost is tried again; meanwhile each looks when its time is over."""


class PostgresNews:
    """See `News`. It listens from the first wait on.

    Where that is not possible (a pooler that gives connections to others between transactions, a standby), nothing is
    heard, and nobody is worse off than without.
    """

    def __init__(self, dialect: PostgresDialect) -> None:
        """Take the database; nothing is connected."""
        self._dialect = dialect
        self._listening: asyncio.Task[None] | None = None
        self._heard = asyncio.Event()
        self.count = 0

    async def after(self, count: int, timeout_s: float) -> None:
        """See `News.after`."""
        self._listening = self._listening or asyncio.create_task(self._listen(), name=f"news of {self._dialect}")
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):
                while self.count <= count:
                    await self._heard.wait()

    async def close(self) -> None:
        """Close the connection."""
        if self._listening:
            self._listening.cancel()
            with suppress(asyncio.CancelledError):
                await self._listening

    async def _listen(self) -> None:
        while True:
            with suppress(Error, OSError):
                await self._follow()
            await asyncio.sleep(AGAIN_S)

    async def _follow(self) -> None:
        line = await open_line(self._dialect)
        try:
            await line.execute(f'LISTEN "{self._dialect.channel}"'.encode())
            self._tell()  # what was written while nobody listened
            async for _ in line.notifies():
                self._tell()
        finally:
            await hang_up(line)

    def _tell(self) -> None:
        self.count += 1
        before, self._heard = self._heard, asyncio.Event()
        before.set()
