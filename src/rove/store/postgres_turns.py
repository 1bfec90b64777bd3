"""Turns at writing to a base in Postgres: by an advisory lock, for which the database keeps the queue."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from psycopg.errors import LockNotAvailable
from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError

from rove.errors import ServiceError
from rove.store.postgres import TURN_TOKEN, PostgresDialect
from rove.store.write_queue import LOCK_TIMEOUT_S

_LOCK = text("SELECT pg_advisory_lock(hashtextextended(:schema, 1))")
_NEXT = text(
    "INSERT INTO facts VALUES (:name, '1') ON CONFLICT (name) DO UPDATE SET value = facts.value::bigint + 1"
    " RETURNING value"
)


class PostgresTurns:
    """See `Turns`. The lock is a connection's, and ends with it: however a writer ends, its turn does too.

    A writer whose connection is lost while it writes may go on without knowing. So turns are counted, in the catalog,
    and a transaction of a turn that is not the latest is refused there: see `PostgresDialect.token`.
    """

    def __init__(self, dialect: PostgresDialect) -> None:
        """Take the database; nothing is locked."""
        self._dialect = dialect
        self._held: Connection | None = None

    async def take(self) -> None:
        """See `Turns.take`."""
        waiting = asyncio.get_running_loop().run_in_executor(None, self._take)
        try:
            await asyncio.shield(waiting)
        except asyncio.CancelledError:
            await self._leave(waiting)
            raise

    def give_back(self) -> None:
        """Let the next one have its turn: the lock goes with the connection."""
        self._dialect.token = ""
        held, self._held = self._held, None
        if held is not None:
            with suppress(DBAPIError):
                held.invalidate()
                held.close()

    def _take(self) -> None:
        try:
            connection = self._dialect.engine.connect()
            self._held = connection
            connection.exec_driver_sql(f"SET lock_timeout = '{LOCK_TIMEOUT_S:.0f}s'")
            connection.execute(_LOCK, {"schema": self._dialect.address.schema})
            self._dialect.token = str(connection.execute(_NEXT, {"name": TURN_TOKEN}).scalar_one())
        except DBAPIError as error:
            self.give_back()
            if isinstance(error.orig, LockNotAvailable):
                message = f"Another process has been writing to {self._dialect} for {LOCK_TIMEOUT_S:.0f} s."
                raise ServiceError(message, cure="Wait for it, or stop it.") from error
            raise self._dialect.error(error, "written") or error from error

    async def _leave(self, waiting: asyncio.Future[None]) -> None:
        """Stop waiting, or give back the turn that has come meanwhile."""
        while not waiting.done():
            if held := self._held:
                with suppress(DBAPIError, AttributeError):
                    await asyncio.to_thread(held.connection.driver_connection.cancel_safe, timeout=1.0)  # pyright: ignore[reportOptionalMemberAccess]
            await asyncio.wait([waiting], timeout=0.1)
        waiting.exception()
        self.give_back()
