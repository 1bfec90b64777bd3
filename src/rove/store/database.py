"""The connection to the catalog's database: durable settings, one writer at a time."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock, local
from typing import Any, cast

from sqlalchemy import Connection, Engine, QueuePool, Table, create_engine, event, select, text
from sqlalchemy.dialects.sqlite import insert as sqlite_insert
from sqlalchemy.exc import DatabaseError

from rove.errors import ConfigError, RoveError, ServiceError
from rove.store import tables
from rove.store.presence import holds_chunks, lost, remains_of

BUSY_TIMEOUT_MS = 60_000
PRAGMAS = (
    f"busy_timeout={BUSY_TIMEOUT_MS}",
    "journal_mode=WAL",
    "synchronous=FULL",
    "foreign_keys=ON",
    "secure_delete=ON",
)
IMMUTABLE = "?immutable=1"
FREE_PAGES = 1_024
"""Pages, of 4 kB, that may lie free in the file: the next writes fill them."""
PRIMARY = 0xFF
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


class Database:
    """A SQLite file in WAL mode with synchronous=FULL: what `write` committed survives kill -9 and power loss."""

    def __init__(self, file: Path) -> None:
        self.file = file
        address = _address(file)
        self._engine = _open(address)
        self._watch = sqlite3.connect(address, uri=True, check_same_thread=False)
        self._watching = Lock()
        self._within = local()
        try:
            held = self._held() or self._made()
            self._check_filled()
        except (RoveError, DatabaseError):
            self.close()
            raise
        if held != tables.SCHEMA_VERSION and not self._migrated(held):
            self.close()
            message = f"{file} has catalog version {held}; this Rove reads {tables.SCHEMA_VERSION}."
            raise ConfigError(message, cure="Export it with the Rove that made it, and import it into a new folder.")

    def _held(self) -> int:
        """The version of the tables, 0 where some are missing; a base that only has to be read is not written to."""
        with self.read() as connection:
            there = _tables(connection)
            if not there and (remains := remains_of(self.file.parent)).any:
                raise lost(self.file.parent, f"{self.file.name} holds no tables", remains)
            if there and tables.facts.name not in there:
                raise lost(self.file.parent, f"{self.file.name} is not a Rove catalog")
            return int(get_fact(connection, "schema", "0")) if there >= set(tables.metadata.tables) else 0

    def _check_filled(self) -> None:
        """Refuse a catalog that has never heard of a document, beside an index that was given chunks."""
        with self.read() as connection:
            used = (
                get_fact(connection, "revision") or connection.execute(select(tables.documents.c.seq).limit(1)).first()
            )
        if not used and holds_chunks(self.file.parent):
            raise lost(self.file.parent, f"{self.file.name} knows of no document")

    def _made(self) -> int:
        """Make the tables that are missing; returns the version of those that were there."""
        with self.write() as connection:
            there = _tables(connection)
            for name, statements in tables.creation().items():
                for statement in statements if name not in there else ():
                    connection.exec_driver_sql(statement)
            if not get_fact(connection, "schema"):
                set_fact(connection, "schema", str(tables.SCHEMA_VERSION))
            return int(get_fact(connection, "schema"))

    def _migrated(self, version: int) -> bool:
        """Bring the tables of an older version up to this one; False where there is no way."""
        while version in tables.MIGRATIONS:
            with self.write() as connection:
                held = int(get_fact(connection, "schema"))  # another process may have been here in between
                for statement in tables.MIGRATIONS[version] if held == version else ():
                    connection.exec_driver_sql(statement)
                version = max(held, version + 1)
                set_fact(connection, "schema", str(version))
        return version == tables.SCHEMA_VERSION

    @contextmanager
    def read(self) -> Generator[Connection]:
        """A connection to read with; each statement sees what is committed when it runs, or the thread's snapshot.

        Raises:
            ConfigError: the catalog is torn there.
            ServiceError: the disk does not let it be read.
        """
        if held := self._held_snapshot():
            yield held
            return
        try:
            with self._engine.connect() as connection:
                yield connection
        except (DatabaseError, UnicodeDecodeError) as error:
            raise _said(self.file, error) or error from error

    def rows(self, statement: str, parameters: Mapping[str, object]) -> Sequence[tuple[Any, ...]]:
        """Read all rows of a statement in SQL, straight from the driver; `:name` stands for a parameter.

        Raises as `read` does.
        """
        held = self._held_snapshot()
        try:
            connection = held.connection if held else self._engine.raw_connection()
            try:
                cursor = connection.cursor()
                cursor.execute(statement, parameters)
                return cursor.fetchall()
            finally:
                if not held:
                    connection.close()
        except (DatabaseError, sqlite3.DatabaseError, UnicodeDecodeError) as error:
            raise _said(self.file, error) or error from error

    @contextmanager
    def snapshot(self) -> Generator[Connection]:
        """A connection whose statements all see the same state; so does what this thread reads otherwise meanwhile.

        Raises as `read` does.
        """
        if held := self._held_snapshot():
            yield held
            return
        try:
            with self._engine.connect().execution_options(rove_begin="BEGIN") as connection, connection.begin():
                self._within.snapshot = connection
                try:
                    yield connection
                finally:
                    self._within.snapshot = None
        except (DatabaseError, UnicodeDecodeError) as error:
            raise _said(self.file, error) or error from error

    def _held_snapshot(self) -> Connection | None:
        """The snapshot that this thread is in."""
        return getattr(self._within, "snapshot", None)

    @contextmanager
    def write(self) -> Generator[Connection]:
        """One transaction that is on the disk when the block ends, and undone when it raises.

        Raises:
            ServiceError: the disk is full, or cannot be written to; nothing of the transaction is kept.
            ConfigError: the catalog is torn there.
        """
        try:
            connecting = self._engine.connect().execution_options(rove_begin="BEGIN IMMEDIATE")
            with connecting as connection, connection.begin():
                yield connection
        except (DatabaseError, UnicodeDecodeError) as error:
            raise _said(self.file, error, "written") or error from error

    def revision(self) -> int:
        """The base's revision as it is now, by a connection of its own that never writes: see `next_revision`."""
        try:
            with self._watching:
                found = self._watch.execute("SELECT value FROM facts WHERE name = 'revision'").fetchall()
                return int(found[0][0] or "0") if found else 0
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            raise _said(self.file, error) or error from error

    def shrink(self) -> bool:
        """Overwrite and give back the space of what was deleted, the write-ahead log included.

        False where a reader held on to the log for so long that it could not be cut. Raises as `read` does.
        """
        self.rows("PRAGMA wal_checkpoint(TRUNCATE)", {})
        self._vacuum()
        return not self.rows("PRAGMA wal_checkpoint(TRUNCATE)", {})[0][0]

    def _vacuum(self) -> None:
        """Give all free pages back. As a script: of a statement the driver takes one step, which frees one page."""
        try:
            connection = self._engine.raw_connection()
            try:
                cast("sqlite3.Connection", connection.driver_connection).executescript("PRAGMA incremental_vacuum")
            finally:
                connection.close()
        except (DatabaseError, sqlite3.DatabaseError, UnicodeDecodeError) as error:
            raise _said(self.file, error) or error from error

    def thin(self, free_pages: int) -> None:
        """Give back pages that hold nothing, where they are more than these. Raises as `read` does."""
        if self.rows("PRAGMA freelist_count", {})[0][0] > free_pages:
            self.shrink()

    def close(self) -> None:
        """Close every connection."""
        self._watch.close()
        self._engine.dispose()


def insert_rows(
    connection: Connection, table: Table, rows: Sequence[tuple[object, ...]], *, replace: bool = False
) -> None:
    """Insert many rows, each with a value for every column in the table's order; `replace` those of the same key.

    Straight to the driver: values here are of SQLite's own types, and need none of SQLAlchemy's work on each.
    """
    if rows:
        verb = "INSERT OR REPLACE" if replace else "INSERT"
        marks = ", ".join("?" * len(table.columns))
        connection.exec_driver_sql(f'{verb} INTO "{table.name}" VALUES ({marks})', list(rows))


def set_fact(connection: Connection, name: str, value: str) -> None:
    """Write one fact about the base."""
    statement = sqlite_insert(tables.facts).values(name=name, value=value)
    connection.execute(statement.on_conflict_do_update(index_elements=["name"], set_={"value": value}))


def get_fact(connection: Connection, name: str, default: str = "") -> str:
    """Read one fact about the base."""
    query = select(tables.facts.c.value).where(tables.facts.c.name == name)
    return str(connection.execute(query).scalar_one_or_none() or default)


def next_revision(connection: Connection) -> int:
    """Count the base's revision up and return it: readers take in what is newer than what they have seen."""
    revision = int(get_fact(connection, "revision", "0")) + 1
    set_fact(connection, "revision", str(revision))
    return revision


def _tables(connection: Connection) -> set[str]:
    return set(connection.execute(text("SELECT name FROM sqlite_schema WHERE type = 'table'")).scalars())


def _address(file: Path) -> str:
    """The file as SQLite opens it; one on a medium that nobody can write to, as one that does not change."""
    address = file.absolute().as_uri()
    changes = os.access(file.parent, os.W_OK) or Path(f"{file}-shm").exists()
    return address if changes else f"{address}{IMMUTABLE}"


def _said(
    file: Path, error: DatabaseError | sqlite3.DatabaseError | UnicodeDecodeError, done: str = "read"
) -> RoveError | None:
    """Say what SQLite says of a file; None where it is a mistake of who asked it."""
    said = error.orig if isinstance(error, DatabaseError) else error
    code = getattr(said, "sqlite_errorcode", 0) & PRIMARY
    if code in BROKEN or isinstance(said, UnicodeDecodeError) or any(words in str(said) for words in SAID_OF_TORN):
        return torn(file, str(said)[:SHOWN_CHARS])
    if code not in DISK:
        return None
    message = f"The catalog {file} could not be {done}: {said}."
    return ServiceError(message, cure="Make room on the disk, check its rights, and run the same again.")


def torn(file: Path, what: str) -> ConfigError:
    """Make the error that says: this catalog is damaged."""
    return lost(file.parent, f"{file.name} is torn, or is not a Rove catalog ({' '.join(what.split())})")


def _open(address: str) -> Engine:
    def connect() -> sqlite3.Connection:
        return sqlite3.connect(address, uri=True, check_same_thread=False, timeout=BUSY_TIMEOUT_MS / 1000)

    engine = create_engine("sqlite://", creator=connect, poolclass=QueuePool)

    def on_connect(connection: Any, record: object) -> None:  # noqa: ANN401 - a DB-API connection
        del record
        connection.isolation_level = None
        if address.endswith(IMMUTABLE):
            return
        if connection.execute("PRAGMA page_count").fetchone() == (0,):
            connection.execute("PRAGMA auto_vacuum=INCREMENTAL")  # on a base that is there, a write without effect
        for pragma in PRAGMAS:
            connection.execute(f"PRAGMA {pragma}")

    def on_begin(connection: Connection) -> None:
        if begin := connection.get_execution_options().get("rove_begin"):
            connection.exec_driver_sql(begin)

    event.listen(engine, "connect", on_connect)
    event.listen(engine, "begin", on_begin)
    return engine
