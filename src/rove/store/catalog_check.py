"""Is the catalog whole? Every page, text and vector of it is read."""

from __future__ import annotations

from sqlalchemy import LargeBinary, select

from rove.store import tables
from rove.store.database import Database
from rove.store.rows import check_vectors

READ_AT_ONCE = 1_000
VECTORS = {"vector", "asked"}
"""Names of the columns that hold vectors."""


def check_catalog(database: Database) -> None:
    """Let the database check the whole catalog, and read every text and every vector in it. Blocks.

    Raises:
        ConfigError: it is torn somewhere.
    """
    database.check()
    with database.read() as connection:
        for table in tables.metadata.sorted_tables:
            vectors = [c.name for c in table.columns if c.name in VECTORS and isinstance(c.type, LargeBinary)]
            for rows in connection.execution_options(yield_per=READ_AT_ONCE).execute(select(table)).partitions():
                for name in vectors:
                    check_vectors([getattr(row, name) for row in rows])
