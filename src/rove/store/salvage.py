"""What can still be read of a torn catalog: its rows, table by table, around the pages that are damaged.

SQLite stops at the first damaged page that a query meets. So rows are asked for by ranges of their numbers: a range
that fails is halved, down to the single row that cannot be had.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, suppress
from itertools import islice
from pathlib import Path
from typing import Any

from rove.errors import RoveError
from rove.records import Document, LedgerEntry, vector_key
from rove.records.source import MetaValue
from rove.store import Vector, tables
from rove.store.catalog_rows import document_of, is_whole, metadata_of, vector_of
from rove.store.tables import Table

RANGE = 512
MOST_FAILURES = 2_000
"""Failed queries after which the rest of a table is given up: each halving costs one, each lost row about ten."""
FARTHEST = 1 << 31
"""The last row that is asked for where the catalog cannot say which one it is."""
Row = Mapping[str, Any]

UNREADABLE = (sqlite3.Error, UnicodeDecodeError, OverflowError)
"""What reading a torn catalog raises: names of columns can be torn, too."""


class _Fields(dict[str, Any]):
    """A row whose columns can be read as attributes; what an older catalog did not have is None."""

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - a column
        return self.get(name)


class Salvage:
    """Reads a catalog that may be torn. It is given a copy, since opening a database can write to it. Blocks."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self.unread: dict[str, int] = {}
        """How many ranges of one row could not be read, by table."""

    def rows(self, table: Table) -> Iterator[_Fields]:
        """Yield the rows of a table that can be read, by row number; none where the table cannot be found."""
        with closing(sqlite3.connect(self._file)) as connection:
            connection.row_factory = sqlite3.Row
            failures = 0
            try:
                connection.execute("PRAGMA writable_schema=ON")  # then one damaged table or length spoils no other
                connection.execute(f'SELECT * FROM "{table.name}" LIMIT 0')
            except UNREADABLE:
                return
            ranges = [(low, high) for low, high in reversed(_ranges(_highest_rowid(connection, table)))]
            while ranges and failures < MOST_FAILURES:
                low, high = ranges.pop()
                try:
                    query = f'SELECT * FROM "{table.name}" WHERE rowid BETWEEN ? AND ? ORDER BY rowid'
                    found = connection.execute(query, (low, high)).fetchall()
                except UNREADABLE:
                    failures += 1
                    if low < high:
                        middle = (low + high) // 2
                        ranges += [(middle + 1, high), (low, middle)]
                    else:
                        self.unread[table.name] = self.unread.get(table.name, 0) + 1
                    continue
                for row in found:
                    yield _Fields(zip(row.keys(), tuple(row), strict=True))

    def embedder(self) -> str:
        """The fingerprint of the embedder that made the base, "" where that cannot be read."""
        return next((str(row.value) for row in self.rows(tables.facts) if row.name == "embedder"), "")

    def is_made_with(self, model: str) -> bool:
        """Say whether chunks that can be read have vectors under the keys that this embedder gives them."""
        keys = {row.seq: row.key for row in self.rows(tables.vectors)}
        return any(
            keys.get(row.vector) == vector_key(model, f"{row.prefix}\n{row.text}" if row.prefix else str(row.text))
            for row in islice(self.rows(tables.chunks), 1_000)
        )

    def vectors(self, dimension: int) -> Iterator[tuple[str, Vector, bytes]]:
        """Yield vectors that are whole with their keys, and what late interaction compares, b"" where there is none.

        Those of a stand-in are left out: it makes them anew at once.
        """
        keys: dict[int, tuple[str, Vector]] = {}
        shallow = {row.document for row in self.rows(tables.shallow) if not row.deepened}
        quick = {row.vector for row in self.rows(tables.chunks) if row.document in shallow} if shallow else set[int]()
        for row in self.rows(tables.vectors):
            if row.seq not in quick and is_whole(row.vector, dimension, zeros=False):
                keys[row.seq] = (str(row.key), vector_of(row.vector))
        for row in self.rows(tables.tokens):
            if row.vector in keys and isinstance(row.tokens, bytes):
                yield *keys.pop(row.vector), row.tokens
        for key, vector in keys.values():
            yield key, vector, b""

    def documents(self) -> Iterator[tuple[_Fields, Document]]:
        """Yield the documents whose text can be read, each with its row; of two versions the one that was live.

        The row's `version` hashes all that the document holds: where it is not that of the document, something in it
        was changed, or an older Rove kept it. What metadata was worked out later is not among the document's.
        """
        texts = {row.document: row for row in self.rows(tables.texts)}
        seen: set[str] = set()
        for row in sorted(self.rows(tables.documents), key=lambda row: (not row.revision, row.seq)):
            text = texts.get(row.seq)
            if text is None or row.document_id in seen or not isinstance(text.text, str):
                continue
            with suppress(RoveError, ValueError, TypeError, AttributeError):
                document = document_of(row, text.text, text.boxes)  # pyright: ignore[reportArgumentType] - has the columns
                seen.add(document.document_id)
                yield row, document

    def enrichments(self) -> dict[int, dict[str, MetaValue]]:
        """Fields that were worked out later, by the row number of the document."""
        found: dict[int, dict[str, MetaValue]] = {}
        for row in self.rows(tables.enrichments):
            with suppress(RoveError, ValueError, TypeError, AttributeError):
                found[row.document] = metadata_of(row.fields)
        return found

    def originals(self) -> dict[int, str]:
        """The SHA-256 of the file that each document was read from, by the document's row number."""
        return {row.document: str(row.digest) for row in self.rows(tables.originals)}

    def ledger(self) -> list[LedgerEntry]:
        """What became of the sources, as far as it can be read; an entry that lacks a value is left out."""
        names = [column.name for column in tables.ledger.columns]
        held = ({name: row[name] for name in names if name in row} for row in self.rows(tables.ledger))
        return [LedgerEntry(**row) for row in held if None not in row.values()]


def _highest_rowid(connection: sqlite3.Connection, table: Table) -> int:
    try:
        return int(connection.execute(f'SELECT max(rowid) FROM "{table.name}"').fetchone()[0] or 0)
    except (*UNREADABLE, TypeError):
        return FARTHEST


def _ranges(last: int) -> list[tuple[int, int]]:
    if last == FARTHEST:
        return [(1, FARTHEST)]
    return [(low, min(last, low + RANGE - 1)) for low in range(1, last + 1, RANGE)]


def copied_rows(salvage: Salvage, table: Table) -> list[tuple[object, ...]]:
    """The rows of a table that can be read, with a value for every column, in the table's order."""
    names = [column.name for column in table.columns]
    return [tuple(row.get(name) for name in names) for row in sound(table, filter(_is_json, salvage.rows(table)))]


def sound(table: Table, rows: Iterable[Row]) -> list[Row]:
    """Leave out what torn pages can bring and the table refuses: rows without a value, or with a later one's key."""
    needed = [column.name for column in table.columns if not column.nullable]
    kept = [row for row in rows if all(row.get(name) is not None for name in needed)]
    for key in (list(table.primary_key), *([column] for column in table.columns if column.unique)):
        last = {tuple(row.get(column.name) for column in key): number for number, row in enumerate(kept)}
        numbers = {number for values, number in last.items() if None not in values}
        lacking = (number for number, row in enumerate(kept) if any(row.get(column.name) is None for column in key))
        kept = [kept[number] for number in sorted(numbers.union(lacking))]
    return kept


def _is_json(row: Row) -> bool:
    """Say whether the event of a walk can be read; other rows hold none."""
    try:
        return "event" not in row or bool(json.loads(row["event"]))
    except (ValueError, TypeError):
        return False
