"""The index in OceanBase or SeekDB, an extra: vectors and filters in two tables (https://en.oceanbase.com/docs).

What was learnt of it, and what is done about each: its own text index finds a third to three quarters of what BM25
does (words are compared elsewhere); a filter written as a condition with NOT over subqueries takes minutes (filters
are algebra of sets: INTERSECT, UNION, EXCEPT); its HNSW under a filter misses rows (it is asked without a filter only).
"""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

import numpy as np
import pymysql
from pymysql.cursors import Cursor

from rove.errors import InputError, ServiceError
from rove.records import Filter
from rove.records.filter import All, Any, Compare, Not
from rove.settings import StoreSettings
from rove.store import IndexRow, Scored, Vector
from rove.store.catalog_rows import slices
from rove.store.servers.oceanbase_calls import LOST, OceanBaseCalls, code_of, said_by
from rove.store.servers.sort_keys import KEY_LENGTH, KeyTest, field_keys, given_id, kept_id, tests_of

T = TypeVar("T")
VECTOR_INDEX_FROM = 65_536
"""Rows from which on vectors have an index, which searches without a filter use; below, all are compared."""
EF_SEARCH, MOST_EF_SEARCH = 400, 1_000
"""How many candidates such a search looks at, at least and at most."""
REMOVED_AT_ONCE = 1_000
TEXT = "COLLATE utf8mb4_bin NOT NULL"
IDS = f"VARCHAR(1024) {TEXT}"
VECTOR_INDEX = "(vector) WITH (distance=cosine, type=hnsw, lib=vsag, m=32, ef_construction=200)"


class OceanBaseIndex:
    """See `VectorIndex`. A base has two tables: `store.server.name`, and the same with "_" before it for its fields."""

    def __init__(self, *, folder: Path, dimension: int, settings: StoreSettings) -> None:
        del folder
        self.dimension = dimension
        name = settings.server.name
        self._rows, self._fields = f"`{name}`", f"`_{name}`"
        self._bulk = settings.server.bulk_rows
        self._calls = OceanBaseCalls(settings.server, self._prepare)

    # -- writing -------------------------------------------------------------------------------------------------

    async def add(self, rows: Sequence[IndexRow], *, fresh: bool = False) -> None:
        """See `VectorIndex.add`. Each bulk is a transaction."""
        del fresh
        latest = {row.chunk_id: row for row in rows}
        for part in slices(list(latest.values()), self._bulk):
            keys = [(kept_id(row.chunk_id), sorted(field_keys(row.fields))) for row in part]
            held = [(at, _finite_vector_literal(row), len(own)) for row, (at, own) in zip(part, keys, strict=True)]
            fields = [(place, key, at) for at, own in keys for place, key in own]
            await self._run(lambda cursor, held=held, fields=fields: self._write(cursor, held, fields))

    def _write(self, cursor: Cursor, held: list[tuple[str, str, int]], fields: list[tuple[str, str, str]]) -> None:
        self._remove(cursor, [at for at, _, _ in held])
        cursor.executemany(f"INSERT INTO {self._rows} (chunk_id, vector, places) VALUES (%s, %s, %s)", held)  # noqa: S608
        if fields:
            cursor.executemany(f"INSERT INTO {self._fields} (place, value, chunk_id) VALUES (%s, %s, %s)", fields)  # noqa: S608

    async def remove(self, chunk_ids: Collection[str]) -> None:
        """See `VectorIndex.remove`."""
        for part in slices([kept_id(chunk_id) for chunk_id in chunk_ids], REMOVED_AT_ONCE):
            await self._run(lambda cursor, ids=part: self._remove(cursor, ids))

    def _remove(self, cursor: Cursor, ids: Sequence[str]) -> None:
        for table in (self._rows, self._fields):
            cursor.execute(f"DELETE FROM {table} WHERE chunk_id IN ({_sql_string_list(ids)})")  # noqa: S608

    async def optimize(self) -> None:
        """See `VectorIndex.optimize`: gives the vectors of a large base an index; warns where the server refuses."""
        await self._run(self._index_vectors, unhurried=True)

    def _index_vectors(self, cursor: Cursor) -> None:
        if self._is_indexed(cursor) or self._count(cursor) < VECTOR_INDEX_FROM:
            return
        try:
            cursor.execute(f"CREATE VECTOR INDEX vectors ON {self._rows} {VECTOR_INDEX}")
        except pymysql.err.Error as error:
            if code_of(error) in LOST:
                raise
            message = (
                f"OceanBase at {self._calls.place} makes no index of vectors, so that each search compares all of "
                f"them: {said_by(error)}. See to its memory and to what this user may do; then run: rove doctor"
            )
            warnings.warn(message, RuntimeWarning, stacklevel=2)

    async def tidy(self) -> None:
        """See `VectorIndex.tidy`. OceanBase compacts its tables by itself."""

    async def erase(self) -> None:
        """See `VectorIndex.erase`: nothing that was removed is found, and OceanBase is asked to write its tables anew.

        A user who may not ask that (ALTER SYSTEM) leaves it to the daily compaction. The redo log keeps what was
        written until the server writes over it.
        """

        def work(cursor: Cursor) -> None:
            if self._is_indexed(cursor):
                cursor.execute(f"DROP INDEX vectors ON {self._rows}")
            for freeze in ("MINOR", "MAJOR"):
                with suppress(pymysql.err.OperationalError, pymysql.err.ProgrammingError):
                    cursor.execute(f"ALTER SYSTEM {freeze} FREEZE")

        await self._run(work, unhurried=True)
        await self.optimize()

    async def rebuild(self, batches: AsyncIterator[Sequence[IndexRow]]) -> None:
        """See `VectorIndex.rebuild`."""

        def drop(cursor: Cursor) -> None:
            cursor.execute("SET recyclebin = 0")
            for table in (self._rows, self._fields):
                cursor.execute(f"DROP TABLE IF EXISTS {table}")
            self._calls.forget()

        await asyncio.to_thread(self._calls.run, drop, prepared=False)
        await self.count()  # makes new ones, also where there are no rows
        async for rows in batches:
            await self.add(rows)
        await self.optimize()

    async def close(self) -> None:
        """See `VectorIndex.close`."""
        await asyncio.to_thread(self._calls.close)

    # -- reading -------------------------------------------------------------------------------------------------

    async def semantic(self, vector: Vector, *, top_k: int, where: Filter | None = None) -> list[Scored]:
        """See `VectorIndex.semantic`. Exact under a filter; without one, exact until there is an index of vectors."""
        if top_k < 1:
            return []
        near = where is None and 2 * top_k <= MOST_EF_SEARCH
        passing = "" if where is None else f"WHERE chunk_id IN ({self._set(where)})"
        order = "distance APPROXIMATE" if near else "distance, chunk_id"
        query = (
            f"SELECT chunk_id, cosine_distance(vector, %s) AS distance FROM {self._rows} {passing} "  # noqa: S608
            f"ORDER BY {order} LIMIT {top_k}"
        )

        def search(cursor: Cursor) -> list[Scored]:
            if near:
                cursor.execute(f"SET ob_hnsw_ef_search = {max(EF_SEARCH, 2 * top_k)}")
            cursor.execute(query, (_vector_literal(vector),))
            return [(given_id(kept), 1 - float(distance)) for kept, distance in cursor.fetchall()]

        return sorted(await self._run(search), key=lambda scored: (-scored[1], scored[0]))

    def _set(self, where: Filter) -> str:
        """The ids of the rows that pass a filter, as a query in brackets."""
        match where:
            case Compare():
                return self._joined("UNION", [self._test(test) for test in tests_of(where)], nothing=True)
            case Not(part):
                return f"(({self._all()}) EXCEPT {self._set(part)})"
            case All(parts):
                return self._joined("INTERSECT", [self._set(part) for part in parts], nothing=False)
            case Any(parts):
                return self._joined("UNION", [self._set(part) for part in parts], nothing=True)
            case _:
                message = f"Unknown filter node {where!r}."
                raise TypeError(message)

    def _joined(self, how: str, sets: list[str], *, nothing: bool) -> str:
        return f"({f' {how} '.join(sets)})" if sets else f"({self._all()}{' WHERE 1 = 0' if nothing else ''})"

    def _all(self) -> str:
        return f"SELECT chunk_id FROM {self._rows}"  # noqa: S608

    def _test(self, test: KeyTest) -> str:
        """What is put in has letters and digits only: see `sort_keys`."""
        compared = ""
        if test.op == "in":
            compared = f" AND value IN ({_sql_string_list(test.keys)})"
        elif test.op != "exists":
            compared = f" AND value {test.op} '{test.keys[0]}'"
        return f"(SELECT chunk_id FROM {self._fields} WHERE place = '{test.place}'{compared})"  # noqa: S608

    async def chunk_ids(self) -> list[str]:
        """See `VectorIndex.chunk_ids`."""

        def read(cursor: Cursor) -> list[str]:
            cursor.execute(self._all())
            return [given_id(kept) for (kept,) in cursor.fetchall()]

        return await self._run(read)

    async def count(self) -> int:
        """See `VectorIndex.count`."""
        return await self._run(self._count)

    def _count(self, cursor: Cursor) -> int:
        cursor.execute(f"SELECT COUNT(*) FROM {self._rows}")  # noqa: S608
        return int((cursor.fetchone() or (0,))[0])

    async def check(self) -> None:
        """See `VectorIndex.check`: the columns, that each row has all its fields, and the index of vectors."""
        self._calls.forget()
        held = f"SELECT chunk_id, COUNT(*) AS places FROM {self._fields} GROUP BY chunk_id"  # noqa: S608
        query = (
            f"SELECT COUNT(*) FROM {self._rows} AS r LEFT JOIN ({held}) AS f ON f.chunk_id = r.chunk_id "  # noqa: S608
            "WHERE r.places <> COALESCE(f.places, 0)"
        )

        def read(cursor: Cursor) -> int:
            cursor.execute(query)
            return int((cursor.fetchone() or (0,))[0])

        if torn := await self._run(read):
            message = f"{torn} chunks in {self._rows} in OceanBase at {self._calls.place} have lost fields."
            raise ServiceError(message, cure="Run: rove doctor", retryable=False)
        await self.optimize()

    async def _run(self, work: Callable[[Cursor], T], *, unhurried: bool = False) -> T:
        return await asyncio.to_thread(self._calls.run, work, unhurried=unhurried)

    def _is_indexed(self, cursor: Cursor) -> bool:
        cursor.execute(f"SHOW INDEX FROM {self._rows}")
        return any(row[2] == "vectors" for row in cursor.fetchall())

    def _prepare(self, cursor: Cursor) -> None:
        """Make the tables that are not there.

        Raises:
            ServiceError: they are none that Rove has made for vectors of this dimension.
        """
        vector = f"VECTOR({self.dimension})"
        cursor.execute(
            f"CREATE TABLE IF NOT EXISTS {self._rows} "
            f"(chunk_id {IDS} PRIMARY KEY, vector {vector} NOT NULL, places INT NOT NULL)"
        )
        cursor.execute(
            f"CREATE TABLE IF NOT EXISTS {self._fields} (place CHAR(32) {TEXT}, value VARCHAR({KEY_LENGTH}) {TEXT}, "
            f"chunk_id {IDS}, PRIMARY KEY (place, value, chunk_id), KEY by_chunk (chunk_id))"
        )
        wanted = {self._rows: ["chunk_id", "vector", "places"], self._fields: ["place", "value", "chunk_id"]}
        for table, names in wanted.items():
            cursor.execute(f"SHOW COLUMNS FROM {table}")
            found = {row[0]: str(row[1]).upper() for row in cursor.fetchall()}
            if list(found) != names or found.get("vector", vector) != vector:
                message = f"The table {table} in OceanBase at {self._calls.place} has other columns than Rove gave it."
                raise ServiceError(message, cure="Run: rove doctor", retryable=False)


def _finite_vector_literal(row: IndexRow) -> str:
    if not np.isfinite(row.vector).all():
        message = "A vector holds a number that is not finite."
        raise InputError(message, cure="Check the embedder.")
    return _vector_literal(row.vector)


def _vector_literal(vector: Vector) -> str:
    return f"[{','.join(map(repr, vector.tolist()))}]"


def _sql_string_list(words: Sequence[str]) -> str:
    return ", ".join(f"'{word}'" for word in words)
