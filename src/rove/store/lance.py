"""The index in LanceDB, an extra: vectors, full text and filters in one table (https://lancedb.github.io/lancedb/).

What was learnt of it, and what is done about each: no fsync, and a torn manifest makes a table unopenable (the catalog
is the truth; `Store.heal` rebuilds); concurrent upserts can duplicate rows (unenforced primary key, one writer at a
time); a selective filter starves the vector index (as many partitions are asked as it takes); deleted rows keep their
bytes (`erase` rewrites the table); a cleanup can pull files from under a reader (it opens the table again and asks
once more).
"""

# LanceDB's own annotations name pandas and polars, which are not installed.
# pyright: reportUnknownMemberType=false

from __future__ import annotations

import asyncio
import os
import shutil
import warnings
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeVar, cast

os.environ.setdefault("LANCE_CPU_THREADS", str(os.cpu_count() or 2))
os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")  # Arrow's own keeps what each of LanceDB's threads freed

import lancedb
import pyarrow as pa
from lancedb.table import AsyncTable

from rove.errors import ConfigError, ServiceError
from rove.records import Filter
from rove.records.filter import access_filter_of
from rove.settings import StoreSettings
from rove.store import IndexRow, Recalled, Scored, Vector
from rove.store.catalog_rows import slices
from rove.store.lance_check import check_full_text
from rove.store.lance_fields import column_of, compile_filter
from rove.store.lance_table import FULL_TEXT, TABLE, empty, rewrite, rows_for, vector_index
from rove.store.lance_versions import GRACE_VERSIONS, grace, indices_of, too_many, versions_of
from rove.store.lance_visible import K1, B, VisibleWords

T = TypeVar("T")
DEFAULTS = StoreSettings()
VECTOR_INDEX_FROM = 65_536
"""Rows from which on a vector index is built; below, a flat scan is as fast and exact."""
LOST = "its full-text index is gone"
VECTOR_INDEX_TYPES = {"ivf_sq": "IvfSq", "ivf_pq": "IvfPq"}
"""What LanceDB calls the kinds of index that the settings name."""
TIDY_ROWS = 16_384
TIDY_FRAGMENTS = 32
"""Rows outside the indices, and files, from which on a table is tidied; fewer are scanned in passing."""
ATTEMPTS = 4
METADATA_BYTES = 32 << 20
"""What LanceDB may remember of files and versions; by itself it would keep up to 1 GB, most of it of old versions."""


class LanceIndex:
    """See `Index`. BM25 has LanceDB's fixed k1 = 1.2 and b = 0.75; with other settings `keyword` refuses to search."""

    def __init__(self, *, folder: Path, dimension: int, settings: StoreSettings = DEFAULTS) -> None:
        self.settings = settings
        self.folder = folder
        self.dimension = dimension
        self._connection: lancedb.AsyncConnection | None = None
        self._table: AsyncTable | None = None
        self._opening = asyncio.Lock()
        self._indices = 0
        self._seen_words = VisibleWords()

    # -- writing -------------------------------------------------------------------------------------------------

    async def add(self, rows: Sequence[IndexRow], *, fresh: bool = False) -> None:
        """See `Index.add`."""
        latest = {row.chunk_id: row for row in rows}
        if not latest:
            return
        table = await self._open()
        data = await rows_for(table, list(latest.values()), self.dimension)
        if fresh:
            await table.add(data)
        else:
            merge = table.merge_insert("chunk_id").when_matched_update_all().when_not_matched_insert_all()
            await merge.execute(data)

    async def remove(self, chunk_ids: Collection[str]) -> None:
        """See `Index.remove`."""
        table = await self._open()
        for part in slices(list(chunk_ids), 2_000):
            await table.delete(_chunk_id_condition(part))

    async def optimize(self) -> None:
        """See `Index.optimize`: merges small files, takes new rows into the indices, builds a vector index when due.

        Old versions go, save the latest few.
        """
        table = await self._open()
        kinds = {index.name: index.index_type for index in await table.list_indices()}
        if "terms_idx" not in kinds:  # a rewritten table has lost it
            await table.create_index("terms", config=FULL_TEXT)
        wanted = VECTOR_INDEX_TYPES[self.settings.vector_index]
        if kinds.get("vector_idx") != wanted and await table.count_rows() >= VECTOR_INDEX_FROM:
            await table.create_index("vector", config=vector_index(self.settings))  # pyright: ignore[reportArgumentType]
        fresh = await table.index_stats("terms_idx")
        stats = cast("dict[str, Any]", await table.stats())
        versions = await self._versions()
        if (
            stats["fragment_stats"]["num_fragments"] >= TIDY_FRAGMENTS
            or (fresh and fresh.num_unindexed_rows >= TIDY_ROWS)
            or too_many(versions, stats["num_rows"])
        ):
            await table.optimize(cleanup_older_than=grace(versions))
            self._table = self._connection = None  # with what they remember of the versions that are gone

    async def tidy(self) -> None:
        """See `Index.tidy`."""
        table = await self._open()
        if len(await self._versions()) > GRACE_VERSIONS:
            await self._drop_versions(table)

    async def _drop_versions(self, table: AsyncTable) -> None:
        with warnings.catch_warnings():
            # It warns that readers of older versions will fail: they open the table again, see `_ask`.
            warnings.simplefilter("ignore", UserWarning)
            await table.optimize(cleanup_older_than=timedelta(0), delete_unverified=True)

    async def _versions(self) -> list[float]:
        return await asyncio.to_thread(versions_of, self.folder / f"{TABLE}.lance")

    async def erase(self) -> None:
        """See `Index.erase`: writes what is left anew, then drops every older file."""
        await self._open()
        await asyncio.to_thread(rewrite, self.folder)
        self._table = None
        await self.optimize()
        await self._drop_versions(await self._open())

    async def rebuild(self, batches: AsyncIterator[Sequence[IndexRow]]) -> None:
        """See `Index.rebuild`."""
        await self.close()
        await asyncio.to_thread(_remove_lance_folder, self.folder)
        async for rows in batches:
            await self.add(rows)
        await self.optimize()

    async def close(self) -> None:
        """See `Index.close`."""
        if self._table is not None:
            self._table.close()
        if self._connection is not None:
            self._connection.close()
        self._table = self._connection = None

    # -- reading -------------------------------------------------------------------------------------------------

    async def keyword(self, terms: Sequence[str], *, top_k: int, where: Filter | None = None) -> list[Scored]:
        """See `Index.keyword`. What the access filter in a filter hides is not counted: see `VisibleWords`.

        Raises:
            ConfigError: the settings want another k1 or b than LanceDB has, which would be another order.
        """
        await self._check_parameters()
        access_filter = access_filter_of(where)

        async def ask(table: AsyncTable) -> list[Scored]:
            if where is not None and access_filter is not None:
                return await self._seen_words.keyword(
                    table, terms, top_k=top_k, where=where, access_filter=access_filter
                )
            query = table.query().nearest_to_text(" ".join(terms), columns="terms").select(["chunk_id", "_score"])
            if where is not None:
                query = query.where(compile_filter(where, (await table.schema()).names))
            found = await query.limit(top_k).to_arrow()
            return _rank_arrow_rows(found, "_score")

        return await self._ask(ask) if terms else []

    async def _check_parameters(self) -> None:
        k1, b = self.settings.k1, self.settings.b
        if (k1, b) != (K1, B):
            message = f"store.k1 = {k1:g} and store.b = {b:g}, and LanceDB has k1 = {K1} and b = {B} only."
            cure = f"Raise store.resident_chunks above the {await self.count()} chunks, or leave k1 and b as they are."
            raise ConfigError(message, cure=cure)

    async def semantic(self, vector: Vector, *, top_k: int, where: Filter | None = None) -> list[Scored]:
        """See `Index.semantic`."""

        async def ask(table: AsyncTable) -> list[Scored]:
            query = table.query().nearest_to(vector).distance_type("cosine").select(["chunk_id", "_distance"])
            s = self.settings
            query = query.refine_factor(s.refine_factor or max(1, -(-s.refine // top_k)))
            query = query.minimum_nprobes(s.nprobes).maximum_nprobes(s.nprobes)
            if where is not None:
                query = query.where(compile_filter(where, (await table.schema()).names)).maximum_nprobes(0)
            found = await query.limit(top_k).to_arrow()
            return [(chunk_id, 1 + score) for chunk_id, score in _rank_arrow_rows(found, "_distance", sign=-1)]

        return await self._ask(ask)

    async def chunk_ids(self) -> list[str]:
        """See `Index.chunk_ids`."""

        async def ask(table: AsyncTable) -> list[str]:
            return _arrow_column_strings(await table.query().select(["chunk_id"]).to_arrow(), "chunk_id")

        return await self._ask(ask)

    async def count(self) -> int:
        """See `Index.count`."""
        return await self._ask(lambda table: table.count_rows())

    async def recall(self) -> dict[str, Recalled]:
        """See `RecallingIndex.recall`."""
        if not (self.folder / f"{TABLE}.lance").exists():
            return {}

        async def ask(table: AsyncTable) -> list[tuple[str, str, str]]:
            names = [column_of(name, "s") for name in ("document_id", "source", "title")]
            if not set(names) <= set((await table.schema()).names):
                return []
            found = await table.query().select(names).to_arrow()
            return list(zip(*(_arrow_column_strings(found, name) for name in names), strict=True))

        rows = Counter(await self._ask(ask))
        return {document_id: Recalled(source, title, n) for (document_id, source, title), n in rows.items()}

    async def check(self) -> None:
        """See `Index.check`. Opens the table anew, since an open one answers from what it remembers."""
        await self.close()

        async def ask(table: AsyncTable) -> None:
            if "terms_idx" not in {index.name for index in await table.list_indices()}:
                raise RuntimeError(LOST)
            await check_full_text(table)

        await self._ask(ask)

    async def _ask(self, ask: Callable[[AsyncTable], Awaitable[T]]) -> T:
        """Run a query; if the table has changed under it, open it again and ask once more, a few times."""
        left = ATTEMPTS
        while True:
            left -= 1
            try:
                return await ask(await self._open())
            except (RuntimeError, OSError, ValueError) as error:
                self._table = None
                if not left:
                    message = f"The index in {self.folder} cannot be read: {error}."
                    raise ServiceError(message, cure="Run: rove doctor", retryable=False) from error

    async def _open(self) -> AsyncTable:
        """Open the table, or make it.

        Raises:
            ServiceError: its files are damaged.
        """
        if self._table is not None and self._indices == indices_of(self.folder / f"{TABLE}.lance"):
            return self._table
        async with self._opening:
            indices = indices_of(self.folder / f"{TABLE}.lance")
            if self._indices != indices:  # what is remembered of the old ones would hold their files open for good
                self._table = self._connection = None
            if self._table is None:
                self._table, self._indices = await self._open_now(), indices
        return self._table

    async def _open_now(self) -> AsyncTable:
        self.folder.mkdir(parents=True, exist_ok=True)
        if self._connection is None:
            remembers = lancedb.Session(metadata_cache_size_bytes=METADATA_BYTES)
            self._connection = await lancedb.connect_async(
                self.folder, read_consistency_interval=timedelta(0), session=remembers
            )
        try:
            if (self.folder / f"{TABLE}.lance").exists():
                return await self._connection.open_table(TABLE)
            table = await self._connection.create_table(TABLE, schema=empty(self.dimension), exist_ok=True)
            await table.set_unenforced_primary_key("chunk_id")
            await table.create_index("terms", config=FULL_TEXT)
        except (RuntimeError, OSError, ValueError) as error:
            message = f"The index in {self.folder} cannot be opened: {error}."
            raise ServiceError(message, cure="Run: rove doctor", retryable=False) from error
        return table


def _remove_lance_folder(folder: Path) -> None:
    if folder.is_dir() and not folder.is_symlink():
        shutil.rmtree(folder)
    else:
        folder.unlink(missing_ok=True)


def _chunk_id_condition(chunk_ids: Collection[str]) -> str:
    return f"chunk_id IN ({', '.join(repr(chunk_id) for chunk_id in chunk_ids)})"


def _arrow_column_strings(table: pa.Table, column: str) -> list[str]:
    return cast("list[str]", table[column].to_pylist())


def _rank_arrow_rows(found: pa.Table, column: str, *, sign: int = 1) -> list[Scored]:
    scores = cast("list[float]", found[column].to_pylist())
    ranked = [
        (chunk_id, sign * score)
        for chunk_id, score in zip(_arrow_column_strings(found, "chunk_id"), scores, strict=True)
    ]
    return sorted(ranked, key=lambda scored: (-scored[1], scored[0]))
