"""Is the catalog whole? Every page, text and vector of it is read, and each table held against the others."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator

from sqlalchemy import Connection, LargeBinary, select

from rove.errors import ConfigError
from rove.store import tables
from rove.store.catalog_rows import AnyRow, is_whole
from rove.store.database import Database, get_fact
from rove.store.dialect import within
from rove.store.presence import CURE
from rove.store.row_agreement import check_agree
from rove.store.shallow import STAND_IN
from rove.store.tables import Table

READ_AT_ONCE = 1_000
NAMED = 5
"""Documents that are named at most."""
VECTORS = {"vector", "asked"}
"""Names of the columns that hold vectors."""


def check_catalog(database: Database, dimension: int) -> None:
    """Let the database check the whole catalog, and read every text and every vector in it. Blocks.

    Raises:
        ConfigError: it is torn somewhere, or rows are missing; it names documents.
    """
    database.check()
    database.check_rows()
    with database.snapshot() as connection:
        check_agree(connection, database.dialect)
        noted = get_fact(connection, STAND_IN)
        lengths = {tables.vectors.name: {dimension, int(json.loads(noted)["dimension"])}} if noted else {}
        damaged = {
            table: list(_damaged(connection, table, lengths.get(table.name, {dimension})))
            for table in tables.metadata.sorted_tables
        }
        if any(damaged.values()):
            raise _said(connection, damaged)


def _damaged(connection: Connection, table: Table, dimensions: Collection[int]) -> Iterator[AnyRow]:
    """Read a table through, and yield the rows with a vector that is cut off, or not of numbers."""
    names = [c.name for c in table.columns if c.name in VECTORS and isinstance(c.type, LargeBinary)]
    for row in connection.execution_options(yield_per=READ_AT_ONCE).execute(select(table)):
        if not all(any(is_whole(getattr(row, name), one) for one in dimensions) for name in names):
            yield row


def _said(connection: Connection, damaged: dict[Table, list[AnyRow]]) -> ConfigError:
    """Make the error that names the documents whose vectors are damaged."""
    c, d = tables.chunks.c, tables.documents.c
    own = select(c.document).where(within(c.vector, [row.seq for row in damaged.pop(tables.vectors)]))
    others = [row.document for rows in damaged.values() for row in rows]
    found = select(d.document_id).where(d.seq.in_(own) | within(d.seq, others)).distinct()
    names = sorted(map(repr, connection.execute(found).scalars()))
    shown = ", ".join(names[:NAMED]) + ", …" * (len(names) > NAMED)
    of = f"of these documents: {shown}" if names else "of no document"
    message = f"The catalog is torn: it holds a vector that is cut off, or that is not of numbers, {of}."
    return ConfigError(message, cure=CURE)
