"""What servers have acknowledged and not taken in yet, in Postgres: rows of bytes, each job with its server."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from rove.errors import RoveError, ServiceError
from rove.store.files import PIECE_BYTES
from rove.store.postgres_lines import Lines
from rove.store.postgres_servers import dead

TABLES = (
    "CREATE TABLE IF NOT EXISTS incoming (number bigserial PRIMARY KEY, job_id text NOT NULL UNIQUE,"
    ' caller text NOT NULL COLLATE "C", server text NOT NULL, job_order bytea NOT NULL)',
    "CREATE TABLE IF NOT EXISTS incoming_pieces (job_id text, name text, number integer, bytes bytea NOT NULL,"
    " at timestamptz NOT NULL DEFAULT clock_timestamp(), PRIMARY KEY (job_id, name, number))",
)
"""A job is acknowledged once it has a row in `incoming`, which is written after its pieces."""
AT_ONCE = 20
"""Jobs that a server takes over at once: others look for them too."""
_PIECE = "INSERT INTO incoming_pieces VALUES (%(job)s, %(name)s, %(number)s, %(bytes)s)"
_ORDER = "INSERT INTO incoming (job_id, caller, server, job_order) VALUES (%(job)s, %(caller)s, %(server)s, %(order)s)"
_TAKE_OVER = f"""
UPDATE incoming SET server = %(server)s WHERE number IN (
  SELECT number FROM incoming AS i WHERE {dead("i.server")} ORDER BY number LIMIT %(most)s FOR UPDATE SKIP LOCKED)
RETURNING number, job_id, caller
"""  # noqa: S608 - of constants
_OURS = "SELECT 1 FROM incoming WHERE job_id = %(job)s AND server = %(server)s"
_COUNT = "SELECT count(*) FROM incoming WHERE caller = %(caller)s"
_READ_ORDER = "SELECT job_order FROM incoming WHERE job_id = %(job)s"
_NAMES = "SELECT DISTINCT name FROM incoming_pieces WHERE job_id = %(job)s"
_READ = "SELECT bytes FROM incoming_pieces WHERE job_id = %(job)s AND name = %(name)s AND number = %(number)s"
_DONE = """
WITH gone AS (DELETE FROM incoming WHERE job_id = %(job)s)
DELETE FROM incoming_pieces WHERE job_id = %(job)s
"""
_SWEEP = """
DELETE FROM incoming_pieces AS p WHERE at < clock_timestamp() - interval '1 hour'
AND NOT EXISTS (SELECT FROM incoming AS i WHERE i.job_id = p.job_id)
"""


class PostgresIncoming:
    """The jobs of the servers of a base. Each method raises `ServiceError` where the database cannot be asked."""

    def __init__(self, lines: Lines, server: str) -> None:
        """Take what carries out statements, and this server's name."""
        self._lines = lines
        self._server = server

    async def put(self, job_id: str, caller: str, order: bytes, files: Mapping[str, Path]) -> None:
        """Keep a job that this server has; once this returns it is not lost. Else nothing of it is kept."""
        try:
            for name, path in files.items():
                await self._put_file(job_id, name, path)
            given = {"job": job_id, "caller": caller, "server": self._server, "order": order}
            await self._lines.fetch(_ORDER, given)
        except BaseException:
            with suppress(RoveError):  # else it goes with a sweep
                await asyncio.shield(self.done(job_id))
            raise

    async def _put_file(self, job_id: str, name: str, path: Path) -> None:
        with path.open("rb") as file:  # noqa: ASYNC230 - from the page cache, piece by small piece
            number = 0
            while (piece := file.read(PIECE_BYTES)) or not number:
                given = {"job": job_id, "name": name, "number": number, "bytes": piece}
                await self._lines.fetch(_PIECE, given)
                number += 1

    async def taken_over(self) -> list[tuple[str, str]]:
        """Take over jobs of servers that have ended, the oldest first; returns their ids and callers."""
        rows = await self._lines.fetch(_TAKE_OVER, {"server": self._server, "most": AT_ONCE})
        return [(str(job_id), str(caller)) for _, job_id, caller in sorted(rows)]

    async def is_ours(self, job_id: str) -> bool:
        """Say whether this server has a job still, and it is not done."""
        return bool(await self._lines.fetch(_OURS, {"job": job_id, "server": self._server}))

    async def count(self, caller: str) -> int:
        """How many jobs of a caller's wait, at all servers."""
        return int((await self._lines.fetch(_COUNT, {"caller": caller}))[0][0])

    async def read(self, job_id: str, folder: Path) -> bytes:
        """Write a job's files to a folder; returns its order."""
        rows = await self._lines.fetch(_READ_ORDER, {"job": job_id})
        if not rows:
            message = "What was handed in is no longer in the base."
            raise ServiceError(message, cure="Another server has taken it in: look at the documents.")
        try:
            for (name,) in await self._lines.fetch(_NAMES, {"job": job_id}):
                await self._read_file(job_id, str(name), folder / str(name))
        except OSError as error:
            message = f"What was handed in cannot be written: {error.strerror}."
            raise ServiceError(message, cure="Look at the server's disk.") from error
        return bytes(rows[0][0])

    async def _read_file(self, job_id: str, name: str, path: Path) -> None:
        with path.open("wb") as file:  # noqa: ASYNC230 - into the page cache, piece by small piece
            number = 0
            while rows := await self._lines.fetch(_READ, {"job": job_id, "name": name, "number": number}):
                file.write(bytes(rows[0][0]))
                number += 1

    async def done(self, job_id: str) -> None:
        """Take a job off."""
        await self._lines.fetch(_DONE, {"job": job_id})

    async def beat(self) -> None:
        """Take off pieces of jobs that were never acknowledged."""
        await self._lines.fetch(_SWEEP, {})
