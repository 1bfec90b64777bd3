"""Keeps what OCR has read of sources that are not finished: a page takes seconds, which a crash must not cost again."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import select

from rove.records import PageRead
from rove.store import tables
from rove.store.catalog_rows import slices
from rove.store.database import Database, insert_rows
from rove.store.dialect import within


class TranscriptStore:
    """Transcripts in the catalog's database, by source and picture."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def get(self, sources: Sequence[str]) -> dict[str, dict[str, bytes]]:
        """The packed transcripts of these sources, by the digests of their pictures; a source without is absent."""
        found: dict[str, dict[str, bytes]] = {}
        query = select(tables.transcripts)
        with self.database.read() as connection:
            for part in slices(sources):
                for row in connection.execute(query.where(within(tables.transcripts.c.source, part))):
                    found.setdefault(row.source, {})[row.digest] = row.transcript
        return found

    def put(self, pages: Sequence[PageRead]) -> None:
        """Keep what OCR said of these pages; those that were known are there."""
        rows = [(page.source, page.digest, page.transcript) for page in pages if page.transcript]
        if rows:
            with self.database.write() as connection:
                insert_rows(connection, tables.transcripts, rows, replace=True)

    def drop(self, sources: Sequence[str]) -> None:
        """Forget these sources."""
        held = [part for part in slices(sources) if self.get(part)]
        for part in held:
            with self.database.write() as connection:
                connection.execute(tables.transcripts.delete().where(within(tables.transcripts.c.source, part)))
