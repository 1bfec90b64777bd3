"""Databases that SQL runs in, each in the way that lets it read and do nothing else, within limits of rows and time."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, cast

from sqlalchemy import URL
from sqlalchemy.exc import SQLAlchemyError

from rove.errors import InputError, ServiceError
from rove.load.data.database import READS_ONLY, database_address, engine_of, is_slow, limit_time, read_only
from rove.load.data.table_schemas import table_schemas
from rove.records import Note
from rove.records.schema import TableSchema

DIALECTS = {"postgresql": "postgres", "mariadb": "mysql", "mssql": "tsql", "cockroachdb": "postgres"}
"""What sqlglot calls the kinds of databases that SQLAlchemy calls otherwise."""
STEP = 10_000
"""Instructions of SQLite's machine between two looks at the clock."""
MAX_VALUE_BYTES = 1 << 20
READS = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION})
SLOW = "The statement took more than {seconds:g} s."
SLOW_CURE = "Ask for less, or raise timeout_s in the settings of this database."


@dataclass(frozen=True, slots=True)
class Result:
    """What a statement gave: values as the driver has them. `cut`: there are more rows."""

    columns: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]
    cut: bool = False


class Target(Protocol):
    """A database that is asked. `dialect` is its SQL's name in sqlglot; `note`: what it cannot promise, if anything.

    Calls block for as long as the database takes.
    """

    dialect: str
    note: Note | None

    def tables(self) -> list[TableSchema]:
        """The tables that may be read.

        Raises:
            InputError: the database cannot be read.
        """
        ...

    def run(self, sql: str, *, max_rows: int, timeout_s: float) -> Result:
        """Run SQL that was checked; nothing is changed by it.

        Raises:
            InputError: the database refuses it; the message is the database's own.
            ServiceError: it took too long, or the database cannot be reached.
        """
        ...


def target_of(url: str) -> Target:
    """Return the database at an address.

    Raises:
        InputError: it is no address.
    """
    address = database_address(url)
    if address.get_backend_name() == "sqlite":
        return SqliteTarget(address)
    return ServerTarget(address)


class SqliteTarget:
    """A SQLite file: opened for reading, each action let through by name, stopped by the clock."""

    dialect = "sqlite"
    note: Note | None = None

    def __init__(self, address: URL) -> None:
        self.path = address.database or ""
        self._url = address

    def tables(self) -> list[TableSchema]:
        """See `Target.tables`."""
        return list(table_schemas(self._url.render_as_string(hide_password=False)))

    def run(self, sql: str, *, max_rows: int, timeout_s: float) -> Result:
        """See `Target.run`."""
        uri = f"{Path(self.path).absolute().as_uri()}?mode=ro"
        ends = time.monotonic() + timeout_s
        try:
            with closing(sqlite3.connect(uri, uri=True, timeout=timeout_s)) as connection:
                connection.execute("PRAGMA query_only = ON")
                connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES)
                connection.set_authorizer(_let_through)
                connection.set_progress_handler(lambda: time.monotonic() > ends, STEP)
                found = connection.execute(sql)
                rows = found.fetchmany(max_rows + 1)
                return _cap_result_rows([str(one[0]) for one in found.description], rows, max_rows)
        except sqlite3.OperationalError as error:
            if time.monotonic() > ends:
                raise ServiceError(SLOW.format(seconds=timeout_s), cure=SLOW_CURE, retryable=False) from None
            raise _database_refusal(error) from None
        except sqlite3.Error as error:
            raise _database_refusal(error) from None


class ServerTarget:
    """A database that SQLAlchemy reaches: in a transaction that is rolled back, which only reads where it can be so."""

    def __init__(self, address: URL) -> None:
        backend = address.get_backend_name()
        self._address = address
        self.dialect = DIALECTS.get(backend, backend)
        self.note = None if backend in READS_ONLY else Note("not-read-only", {"backend": backend})

    def tables(self) -> list[TableSchema]:
        """See `Target.tables`."""
        return list(table_schemas(self._address.render_as_string(hide_password=False)))

    def run(self, sql: str, *, max_rows: int, timeout_s: float) -> Result:
        """See `Target.run`."""
        engine = engine_of(self._address)
        try:
            with engine.connect() as connection:
                only_reads = read_only(connection)
                limit_time(only_reads, timeout_s)
                plain = {"no_parameters": True}  # else a "%" of the SQL would begin one
                found = only_reads.exec_driver_sql(sql, execution_options=plain)
                rows = [tuple(row) for row in found.fetchmany(max_rows + 1)]
                result = _cap_result_rows(list(found.keys()), rows, max_rows)
                only_reads.rollback()
                return result
        except SQLAlchemyError as error:
            why = _driver_message(getattr(error, "orig", None) or error)
            if is_slow(why):
                raise ServiceError(SLOW.format(seconds=timeout_s), cure=SLOW_CURE, retryable=False) from None
            raise _database_refusal(why, str(self._address.password or "")) from None
        finally:
            engine.dispose()


def _driver_message(error: BaseException) -> str:
    """What a driver's error says; pg8000 gives the fields of Postgres' message, PyMySQL a number and words."""
    if len(error.args) == 2 and isinstance(error.args[0], int):
        return f"{error.args[1]} ({error.args[0]})"
    told = error.args[0] if error.args else ""
    fields = cast("dict[str, str]", told) if isinstance(told, dict) else {}
    return f"{fields['M']} ({fields.get('C', '')})" if "M" in fields else str(error)


def _let_through(action: int, *_: object) -> int:
    return sqlite3.SQLITE_OK if action in READS else sqlite3.SQLITE_DENY


def _cap_result_rows(columns: Sequence[str], rows: Iterable[Sequence[object]], max_rows: int) -> Result:
    found = [tuple(row) for row in rows]
    return Result(tuple(columns), tuple(found[:max_rows]), cut=len(found) > max_rows)


def _database_refusal(error: object, secret: str = "") -> InputError:
    why = str(error).partition("\n")[0]
    why = why.replace(secret, "***") if secret else why
    message = f"The database refuses the SQL: {why}."
    return InputError(message, cure="Ask in other words, or mend the SQL.", outcome="unsupported")
