"""The ingest ledger: what became of every source, with the reason and the cure where it failed."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from operator import attrgetter
from typing import NamedTuple

from sqlalchemy import ColumnElement, Connection, func, select, update

from rove.records import LedgerEntry
from rove.store import tables
from rove.store.catalog_rows import slices
from rove.store.database import Database, insert_rows
from rove.store.dialect import within

COLUMNS = [column.name for column in tables.ledger.columns]
TIME = COLUMNS.index("updated_at")
values = attrgetter(*COLUMNS)
"""An entry's values in the order of the columns."""


class HeldSource(NamedTuple):
    """What the ledger knows of a file, as much as is needed to find it again; of very many, so made quickly."""

    source: str
    kind: str
    outcome: str
    fingerprint: str
    documents: int
    updated_at: str


class Ledger:
    """One entry per source, kept in the catalog's database."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def get(self, sources: Sequence[str]) -> dict[str, LedgerEntry]:
        """The entries of these sources; a source that was never given is absent."""
        query = select(tables.ledger)
        with self.database.read() as connection:
            return {
                row.source: LedgerEntry(**row._mapping)  # pyright: ignore[reportPrivateUsage] - SQLAlchemy's public name
                for part in slices(sources)
                for row in connection.execute(query.where(within(tables.ledger.c.source, part)))
            }

    def entries(self, *states: str, first: int = 0, most: int | None = None) -> list[LedgerEntry]:
        """The entries in these states (all states when none is named), by source: so many from place `first` on."""
        query = select(tables.ledger).order_by(tables.ledger.c.source).offset(first).limit(most)
        if states:
            query = query.where(tables.ledger.c.state.in_(states))
        with self.database.read() as connection:
            return [LedgerEntry(**row._mapping) for row in connection.execute(query)]  # pyright: ignore[reportPrivateUsage]

    def count(self, *states: str) -> int:
        """How many entries there are in these states, or in all."""
        query = select(func.count()).select_from(tables.ledger)
        if states:
            query = query.where(tables.ledger.c.state.in_(states))
        with self.database.read() as connection:
            return connection.execute(query).scalar_one()

    def held_under(self, prefixes: Sequence[str]) -> list[HeldSource]:
        """What is known of the sources whose names begin with one of these."""
        source = tables.ledger.c.source
        return self._held([func.substr(source, 1, len(prefix)) == prefix for prefix in prefixes])

    def held_ending(self, ends: Sequence[str]) -> list[HeldSource]:
        """What is known of the sources whose names end so."""
        return self._held([tables.ledger.c.source.endswith(end, autoescape=True) for end in ends])

    def held_as(self, sources: Sequence[str], fingerprints: Sequence[str]) -> list[HeldSource]:
        """What is known of these sources, and of those that had one of these fingerprints when they were read."""
        led = tables.ledger.c
        by_name = [within(led.source, part) for part in slices(sources)]
        return self._held([*by_name, *(within(led.fingerprint, part) for part in slices(fingerprints))])

    def kinds(self) -> list[str]:
        """The kinds of source that there are."""
        with self.database.read() as connection:
            return sorted(connection.execute(select(tables.ledger.c.kind).distinct()).scalars())

    def _held(self, conditions: Sequence[ColumnElement[bool]]) -> list[HeldSource]:
        led = tables.ledger.c
        query = select(led.source, led.kind, led.outcome, led.fingerprint, led.documents, led.updated_at)
        with self.database.read() as connection:
            return [
                HeldSource._make(row)
                for condition in conditions
                for row in connection.execute(query.where(condition).order_by(led.source))
            ]

    def forget(self, sources: Sequence[str]) -> None:
        """Drop the entries of these sources, whatever they say, where none of their documents is left."""
        with self.database.write() as connection:
            forget_empty(connection, sources)

    def put(self, entries: Sequence[LedgerEntry]) -> None:
        """Write entries, each in the place of the one before it, stamped with the time."""
        if not entries:
            return
        now = datetime.now(UTC).isoformat(timespec="seconds")
        rows = [(*row[:TIME], now, *row[TIME + 1 :]) for row in map(values, entries)]
        with self.database.write() as connection:
            insert_rows(connection, tables.ledger, rows, replace=True)

    def sources_of(self, document_ids: Sequence[str]) -> dict[str, str]:
        """The sources that documents were found in, as they were given, by the documents' ids."""
        d = tables.documents.c
        query = select(d.document_id, d.ledger_source).where(within(d.document_id, document_ids), d.revision > 0)
        with self.database.read() as connection:
            return {row.document_id: row.ledger_source for row in connection.execute(query)}

    def forget_read(self, sources: Sequence[str]) -> None:
        """Let these sources be read when they are added again, whether they have changed or not."""
        with self.database.write() as connection:
            for part in slices(sources):
                again = update(tables.ledger).where(within(tables.ledger.c.source, part))
                connection.execute(again.values(fingerprint=""))

    def forget_empty(self) -> None:
        """Drop the entries of sources that are live by name only: none of their documents is left."""
        with self.database.write() as connection:
            connection.execute(tables.ledger.delete().where(tables.ledger.c.state == "live", ~_HELD))


def forget_empty(connection: Connection, sources: Sequence[str]) -> None:
    """Drop the entries of these sources, whatever they say, where none of their documents is left."""
    for part in slices(sources):
        connection.execute(tables.ledger.delete().where(within(tables.ledger.c.source, part), ~_HELD))


_HELD = select(tables.documents.c.seq).where(tables.documents.c.ledger_source == tables.ledger.c.source).exists()
