"""How many rows each table of the catalog has, kept beside them: rows that were lost are missed when it is opened.

The database counts as rows come and go, in the transaction that writes them: see `Dialect.counts`. So whatever else
takes rows away, a torn page or another program, leaves the count as it was.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from sqlalchemy import Connection, Table, bindparam, insert, inspect, select, update

from rove.store import tables
from rove.store.enriched_tables import metadata

INDEXED_ROWS, SCANNED_ROWS = 100_000, 1_000
"""Rows up to which those of a table are counted when the catalog is opened: by an index, which takes a millisecond; or
through the table itself, where it has no other. Of larger ones it is seen that they are not empty."""
FIRST = ("documents", "texts", "chunks", "vectors", "ledger")
"""Tables that each catalog has had since the first version."""
_N = tables.row_counts.c


@dataclass(frozen=True, slots=True)
class TableRows:
    """How many rows a table has, and how many were written and not taken away."""

    table: str
    noted: int
    held: int

    def __str__(self) -> str:
        return f"its table {self.table} holds {self.held:,} of {self.noted:,} rows"


def counted_tables() -> list[str]:
    """The names of the tables that this process knows, but for the one of the counts."""
    return [name for name in metadata.tables if name != tables.row_counts.name]


def lost_rows(connection: Connection, found: Collection[str], *, exact: bool = False) -> list[TableRows]:
    """Return the tables that have lost rows, of a catalog that has tables of the names `found`; one statement.

    `exact`: count all rows, however many there are. A catalog of an older Rove has no counts: then what cannot be is
    looked for, such as documents without a single text.
    """
    if tables.row_counts.name not in found:
        return _infer_lost_rows(connection, found)
    noted = "SELECT name, \"rows\" AS noted, {held} AS held FROM row_counts WHERE name = '{name}'"
    each = [
        noted.format(held=_row_count_sql(name, exact) if name in found else "0", name=name) for name in counted_tables()
    ]
    rows = connection.exec_driver_sql(" UNION ALL ".join(each)).all()
    return [TableRows(name, noted, held) for name, noted, held in rows if held < noted] if rows else _infer_lost_rows(
        connection, found
    )  # fmt: skip


def _row_count_sql(name: str, exact: bool) -> str:
    """How many rows a table has, in SQL; of one that is not counted through, all where there is any."""
    count = f'(SELECT count(*) FROM "{name}")'  # noqa: S608 - of our own tables
    if exact:
        return count
    most = INDEXED_ROWS if _has_index(metadata.tables[name]) else SCANNED_ROWS
    some = f'EXISTS (SELECT 1 FROM "{name}")'  # noqa: S608
    return f'CASE WHEN "rows" <= {most} THEN {count} WHEN {some} THEN "rows" ELSE 0 END'


def _has_index(table: Table) -> bool:
    return bool(table.indexes) or any(column.unique for column in table.columns)


def _infer_lost_rows(connection: Connection, found: Collection[str]) -> list[TableRows]:
    """Likewise of a catalog without counts."""
    if tables.facts.name not in found or not _rows_in(connection, tables.facts):
        return []
    lost = [TableRows(name, 1, 0) for name in FIRST if name not in found]
    if lost:
        return lost
    d = tables.documents.c
    documents, cut = _rows_in(connection, tables.documents), select(d.seq).where(d.chunks > 0).limit(1)
    wanted = {
        tables.documents: _rows_in(connection, tables.texts) or _rows_in(connection, tables.chunks),
        tables.texts: documents,
        tables.chunks: connection.execute(cut).first() is not None,
        tables.vectors: _rows_in(connection, tables.chunks),
    }
    return [TableRows(table.name, 1, 0) for table, any_ in wanted.items() if any_ and not _rows_in(connection, table)]


def _rows_in(connection: Connection, table: Table) -> bool:
    return connection.execute(select(1).select_from(table).limit(1)).first() is not None


def note_rows(connection: Connection) -> None:
    """Count tables whose rows were never counted, within a transaction that has not written yet."""
    found = set(inspect(connection).get_table_names())
    noted = set(connection.execute(select(_N.name)).scalars())
    fresh = [name for name in counted_tables() if name in found and name not in noted]
    if fresh:
        connection.execute(insert(tables.row_counts), list(_count_table_rows(connection, fresh)))


def note_rows_again(connection: Connection) -> None:
    """Take the rows that there are for all, once it was seen that none is lost: an older Rove may have added some."""
    rows = [{"of": row["name"], "held": row["rows"]} for row in _count_table_rows(connection, counted_tables())]
    connection.execute(update(tables.row_counts).where(_N.name == bindparam("of")).values(rows=bindparam("held")), rows)


def _count_table_rows(connection: Connection, names: Collection[str]) -> Iterator[dict[str, str | int]]:
    each = [f"SELECT '{name}', count(*) FROM \"{name}\"" for name in names]  # noqa: S608 - of our own tables
    for name, count in connection.exec_driver_sql(" UNION ALL ".join(each)):
        yield {"name": name, "rows": int(count)}
