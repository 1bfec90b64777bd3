"""The index in Postgres: vectors by the extension pgvector, words by a table of postings, filters over jsonb.

What was learnt of it, and what is done about each: an HNSW index under a filter that few rows pass, or that keeps what
is far from the question, finds too few (such rows are compared one by one, see `COMPARED_ROWS`); it sees no more than
ef_search rows unless it is told to go on (`iterative_scan`, with room for it); ts_rank is no BM25, so words have a
table of their own, from which BM25 is exact; an index of Postgres refuses values over 2.7 kB (fields are hashed in
theirs, long terms too).
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Collection, Iterable, Sequence
from pathlib import Path
from typing import ClassVar

from rove.errors import ServiceError
from rove.records import Filter
from rove.records.filter import access_filter_of
from rove.settings import StoreSettings
from rove.store import IndexRow, Scored, Vector
from rove.store.catalog_rows import slices
from rove.store.servers import pgvector_tables as tables
from rove.store.servers import pgvector_words as words_index
from rove.store.servers.postgres_calls import Connection, PostgresCalls
from rove.store.servers.postgres_filters import Parameter, compile_filter

VECTOR_INDEX_FROM = 50_000
"""Chunks from which on vectors have an index; below, all are compared."""
LONGEST_INDEXED = 4_000
"""Numbers of a vector that pgvector can index."""
COMPARED_ROWS = 50_000
"""Chunks that pass a filter up to which they are all compared; beyond, the index of vectors is asked."""
BUILT_WITH = "m = 16, ef_construction = 200"
"""How carefully the index is made: with pgvector's own 64 a twentieth of what is nearest is not found."""
LEAST_EFFORT, MOST_EFFORT = 800, 1_000
"""Candidates that a search of the index keeps in view, at least, and at most."""
SCANNED_ROWS = 200_000
"""Rows that such a search looks at before it gives up looking for more that pass."""
MEMORY_TIMES = 8
"""How many times `work_mem` it may take meanwhile."""
CHANGED_SHARE = 0.2
"""The share of chunks that came or went from which on Postgres is told to count anew what it plans by."""


class PgvectorIndex:
    """See `Index`. A schema of the index's own has all of it; nothing else in the database is looked at or touched.

    Where the base itself lives in Postgres and `store.server.url` is not set, the schema is in the same database.
    """

    beside: ClassVar[str] = "postgresql"
    """The kind of database whose address is taken where no url is set and the base itself lives in one."""

    def __init__(self, *, folder: Path, dimension: int, settings: StoreSettings) -> None:
        del folder
        self.dimension = dimension
        self.settings = settings
        self.schema = settings.server.name
        timeout_s = settings.server.timeout_s
        self._calls = PostgresCalls(settings.server, lambda new: tables.prepare(new, self.schema, timeout_s))
        self._is_made = False

    # -- writing -------------------------------------------------------------------------------------------------

    async def add(self, rows: Sequence[IndexRow], *, fresh: bool = False) -> None:
        """See `Index.add`. Each run of `bulk_rows` is a transaction."""
        del fresh  # a call that is tried again may have been carried out before
        await asyncio.to_thread(self._add, rows)

    def _add(self, rows: Sequence[IndexRow]) -> None:
        latest = list({row.chunk_id: row for row in rows}.values())
        for part in slices(latest, self.settings.server.bulk_rows):
            self._calls.run(lambda connection, part=part: tables.upsert_rows(self._made(connection), part))

    async def remove(self, chunk_ids: Collection[str]) -> None:
        """See `Index.remove`."""

        def work(connection: Connection, part: Sequence[str]) -> None:
            with self._made(connection).transaction():
                tables.delete_rows(connection, part)

        for part in slices([one for one in chunk_ids if "\0" not in one]):
            await asyncio.to_thread(self._calls.run, lambda connection, part=part: work(connection, part))

    async def optimize(self) -> None:
        """See `Index.optimize`: makes the index of vectors when there are enough, and lets Postgres count anew."""

        def work(connection: Connection) -> None:
            self._made(connection)
            chunks = self._totals(connection)[0]
            with tables.unhurried(connection):
                if (
                    chunks >= VECTOR_INDEX_FROM
                    and self.dimension <= LONGEST_INDEXED
                    and not tables.has_index(connection)
                ):
                    tables.execute(connection, f"CREATE INDEX {tables.VECTOR_INDEX} ON index_vectors {self._indexed}")
                words_index.make_index(connection, chunks, self.settings.k1, self.settings.b)
                counted = connection.execute("SELECT reltuples FROM pg_class WHERE oid = 'index_rows'::regclass")
                if abs(chunks - (counted.fetchone() or (0,))[0]) > CHANGED_SHARE * chunks:
                    for table in tables.existing_tables(connection):
                        tables.execute(connection, f"ANALYZE {table}")

        await asyncio.to_thread(self._calls.run, work)

    async def tidy(self) -> None:
        """See `Index.tidy`."""
        await self._each_table("VACUUM")

    async def erase(self) -> None:
        """See `Index.erase`. Small tables are written anew, so that their files hold nothing of what was removed.

        Where the vectors have an index, that would take minutes in which nobody can search: then the space of what was
        removed is free to be written over, and the index forgets the vectors at once. What the server's log and its
        copies hold, and what a transaction still sees that somebody else left open, is not for a client to say.
        """
        large = await asyncio.to_thread(self._calls.run, lambda connection: tables.has_index(self._made(connection)))
        await self._each_table("VACUUM (ANALYZE)" if large else "VACUUM (FULL, ANALYZE)")

    async def _each_table(self, command: str) -> None:
        def work(connection: Connection) -> None:
            with tables.unhurried(self._made(connection)):
                for table in tables.existing_tables(connection):
                    tables.execute(connection, f"{command} {table}")

        await asyncio.to_thread(self._calls.run, work)

    async def rebuild(self, batches: AsyncIterator[Sequence[IndexRow]]) -> None:
        """See `Index.rebuild`."""
        make = tables.create_tables
        await asyncio.to_thread(self._calls.run, lambda new: make(new, self.schema, self.dimension, anew=True))
        async for rows in batches:
            await self.add(rows)
        await self.optimize()

    async def close(self) -> None:
        """See `Index.close`."""
        await asyncio.to_thread(self._calls.close)

    # -- reading -------------------------------------------------------------------------------------------------

    async def keyword(self, terms: Sequence[str], *, top_k: int, where: Filter | None = None) -> list[Scored]:
        """See `Index.keyword`. What the access filter in a filter hides is not counted."""
        asked = Counter(map(tables.kept_term, terms))
        if not asked:
            return []
        found = await asyncio.to_thread(
            self._calls.run, lambda connection: self._by_words(self._made(connection), asked, top_k, where)
        )
        return _sort_scored_chunks(found)

    def _by_words(
        self, connection: Connection, asked: Counter[str], top_k: int, where: Filter | None
    ) -> list[tuple[str, float]]:
        seen, values = _passing("p.id", access_filter_of(where))
        often = connection.execute(
            f"SELECT term, count(*) FROM index_postings p WHERE term = ANY (%s){seen} GROUP BY term".encode(),
            [list(asked), *values],
        ).fetchall()
        chunks, words = self._totals(connection, access_filter_of(where))
        if not often:
            return []
        k1, b = self.settings.k1, self.settings.b
        kept, values = _passing("p.id", where)
        if where is None and words_index.has_index(connection):
            kept, values = " AND p.id = ANY (%s)", [words_index.candidates(connection, asked, top_k)]
        query = f"""
            SELECT r.chunk_id, s.score FROM (
              SELECT p.id, sum(ln(1 + (%s - a.often + 0.5) / (a.often + 0.5)) * a.times * p.tf * (%s + 1)
                     / (p.tf + %s * (1 - %s + %s * p.length / %s))) AS score
              FROM unnest(%s::text[], %s::float8[], %s::float8[]) AS a (term, often, times)
              JOIN index_postings p USING (term) WHERE true{kept}
              GROUP BY p.id ORDER BY score DESC LIMIT %s) s
            JOIN index_rows r USING (id)"""  # noqa: S608 - its values are parameters
        numbers = [float(chunks), k1, k1, b, b, max(words, 1) / max(chunks, 1)]
        columns = [[term for term, _ in often], [n for _, n in often], [asked[term] for term, _ in often]]
        return connection.execute(query.encode(), [*numbers, *columns, *values, top_k]).fetchall()  # type: ignore[return-value]

    async def semantic(self, vector: Vector, *, top_k: int, where: Filter | None = None) -> list[Scored]:
        """See `Index.semantic`."""
        asked = f"[{','.join(map(repr, vector.tolist()))}]"

        def work(connection: Connection) -> list[tuple[str, float]]:
            self._made(connection)
            if self._is_asked(connection, top_k, where):
                found = self._by_index(connection, asked, top_k, where)
                if len(found) >= top_k:
                    return found
            return _exact_nearest(connection, asked, top_k, where)

        found = await asyncio.to_thread(self._calls.run, work)
        return _sort_scored_chunks((chunk_id, max(-1.0, min(1.0, score))) for chunk_id, score in found)

    def _is_asked(self, connection: Connection, top_k: int, where: Filter | None) -> bool:
        """Whether the index of vectors is there, and what passes is too much to compare one by one."""
        if 2 * top_k > MOST_EFFORT or access_filter_of(where) is not None or not tables.has_index(connection):
            return False
        if where is None:
            return True
        condition, values = compile_filter(where)
        query = f"SELECT count(*) FROM (SELECT 1 FROM index_rows WHERE {condition} LIMIT %s) AS passing"  # noqa: S608
        passing = connection.execute(query.encode(), [*values, COMPARED_ROWS + 1]).fetchone()
        return passing is not None and passing[0] > COMPARED_ROWS

    def _by_index(
        self, connection: Connection, asked: str, top_k: int, where: Filter | None
    ) -> list[tuple[str, float]]:
        """Ask the index of vectors, which has them in half precision, and compare what it finds by the whole ones."""
        effort = max(LEAST_EFFORT, 2 * top_k)
        options = {
            "hnsw.ef_search": effort, "hnsw.iterative_scan": "relaxed_order", "hnsw.max_scan_tuples": SCANNED_ROWS,
            "hnsw.scan_mem_multiplier": MEMORY_TIMES, "enable_seqscan": "off", "enable_sort": "off",
            "enable_hashjoin": "off", "enable_mergejoin": "off",
        }  # fmt: skip
        kept, values = ("", list[Parameter]()) if where is None else compile_filter(where, "r.fields")
        join = f"JOIN index_rows r USING (id) WHERE {kept}" if kept else ""
        half = f"halfvec({self.dimension})"
        query = f"""
            SELECT r.chunk_id, 1 - (near.vector <=> %s::vector) FROM (
              SELECT v.id, v.vector FROM index_vectors v {join}
              ORDER BY v.vector::{half} <=> %s::{half} LIMIT %s) AS near
            JOIN index_rows r USING (id)"""  # noqa: S608 - its values are parameters
        with connection.transaction():
            connection.execute(
                b"SELECT set_config(name, value, true) FROM unnest(%s::text[], %s::text[]) AS o (name, value)",
                [list(options), list(map(str, options.values()))],
            )
            near = connection.execute(query.encode(), [asked, *values, asked, 2 * top_k]).fetchall()
        return _sort_scored_chunks(near)[:top_k]

    @property
    def _indexed(self) -> str:
        return f"USING hnsw ((vector::halfvec({self.dimension})) halfvec_cosine_ops) WITH ({BUILT_WITH})"

    async def chunk_ids(self) -> list[str]:
        """See `Index.chunk_ids`."""
        query = "SELECT chunk_id FROM index_rows"
        work = self._made
        return await asyncio.to_thread(self._calls.run, lambda c: [one for (one,) in work(c).execute(query)])

    async def count(self) -> int:
        """See `Index.count`: what the database itself has counted."""
        return await asyncio.to_thread(self._calls.run, lambda connection: self._totals(self._made(connection))[0])

    async def check(self) -> None:
        """See `Index.check`."""

        def work(connection: Connection) -> list[str]:
            self._made(connection)
            with tables.unhurried(connection):
                column = connection.execute(
                    "SELECT atttypmod FROM pg_attribute"
                    " WHERE attrelid = 'index_vectors'::regclass AND attname = 'vector'"
                ).fetchone()
                wrong = [f"it holds vectors of {column and column[0]} numbers"] * (column != (self.dimension,))
                for what, query in tables.CHECKS.items():
                    found = connection.execute(query.encode()).fetchone()
                    wrong += [f"{found[0] if found else 'all'} {what}"] * (found != (0,))
            return wrong

        wrong = await asyncio.to_thread(self._calls.run, work)
        if wrong:
            message = f"The index {self.schema} in Postgres at {self._calls.place} is damaged: {'; '.join(wrong)}."
            raise ServiceError(message, cure="Run: rove doctor", retryable=False)

    def _made(self, connection: Connection) -> Connection:
        """Make the tables where this process has not yet seen them."""
        if not self._is_made:
            tables.create_tables(connection, self.schema, self.dimension)
            self._is_made = True
        return connection

    def _totals(self, connection: Connection, access_filter: Filter | None = None) -> tuple[int, int]:
        """How many chunks and words there are, or may be seen."""
        if access_filter is None:
            found = connection.execute("SELECT chunks, words FROM index_totals").fetchone()
        else:
            condition, values = compile_filter(access_filter)
            query = f"SELECT count(*), coalesce(sum(length), 0) FROM index_rows WHERE {condition}"  # noqa: S608
            found = connection.execute(query.encode(), values).fetchone()
        return (int(found[0]), int(found[1])) if found else (0, 0)


def _exact_nearest(connection: Connection, asked: str, top_k: int, where: Filter | None) -> list[tuple[str, float]]:
    """Compare all that pass: no index of Postgres knows this order."""
    if where is None:
        query, values = (
            """
            SELECT r.chunk_id, 1 - near.far FROM (
              SELECT id, vector <=> %s::vector AS far FROM index_vectors ORDER BY far LIMIT %s) AS near
            JOIN index_rows r USING (id)""",
            list[Parameter](),
        )
    else:
        condition, values = compile_filter(where)
        query = f"""
            WITH passing AS MATERIALIZED (SELECT id, chunk_id FROM index_rows WHERE {condition})
            SELECT p.chunk_id, 1 - (v.vector <=> %s::vector) AS score
            FROM passing p JOIN index_vectors v USING (id) ORDER BY score DESC LIMIT %s"""  # noqa: S608
    return connection.execute(query.encode(), [*values, asked, top_k]).fetchall()  # type: ignore[return-value]


def _passing(column: str, where: Filter | None) -> tuple[str, list[Parameter]]:
    """A further condition: that the chunk of this id passes a filter."""
    if where is None:
        return "", []
    condition, values = compile_filter(where, "f.fields")
    return f" AND EXISTS (SELECT 1 FROM index_rows f WHERE f.id = {column} AND {condition})", values  # noqa: S608


def _sort_scored_chunks(found: Iterable[tuple[str, float]]) -> list[Scored]:
    return sorted(found, key=lambda scored: (-scored[1], scored[0]))
