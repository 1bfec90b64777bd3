"""Corrections that people have made in documents, kept by the documents' ids: they are put in whenever one is read."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import astuple

from sqlalchemy import Connection, delete, select

from rove.records.correction import Correction
from rove.store.database import Database, insert_rows
from rove.store.dialect import within
from rove.store.enriched_tables import corrections

CORRECTED_BY, CORRECTED_AT = "corrected_by", "corrected_at"
"""Fields of a document that somebody has corrected: who did so last, and when."""


class Corrections:
    """The corrections of one base. Calls block."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of(self, document_ids: Collection[str]) -> dict[str, list[Correction]]:
        """The corrections of these documents, each in the order in which they were made."""
        c = corrections.c
        query = select(*[column for column in corrections.columns if column is not c.seq])
        query = query.where(within(c.document_id, document_ids)).order_by(c.seq)
        found: dict[str, list[Correction]] = {}
        with self._database.read() as connection:
            for row in connection.execute(query):
                found.setdefault(row.document_id, []).append(Correction(*row))
        return found

    def documents(self) -> list[str]:
        """The ids of the documents that somebody has corrected."""
        with self._database.read() as connection:
            return list(connection.execute(select(corrections.c.document_id).distinct()).scalars())

    def add(self, made: Sequence[Correction]) -> None:
        """Keep corrections."""
        with self._database.write() as connection:
            insert_rows(connection, corrections, [(None, *astuple(one)) for one in made])

    def replace(self, document_id: str, made: Sequence[Correction]) -> None:
        """Keep these corrections of a document, in this order, in the place of all that it had."""
        with self._database.write() as connection:
            forget_corrections(connection, [document_id])
            insert_rows(connection, corrections, [(None, *astuple(one)) for one in made])


def forget_corrections(connection: Connection, document_ids: Collection[str]) -> None:
    """Let go of the corrections of documents that go."""
    connection.execute(delete(corrections).where(within(corrections.c.document_id, document_ids)))
