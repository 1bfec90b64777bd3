"""The index in Milvus, an extra: vectors and filters in one collection (https://milvus.io/docs).

What was learnt of it, and what is done about each: with any consistency but "Strong" deleted rows are found and new
ones are not (every read asks for it, which costs up to 200 ms); under a filter HNSW, and IVF in segments that are
still growing, find half of what there is ("FLAT" compares all that pass, and is exact); the client puts the texts of
ids into expressions (ids are kept as hexadecimal digits); a row's map of keys has at most 65,536 bytes (a chunk with
more is refused, and only that one).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from pathlib import Path
from typing import Any, TypeVar

from pymilvus import DataType

from rove.errors import InputError, ServiceError
from rove.records import Filter
from rove.settings import StoreSettings
from rove.store import IndexRow, Scored, Vector
from rove.store.catalog_rows import slices
from rove.store.servers.milvus_calls import Client, MilvusCalls
from rove.store.servers.milvus_filters import MOST_TOKENS, TOKEN_LENGTH, columns_of, expression_of
from rove.store.servers.sort_keys import given_id, kept_id

T = TypeVar("T")
STRONG = "Strong"
ID_LENGTH = 1_024
MOST_FOUND = 16_384
"""How many rows Milvus gives for one search, at most."""
DELETED_AT_ONCE, READ_AT_ONCE = 1_000, 4_096
COMPACTION_S = 60.0
"""How long an erasure waits until Milvus has written the segments anew."""
ONCE: dict[str, Any] = {"retry_times": 0}
"""Calls are tried again by `MilvusCalls` alone, not also by the client."""


class MilvusIndex:
    """See `VectorIndex`. A base is one collection, `store.server.name`; nothing else on the server is touched."""

    def __init__(self, *, folder: Path, dimension: int, settings: StoreSettings) -> None:
        del folder
        self.dimension = dimension
        self._name = settings.server.name
        self._bulk = settings.server.bulk_rows
        self._timeout_s = settings.server.timeout_s
        self._calls = MilvusCalls(settings.server, self._prepare)

    # -- writing -------------------------------------------------------------------------------------------------

    async def add(self, rows: Sequence[IndexRow], *, fresh: bool = False) -> None:
        """See `VectorIndex.add`. `fresh` rows are written as all others are, lest one tried again is there twice."""
        del fresh
        latest = {row.chunk_id: row for row in rows}
        for part in slices(list(latest.values()), self._bulk):
            data = [self._row(row) for row in part]
            await self._run(lambda client, data=data: client.upsert(self._name, data, **ONCE))

    def _row(self, row: IndexRow) -> dict[str, object]:
        columns = columns_of(row.fields)
        if len(columns["tokens"]) > MOST_TOKENS:  # pyright: ignore[reportArgumentType] - a list
            message = f"The chunk {row.chunk_id!r} has more values in its fields than Milvus keeps, {MOST_TOKENS // 2}."
            raise InputError(message, cure="Leave some of its document's metadata out.")
        return {"chunk_id": kept_id(row.chunk_id), "vector": row.vector.tolist(), **columns}

    async def remove(self, chunk_ids: Collection[str]) -> None:
        """See `VectorIndex.remove`."""
        for part in slices([kept_id(chunk_id) for chunk_id in chunk_ids], DELETED_AT_ONCE):
            await self._run(lambda client, ids=part: client.delete(self._name, ids=list(ids), **ONCE))

    async def optimize(self) -> None:
        """See `VectorIndex.optimize`. Milvus closes and merges its segments by itself."""

    async def tidy(self) -> None:
        """See `VectorIndex.tidy`. Milvus compacts its segments by itself."""

    async def erase(self) -> None:
        """See `VectorIndex.erase`: nothing that was removed is found, and Milvus writes its segments anew.

        The files of the old ones lie in its storage until its garbage collection takes them: by its settings
        (`dataCoord.gc.dropTolerance`) after some hours.
        """

        def compact(client: Client) -> None:
            client.flush(self._name, timeout=self._timeout_s)
            job, until = client.compact(self._name, timeout=self._timeout_s), time.monotonic() + COMPACTION_S
            while job > 0 and time.monotonic() < until:
                if client.get_compaction_state(job, timeout=self._timeout_s) == "Completed":
                    return
                time.sleep(0.2)

        await self._run(compact)

    async def rebuild(self, batches: AsyncIterator[Sequence[IndexRow]]) -> None:
        """See `VectorIndex.rebuild`."""

        def drop(client: Client) -> None:
            client.drop_collection(self._name, **ONCE)
            self._calls.forget()

        await asyncio.to_thread(self._calls.run, drop, prepared=False)
        await self.count()  # makes a new one, also where there are no rows
        async for rows in batches:
            await self.add(rows)

    async def close(self) -> None:
        """See `VectorIndex.close`."""
        await asyncio.to_thread(self._calls.close)

    # -- reading -------------------------------------------------------------------------------------------------

    async def semantic(self, vector: Vector, *, top_k: int, where: Filter | None = None) -> list[Scored]:
        """See `VectorIndex.semantic`. Exact, under any filter; at most 16,384 chunks."""
        if top_k < 1:
            return []
        expression = "" if where is None else expression_of(where)

        def search(client: Client) -> list[Scored]:
            found = client.search(
                self._name,
                data=[vector.tolist()],
                filter=expression,
                limit=min(top_k, MOST_FOUND),
                anns_field="vector",
                search_params={"metric_type": "IP", "params": {}},
                output_fields=["chunk_id"],
                consistency_level=STRONG,
                **ONCE,
            )
            return [(given_id(hit["chunk_id"]), float(hit["distance"])) for hit in found[0]]

        return sorted(await self._run(search), key=lambda scored: (-scored[1], scored[0]))

    async def chunk_ids(self) -> list[str]:
        """See `VectorIndex.chunk_ids`."""

        def read(client: Client) -> list[str]:
            pages = client.query_iterator(
                self._name, batch_size=READ_AT_ONCE, output_fields=["chunk_id"], consistency_level=STRONG
            )
            found: list[str] = []
            while page := pages.next():
                found.extend(given_id(row["chunk_id"]) for row in page)
            pages.close()
            return found

        return await self._run(read)

    async def count(self) -> int:
        """See `VectorIndex.count`."""

        def read(client: Client) -> int:
            found = client.query(self._name, filter="", output_fields=["count(*)"], consistency_level=STRONG, **ONCE)
            return int(found[0]["count(*)"])

        return await self._run(read)

    async def check(self) -> None:
        """See `VectorIndex.check`: the collection's fields, its index, and whether it is searched."""
        self._calls.forget()
        await self.count()

    async def _run(self, work: Callable[[Client], T]) -> T:
        return await asyncio.to_thread(self._calls.run, work)

    def _prepare(self, client: Client) -> None:
        """Make the collection, or what is not there of it, and let it be searched.

        Raises:
            ServiceError: it is none that Rove has made for vectors of this dimension.
        """
        if not client.has_collection(self._name, **ONCE):
            schema = client.create_schema(auto_id=False, enable_dynamic_field=False)
            schema.add_field("chunk_id", DataType.VARCHAR, is_primary=True, max_length=ID_LENGTH)
            schema.add_field("vector", DataType.FLOAT_VECTOR, dim=self.dimension)
            schema.add_field(
                "tokens", DataType.ARRAY, element_type=DataType.VARCHAR,
                max_capacity=MOST_TOKENS, max_length=TOKEN_LENGTH,
            )  # fmt: skip
            schema.add_field("keys", DataType.JSON)
            client.create_collection(self._name, schema=schema, consistency_level=STRONG, **ONCE)
        self._check_fields(client)
        if "vector" not in client.list_indexes(self._name):
            index = client.prepare_index_params()
            index.add_index("vector", index_name="vector", index_type="FLAT", metric_type="IP")
            client.create_index(self._name, index, timeout=self._timeout_s)
        client.load_collection(self._name, timeout=self._timeout_s)

    def _check_fields(self, client: Client) -> None:
        found = client.describe_collection(self._name, **ONCE)
        fields = {field["name"]: field["params"].get("dim") for field in found["fields"]}
        wanted = {"chunk_id": None, "vector": self.dimension, "tokens": None, "keys": None}
        if fields != wanted:
            message = f"The collection {self._name!r} in Milvus at {self._calls.place} has other fields than Rove's."
            raise ServiceError(message, cure="Run: rove doctor", retryable=False)
