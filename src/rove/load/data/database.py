"""Databases by their URL: each table as a document, with its schema, its links to others and its first rows.

This runs in the parent process, since it needs the network; it reads, and never writes.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice

from sqlalchemy import URL, Connection, Engine, Inspector, MetaData, Table, create_engine, inspect, make_url, select
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SAWarning, SQLAlchemyError
from sqlalchemy.schema import CreateTable
from sqlalchemy.types import NullType, UserDefinedType

from rove.errors import ConfigError, InputError
from rove.installing import install_cure
from rove.load.data.database_schema import ForeignKey, cell_text, schema_lead
from rove.load.data.long_table import LongTable, table_documents
from rove.load.text import clean
from rove.records import Document, Source

SYSTEM_SCHEMAS = {"information_schema", "pg_catalog", "pg_toast", "mysql", "performance_schema", "sys"}
DRIVERS = {
    "postgres": "postgresql+pg8000",
    "postgresql": "postgresql+pg8000",
    "mysql": "mysql+pymysql",
    "mariadb": "mariadb+pymysql",
}
MYSQL = frozenset({"mysql", "mariadb"})
"""Kinds of databases whose schemas are databases of their own."""
READS_ONLY = frozenset({"postgresql", *MYSQL})
"""Kinds of databases, besides SQLite, that can be told that a transaction only reads."""
FETCHED_ROWS = 1_000
CURE = "Check the address, the user's rights, and that the database runs."


def database_documents(url: str, *, max_rows: int) -> Iterator[Document]:
    """Yield a document for each table and view of the database at `url` (an address as SQLAlchemy takes it).

    `max_rows` bounds the rows that are read of each table, in the order of its primary key; views give their
    definition alone. No password stands in a document or an error.

    Raises:
        InputError: "unreadable", "empty", or "partial" after the last document: which tables have more rows.
        ConfigError: the driver for that kind of database is not installed.
    """
    address = database_address(url)
    engine = engine_of(address)
    try:
        with engine.connect() as connection:
            reader = _DatabaseReader(read_only(connection), source_of(address), max_rows)
            yield from reader.documents()
    except (SQLAlchemyError, OSError) as error:
        why = str(getattr(error, "orig", None) or error).partition("\n")[0]
        why = why.replace(str(address.password), "***") if address.password else why
        message = f"The database {source_of(address).uri!r} could not be read: {why}."
        raise InputError(message, cure=CURE, outcome="unreadable") from None
    finally:
        engine.dispose()
    reader.finish()


@dataclass(slots=True)
class _DatabaseReader:
    connection: Connection
    source: Source
    max_rows: int
    tables: MetaData = field(default_factory=MetaData)
    longer: list[str] = field(default_factory=list[str])
    found: int = 0

    def documents(self) -> Iterator[Document]:
        inspector = inspect(self.connection)
        for schema in schema_names(inspector):
            for name in sorted(inspector.get_table_names(schema)):
                yield from self.counted(self.table(name, schema, inspector))
            for name in sorted(inspector.get_view_names(schema)):
                yield from self.counted(_view(name, schema, inspector))

    def counted(self, table: LongTable) -> Iterator[Document]:
        for document in table_documents(self.source, table):
            self.found += 1
            yield document

    def table(self, name: str, schema: str | None, inspector: Inspector) -> LongTable:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SAWarning)  # a column's type that SQLAlchemy does not know
            table = Table(name, self.tables, schema=schema, autoload_with=self.connection)
        for column in table.columns:
            if isinstance(column.type, NullType):
                column.type = _UnknownType()
        title = clean(table.fullname)
        notes = [table.comment or "", *(f"`{c.name}`: {c.comment}" for c in table.columns if c.comment)]
        lead = schema_lead(
            title,
            clean(str(CreateTable(table).compile(dialect=self.connection.dialect))).expandtabs(2).replace(" \n", "\n"),
            foreign_keys(inspector, name, schema),
            [clean(note) for note in notes if note.strip()],
        )
        header = [clean(column.name) for column in table.columns]
        facts = {"database": self.source.name, "table": title}
        return LongTable(title, header, self.rows(table), title, lead, title, facts)

    def rows(self, table: Table) -> Iterator[list[str]]:
        query = select(table).order_by(*table.primary_key.columns).limit(self.max_rows + 1)
        found = self.connection.execution_options(yield_per=FETCHED_ROWS).execute(query)
        for row in islice(found, self.max_rows):
            yield [cell_text(value) for value in row]
        if next(found, None) is not None:
            self.longer.append(table.fullname)

    def finish(self) -> None:
        if not self.found:
            message = f"The database {self.source.uri!r} has no table that this user may see."
            raise InputError(message, cure="Check its name, or give the user the right to read.", outcome="empty")
        if self.longer:
            names = _abbreviate_table_names(self.longer)
            message = f"Of {self.source.uri!r} only the first {self.max_rows} rows are read of: {names}."
            raise InputError(message, cure="Raise the number of rows that are read.", outcome="partial")


class _UnknownType(UserDefinedType[object]):
    """The type of a column that SQLAlchemy does not know; its values come as the driver gives them."""

    cache_ok = True

    def get_col_spec(self, **_: object) -> str:
        return "UNKNOWN"


def database_address(url: str) -> URL:
    """Read an address, with the driver that Rove uses for its kind of database.

    Raises:
        InputError: it is none.
    """
    try:
        address = make_url(url)
    except (ArgumentError, ValueError) as error:
        message = "The address of the database is none: it must be like postgresql://user:password@host/name."
        raise InputError(
            message, cure="Correct it; a file is sqlite:///path/to/file.", outcome="unsupported"
        ) from error
    return address.set(drivername=DRIVERS.get(address.drivername, address.drivername))


def engine_of(address: URL) -> Engine:
    """Make what connects to a database; a SQLite file is opened for reading alone.

    Raises:
        ConfigError: the driver is not installed.
    """
    if address.get_backend_name() == "sqlite" and address.database not in {None, "", ":memory:"}:
        address = address.set(database=f"file:{address.database}", query={"mode": "ro", "uri": "true"})
    try:
        return create_engine(address)
    except (ModuleNotFoundError, NoSuchModuleError) as error:
        message = f"No driver for {address.drivername!r} is installed."
        known = address.drivername in DRIVERS.values()
        cure = install_cure("database") if known else f"Install that driver: {address.drivername}."
        raise ConfigError(message, cure=cure) from error


def read_only(connection: Connection) -> Connection:
    """Return a new connection so that its transactions only read, where the database knows such a thing."""
    if connection.dialect.name in MYSQL:
        connection.exec_driver_sql("SET SESSION TRANSACTION READ ONLY")
        connection.commit()  # it holds from the next transaction on
    return (
        connection.execution_options(postgresql_readonly=True)
        if connection.dialect.name == "postgresql"
        else connection
    )


def limit_time(connection: Connection, timeout_s: float) -> None:
    """Have the database stop what this transaction runs after so long, where it can; its error is then `is_slow`."""
    milliseconds = max(1, int(timeout_s * 1000))
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql(f"SET LOCAL statement_timeout = {milliseconds}")
    elif getattr(connection.dialect, "is_mariadb", False):  # at an address "mysql://" too
        connection.exec_driver_sql(f"SET SESSION max_statement_time = {milliseconds / 1000:g}")
    elif connection.dialect.name in MYSQL:
        connection.exec_driver_sql(f"SET SESSION max_execution_time = {milliseconds}")


def is_slow(said: str) -> bool:
    """Whether a database's error says that its time was up.

    >>> is_slow("(1969, 'Query execution was interrupted (max_statement_time exceeded)')"), is_slow("no such table")
    (True, False)
    """
    return any(words in said for words in ("timeout", "57014", "execution time", "max_statement_time"))


def source_of(address: URL) -> Source:
    """The database as a source, without the user's name and password."""
    host = f"{address.host or ''}{f':{address.port}' if address.port else ''}"
    name = address.database or ""
    return Source(f"{address.get_backend_name()}://{host}/{name}", name.rpartition("/")[2] or host, b"", "database")


def schema_names(inspector: Inspector) -> list[str | None]:
    """The default schema first, by no name, then the others; of MySQL only the database that the address names."""
    default = inspector.default_schema_name
    names = [n for n in inspector.get_schema_names() if n not in SYSTEM_SCHEMAS and not n.startswith("pg_")]
    if inspector.dialect.name in MYSQL:
        return [None] if default else list(names)
    return [None, *(name for name in names if name != (default or "main"))]


def foreign_keys(inspector: Inspector, name: str, schema: str | None) -> list[ForeignKey]:
    """The foreign keys of a table."""
    found: list[ForeignKey] = []
    for key in inspector.get_foreign_keys(name, schema):
        there = key["referred_schema"]
        table = f"{there}.{key['referred_table']}" if there else key["referred_table"]
        found.append(ForeignKey(tuple(key["constrained_columns"]), clean(table), tuple(key["referred_columns"])))
    return found


def _view(name: str, schema: str | None, inspector: Inspector) -> LongTable:
    title = clean(f"{schema}.{name}" if schema else name)
    definition = clean(inspector.get_view_definition(name, schema) or "").strip()
    ddl = definition if definition.upper().startswith("CREATE") else f"CREATE VIEW {title} AS\n{definition}"
    return LongTable(title, [], (), title, schema_lead(title, ddl), title)


def _abbreviate_table_names(names: Iterable[str]) -> str:
    names = list(names)
    return ", ".join(names[:10]) + (f" and {len(names) - 10} more" if len(names) > 10 else "")
