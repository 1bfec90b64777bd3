"""What the servers of a base in Postgres count together: one statement each, by the database's clock."""

from __future__ import annotations

import asyncio
from collections import Counter
from hashlib import sha256

from rove.errors import RoveError
from rove.store.postgres_lines import Lines
from rove.store.postgres_servers import ALIVE

MINUTE_S = 60.0
TABLES = (
    "CREATE UNLOGGED TABLE IF NOT EXISTS buckets (name text PRIMARY KEY, due timestamptz NOT NULL)"
    " WITH (fillfactor = 50)",
    "CREATE UNLOGGED TABLE IF NOT EXISTS places (name text PRIMARY KEY, held jsonb NOT NULL) WITH (fillfactor = 50)",
)
"""`due`: when a bucket is full again; each that is taken puts it off, and none may put it off beyond a minute from now.
`held`: how many places each server has taken. After a crash of the database all start anew."""
_TAKE = """
WITH taken AS (
  INSERT INTO buckets AS b VALUES (%(name)s, clock_timestamp() + %(step)s * interval '1 second')
  ON CONFLICT (name) DO UPDATE SET due = greatest(b.due, clock_timestamp()) + %(step)s * interval '1 second'
  WHERE greatest(b.due, clock_timestamp()) + %(step)s * interval '1 second' <= clock_timestamp() + interval '1 minute'
  RETURNING due)
SELECT EXISTS (SELECT FROM taken), (SELECT extract(epoch FROM due - clock_timestamp()) FROM buckets
  WHERE name = %(name)s)
"""
_TAKEN = f"(SELECT coalesce(sum(value::int), 0) FROM jsonb_each_text(p.held) JOIN servers ON server = key AND {ALIVE})"
_ENTER = f"""
INSERT INTO places AS p VALUES (%(name)s, jsonb_build_object(%(server)s::text, 1))
ON CONFLICT (name) DO UPDATE
SET held = p.held || jsonb_build_object(%(server)s::text, coalesce((p.held ->> %(server)s::text)::int, 0) + 1)
WHERE {_TAKEN} < %(most)s RETURNING 1
"""  # noqa: S608 - of constants
_COUNT = f"SELECT {_TAKEN} FROM places AS p WHERE name = %(name)s"  # noqa: S608
_LEAVE = """
UPDATE places SET held = CASE WHEN (held ->> %(server)s::text)::int > %(places)s
  THEN held || jsonb_build_object(%(server)s::text, (held ->> %(server)s::text)::int - %(places)s)
  ELSE held - %(server)s::text END
WHERE name = %(name)s AND held ? %(server)s::text
"""
_SWEEP = (
    "DELETE FROM buckets WHERE due < clock_timestamp()",
    "DELETE FROM places WHERE NOT EXISTS (SELECT FROM jsonb_object_keys(held) AS key JOIN servers ON server = key)",
)


class PostgresTally:
    """See `Tally`. Names are kept as hashes: addresses of people are among them.

    `is_shared`: from when this server has joined the others on; before, everything passes.
    """

    def __init__(self, lines: Lines, server: str) -> None:
        """Take what carries out statements, and this server's name."""
        self._lines = lines
        self._server = server
        self.is_shared = False
        self._owed: Counter[str] = Counter()
        self._leaving: set[asyncio.Task[None]] = set()

    async def take(self, name: str, per_minute: int) -> float:
        """See `Tally.take`."""
        if not self.is_shared:
            return 0.0
        step = MINUTE_S / per_minute
        ((taken, due_s),) = await self._lines.fetch(_TAKE, {"name": _tally_name_digest(name), "step": step})
        return 0.0 if taken else max(float(due_s or 0.0) + step - MINUTE_S, 0.001)

    async def is_full(self, name: str, at_once: int) -> bool:
        """See `Tally.is_full`."""
        rows = await self._lines.fetch(_COUNT, {"name": _tally_name_digest(name)}) if self.is_shared else []
        return bool(rows) and rows[0][0] >= at_once

    async def enter(self, name: str, at_once: int) -> bool:
        """See `Tally.enter`. A place that comes when nobody waits for it any more is given back."""
        if not self.is_shared:
            return True
        given = {"name": _tally_name_digest(name), "server": self._server, "most": at_once}
        entering = asyncio.create_task(self._lines.fetch(_ENTER, given))
        try:
            return bool(await asyncio.shield(entering))
        except asyncio.CancelledError:
            entering.add_done_callback(lambda done: self._give_back(name, done))
            raise

    def _give_back(self, name: str, entered: asyncio.Task[list[tuple[object, ...]]]) -> None:
        if not entered.cancelled() and not entered.exception() and entered.result():
            self.leave(name)

    def leave(self, name: str) -> None:
        """See `Tally.leave`. What cannot be given back now is with the next beat."""
        if not self.is_shared:
            return
        leaving = asyncio.create_task(self._leave(_tally_name_digest(name), 1))
        self._leaving.add(leaving)
        leaving.add_done_callback(self._leaving.discard)

    async def _leave(self, name: str, places: int) -> None:
        try:
            await self._lines.fetch(_LEAVE, {"name": name, "server": self._server, "places": places})
        except RoveError:
            self._owed[name] += places

    async def beat(self) -> None:
        """Give back what is owed; forget names that nothing is known of any more but that they may come again."""
        owed, self._owed = self._owed, Counter()
        for name, places in owed.items():
            await self._leave(name, places)
        for statement in _SWEEP:
            await self._lines.fetch(statement, {})

    async def close(self) -> None:
        """Wait until all places are given back."""
        await asyncio.gather(*self._leaving, return_exceptions=True)


def _tally_name_digest(name: str) -> str:
    return sha256(name.encode("utf-8", "surrogateescape")).hexdigest()[:32]
