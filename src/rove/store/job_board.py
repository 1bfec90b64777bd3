"""A board in the base on which servers pin how far their jobs are, so that each can say it of those of the others."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from sqlalchemy import Column, MetaData, String, Table, Text, delete, select, update

from rove.store.database import Database, insert_rows

REMEMBERED = timedelta(days=1)
"""How long what is pinned is kept after it was last pinned anew."""

_jobs = Table(
    "jobs",
    MetaData(),
    Column("job_id", String, primary_key=True),
    Column("caller", String, nullable=False),
    Column("told", Text, nullable=False),
    Column("at", String, nullable=False),
)


class JobBoard:
    """What is pinned is the servers' own: a text for each job. Calls block."""

    def __init__(self, database: Database) -> None:
        """Take the base's database; the table is made if it is missing."""
        self._database = database
        with database.read() as connection:
            there = connection.dialect.has_table(connection, _jobs.name)
        if not there:
            with database.write() as connection:
                _jobs.create(connection, checkfirst=True)

    def pin(self, job_id: str, caller: str, told: str) -> None:
        """Say how far a job is; what is old goes."""
        now = datetime.now(UTC)
        with self._database.write() as connection:
            insert_rows(connection, _jobs, [(job_id, caller, told, now.isoformat())], replace=True)
            connection.execute(delete(_jobs).where(_jobs.c.at < (now - REMEMBERED).isoformat()))

    def pin_again(self, job_id: str, told: str) -> None:
        """Say it of a job that is pinned; one that was taken off stays off."""
        now = datetime.now(UTC).isoformat()
        with self._database.write() as connection:
            connection.execute(update(_jobs).where(_jobs.c.job_id == job_id).values(told=told, at=now))

    def read(self, job_id: str) -> tuple[str, str] | None:
        """Whose job that is, and what was told of it last; None where nothing is pinned."""
        with self._database.read() as connection:
            found = connection.execute(select(_jobs.c.caller, _jobs.c.told).where(_jobs.c.job_id == job_id)).first()
        return (str(found.caller), str(found.told)) if found else None

    def clear(self) -> None:
        """Take everything off: it names sources. Of what is under way its server pins it anew."""
        with self._database.write() as connection:
            connection.execute(delete(_jobs))
