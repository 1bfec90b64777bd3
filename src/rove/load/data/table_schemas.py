"""The tables of a database as their schemas: columns, keys, comments and a few values; each a document where wanted."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

from sqlalchemy import Connection, Inspector, MetaData, Table, inspect, select
from sqlalchemy.exc import SAWarning, SQLAlchemyError

from rove.errors import InputError
from rove.language.identifiers import in_words
from rove.language.schema_text import samples, schema_document
from rove.load.data.database import CURE, database_address, engine_of, foreign_keys, read_only, schema_names, source_of
from rove.load.data.database_schema import cell_text
from rove.load.text import clean
from rove.records import Document
from rove.records.schema import Column, TableSchema

SAMPLED_ROWS = 30
"""Rows of a table that are looked at for sample values."""


def schema_documents(url: str) -> Iterator[Document]:
    """Yield a document for each table and view of the database at `url`, which describes it without its rows.

    No password stands in a document or an error.

    Raises:
        InputError: the database cannot be read, or has no table.
        ConfigError: the driver for that kind of database is not installed.
    """
    source = source_of(database_address(url))
    found = False
    for table in table_schemas(url):
        found = True
        yield schema_document(table, source.uri)
    if not found:
        message = f"The database {source.uri!r} has no table that this user may see."
        raise InputError(message, cure="Check its name, or give the user the right to read.", outcome="empty")


def table_schemas(url: str) -> Iterator[TableSchema]:
    """Yield the schema of each table and view of a database, in the order of their names.

    Raises:
        InputError: the database cannot be read.
        ConfigError: its driver is not installed.
    """
    address = database_address(url)
    name = source_of(address).name
    engine = engine_of(address)
    try:
        with engine.connect() as connection:
            yield from _reflect_schemas(read_only(connection), name.removesuffix(".sqlite").removesuffix(".db"))
    except (SQLAlchemyError, OSError) as error:
        why = str(getattr(error, "orig", None) or error).partition("\n")[0]
        why = why.replace(str(address.password), "***") if address.password else why
        message = f"The database {source_of(address).uri!r} could not be read: {why}."
        raise InputError(message, cure=CURE, outcome="unreadable") from None
    finally:
        engine.dispose()


def _reflect_schemas(connection: Connection, database: str) -> Iterator[TableSchema]:
    inspector = inspect(connection)
    for schema in schema_names(inspector):
        for name in sorted({*inspector.get_table_names(schema), *inspector.get_view_names(schema)}):
            yield _reflect_table_schema(connection, inspector, name, schema, database)


def _reflect_table_schema(
    connection: Connection, inspector: Inspector, name: str, schema: str | None, database: str
) -> TableSchema:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SAWarning)  # a column's type that SQLAlchemy does not know
        table = Table(name, MetaData(), schema=schema, autoload_with=connection, resolve_fks=False)
    refers = {
        column: f"{key.table}.{target}" if target else key.table
        for key in foreign_keys(inspector, name, schema)
        for column, target in zip(key.columns, [*key.targets, *[""] * len(key.columns)], strict=False)
    }
    held = _samples(connection, table)
    columns = tuple(
        Column(
            clean(str(column.name)),  # plain: SQLAlchemy's names are texts of a class of their own
            clean(str(column.type)) if str(column.type) != "NULL" else "",
            _label_from_identifier(column.name),
            column.primary_key,
            refers.get(column.name, ""),
            clean(column.comment or ""),
            held[place],
        )
        for place, column in enumerate(table.columns)
    )
    return TableSchema(
        clean(str(table.fullname)), columns, clean(database), _label_from_identifier(name), clean(table.comment or "")
    )


def _label_from_identifier(name: str) -> str:
    """The name in words; "" where they are the name itself."""
    said = in_words(name)
    return clean(said) if said != name.casefold() else ""


def _samples(connection: Connection, table: Table) -> list[tuple[str, ...]]:
    """A few different values of each column; none where the table cannot be read."""
    try:
        with connection.begin_nested():
            rows = [tuple(row) for row in connection.execute(select(table).limit(SAMPLED_ROWS))]
    except SQLAlchemyError:
        rows = list[tuple[object, ...]]()
    return [samples(clean(cell_text(row[place])) for row in rows) for place in range(len(table.columns))]
