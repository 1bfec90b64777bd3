"""Postgres as the catalog's database, a schema for each base: it shows that no statement is SQLite's own.

It moves to `rove.store` once a base can live there: see docs/decisions/034-contracts.md.
"""

from __future__ import annotations

from collections.abc import Collection, Generator
from contextlib import contextmanager
from threading import Lock
from typing import Any

from sqlalchemy import Connection, create_engine, event, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError, SQLAlchemyError
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler

from rove.errors import ConfigError, RoveError, ServiceError
from rove.store import tables
from rove.store.dialect import NamesIn, Numbers, PlaceIn, Texts

TURN = "rove_turn"
"""The execution option of a transaction that writes."""
DAMAGED = ("XX001", "XX002")
"""Postgres' codes for pages and indexes that are damaged."""


class PostgresDialect:
    """A schema of a Postgres database, reached by psycopg. See `Dialect`.

    Writers take turns by an advisory lock of the schema, which ends with the transaction, however that ends.
    """

    snapshot = {"isolation_level": "REPEATABLE READ"}  # noqa: RUF012 - as the contract has it
    writing = {"isolation_level": "READ COMMITTED", TURN: True}  # noqa: RUF012

    def __init__(self, address: str, schema: str) -> None:
        """Reach the database, and make the schema if there is none.

        Args:
            address: "postgresql://user@host:5432/database"; the password may stand in it, or in PGPASSWORD.
            schema: where the base's tables are.

        Raises:
            ConfigError: the address is none.
            ServiceError: the database cannot be reached, or refuses.
        """
        try:
            url = make_url(address).set(drivername="postgresql+psycopg")
        except SQLAlchemyError as error:
            message = f"This is no address of a Postgres database: {error}."
            raise ConfigError(message, cure="Write it like postgresql://user@host:5432/database.") from error
        self._shown = f"{url.set(drivername='postgresql').render_as_string(hide_password=True)}, schema {schema}"
        self._schema = schema
        self.engine = create_engine(url, pool_pre_ping=True)
        event.listen(self.engine, "connect", self._connected)
        event.listen(self.engine, "begin", self._begun)
        self._watch: Connection | None = None
        self._watching = Lock()
        try:
            with self.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
                connection.exec_driver_sql(f"CREATE SCHEMA IF NOT EXISTS {self._quoted(schema)}")
        except DBAPIError as error:
            self.engine.dispose()
            raise self.error(error, "reached") or error from error

    def __str__(self) -> str:
        return self._shown

    def check_not_lost(self, found: Collection[str]) -> None:
        """See that the tables of the schema, if there are any, are a catalog's."""
        if found and tables.facts.name not in found:
            message = f"{self} is not a Rove catalog: it has other tables."
            raise ConfigError(message, cure="Name a schema that is empty, or a base's.")

    def check_used(self) -> None:
        """See `Dialect.check_used`: nothing lies beside a schema."""

    def revision(self) -> int:
        """Read the revision by a connection of its own, in a transaction of its own."""
        with self._watching:
            if self._watch is None or self._watch.closed or self._watch.invalidated:
                self._watch = self.engine.connect().execution_options(isolation_level="AUTOCOMMIT")
            query = text("SELECT value FROM facts WHERE name = 'revision'")
            return int(self._watch.execute(query).scalar_one_or_none() or "0")

    def shrink(self) -> bool:
        """Make the space of what was deleted free, in tables and indexes; what of it lies in the server's log stays."""
        return self._vacuum("VACUUM (FULL)")

    def thin(self, free_pages: int) -> None:
        """See `Dialect.thin`: the server does so by itself."""
        del free_pages

    def check_whole(self) -> None:
        """Read every row of every table."""
        with self.engine.connect() as connection:
            for table in tables.metadata.sorted_tables:
                connection.execute(text(f'SELECT count(t.*) FROM "{table.name}" AS t WHERE t IS NULL')).scalar_one()

    def torn(self, what: str) -> ConfigError:
        """Say where the catalog is."""
        message = f"The catalog {self} is damaged ({' '.join(what.split())})."
        return ConfigError(message, cure="Restore the database from a backup, or import what rove export wrote.")

    def error(self, raised: Exception, done: str) -> RoveError | None:
        """Tell a damaged database from one that cannot be reached, has no room or refuses, by Postgres' codes."""
        said = raised.orig if isinstance(raised, DBAPIError) else raised
        code = str(getattr(said, "sqlstate", None) or "")
        if code in DAMAGED:
            return self.torn(str(said))
        lost = isinstance(raised, OperationalError | InterfaceError) or code.startswith(("08", "53", "57", "58"))
        if not lost and code not in {"25006", "42501", "28000", "28P01", "3D000"}:
            return None
        first = str(said).strip().partition("\n")[0]
        message = f"The catalog {self} could not be {done}: {first}."
        cure = "See that the database runs, has room, and lets this user read and write; then run the same again."
        return ServiceError(message, cure=cure, retryable=lost)

    def close(self) -> None:
        """Close every connection."""
        with self._watching:
            if self._watch is not None:
                self._watch.close()
                self._watch = None
        self.engine.dispose()

    def _vacuum(self, command: str) -> bool:
        with self._raw() as connection:
            for table in tables.metadata.sorted_tables:
                connection.exec_driver_sql(f'{command} "{table.name}"')
        return True

    @contextmanager
    def _raw(self) -> Generator[Connection]:
        with self.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            yield connection

    def _connected(self, connection: Any, record: object) -> None:  # noqa: ANN401 - a DB-API connection
        del record
        was, connection.autocommit = connection.autocommit, True
        with connection.cursor() as cursor:
            cursor.execute(f"SET search_path TO {self._quoted(self._schema)}")
        connection.autocommit = was

    def _begun(self, connection: Connection) -> None:
        if connection.get_execution_options().get(TURN):
            connection.exec_driver_sql("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", (self._schema,))

    @staticmethod
    def _quoted(name: str) -> str:
        doubled = name.replace('"', '""')
        return f'"{doubled}"'


@compiles(Texts, "postgresql")
def _texts(element: Texts, compiler: SQLCompiler, **given: Any) -> str:  # noqa: ANN401 - SQLAlchemy's
    return f"(SELECT jsonb_array_elements_text(CAST({compiler.process(element.clauses, **given)} AS jsonb)))"


@compiles(Numbers, "postgresql")
def _numbers(element: Numbers, compiler: SQLCompiler, **given: Any) -> str:  # noqa: ANN401 - SQLAlchemy's
    values = f"jsonb_array_elements_text(CAST({compiler.process(element.clauses, **given)} AS jsonb))"
    return f"(SELECT CAST(value AS bigint) FROM {values} AS value)"


@compiles(PlaceIn, "postgresql")
def _place_in(element: PlaceIn, compiler: SQLCompiler, **given: Any) -> str:  # noqa: ANN401 - SQLAlchemy's
    return f"strpos({compiler.process(element.clauses, **given)})"


@compiles(NamesIn, "postgresql")
def _names_in(element: NamesIn, compiler: SQLCompiler, **given: Any) -> str:  # noqa: ANN401 - SQLAlchemy's
    names = f"jsonb_object_keys(CAST({compiler.process(element.clauses, **given)} AS jsonb))"
    return f"(SELECT CAST(json_agg(name) AS text) FROM {names} AS name)"
