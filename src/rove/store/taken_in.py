"""What the catalog has been given already, and from where: an ingest asks, lest anything is read twice."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

from sqlalchemy import select

from rove.store import tables
from rove.store.catalog_rows import slices
from rove.store.database import Database
from rove.store.dialect import within


class TakenIn:
    """The part of the catalog that an ingest asks. Calls block for as long as the disk takes."""

    database: Database

    def fingerprints(self, document_ids: Sequence[str]) -> dict[str, str]:
        """What the live versions of these documents were made from; an unknown id is absent."""
        d = tables.documents.c
        with self.database.read() as connection:
            return {
                row.document_id: row.fingerprint
                for part in slices(document_ids)
                for row in connection.execute(
                    select(d.document_id, d.fingerprint).where(within(d.document_id, part), d.revision > 0)
                )
            }

    def holds(self, document_ids: Sequence[str]) -> bool:
        """Say whether any of these documents is there, live or on its way in."""
        d = tables.documents.c
        with self.database.read() as connection:
            return any(
                connection.execute(select(d.seq).where(within(d.document_id, part)).limit(1)).first()
                for part in slices(document_ids)
            )

    def stale(self, held: Mapping[str, Container[str]]) -> list[str]:
        """Ids of live documents that came from these sources once and are not among what each of them holds now."""
        d = tables.documents.c
        with self.database.read() as connection:
            return [
                row.document_id
                for part in slices(list(held))
                for row in connection.execute(
                    select(d.document_id, d.ledger_source).where(within(d.ledger_source, part), d.revision > 0)
                )
                if row.document_id not in held[row.ledger_source]
            ]

    def sizes(self) -> list[tuple[str, int]]:
        """The ids of the live documents in the order they came, each with how many chunks it has."""
        d = tables.documents.c
        with self.database.read() as connection:
            query = select(d.document_id, d.chunks).where(d.revision > 0).order_by(d.seq)
            return [(str(row.document_id), int(row.chunks)) for row in connection.execute(query)]
