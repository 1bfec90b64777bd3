"""Postgres as the catalog's database: a schema for each base, which any number of machines read and write."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from contextlib import suppress
from hashlib import sha256
from threading import Lock
from typing import Any

import psycopg
from psycopg.types.string import StrBinaryDumper, StrDumper, StrDumperUnknown
from sqlalchemy import Column, Connection, String, Text, create_engine, event, text
from sqlalchemy.dialects.postgresql.base import PGTypeCompiler
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement

from rove.errors import ConfigError, RoveError, ServiceError
from rove.settings import Address
from rove.store import tables
from rove.store.database import get_fact
from rove.store.dialect import NamesIn, Numbers, PlaceIn, Texts

EACH = "AUTOCOMMIT"
"""How a connection reads: each statement is a transaction of its own, and sees what is committed when it begins."""
TURN = "rove_turn"
"""The execution option of a transaction that writes."""
DAMAGED = ("XX001", "XX002")
"""Postgres' codes for pages and indexes that are damaged."""
OUT_OF_REACH = ("08", "53", "57", "58")
"""Classes of codes: no connection, no room, stopped, the system's fault."""
REFUSED = ("25006", "28000", "28P01", "3D000", "42501")
"""Codes: read-only, who it is or the password, no such database, no right."""
CONNECT_S = 10
KEPT_ALIVE = {"keepalives_idle": 15, "keepalives_interval": 5, "keepalives_count": 3}
"""After half a minute without a sign of a machine its connection, and with it its turn at writing, is over."""
COUNTS = "rove_counts"
"""Where a connection notes what it had counted when its transaction began, as JSON; "" where no rows are counted."""
TURN_TOKEN = "turn"
"""The fact that counts the turns of writers."""


class PostgresDialect:
    """A schema of a Postgres database, reached by psycopg. See `Dialect`.

    Transactions that write take turns by an advisory lock of the schema, which ends with the transaction, however that
    ends. `token`: of the writer's turn that this process has, see `PostgresTurns`. `channel` is where they tell that
    they are done; `parameters` and `path` are what another connection needs, see `open_line`.
    """

    snapshot = {"isolation_level": "REPEATABLE READ"}  # noqa: RUF012 - as the contract has it
    writing = {"isolation_level": "READ COMMITTED", TURN: True}  # noqa: RUF012

    def __init__(self, address: Address, *, create: bool = True) -> None:
        """Reach the database; `create`: make the schema if there is none.

        Args:
            address: of the base; the password may stand in it, in PGPASSWORD or in ~/.pgpass.
            create: whether to make the schema where there is none.

        Raises:
            ConfigError: the address is none.
            ServiceError: the database cannot be reached, or refuses.
        """
        try:
            url = make_url(address.url).set(drivername="postgresql+psycopg")
        except SQLAlchemyError as error:
            message = f"This is not an address of a Postgres database: {error}."
            raise ConfigError(message, cure="Write it like postgresql://user@host:5432/database.") from error
        self.address = address
        self.token = ""
        self._schema = address.schema
        known = {"connect_timeout": CONNECT_S, "application_name": "rove", **KEPT_ALIVE}
        self.engine = create_engine(url, pool_pre_ping=True, isolation_level=EACH, connect_args=known)
        self.parameters: dict[str, Any] = {**self.engine.dialect.create_connect_args(url)[1], **known}
        self.path = f"SET search_path TO {self._quoted(self._schema)}".encode()
        self.channel = f"rove_{sha256(self._schema.encode()).hexdigest()[:32]}"
        event.listen(self.engine, "connect", self._connected)
        event.listen(self.engine, "begin", self._begun)
        event.listen(self.engine, "commit", self._committing)
        event.listen(self.engine, "checkin", self._returned)
        self._closed = False
        self._watch: Connection | None = None
        self._watching = Lock()
        try:
            with self.engine.connect() as connection:
                has_schema, has_base = connection.execute(_THERE, {"schema": self._schema}).one()
            self.is_new = not has_base
            if create and not has_schema:
                with self.engine.connect().execution_options(**self.writing) as connection, connection.begin():
                    connection.exec_driver_sql(f"CREATE SCHEMA IF NOT EXISTS {self._quoted(self._schema)}")
        except DBAPIError as error:
            self.engine.dispose()
            raise self.error(error, "reached") or error from error

    def __str__(self) -> str:
        return str(self.address)

    def check_not_lost(self, found: Collection[str]) -> None:
        """See that the tables of the schema, if there are any, are a catalog's."""
        if found and tables.facts.name not in found:
            message = f"{self} is not a Rove catalog: it has other tables."
            raise ConfigError(message, cure="Name a schema that is empty, or a base's.")

    def check_used(self) -> None:
        """See `Dialect.check_used`: nothing lies beside a schema."""

    def check_reachable(self, connection: Connection, names: Collection[str]) -> None:
        """See `Dialect.check_reachable`: Postgres checks its pages itself."""

    def revision(self) -> int:
        """Read the revision by a connection of its own, in a transaction of its own; once more if that is gone."""
        with self._watching:
            try:
                return self._revision()
            except DBAPIError as error:
                self._stop_watching()
                if not error.connection_invalidated:
                    raise
            return self._revision()

    def _revision(self) -> int:
        if self._watch is None:
            self._watch = self.engine.connect()
        return int(get_fact(self._watch, "revision", "0"))

    def _stop_watching(self) -> None:
        if self._watch is not None:
            with suppress(DBAPIError):
                self._watch.close()
            self._watch = None

    def check_place(self, *, writes: bool = False) -> None:
        """See `Dialect.check_place`: what is read and written is found by its name each time."""

    def lend(self, made_by: Sequence[str]) -> bool:
        """See `Dialect.lend`: it never is."""
        del made_by
        return False

    def shrink(self) -> bool:
        """Let the space of what was deleted be written over, in tables and indexes.

        The files of the server, its log and its copies are its own: when bytes leave these is not for a client to say.
        """
        return self._each_table("VACUUM (ANALYZE)")

    def thin(self, free_pages: int) -> None:
        """Write the tables anew where not a page may lie free, which holds up who reads; else the server sees to it.

        Either way the server learns how much there is of what: it finds passages by it, and looks by itself only now
        and then. What it learns is samples of the rows, in a table of its own, which is written anew as well where this
        user may: with a warning alone, where not.
        """
        self._each_table("ANALYZE" if free_pages else "VACUUM (FULL, ANALYZE)")
        if not free_pages:
            with self.engine.connect() as connection:
                connection.exec_driver_sql("VACUUM (FULL) pg_catalog.pg_statistic")

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
        lost = isinstance(said, psycopg.OperationalError | psycopg.InterfaceError) or code.startswith(OUT_OF_REACH)
        if not lost and code not in REFUSED:
            return None
        first = str(said).strip().partition("\n")[0].rstrip(".")
        message = f"The catalog of {self} could not be {done}: {first}."
        cure = "See that the database runs, has room, and lets this user read and write; then run the same again."
        return ServiceError(message, cure=cure, retryable=lost and code not in REFUSED)

    def close(self) -> None:
        """Close every connection; one that a thread still reads with, when it gives it back."""
        self._closed = True
        with self._watching:
            self._stop_watching()
        self.engine.dispose()

    def _each_table(self, command: str) -> bool:
        with self.engine.connect() as connection:
            for table, column in connection.execute(_SAMPLED, {"schema": self._schema}).all():
                alter = f"ALTER TABLE {self._quoted(table)} ALTER COLUMN {self._quoted(column)} SET STATISTICS 0"
                connection.exec_driver_sql(alter)
            for table in tables.metadata.sorted_tables:
                connection.exec_driver_sql(f'{command} "{table.name}"')
        return True

    def _connected(self, connection: Any, record: object) -> None:  # noqa: ANN401 - a DB-API connection
        del record
        for dumper in (_Dumper, _BinaryDumper, _UnknownDumper):
            connection.adapters.register_dumper(str, dumper)
        with connection.cursor() as cursor:
            cursor.execute(self.path)
            for name, value in KEPT_ALIVE.items():
                cursor.execute(f"SET tcp_{name} = {value}")

    def _returned(self, connection: Any, record: object) -> None:  # noqa: ANN401 - a DB-API connection, or None
        del record
        if self._closed and connection is not None:
            connection.close()

    def _begun(self, connection: Connection) -> None:
        if not connection.get_execution_options().get(TURN):
            return
        _, counts, before = connection.exec_driver_sql(_BEGUN, {"schema": self._schema}).one()
        connection.info[COUNTS] = json.dumps(before or {}) if counts else ""
        token = self.token
        if token and get_fact(connection, TURN_TOKEN) != token == self.token:  # else given back by now
            message = f"The turn at writing to {self} has passed to another process: the connection was lost."
            raise ServiceError(message, cure="Run the same again; what was begun is finished by who writes next.")

    def _committing(self, connection: Connection) -> None:
        """Tell who listens that something was written: they hear of it if it is, see `PostgresNews`.

        In the same statement the rows are counted that were written and taken away.
        """
        if not connection.get_execution_options().get(TURN):
            return
        before = connection.info.pop(COUNTS, "")
        given = {"schema": self._schema, "before": before, "channel": self.channel}
        connection.exec_driver_sql(_COUNTED if before else _TOLD, given)

    @staticmethod
    def _quoted(name: str) -> str:
        doubled = name.replace('"', '""')
        return f'"{doubled}"'


_CHANGED = (
    "SELECT c.relname, pg_stat_get_xact_tuples_inserted(c.oid) - pg_stat_get_xact_tuples_deleted(c.oid) AS more"
    " FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind = 'r' AND n.nspname = %(schema)s"
)
"""By how many rows this connection has made each table longer; of some transactions before this one, too."""
_BEGUN = (
    "SELECT pg_advisory_xact_lock(hashtextextended(%(schema)s, 0)), to_regclass('row_counts') IS NOT NULL,"
    f" (SELECT json_object_agg(relname, more) FROM ({_CHANGED}) AS changed WHERE more <> 0)"
)
_TOLD = "SELECT pg_notify(%(channel)s, '')"
_COUNTED = (
    f"WITH changed AS ({_CHANGED}), counted AS (UPDATE row_counts AS r SET rows = r.rows + c.more"
    " - coalesce((CAST(%(before)s AS jsonb) ->> r.name)::bigint, 0) FROM changed c WHERE c.relname = r.name"
    " AND c.more <> coalesce((CAST(%(before)s AS jsonb) ->> r.name)::bigint, 0)"
    " AND current_setting('track_counts') = 'on'), uncounted AS (DELETE FROM row_counts"
    f" WHERE current_setting('track_counts') <> 'on') {_TOLD}"
)
"""A server that counts nothing keeps no counts."""
_THERE = text(
    "SELECT EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = :schema),"
    " EXISTS (SELECT 1 FROM pg_tables WHERE schemaname = :schema AND tablename = 'facts')"
)

_SAMPLED = text(
    "SELECT c.relname, a.attname FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid"
    " JOIN pg_namespace AS n ON n.oid = c.relnamespace"
    " WHERE n.nspname = :schema AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped"
    " AND pg_get_userbyid(c.relowner) = current_user"
    " AND a.atttypid IN ('text'::regtype, 'varchar'::regtype, 'bytea'::regtype)"
    " AND coalesce(a.attstattarget, -1) <> 0"
    " AND NOT EXISTS (SELECT 1 FROM pg_index AS i WHERE i.indrelid = c.oid AND a.attnum = ANY (i.indkey))"
)
"""Columns of texts that nothing is found by, and of which the server would keep samples all the same."""


class _Dumper(StrDumper):
    """Texts as Postgres can keep them, which knows no NUL: what stands for what cannot be written takes its place."""

    def dump(self, obj: str) -> Any:  # noqa: ANN401 - psycopg's
        return super().dump(obj.replace("\0", "\ufffd"))


class _BinaryDumper(StrBinaryDumper):
    """See `_Dumper`."""

    def dump(self, obj: str) -> Any:  # noqa: ANN401 - psycopg's
        return super().dump(obj.replace("\0", "\ufffd"))


class _UnknownDumper(StrDumperUnknown):
    """See `_Dumper`."""

    def dump(self, obj: str) -> Any:  # noqa: ANN401 - psycopg's
        return super().dump(obj.replace("\0", "\ufffd"))


@compiles(String, "postgresql")
@compiles(Text, "postgresql")
def _column_type(element: String, compiler: PGTypeCompiler, **given: Any) -> str:  # noqa: ANN401 - SQLAlchemy's
    """Texts of tables are ordered by code point in every database, whatever language its server is set to."""
    ordered = ' COLLATE "C"' if isinstance(given.get("type_expression"), Column) else ""
    written = compiler.visit_text(element) if isinstance(element, Text) else compiler.visit_VARCHAR(element)
    return f"{written}{ordered}"


def _jsonb_argument_sql(element: FunctionElement[Any], compiler: SQLCompiler, **given: Any) -> str:  # noqa: ANN401 - SQLAlchemy's
    """The argument as JSON, in which NUL is written as it is kept: see `_Dumper`."""
    return f"CAST(replace({compiler.process(element.clauses, **given)}, '\\u0000', '\\ufffd') AS jsonb)"


@compiles(Texts, "postgresql")
def _compile_jsonb_texts(element: Texts, compiler: SQLCompiler, **given: Any) -> str:  # noqa: ANN401 - SQLAlchemy's
    return f"(SELECT jsonb_array_elements_text({_jsonb_argument_sql(element, compiler, **given)}))"


@compiles(Numbers, "postgresql")
def _compile_jsonb_numbers(element: Numbers, compiler: SQLCompiler, **given: Any) -> str:  # noqa: ANN401 - SQLAlchemy's
    values = f"jsonb_array_elements_text({_jsonb_argument_sql(element, compiler, **given)})"
    return f"(SELECT CAST(value AS bigint) FROM {values} AS value)"


@compiles(PlaceIn, "postgresql")
def _place_in(element: PlaceIn, compiler: SQLCompiler, **given: Any) -> str:  # noqa: ANN401 - SQLAlchemy's
    return f"strpos({compiler.process(element.clauses, **given)})"


@compiles(NamesIn, "postgresql")
def _names_in(element: NamesIn, compiler: SQLCompiler, **given: Any) -> str:  # noqa: ANN401 - SQLAlchemy's
    names = f"jsonb_object_keys({_jsonb_argument_sql(element, compiler, **given)})"
    return f"(SELECT CAST(json_agg(name) AS text) FROM {names} AS name)"
