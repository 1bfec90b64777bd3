"""The catalog's database: transactions, snapshots, the version of its tables, and facts about the base."""

from __future__ import annotations

from collections.abc import Collection, Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from threading import local
from typing import Any

import sqlalchemy
from sqlalchemy import Connection, Select, Table, delete, inspect, select
from sqlalchemy.exc import DatabaseError
from sqlalchemy.schema import CreateIndex, CreateTable

from rove.errors import ConfigError, EmbedderMovedError, RoveError, ServiceError
from rove.store import tables
from rove.store.dialect import Dialect
from rove.store.enriched_tables import metadata
from rove.store.row_counts import lost_rows, note_rows, note_rows_again

EMBEDDER = "embedder"
"""The fact that is the embedder's fingerprint."""
FREE_PAGES = 1_024
"""Pages of 4 kB that may lie free: the next writes fill them."""


class Database:
    """What `write` committed survives kill -9 and power loss. Calls block; any thread may make them."""

    def __init__(self, dialect: Dialect) -> None:
        """Open the catalog, or make its tables.

        Raises:
            ConfigError: it is lost or damaged, or another version of Rove has made it.
        """
        self.dialect = dialect
        self._place, self._model, self._seen = "", "", -1
        self._engine = dialect.engine
        self._within = local()
        self._is_counted = False
        self._compiled: dict[Select[*tuple[Any, ...]], tuple[str, Mapping[str, object]]] = {}
        try:
            held = self._held() or self._made_or_lent()
            with self.read() as connection:
                document = select(tables.documents.c.seq).limit(1)
                used = get_fact(connection, "revision") or connection.execute(document).first()
            if not used:
                dialect.check_used()
        except (RoveError, DatabaseError):
            self.close()
            raise
        if held != tables.SCHEMA_VERSION and not self._migrated(held):
            self.close()
            message = f"{dialect} has catalog version {held}; this Rove reads {tables.SCHEMA_VERSION}."
            raise ConfigError(message, cure="Export it with the Rove that made it, and import it into a new folder.")

    def _held(self) -> int:
        """The version of the tables, 0 where some are missing; a base that only has to be read is not written to.

        Raises:
            ConfigError: rows that were written are not there.
        """
        with self.read() as connection:
            found = set(inspect(connection).get_table_names())
            self.dialect.check_not_lost(found)
            version = int(get_fact(connection, "schema", "0")) if found else 0
        counts = {tables.row_counts.name}
        of_now = version in {0, tables.SCHEMA_VERSION}  # 0: of a base that is new, or has lost its facts
        connecting = self._engine.connect().execution_options(**self.dialect.snapshot)
        # a page that cannot be read is said to whoever needs it, and by doctor
        with suppress(DatabaseError), connecting as connection, connection.begin():
            self._check_rows(connection, found if of_now else found - counts)  # an older Rove leaves counts as they are
        return version if found >= set(metadata.tables) - (set[str]() if of_now else counts) else 0

    def _check_rows(self, connection: Connection, found: Collection[str], *, exact: bool = False) -> None:
        self.dialect.check_reachable(connection, found)  # before rows are counted by an index
        if lost := lost_rows(connection, found, exact=exact):
            raise self.dialect.torn("; ".join(map(str, lost)))

    def check_rows(self) -> None:
        """See that all rows are there that were written, and not taken away.

        Raises:
            ConfigError: some are not; it says of which tables.
        """
        with self.snapshot() as connection:
            self._check_rows(connection, set(inspect(connection).get_table_names()), exact=True)

    def count_rows(self) -> None:
        """Take the rows that there are for all that were written: see `note_rows_again`. Raises as `write` does."""
        with self.write() as connection:
            note_rows_again(connection)

    def _made_or_lent(self) -> int:
        """Make the tables that are missing; where nothing can be written, they are empty for who reads."""
        try:
            return self._made()
        except ServiceError:
            with self.read() as connection:
                found = inspect(connection).get_table_names()
                held = int(get_fact(connection, "schema", "0")) if tables.facts.name in found else 0
            missing = [table for table in metadata.sorted_tables if table.name not in found]
            if not held or not self.dialect.lend([str(CreateTable(table).compile(self._engine)) for table in missing]):
                raise
            return held

    def _made(self) -> int:
        """Make the tables that are missing; returns the version of those that were there."""
        with self._transaction() as connection:
            _create_missing(connection)
            if not get_fact(connection, "schema"):
                set_fact(connection, "schema", str(tables.SCHEMA_VERSION))
            return int(get_fact(connection, "schema"))

    def _migrated(self, version: int) -> bool:
        """Bring the tables of an older version up to this one; False where there is no way.

        Who may only read, reads them as they are, where no table has changed since.
        """
        try:
            return self._raised(version)
        except RoveError:
            if any(statements for one, statements in tables.MIGRATIONS.items() if one >= version):
                raise
            return True

    def _raised(self, version: int) -> bool:
        while version in tables.MIGRATIONS:
            with self._transaction() as connection:
                _create_missing(connection)
                held = int(get_fact(connection, "schema"))  # another process may have been here in between
                if held == version:
                    connection.execute(delete(tables.row_counts))
                for statement in tables.MIGRATIONS[version] if held == version else ():
                    connection.exec_driver_sql(statement)
                version = max(held, version + 1)
                set_fact(connection, "schema", str(version))
        return version == tables.SCHEMA_VERSION

    @contextmanager
    def read(self) -> Generator[Connection]:
        """A connection to read with; each statement sees what is committed when it runs, or the thread's snapshot.

        What is read in portions (`yield_per`) is read in a `snapshot`.

        Raises:
            ConfigError: the catalog is torn there.
            ServiceError: the disk does not let it be read.
        """
        if held := self._held_snapshot():
            yield held
            return
        with self._saying():
            self.dialect.check_place()
            with self._engine.connect() as connection:
                yield connection

    def rows(self, query: Select[*tuple[Any, ...]], parameters: Mapping[str, object]) -> Sequence[tuple[Any, ...]]:
        """Read all rows of a query at once, straight from the driver. Raises as `read` does."""
        statement, fixed = self._compiled.get(query) or self._compile(query)
        held = self._held_snapshot()
        with self._saying():
            connection = held.connection if held else self._engine.raw_connection()
            try:
                cursor = connection.cursor()
                cursor.execute(statement, {**fixed, **parameters})
                return cursor.fetchall()
            finally:
                if not held:
                    connection.close()

    def _compile(self, query: Select[*tuple[Any, ...]]) -> tuple[str, Mapping[str, object]]:
        """Write a query in SQL, once for this database."""
        compiled = query.compile(self._engine)
        self._compiled[query] = str(compiled), compiled.params
        return self._compiled[query]

    @contextmanager
    def snapshot(self) -> Generator[Connection]:
        """A connection whose statements all see the same state; so does what this thread reads otherwise meanwhile.

        Raises as `read` does.
        """
        if held := self._held_snapshot():
            yield held
            return
        with self._saying():
            self.dialect.check_place()
            connecting = self._engine.connect().execution_options(**self.dialect.snapshot)
            with connecting as connection, connection.begin():
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
            CatalogReplacedError: what this process has open is no longer the base's catalog.
            ConfigError: the catalog is torn there.
        """
        with self._transaction() as connection:
            self.check_model(connection)
            if not self._is_counted:
                note_rows(connection)
            yield connection
        self._is_counted = True

    @contextmanager
    def _transaction(self) -> Generator[Connection]:
        with self._saying("written"):
            self.dialect.check_place(writes=True)
            connecting = self._engine.connect().execution_options(**self.dialect.writing)
            with connecting as connection, connection.begin():
                yield connection
            self.dialect.check_place(writes=True)  # before anybody is told that it was kept

    def check_place(self) -> None:
        """See that what would be written now is kept where the base is looked for.

        Raises:
            CatalogReplacedError: this process has another catalog open.
            ServiceError: nothing can be written.
        """
        with self._saying("written"):
            self.dialect.check_place(writes=True)

    def opened_with(self, model: str, place: str) -> None:
        """Remember the embedder whose vectors this process compares and keeps: from now on `write` refuses others.

        `place`: where the base lives, for the error.
        """
        self._place, self._model = place, model

    def check_model(self, connection: Connection) -> None:
        """See that, as this connection sees it, the base's embedder is that of `opened_with`.

        Raises:
            EmbedderMovedError: it is another one by now.
        """
        if self._model:
            self.check_known(get_fact(connection, EMBEDDER))

    def check_known(self, known: str) -> None:
        """See that what a statement has read as the base's embedder is that of `opened_with`; raises likewise."""
        if self._model and known != self._model:
            message = f"{self._place} was moved to the embedder [{known}]; this process has opened it with another."
            cure = "Name that one in the settings, under [embedder], and open the base again."
            raise EmbedderMovedError(message, cure=cure)

    def check_embedder(self) -> None:
        """Likewise as it is now; where nothing was written since the last look, that is not looked at again."""
        revision = self.revision()
        if revision != self._seen:
            with self.read() as connection:
                self.check_model(connection)
            self._seen = revision

    def revision(self) -> int:
        """The base's revision as it is now: see `next_revision`. Raises as `read` does."""
        with self._saying():
            return self.dialect.revision()

    def shrink(self) -> bool:
        """Overwrite and give back the space of what was deleted.

        False where a reader held on to some of it for too long. Raises as `read` does.
        """
        with self._saying():
            return self.dialect.shrink()

    def thin(self, free_pages: int) -> None:
        """Give back room that nothing takes, where it is more than these pages. Raises as `read` does."""
        with self._saying():
            self.dialect.thin(free_pages)

    def check(self) -> None:
        """Let the database check its own files. Raises as `read` does."""
        with self._saying():
            self.dialect.check_whole()

    @contextmanager
    def _saying(self, done: str = "read") -> Generator[None]:
        """Say what the database raises as an error of Rove, unless it is a mistake of who asked."""
        try:
            yield
        except (DatabaseError, self._engine.dialect.loaded_dbapi.Error, UnicodeDecodeError) as error:
            raise self.dialect.error(error, done) or error from error

    def close(self) -> None:
        """Close every connection."""
        self.dialect.close()


def insert_rows(
    connection: Connection, table: Table, rows: Sequence[tuple[object, ...]], *, replace: bool = False
) -> None:
    """Insert many rows, each with a value for every column in the table's order; `replace` those of the same key.

    Where the first value of the first row is None, the database numbers all of them.

    Straight to the driver: values here are of the database's own types, and need none of SQLAlchemy's work on each.
    """
    if rows:
        mark = "?" if connection.dialect.paramstyle == "named" else "%s"
        columns = list(table.columns)
        if rows[0][0] is None:
            columns, rows = columns[1:], [row[1:] for row in rows]
        names = ", ".join(f'"{column.name}"' for column in columns)
        statement = f'INSERT INTO "{table.name}" ({names}) VALUES ({", ".join([mark] * len(columns))})'
        if replace:
            key = [column.name for column in table.primary_key]
            renewed = [f'"{c.name}" = excluded."{c.name}"' for c in table.columns if c.name not in key]
            statement += f" ON CONFLICT ({', '.join(key)}) DO UPDATE SET {', '.join(renewed)}"
        connection.exec_driver_sql(statement, list(rows))


def _create_missing(connection: Connection) -> None:
    """Create the tables and indexes that are not there."""
    for statement in _schema_sql(type(connection.dialect)):
        connection.exec_driver_sql(statement)


@cache
def _schema_sql(kind: type[sqlalchemy.Dialect]) -> tuple[str, ...]:
    """The statements that create what is missing: compiled once for all bases, which half of making one went into."""
    dialect = kind()
    every = metadata.sorted_tables
    made = [CreateTable(table, if_not_exists=True) for table in every]
    made += [
        CreateIndex(index, if_not_exists=True)
        for table in every
        for index in sorted(table.indexes, key=lambda index: str(index.name))
    ]
    return tuple(str(one.compile(dialect=dialect)) for one in made)


def set_fact(connection: Connection, name: str, value: str) -> None:
    """Write one fact about the base."""
    insert_rows(connection, tables.facts, [(name, value)], replace=True)


def get_fact(connection: Connection, name: str, default: str = "") -> str:
    """Read one fact about the base."""
    query = select(tables.facts.c.value).where(tables.facts.c.name == name)
    return str(connection.execute(query).scalar_one_or_none() or default)


def next_revision(connection: Connection) -> int:
    """Count the base's revision up and return it: readers take in what is newer than what they have seen."""
    revision = int(get_fact(connection, "revision", "0")) + 1
    set_fact(connection, "revision", str(revision))
    return revision
