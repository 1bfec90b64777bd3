"""Which server has which walk, in Postgres: a row for each walk that is held, and one for each thing asked of it."""

from __future__ import annotations

from collections.abc import Collection

from rove.store.postgres_lines import Lines
from rove.store.postgres_servers import dead
from rove.store.walk_holds import Command

TABLES = (
    "CREATE TABLE IF NOT EXISTS walk_holds (walk_id text PRIMARY KEY, server text NOT NULL)",
    "CREATE TABLE IF NOT EXISTS walk_commands (number bigserial PRIMARY KEY, walk_id text NOT NULL,"
    " action text NOT NULL, edit text NOT NULL, taken boolean NOT NULL DEFAULT false, outcome text,"
    " at timestamptz NOT NULL DEFAULT clock_timestamp())",
)
_TELL = "pg_notify(%(channel)s, '')"
_HOLD = f"""
INSERT INTO walk_holds AS h VALUES (%(walk)s, %(server)s)
ON CONFLICT (walk_id) DO UPDATE SET server = excluded.server WHERE {dead("h.server")} RETURNING 1
"""  # noqa: S608 - of constants
_LET_GO = f"""
WITH gone AS (DELETE FROM walk_holds WHERE walk_id = %(walk)s AND server = %(server)s RETURNING 1)
SELECT {_TELL} FROM gone
"""  # noqa: S608
_POST = f"""
WITH posted AS (INSERT INTO walk_commands (walk_id, action, edit) VALUES (%(walk)s, %(action)s, %(edit)s)
  RETURNING number)
SELECT number, {_TELL} FROM posted
"""  # noqa: S608
_WITHDRAW = "DELETE FROM walk_commands WHERE number = %(number)s AND NOT taken RETURNING 1"
_OUTCOME = "DELETE FROM walk_commands WHERE number = %(number)s AND outcome IS NOT NULL RETURNING outcome"
_TAKE = """
UPDATE walk_commands SET taken = true WHERE NOT taken AND walk_id = ANY (%(walks)s)
RETURNING number, walk_id, action, edit
"""
_ANSWER = f"""
WITH done AS (UPDATE walk_commands SET outcome = %(outcome)s WHERE number = %(number)s RETURNING 1)
SELECT {_TELL} FROM done
"""  # noqa: S608
_SWEEP = (
    "DELETE FROM walk_commands WHERE at < clock_timestamp() - interval '5 minutes'",
    f"DELETE FROM walk_holds AS h WHERE {dead('h.server')}",  # noqa: S608
)


class PostgresHolds:
    """See `WalkHolds`. `is_shared`: from when this server has joined the others on; before, it has all walks."""

    def __init__(self, lines: Lines, server: str, channel: str) -> None:
        """Take what carries out statements, this server's name, and where the base's news are told."""
        self._lines = lines
        self._server = server
        self._channel = channel
        self.is_shared = False

    async def hold(self, walk_id: str) -> bool:
        """See `WalkHolds.hold`."""
        given = {"walk": walk_id, "server": self._server}
        return not self.is_shared or bool(await self._lines.fetch(_HOLD, given))

    async def let_go(self, walk_id: str) -> None:
        """See `WalkHolds.let_go`."""
        if self.is_shared:
            given = {"walk": walk_id, "server": self._server, "channel": self._channel}
            await self._lines.fetch(_LET_GO, given)

    async def post(self, walk_id: str, action: str, edit: str) -> int:
        """See `WalkHolds.post`."""
        given = {"walk": walk_id, "action": action, "edit": edit, "channel": self._channel}
        return int((await self._lines.fetch(_POST, given))[0][0])

    async def withdraw(self, number: int) -> bool:
        """See `WalkHolds.withdraw`."""
        return bool(await self._lines.fetch(_WITHDRAW, {"number": number}))

    async def outcome(self, number: int) -> str | None:
        """See `WalkHolds.outcome`."""
        rows = await self._lines.fetch(_OUTCOME, {"number": number})
        return str(rows[0][0]) if rows else None

    async def taken(self, walk_ids: Collection[str]) -> list[Command]:
        """See `WalkHolds.taken`."""
        if not walk_ids or not self.is_shared:
            return []
        rows = await self._lines.fetch(_TAKE, {"walks": list(walk_ids)})
        return sorted((Command(*row) for row in rows), key=lambda command: command.number)

    async def answer(self, number: int, outcome: str) -> None:
        """See `WalkHolds.answer`."""
        await self._lines.fetch(_ANSWER, {"number": number, "outcome": outcome, "channel": self._channel})

    async def beat(self) -> None:
        """Forget what nobody has asked about, and the walks of servers that have ended."""
        for statement in _SWEEP:
            await self._lines.fetch(statement, {})
