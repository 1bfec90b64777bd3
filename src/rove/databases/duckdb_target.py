"""Tables of documents in DuckDB: in memory, without files, network or settings that could be changed."""

from __future__ import annotations

from collections.abc import Mapping
from threading import Timer

import duckdb

from rove.chunk.cell_tables import CellTable
from rove.databases.targets import SLOW, SLOW_CURE, Result
from rove.errors import InputError, ServiceError
from rove.records import Note
from rove.records.schema import TableSchema

ROW = "rove_row"
"""The column that says which row of the source a row is."""
CONFIG = {
    "enable_external_access": "false",
    "threads": "2",
    "memory_limit": "512MB",
    "autoload_known_extensions": "false",
}


class DuckTarget:
    """See `Target`. Filled once, then locked."""

    dialect = "duckdb"
    note: Note | None = None

    def __init__(self, tables: Mapping[str, CellTable]) -> None:
        self._tables = tables
        self._connection = duckdb.connect(":memory:", config=dict(CONFIG))
        for name, table in tables.items():
            columns = [_duckdb_name(column.name) for column in table.schema.columns]
            types = [*(column.type for column in table.schema.columns), "INTEGER"]
            made = ", ".join(f"{one} {type_}" for one, type_ in zip([*columns, ROW], types, strict=True))
            hidden = _duckdb_name(row_numbered(name))
            self._connection.execute(f"CREATE TABLE {hidden} ({made})")
            values = [*map(list, zip(*table.values, strict=True)), list(range(len(table.values)))]
            if table.values:  # column by column: fifty times as fast as row by row
                lists = ", ".join(f"unnest(?::{type_}[])" for type_ in types)
                self._connection.execute(f"INSERT INTO {hidden} SELECT {lists}", values)
            shown = ", ".join(columns)
            self._connection.execute(f"CREATE VIEW {_duckdb_name(name)} AS SELECT {shown} FROM {hidden} ORDER BY {ROW}")
        self._connection.execute("SET lock_configuration = true")

    def tables(self) -> list[TableSchema]:
        """See `Target.tables`."""
        return [table.schema for table in self._tables.values()]

    def run(self, sql: str, *, max_rows: int, timeout_s: float) -> Result:
        """See `Target.run`."""
        cursor = self._connection.cursor()
        clock = Timer(timeout_s, cursor.interrupt)
        clock.start()
        try:
            found = cursor.execute(sql)
            rows = found.fetchmany(max_rows + 1)
            columns = tuple(str(one[0]) for one in found.description or ())
        except duckdb.InterruptException:
            raise ServiceError(SLOW.format(seconds=timeout_s), cure=SLOW_CURE, retryable=False) from None
        except duckdb.Error as error:
            message = f"The database refuses the SQL: {str(error).partition(chr(10))[0]}."
            raise InputError(message, cure="Ask in other words.", outcome="unsupported") from None
        finally:
            clock.cancel()
            cursor.close()
        return Result(columns, tuple(tuple(row) for row in rows[:max_rows]), cut=len(rows) > max_rows)

    def close(self) -> None:
        """Let the memory go."""
        self._connection.close()


def row_numbered(name: str) -> str:
    """The name of the same table with the column `ROW`; it is in no schema, so no question can name it."""
    return f"{name} {ROW}"


def _duckdb_name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
