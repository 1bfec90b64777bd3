"""Tables of documents in DuckDB: in memory, without files, network or settings that could be changed."""

from __future__ import annotations

from collections.abc import Mapping
from threading import Timer

import duckdb

from rove.chunk.cell_tables import CellTable
from rove.databases.targets import SLOW, SLOW_CURE, Result
from rove.errors import InputError, ServiceError
from rove.records.schema import TableSchema

ROW = "rove_row"
"""The column that says which row of the source a row is."""
CONFIG = {
    "enable_external_access": "false",
    "threads": "2",
    "memory_limit": "512MB",
    "autoload_known_extensions": "false",
}
BATCH = 1_000


class DuckTarget:
    """See `Target`. Filled once, then locked."""

    dialect, note = "duckdb", ""

    def __init__(self, tables: Mapping[str, CellTable]) -> None:
        self._tables = tables
        self._connection = duckdb.connect(":memory:", config=dict(CONFIG))
        for name, table in tables.items():
            columns = [_quoted(column.name) for column in table.schema.columns]
            made = ", ".join(f"{one} {column.type}" for one, column in zip(columns, table.schema.columns, strict=True))
            hidden = _quoted(row_numbered(name))
            self._connection.execute(f"CREATE TABLE {hidden} ({made}, {ROW} INTEGER)")
            marks = ", ".join("?" * (len(columns) + 1))
            rows = [[*values, number] for number, values in enumerate(table.values)]
            for start in range(0, len(rows), BATCH):
                self._connection.executemany(f"INSERT INTO {hidden} VALUES ({marks})", rows[start : start + BATCH])
            shown = ", ".join(columns)
            self._connection.execute(f"CREATE VIEW {_quoted(name)} AS SELECT {shown} FROM {hidden} ORDER BY {ROW}")
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


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
