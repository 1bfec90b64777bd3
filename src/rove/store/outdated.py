"""Documents whose text is of an earlier day: their file is gone, empty or damaged by now, and they still answer.

The day stands beside what was worked out for a document, as a field that filters can name.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

from sqlalchemy import select

from rove.records.outdated import TEXT_AS_OF
from rove.store import tables
from rove.store.catalog_rows import AnyRow, readable_metadata, slices
from rove.store.database import Database
from rove.store.dialect import within

Fields = dict[str, dict[str, str | None]]


class Outdated:
    """The days of one base. Calls block; what `marked` and `unmarked` return is for `Store.enrich`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def days(self, sources: Sequence[str]) -> dict[str, str]:
        """From which day the oldest text of each of these sources is, by ISO 8601; one that is up to date is absent."""
        found: dict[str, str] = {}
        for row in self._rows(sources):
            if day := _day(row):
                found[row.ledger_source] = min(day, found.get(row.ledger_source, day))
        return found

    def marked(self, days: Mapping[str, str], fresh: Mapping[str, Container[str]]) -> Fields:
        """The day for each document of these sources that has none yet; `fresh`: ids of those that are up to date."""
        return {
            row.document_id: {TEXT_AS_OF: days[row.ledger_source]}
            for row in self._rows(list(days))
            if not _day(row) and row.document_id not in fresh.get(row.ledger_source, ())
        }

    def unmarked(self, sources: Sequence[str]) -> Fields:
        """Nothing in the place of the day, for each document of these sources that has one."""
        return {row.document_id: {TEXT_AS_OF: None} for row in self._rows(sources) if _day(row)}

    def _rows(self, sources: Sequence[str]) -> list[AnyRow]:
        d, e = tables.documents.c, tables.enrichments
        query = select(d.document_id, d.ledger_source, e.c.fields).outerjoin(e, e.c.document == d.seq)
        with self._database.read() as connection:
            return [
                row
                for part in slices(sources)
                for row in connection.execute(query.where(within(d.ledger_source, part), d.revision > 0))
            ]


def _day(row: AnyRow) -> str:
    return str((readable_metadata(row.fields or "") or {}).get(TEXT_AS_OF, ""))
