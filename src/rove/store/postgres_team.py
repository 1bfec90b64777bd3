"""The servers of a base in Postgres, as one of them sees them."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from secrets import token_hex

from rove.errors import RoveError
from rove.store import postgres_holds as held
from rove.store import postgres_incoming as handed_in
from rove.store import postgres_servers as servers
from rove.store import postgres_tally as counted
from rove.store.database import Database
from rove.store.postgres import PostgresDialect
from rove.store.postgres_holds import PostgresHolds
from rove.store.postgres_incoming import PostgresIncoming
from rove.store.postgres_lines import Lines
from rove.store.postgres_tally import PostgresTally

TABLES = (servers.TABLE, *counted.TABLES, *held.TABLES, *handed_in.TABLES)
log = logging.getLogger("rove.serve")


class PostgresTeam:
    """See `Team`."""

    def __init__(self, dialect: PostgresDialect, database: Database) -> None:
        """Take the base's database; nothing is written before `start`."""
        self.server = token_hex(8)
        self._database = database
        self._lines = Lines(dialect)
        self.tally = PostgresTally(self._lines, self.server)
        self.holds = PostgresHolds(self._lines, self.server, dialect.channel)
        self.incoming = PostgresIncoming(self._lines, self.server)
        self._beating: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """See `Team.start`: who may only read is on its own."""
        try:
            await asyncio.to_thread(self._make_tables)
            await servers.sign(self._lines, self.server)
        except RoveError as error:
            if getattr(error, "retryable", True):
                raise
            log.warning("limits are this server's own", extra={"reason": error.reason})
            return
        self.tally.is_shared = self.holds.is_shared = True
        self._beating = asyncio.create_task(self._beat(), name=f"server {self.server}")

    def _make_tables(self) -> None:
        with self._database.write() as connection:
            for statement in TABLES:
                connection.exec_driver_sql(statement)

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(servers.BEAT_S)
            with suppress(RoveError):  # where it cannot be reached, later
                await servers.sign(self._lines, self.server)
                await self.tally.beat()
                await self.holds.beat()
                await self.incoming.beat()

    async def close(self) -> None:
        """See `Team.close`: what it held is the others' at once."""
        if self._beating:
            self._beating.cancel()
            with suppress(asyncio.CancelledError):
                await self._beating
            await self.tally.close()
            with suppress(RoveError):
                await servers.go(self._lines, self.server)
        await self._lines.close()
