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
from sqlalchemy.exc import DatabaseError, OperationalError

from rove.errors import ConfigError, ServiceError
from rove.store import tables

BUSY_TIMEOUT_MS = 60_000
PRAGMAS = (
    f"busy_timeout={BUSY_TIMEOUT_MS}",
    "journal_mode=WAL",
    "synchronous=FULL",
    "foreign_keys=ON",
    "secure_delete=ON",
)
IMMUTABLE = "?immutable=1"
SHRINK = "PRAGMA wal_checkpoint(TRUNCATE); PRAGMA incremental_vacuum; PRAGMA wal_checkpoint(TRUNCATE);"
FREE_PAGES = 1_024
"""Pages, of 4 kB, that may lie free in the file: the next writes fill them."""
PRIMARY = 0xFF
DISK = {
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_CANTOPEN,
}
"""SQLite's codes for what is the disk's fault."""


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
        except DatabaseError as error:
            self.close()
            raise _refused(file, error) from error
        except ServiceError:
            self.close()
            raise
        if held != tables.SCHEMA_VERSION and not self._migrated(held):
            self.close()
            message = f"{file} has catalog version {held}; this Rove reads {tables.SCHEMA_VERSION}."
            raise ConfigError(message, cure="Export it with the Rove that made it, and import it into a new folder.")

    def _held(self) -> int:
        """The version of the tables, 0 where some are missing; a base that only has to be read is not written to."""
        with self.read() as connection:
            there = set(connection.execute(text("SELECT name FROM sqlite_schema WHERE type = 'table'")).scalars())
            return int(get_fact(connection, "schema", "0")) if there >= set(tables.metadata.tables) else 0

    def _made(self) -> int:
        """Make the tables that are missing; returns the version of those that were there."""
        with self.write() as connection:
            tables.metadata.create_all(connection)
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
        """A connection to read with; each statement sees what is committed when it runs, or the thread's snapshot."""
        if held := self._held_snapshot():
            yield held
            return
        with self._engine.connect() as connection:
            yield connection

    def rows(self, statement: str, parameters: Mapping[str, object]) -> Sequence[tuple[Any, ...]]:
        """Read all rows of a statement in SQL, straight from the driver; `:name` stands for a parameter."""
        held = self._held_snapshot()
        connection = held.connection if held else self._engine.raw_connection()
        try:
            cursor = connection.cursor()
            cursor.execute(statement, parameters)
            return cursor.fetchall()
        finally:
            if not held:
                connection.close()

    @contextmanager
    def snapshot(self) -> Generator[Connection]:
        """A connection whose statements all see the same state; so does what this thread reads otherwise meanwhile."""
        if held := self._held_snapshot():
            yield held
            return
        with self._engine.connect().execution_options(rove_begin="BEGIN") as connection, connection.begin():
            self._within.snapshot = connection
            try:
                yield connection
            finally:
                self._within.snapshot = None

    def _held_snapshot(self) -> Connection | None:
        """The snapshot that this thread is in."""
        return getattr(self._within, "snapshot", None)

    @contextmanager
    def write(self) -> Generator[Connection]:
        """One transaction that is on the disk when the block ends, and undone when it raises.

        Raises:
            ServiceError: the disk is full, or cannot be written to; nothing of the transaction is kept.
        """
        connecting = self._engine.connect().execution_options(rove_begin="BEGIN IMMEDIATE")
        try:
            with connecting as connection, connection.begin():
                yield connection
        except OperationalError as error:
            message = f"The catalog {self.file} could not be written: {error.orig}."
            raise ServiceError(
                message, cure="Make room on the disk, check its rights, and run the same again."
            ) from error

    def version(self) -> int:
        """A number that changes with every commit, whoever makes it; asks one connection that never writes."""
        with self._watching:
            return int(self._watch.execute("PRAGMA data_version").fetchone()[0])

    def shrink(self) -> None:
        """Overwrite and give back the space of what was deleted, the write-ahead log included."""
        connection = self._engine.raw_connection()
        try:
            # As a script: of a single statement the driver takes one step only, and a vacuum frees one page a step.
            cast("sqlite3.Connection", connection.driver_connection).executescript(SHRINK)
        finally:
            connection.close()

    def thin(self, free_pages: int) -> None:
        """Give back pages that hold nothing, where they are more than these."""
        with self.read() as connection:
            free = int(connection.exec_driver_sql("PRAGMA freelist_count").scalar_one())
        if free > free_pages:
            self.shrink()

    def check(self) -> str:
        """Return "ok", or what SQLite's own check finds wrong."""
        with self.read() as connection:
            return str(connection.exec_driver_sql("PRAGMA quick_check(1)").scalar_one())

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


def _address(file: Path) -> str:
    """The file as SQLite opens it; one on a medium that nobody can write to, as one that does not change."""
    address = file.absolute().as_uri()
    changes = os.access(file.parent, os.W_OK) or Path(f"{file}-shm").exists()
    return address if changes else f"{address}{IMMUTABLE}"


def _refused(file: Path, error: DatabaseError) -> ConfigError | ServiceError:
    """Say why a catalog could not be opened: it is none, or the disk does not let it."""
    code = getattr(error.orig, "sqlite_errorcode", 0) & PRIMARY
    if code not in DISK:
        cure = "Open another folder, or restore this one from `rove export`."
        return ConfigError(f"{file} is not a Rove catalog: {error.orig}.", cure=cure)
    message = f"The catalog {file} could not be opened: {error.orig}."
    return ServiceError(message, cure="Make room on the disk, check its rights, and run the same again.")


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
