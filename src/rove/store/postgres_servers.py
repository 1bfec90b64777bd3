"""Which servers of a base in Postgres are alive: each says so every few seconds, and its word holds for a lease."""

from __future__ import annotations

from rove.store.postgres_lines import Lines

LEASE_S, BEAT_S = 12.0, 3.0
"""So long a server counts as alive after its last sign, and so often it gives one: what it held is then another's."""
TABLE = "CREATE TABLE IF NOT EXISTS servers (server text PRIMARY KEY, until timestamptz NOT NULL)"
ALIVE = "until > clock_timestamp()"
"""The condition on a row of `servers`, by the database's clock: the machines' need not agree."""
_SIGN = """
WITH old AS (DELETE FROM servers WHERE until < clock_timestamp() - interval '1 hour')
INSERT INTO servers VALUES (%(server)s, clock_timestamp() + %(lease)s * interval '1 second')
ON CONFLICT (server) DO UPDATE SET until = excluded.until
"""
_GO = "DELETE FROM servers WHERE server = %(server)s"


async def sign(lines: Lines, server: str) -> None:
    """Say that a server is alive. Raises as `Lines.fetch` does."""
    await lines.fetch(_SIGN, {"server": server, "lease": LEASE_S})


async def go(lines: Lines, server: str) -> None:
    """Say that a server has ended. Raises as `Lines.fetch` does."""
    await lines.fetch(_GO, {"server": server})


def dead(column: str) -> str:
    """The condition that the server which a column names is not alive."""
    return f"NOT EXISTS (SELECT FROM servers WHERE server = {column} AND {ALIVE})"
