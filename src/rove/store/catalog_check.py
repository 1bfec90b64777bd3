"""Is the catalog whole? Every page, text and vector of it is read, and each table held against the others."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import cast

from sqlalchemy import Connection, LargeBinary, select

from rove.errors import count_text
from rove.store import tables
from rove.store.catalog_rows import AnyRow, is_whole
from rove.store.database import Database, get_fact
from rove.store.dialect import within
from rove.store.row_agreement import check_agree
from rove.store.shallow import STAND_IN
from rove.store.tables import Table

READ_AT_ONCE = 1_000
NAMED = 5
"""Rows that are named at most."""
VECTORS = {"vector", "asked"}
"""Names of the columns that hold vectors."""


@dataclass(frozen=True, slots=True)
class DamagedRow:
    """A row of the catalog with a vector that is cut off, or not of numbers.

    `document_id`: whose it is; "" where it is no document's.
    """

    table: str
    seq: int
    document_id: str

    def __str__(self) -> str:
        place = f"row {self.seq} of {self.table}"
        return f"{self.document_id!r} ({place})" if self.document_id else place


def check_catalog(database: Database, dimension: int) -> list[DamagedRow]:
    """Let the database check the whole catalog, and read every text and every vector in it. Blocks.

    Returns the rows whose vectors are damaged.

    Raises:
        ConfigError: it is torn elsewhere, or rows are missing; it names documents.
    """
    database.check()
    database.check_rows()
    with database.snapshot() as connection:
        check_agree(connection, database.dialect)
    return damaged_rows(database, dimension, whole=True)


def damaged_rows(database: Database, dimension: int, *, whole: bool = False) -> list[DamagedRow]:
    """Read all vectors, or the `whole` catalog, and return the rows whose vectors are damaged. Blocks."""
    among = [table for table in tables.metadata.sorted_tables if whole or vector_columns(table)]
    found: list[DamagedRow] = []
    with database.snapshot() as connection:
        noted = get_fact(connection, STAND_IN)
        lengths = {tables.vectors.name: {dimension, int(json.loads(noted)["dimension"])}} if noted else {}
        for table in among:
            rows = _iter_damaged_vectors(connection, table, lengths.get(table.name, {dimension}), whole=whole)
            found += _find_damaged_row_owners(connection, table, list(rows))
    return found


def unread_tokens(database: Database, can_read: Callable[[Sequence[bytes]], Sequence[bool]]) -> list[DamagedRow]:
    """Return the rows of `vectors` with tokens that the embedder cannot read. Blocks.

    None where it can read no tokens at all: then another version of it made them.
    """
    t = tables.tokens.c
    found: list[AnyRow] = []
    whole = False
    with database.snapshot() as connection:
        query = select(t.vector.label("seq"), t.tokens).order_by(t.vector)
        for rows in connection.execution_options(yield_per=READ_AT_ONCE).execute(query).partitions():
            readable = can_read([row.tokens if type(row.tokens) is bytes else b"" for row in rows])
            whole = whole or any(readable)
            found += [row for row, is_readable in zip(rows, readable, strict=True) if not is_readable]
        return _find_damaged_row_owners(connection, tables.vectors, found) if whole else []


def damage_text(rows: Sequence[DamagedRow], what: str = "vector", how: str = "cut off or not of numbers") -> str:
    """Say how many vectors are damaged, and which."""
    shown = ", ".join(map(str, rows[:NAMED])) + ", …" * (len(rows) > NAMED)
    return f"{count_text(len(rows), what)} {how}: {shown}"


def vector_columns(table: Table) -> list[str]:
    """The names of its columns that hold vectors."""
    return [column.name for column in table.columns if column.name in VECTORS and isinstance(column.type, LargeBinary)]


def _iter_damaged_vectors(
    connection: Connection, table: Table, dimensions: Collection[int], *, whole: bool
) -> Iterator[AnyRow]:
    """Read a table through, and yield the rows with a vector that is cut off, or not of numbers."""
    names, zeros = vector_columns(table), table is not tables.vectors
    few = [column for column in table.columns if column.name in {"seq", "document", *names}]
    query = select(table) if whole else select(*few)
    for row in connection.execution_options(yield_per=READ_AT_ONCE).execute(query):
        if not all(any(is_whole(getattr(row, name), one, zeros=zeros) for one in dimensions) for name in names):
            yield row


def _find_damaged_row_owners(connection: Connection, table: Table, rows: Sequence[AnyRow]) -> list[DamagedRow]:
    """Find out whose these rows are."""
    if not rows:
        return []
    c, d = tables.chunks.c, tables.documents.c
    if table is tables.vectors:
        own = select(c.vector, d.document_id).join(tables.documents, d.seq == c.document)
        found = connection.execute(own.where(within(c.vector, [row.seq for row in rows])).order_by(d.seq.desc()))
        owners = {int(row.vector): str(row.document_id) for row in found}
        return [DamagedRow(table.name, row.seq, owners.get(row.seq, "")) for row in rows]
    documents = [row.document for row in rows]
    found = connection.execute(select(d.seq, d.document_id).where(within(d.seq, documents)))
    ids = {int(row.seq): str(row.document_id) for row in found}
    return [DamagedRow(table.name, row.seq, ids.get(cast("int", row.document), "")) for row in rows]
