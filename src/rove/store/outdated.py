"""Documents whose text is of an earlier day: their file is gone, empty or damaged by now, and they are still held.

The day stands beside what was worked out for a document, as a field that filters can name; so does that it is gone.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

from sqlalchemy import select

from rove.records.outdated import FILE_GONE, TEXT_AS_OF
from rove.records.source import MetaValue
from rove.store import tables
from rove.store.catalog_rows import AnyRow, readable_metadata, slices
from rove.store.database import Database, get_fact, set_fact
from rove.store.dialect import within
from rove.store.documents import Documents

Fields = dict[str, dict[str, MetaValue | None]]
FILES_GONE = "files_gone"
"""The fact that a file was gone once: without it, no search has to ask which are."""


class Outdated:
    """The days of one base. Calls block; what `marked` and `unmarked` return is for `Store.enrich`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def days(self, sources: Sequence[str]) -> dict[str, str]:
        """From which day the oldest text of each of these sources is, by ISO 8601; one that is up to date is absent."""
        found: dict[str, str] = {}
        for row in self._rows(sources):
            if day := _row_as_of_day(row):
                found[row.ledger_source] = min(day, found.get(row.ledger_source, day))
        return found

    def marked(self, days: Mapping[str, str], fresh: Mapping[str, Container[str]]) -> Fields:
        """The day for each document of these sources that has none yet; `fresh`: ids of those that are up to date."""
        return {
            row.document_id: {TEXT_AS_OF: days[row.ledger_source]}
            for row in self._rows(list(days))
            if not _row_as_of_day(row) and row.document_id not in fresh.get(row.ledger_source, ())
        }

    def marked_gone(self, days: Mapping[str, str]) -> Fields:
        """Likewise, of sources whose file is gone: the day, and that it is gone."""
        with self._database.write() as connection:
            set_fact(connection, FILES_GONE, "yes")
        return {
            row.document_id: {TEXT_AS_OF: _row_as_of_day(row) or days[row.ledger_source], FILE_GONE: True}
            for row in self._rows(list(days))
        }

    def unmarked(self, sources: Sequence[str], *names: str) -> Fields:
        """Nothing in the place of these fields, for each document of these sources."""
        return {row.document_id: dict.fromkeys(names) for row in self._rows(sources)}

    def _rows(self, sources: Sequence[str]) -> list[AnyRow]:
        d, e = tables.documents.c, tables.enrichments
        query = select(d.document_id, d.ledger_source, e.c.fields).outerjoin(e, e.c.document == d.seq)
        with self._database.read() as connection:
            return [
                row
                for part in slices(sources)
                for row in connection.execute(query.where(within(d.ledger_source, part), d.revision > 0))
            ]


class GoneFiles:
    """Whether a base may hold documents whose file is gone. Calls block, for microseconds."""

    def __init__(self, documents: Documents) -> None:
        self._documents = documents
        self._known = (-1, False)

    def any(self) -> bool:
        """Say whether a file was gone when its folder was added again; read anew where the base has changed."""
        revision = self._documents.revision()
        if revision > self._known[0] and not self._known[1]:
            self._known = (revision, any(map(_has_lost_source_files, self._documents.parts)))
        return self._known[1]


def _has_lost_source_files(documents: Documents) -> bool:
    with documents.database.read() as connection:
        return bool(get_fact(connection, FILES_GONE))


def _row_as_of_day(row: AnyRow) -> str:
    return str((readable_metadata(row.fields or "") or {}).get(TEXT_AS_OF, ""))
