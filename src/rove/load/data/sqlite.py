"""SQLite database files: each table as a document, its schema first; opened from memory, and only read."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass

from rove.errors import InputError
from rove.load.data.database_schema import ForeignKey, cell_text, schema_lead
from rove.load.data.long_table import LongTable, table_documents
from rove.load.text import clean, stem
from rove.records import Document, Source

STEP = 100_000  # virtual-machine instructions between two looks at what was used up
MAX_STEPS = 20_000  # about 20 s
MAX_VALUE_BYTES = 16 << 20
MAGIC = b"SQLite format 3\0"
WAL_FLAGS, ROLLBACK_FLAGS = b"\x02\x02", b"\x01\x01"  # a database in memory has no write-ahead log
LISTED = "SELECT name, type, sql FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY name"
SHADOWS = ("content", "segments", "segdir", "docsize", "stat", "data", "idx", "config", "node", "rowid", "parent")
CURE = "Run `sqlite3 FILE .recover` and add the database that it makes."


class SqliteLoader:
    """See `Loader`. Views give their definition alone; the tables behind a full-text index are left out."""

    def load(self, source: Source) -> Iterator[Document]:
        """See `Loader.load`."""
        failed: list[str] = []
        found = 0
        with closing(sqlite3.connect(":memory:")) as connection:
            try:
                tables = _load_schema_entries(connection, source.data)
            except sqlite3.Error as error:
                message = f"{source.name!r} is not a complete SQLite database, or an encrypted one: {error}."
                raise InputError(message, cure=CURE) from error
            for table in tables:
                try:
                    for document in table_documents(source, _sqlite_table(connection, table, source)):
                        yield document
                        found += 1
                except sqlite3.Error as error:
                    failed.append(f"{table.name} ({error})")
        if failed:
            message = f"In {source.name!r} {len(failed)} of {len(tables)} tables cannot be read whole: "
            message += f"{'; '.join(failed[:10])}."
            raise InputError(message, cure=CURE, outcome="partial" if found else "damaged")
        if not found:
            message = f"{source.name!r} has no table."
            raise InputError(message, cure="Give a database with tables, or leave it out.", outcome="empty")


@dataclass(frozen=True, slots=True)
class _SchemaEntry:
    """A table or a view, as the schema names it."""

    name: str
    sql: str
    has_rows: bool


def _load_schema_entries(connection: sqlite3.Connection, data: bytes) -> list[_SchemaEntry]:
    """Let the connection read `data`, within bounds, and return what is in it.

    Raises:
        sqlite3.Error: it is no database.
    """
    if not data.startswith(MAGIC):  # deserialize takes anything, and has no memory for nothing
        message = "it does not begin as one"
        raise sqlite3.DatabaseError(message)
    if data[18:20] == WAL_FLAGS:
        data = data[:18] + ROLLBACK_FLAGS + data[20:]
    connection.deserialize(data)
    steps = iter(range(MAX_STEPS))
    connection.set_progress_handler(lambda: next(steps, None) is None, STEP)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES)
    connection.text_factory = _decode
    for pragma in ("query_only = ON", "trusted_schema = OFF", "cell_size_check = ON"):
        connection.execute(f"PRAGMA {pragma}")
    found = connection.execute(LISTED)
    entries = [
        _SchemaEntry(name, sql or "", kind == "table") for name, kind, sql in found if not name.startswith("sqlite_")
    ]
    virtual = [e.name for e in entries if e.sql[:20].upper().startswith("CREATE VIRTUAL")]
    shadows = {f"{name}_{part}" for name in virtual for part in SHADOWS}
    return [entry for entry in entries if entry.name not in shadows]


def _sqlite_table(connection: sqlite3.Connection, entry: _SchemaEntry, source: Source) -> LongTable:
    rows = connection.execute(f"SELECT * FROM {_quote_table(entry.name)}") if entry.has_rows else None
    keys = _foreign_keys(connection, entry.name) if entry.has_rows else []
    name = clean(entry.name)
    return LongTable(
        title=name,
        header=[clean(str(column[0])) for column in rows.description] if rows else [],
        rows=([cell_text(value) for value in row] for row in rows) if rows else (),
        name=name,
        lead=schema_lead(name, clean(entry.sql), keys),
        caption=name,
        metadata={"database": stem(source), "table": name},
    )


def _foreign_keys(connection: sqlite3.Connection, name: str) -> list[ForeignKey]:
    """The pragma gives a row for each column: (key's number, column's number, table, column here, column there, …)."""
    keys: dict[int, ForeignKey] = {}
    for number, _, table, column, target, *_ in connection.execute(f"PRAGMA foreign_key_list({_quote_table(name)})"):
        old = keys.get(number, ForeignKey((), clean(table)))
        targets = (*old.targets, clean(target)) if target else old.targets
        keys[number] = ForeignKey((*old.columns, clean(column)), old.table, targets)
    return list(keys.values())


def _quote_table(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _decode(data: bytes) -> str:
    return data.decode("utf-8", "replace")
