"""Connections to Postgres for the event loop: for statements so short that a thread would cost more than they do."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from psycopg import AsyncConnection, Error, OperationalError
from psycopg.rows import TupleRow

from rove.errors import RoveError, ServiceError
from rove.store.postgres import PostgresDialect

LINES = 4
"""Connections that a server has for them at most; more statements than that wait for one another."""
ANSWER_S = 10.0
Line = AsyncConnection[TupleRow]


async def open_line(dialect: PostgresDialect) -> Line:
    """Connect as the dialect does. Raises psycopg's OperationalError."""
    line = await AsyncConnection.connect(autocommit=True, **dialect.parameters)
    await line.execute(dialect.path)
    return line


class Lines:
    """A few connections that are used in turn. Each statement is a transaction of its own, done or not at all."""

    def __init__(self, dialect: PostgresDialect) -> None:
        """Take the database; nothing is connected."""
        self._dialect = dialect
        self._idle: list[Line] = []
        self._places = asyncio.Semaphore(LINES)
        self._closed = False

    async def fetch(self, statement: str, parameters: Mapping[str, object]) -> list[TupleRow]:
        """Carry out a statement, and return its rows.

        Raises:
            ServiceError: the database cannot be reached, or refuses.
        """
        try:
            async with asyncio.timeout(ANSWER_S), self._places:
                return await self._fetched(statement, parameters)
        except (Error, TimeoutError) as error:
            raise self._said(error) from error

    async def _fetched(self, statement: str, parameters: Mapping[str, object]) -> list[TupleRow]:
        while True:
            kept = self._idle.pop() if self._idle else None
            line = kept or await open_line(self._dialect)
            try:
                cursor = await line.execute(statement.encode(), parameters)
                rows = await cursor.fetchall() if cursor.description else []
            except OperationalError:
                await hang_up(line)
                if kept is None or not line.broken:
                    raise
            except BaseException:  # whoever waited has gone: what the line says next is for nobody
                await hang_up(line)
                raise
            else:
                await self._put_back(line)
                return rows

    async def _put_back(self, line: Line) -> None:
        if self._closed:
            await hang_up(line)
        else:
            self._idle.append(line)

    def _said(self, error: Exception) -> RoveError:
        return self._dialect.error(error, "written") or ServiceError(
            f"The catalog of {self._dialect} did not answer ({error}).", cure="See that the database runs."
        )

    async def close(self) -> None:
        """Close every connection."""
        self._closed = True
        while self._idle:
            await hang_up(self._idle.pop())


async def hang_up(line: Any) -> None:  # noqa: ANN401 - a connection of any rows
    """Close a connection, whatever state it is in."""
    with suppress(Error):
        await line.close()
