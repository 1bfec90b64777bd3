"""SQLite as the catalog's database: one file in the base's folder, durable, with one writer at a time."""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from collections.abc import Collection, Generator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Lock
from typing import Any, cast

from sqlalchemy import Connection, QueuePool, create_engine, event
from sqlalchemy.exc import DatabaseError

from rove.errors import ConfigError, RoveError, ServiceError
from rove.store import tables
from rove.store.files import is_full, is_writable
from rove.store.folder_hold import shared_hold
from rove.store.presence import holds_chunks, lost, remains_of
from rove.store.sqlite_ways import PRIMARY, connect, open_catalog

COUNTS = "rove_counts"
"""Where a connection that counts rows notes how many it has added to tables of `MANY` in its transaction."""
MANY = {tables.documents.name, tables.texts.name, tables.chunks.name, tables.vectors.name}
"""Tables that get many rows, whose keys are new: these are counted by the statement. A trigger takes 1.7 µs a row."""
INTO_MANY = re.compile(f'INSERT INTO "?({"|".join(sorted(MANY))})\\b')
BROKEN = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT}
"""SQLite's codes for a file that is torn, or none of its own."""
SAID_OF_TORN = ("Could not decode to UTF-8", "foreign key mismatch", "malformed database schema", "no such column")
"""What is said of a text that is none, and of tables that are not those that were made, without a code for it."""
SHOWN_CHARS = 100
DISK = {
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_PROTOCOL,
    sqlite3.SQLITE_NOMEM,
}
"""SQLite's codes for what is the fault of the disk, or of another process that holds on to it."""


HELD = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
"""Those of them that are the fault of another process."""


class SqliteDialect:
    """A SQLite file in WAL mode with synchronous=FULL. See `Dialect`."""

    snapshot = {"rove_begin": "BEGIN"}  # noqa: RUF012 - as the contract has it
    writing = {"rove_begin": "BEGIN IMMEDIATE"}  # noqa: RUF012

    def __init__(self, file: Path) -> None:
        """Open the file, or make it.

        Raises:
            ServiceError: another process has the base alone, or the file cannot be opened.
        """
        self._file = file
        self._hold = shared_hold(file.absolute().parent)
        self._watching = Lock()
        self._lent: list[str] = []
        try:
            self._opened = open_catalog(file.absolute())
        except (sqlite3.DatabaseError, RoveError) as error:
            self._hold.close()
            raise self.error(error, "opened") or error from error
        self.engine = create_engine("sqlite://", creator=self._connect, poolclass=QueuePool, paramstyle="named")
        event.listen(self.engine, "connect", self._connected)
        event.listen(self.engine, "begin", _begin_transaction)
        event.listen(self.engine, "after_cursor_execute", _count_inserted_rows)
        event.listen(self.engine, "commit", _commit)
        event.listen(self.engine, "rollback", _rollback)

    def check_not_lost(self, found: Collection[str]) -> None:
        """See that a file without tables lies beside nothing that was a base, and that its tables are a catalog's."""
        folder, name = self._file.parent, self._file.name
        if not found and (remains := remains_of(folder)).any and not self._made_meanwhile():
            raise lost(folder, f"{name} holds no tables", remains)
        if found and tables.facts.name not in found:
            raise lost(folder, f"{name} is not a Rove catalog")

    def check_reachable(self, connection: Connection, names: Collection[str]) -> None:
        """Ask each table and each of its indexes for one row: a lost root page reads as nothing at all."""
        indexes = connection.exec_driver_sql("SELECT tbl_name, name FROM sqlite_master WHERE type = 'index'").all()
        trees = [(table, f'INDEXED BY "{name}"') for table, name in indexes if table in names]
        trees += [(table, "NOT INDEXED") for table in dict(trees)]
        some = ", ".join(f'EXISTS (SELECT 1 FROM "{table}" {how})' for table, how in trees)  # noqa: S608
        found = connection.exec_driver_sql(f"SELECT {some or 1}").one()  # noqa: S608 - of SQLite's own names
        kinds: dict[str, set[int]] = {}
        for (table, _), any_ in zip(trees, found, strict=False):
            kinds.setdefault(table, set()).add(any_)
        if unlike := sorted(table for table, any_ in kinds.items() if len(any_) > 1):
            said = f"rows and indexes of {', '.join(unlike)} do not agree"
            raise self.torn(said)

    def check_used(self) -> None:
        """See that no index beside a catalog that has never heard of a document was given chunks."""
        if holds_chunks(self._file.parent):
            raise lost(self._file.parent, f"{self._file.name} knows of no document")

    def _made_meanwhile(self) -> bool:
        """Whether another process was just making the tables: its turn is waited for."""
        if not self._opened.way.writes:
            return False
        with self._raw() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                return bool(connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone())
            finally:
                connection.execute("ROLLBACK")

    def revision(self) -> int:
        """Read the revision by a connection of its own that never writes."""
        self.check_place()
        with self._watching:
            found = self._opened.watch.execute("SELECT value FROM facts WHERE name = 'revision'").fetchall()
        return int(found[0][0] or "0") if found else 0

    def check_place(self, *, writes: bool = False) -> None:
        """See that the file is the one that was opened; one that could only be read is opened anew once it changes."""
        opened = self._opened
        if opened.way.shares:
            opened.file.check(writes=writes and opened.way.writes)
        elif writes or opened.file.has_changed():
            self._open_again()
        if writes and not self._opened.way.writes:
            raise self._unwritable()

    def lend(self, made_by: Sequence[str]) -> bool:
        """Make the tables in the memory of each connection; from then on this process only reads."""
        folder = self._file.absolute().parent
        if self._opened.way.writes and is_writable(folder):
            return False  # another program held on to it, for one
        self._lent = [statement.strip().replace("CREATE TABLE", "CREATE TEMP TABLE", 1) for statement in made_by]
        self._open_again()
        return True

    def _open_again(self) -> None:
        with self._watching:
            before, self._opened = self._opened, open_catalog(self._file.absolute(), writes=not self._lent)
            before.watch.close()
        self.engine.dispose()

    def shrink(self) -> bool:
        """Give back free pages, and cut the write-ahead log, which a reader can hold on to."""
        with self._raw() as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            # as a script: of a statement the driver takes one step, which frees one page
            connection.executescript("PRAGMA incremental_vacuum")
            return not connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]

    def thin(self, free_pages: int) -> None:
        """Give back pages that hold nothing, where they are more than these."""
        with self._raw() as connection:
            free = connection.execute("PRAGMA freelist_count").fetchone()[0]
        if free > free_pages:
            self.shrink()

    def check_whole(self) -> None:
        """Let SQLite read all pages, and hold each index against its table."""
        with self._raw() as connection:
            found = str(connection.execute("PRAGMA integrity_check(1)").fetchone()[0])
        if found != "ok":
            raise self.torn(found)

    def torn(self, what: str) -> ConfigError:
        """Say where the catalog is, and how it is made anew."""
        said = " ".join(what.split())
        return lost(self._file.parent, f"{self._file.name} is torn, or is not a Rove catalog ({said})")

    def error(self, raised: Exception, done: str) -> RoveError | None:
        """Tell a torn file from a disk that is full, slow or not ours, by SQLite's codes."""
        said = raised.orig if isinstance(raised, DatabaseError) else raised
        code = getattr(said, "sqlite_errorcode", 0) & PRIMARY
        if code in BROKEN or isinstance(said, UnicodeDecodeError) or any(words in str(said) for words in SAID_OF_TORN):
            return self.torn(str(said)[:SHOWN_CHARS])
        if code not in DISK:
            return None
        message = f"The catalog {self._file} could not be {done}: {said}."
        if code in HELD:
            cure = "Another program holds on to it, a backup or a browser of databases: end it, and run the same again."
            return ServiceError(message, cure=cure)
        return self._unwritable(message)

    def _unwritable(self, message: str = "") -> ServiceError:
        """Say that the disk is full where it is, or that nothing may be written."""
        folder = self._file.absolute().parent
        if is_full(folder):
            message = f"The disk is full: the catalog {self._file} cannot be written to."
            return ServiceError(message, cure="Make room on the disk, and run the same again.")
        if is_writable(folder):
            cure = "Make room on the disk, check its rights, and run the same again."
            return ServiceError(message or f"The catalog {self._file} cannot be written to.", cure=cure)
        cure = "Give this user the right to write there, or copy the folder to where it can be written, and name that."
        message = message or f"The catalog {self._file} cannot be written to: nothing in its folder can be."
        return ServiceError(message, cure=cure)

    def close(self) -> None:
        """Close every connection; who still looks at the revision, for a call that was cancelled, is waited for."""
        with self._watching:  # the driver crashes where a connection is closed while another thread uses it
            self._opened.watch.close()
        self.engine.dispose()
        self._hold.close()

    @contextmanager
    def _raw(self) -> Generator[sqlite3.Connection]:
        with closing(self.engine.raw_connection()) as connection:
            yield cast("sqlite3.Connection", connection.driver_connection)

    def _connect(self) -> sqlite3.Connection:
        opened = self._opened
        connection = connect(self._file.absolute(), opened.way)
        try:
            opened.file.look()
        except RoveError:  # another file has the name by now
            connection.close()
            raise
        return connection

    def _connected(self, connection: Any, record: object) -> None:  # noqa: ANN401 - a DB-API connection
        del record
        connection.isolation_level = None
        way = self._opened.way
        if way.writes and connection.execute("PRAGMA page_count").fetchone() == (0,):
            connection.execute("PRAGMA auto_vacuum=INCREMENTAL")  # on a base that is there, a write without effect
        for statement in () if way.writes else ("PRAGMA temp_store=MEMORY", *self._lent):
            connection.execute(statement)
        for pragma in way.pragmas:
            connection.execute(f"PRAGMA {pragma}")


def _begin_transaction(connection: Connection) -> None:
    if begin := connection.get_execution_options().get("rove_begin"):
        if begin == SqliteDialect.writing["rove_begin"] and COUNTS not in connection.info and _count_rows(connection):
            connection.info[COUNTS] = Counter[str]()
        connection.exec_driver_sql(begin)


def _count_rows(connection: Connection) -> bool:
    """Let this connection count the rows that it adds and takes away; False where there is no table of counts yet.

    By triggers that other connections know nothing of: what other programs take away is missed.
    """
    query = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
    found = set(connection.exec_driver_sql(query).scalars())
    if tables.row_counts.name not in found:
        return False
    for name in filter(str.isidentifier, found - {tables.row_counts.name}):
        for change, step in (("INSERT", "+ 1"), ("DELETE", "- 1")):
            if change == "INSERT" and name in MANY:
                continue
            counted = f"UPDATE row_counts SET rows = rows {step} WHERE name = '{name}'"  # noqa: S608 - an identifier
            trigger = f'CREATE TEMP TRIGGER "{name} {change}" AFTER {change} ON main."{name}" BEGIN {counted}; END'
            connection.exec_driver_sql(trigger)
    return True


def _count_inserted_rows(connection: Connection, cursor: sqlite3.Cursor, statement: str, *_: object) -> None:
    """Count the rows that a statement has added to one of `MANY`."""
    if statement.startswith("INSERT") and (into := INTO_MANY.match(statement)) and COUNTS in connection.info:
        connection.info[COUNTS][into[1]] += cursor.rowcount


def _commit(connection: Connection) -> None:
    """Write down what `_count_inserted_rows` has counted."""
    counts: Counter[str] = connection.info.get(COUNTS) or Counter()
    for name, rows in counts.items():
        connection.exec_driver_sql("UPDATE row_counts SET rows = rows + ? WHERE name = ?", (rows, name))
    counts.clear()


def _rollback(connection: Connection) -> None:
    if counts := connection.info.get(COUNTS):
        counts.clear()
