"""What the indexes in Elasticsearch and OpenSearch share: a document for each chunk, and the requests that both know.

No text is kept there: a document has the chunk's terms and how many these are, its vector, the tokens of its fields
(see `lucene_filters`) and its id.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from rove.errors import ConfigError, ServiceError
from rove.records import Filter, content_hash
from rove.records.filter import access_filter_of
from rove.records.metadata import is_storable
from rove.settings import StoreSettings
from rove.store import IndexRow, Scored, Vector
from rove.store.catalog_rows import slices
from rove.store.servers.lucene_calls import Calls, Client, Json, pause
from rove.store.servers.lucene_filters import EVERYTHING, FIELD, Query, compile_filter, tokens_of
from rove.store.servers.lucene_home import Home, Shape
from rove.store.servers.lucene_words import VisibleWords, any_term, best_first, word

DEFAULTS = StoreSettings()
EXACT_ROWS = 10_000
"""Chunks that pass a filter, up to which all of them are compared."""
LEAST_CANDIDATES = 200
MOST_CANDIDATES = 10_000
"""The engines' own bound for candidates of vectors, and for the hits of one request."""
PAGE = 5_000
VIEW_LASTS = "5m"
FLUSHED = {"force": "true", "wait_if_ongoing": "true"}
LEASE_LOOKS = 16
LONG_S = 3_600.0
"""How long the server may rewrite an index."""
DECIMALS = 6
"""Decimals of a cosine: both engines count in 32 bits."""


class LuceneIndex(ABC):
    """See `Index`. An engine adds its client and its own words for vectors."""

    engine: ClassVar[str]
    most_dimensions: ClassVar[int]
    exact_script: ClassVar[str]
    """Gives the cosine of the field `vector` and the parameter `vector`, and 1: no score may be negative."""
    index_settings: ClassVar[Mapping[str, object]] = {}

    def __init__(self, *, folder: Path, dimension: int, settings: StoreSettings = DEFAULTS) -> None:
        """Take the settings; nothing is reached. `folder` is not used.

        Raises:
            ConfigError: the base has no name there, or vectors that the engine does not take.
        """
        del folder
        self.settings = settings
        self.server = settings.server
        self.dimension = dimension
        self.alias = self.server.name
        if not self.alias:
            message = "store.server.name is empty."
            raise ConfigError(message, cure="Give the base's index a name.")
        if dimension > self.most_dimensions:
            message = f"Vectors have {dimension} dimensions, and {self.engine} takes {self.most_dimensions} at most."
            raise ConfigError(message, cure='Take another embedder, or set store.index to "embedded".')
        self.calls = Calls(self.client(), self.server, self.engine)
        shape = Shape(settings.k1, settings.b, dimension, self.vector_field(), self.index_settings)
        self._home = Home(self.calls, self.alias, shape)
        self._factor: float | None = None
        self._words = VisibleWords(self.settings.k1, self.settings.b, self.search)

    # -- what each engine says in its own way ----------------------------------------------------------------------

    @abstractmethod
    def client(self) -> Client:
        """Return the engine's client for the server of the settings."""

    @abstractmethod
    def vector_field(self) -> Json:
        """Return the mapping of the field `vector`."""

    @abstractmethod
    def nearest(self, vector: Vector, candidates: int, where: Query | None) -> Query:
        """Return the query for the `candidates` nearest vectors of those that pass."""

    @abstractmethod
    async def open_view(self) -> str:
        """Open a point in time, at which documents can be paged through; return its name."""

    @abstractmethod
    async def close_view(self, view: str) -> None:
        """Close a point in time; one that has ended is no error."""

    def nearest_cosine(self, score: float) -> float:
        """Return the cosine that a score of `nearest` stands for."""
        return score - 1

    async def word_factor(self) -> float:
        """Return what the engine's BM25 scores are multiplied by to be those of `Index.keyword`."""
        return 1.0

    # -- writing -----------------------------------------------------------------------------------------------------

    async def add(self, rows: Sequence[IndexRow], *, fresh: bool = False) -> None:
        """See `Index.add`. Where the server refuses some, the others are in.

        Raises:
            ConfigError: vectors of another length.
            ServiceError: the server refused rows, or cannot be reached.
        """
        del fresh
        latest = {row.chunk_id: row for row in rows}
        for row in latest.values():
            if len(row.vector) != self.dimension:
                message = f"Vectors have {len(row.vector)} dimensions; this index holds {self.dimension}."
                raise ConfigError(message, cure="Open the base with the embedder that made it.")
        await self._write([(_lucene_document_id(row.chunk_id), _lucene_document(row)) for row in latest.values()])

    async def remove(self, chunk_ids: Collection[str]) -> None:
        """See `Index.remove`."""
        await self._write([(_lucene_document_id(chunk_id), None) for chunk_id in dict.fromkeys(chunk_ids)])

    async def _write(self, items: Sequence[tuple[str, Json | None]]) -> None:
        refused: ServiceError | None = None
        for part in slices(items, self.server.bulk_rows):
            try:
                await self._home.here(lambda part=part: self.calls.write(self.alias, part))
            except ServiceError as error:
                if error.retryable:
                    raise
                refused = refused or error
        if items:
            await self._refresh()
        if refused:
            raise refused

    async def optimize(self) -> None:  # noqa: B027 - nothing to do
        """See `Index.optimize`: the engine builds its structures as it writes."""

    async def tidy(self) -> None:
        """See `Index.tidy`: segments of which many documents are gone are written anew."""
        await self._home.here(lambda: self._merge({"only_expunge_deletes": "true"}))

    async def erase(self) -> None:
        """See `Index.erase`: the server writes all that is left into one segment, and drops its log.

        A shard keeps what is deleted for copies of it that may ask for it, and looks every 30 s whether one may. So
        this is repeated until nothing that is deleted is left, `LEASE_LOOKS` times at most.

        What may remain: copies on nodes that are away, until these come back or are given up; snapshots; and what
        the file system keeps of files that are deleted.

        Raises:
            ServiceError: something is left for a copy on a node that is away (12 hours, by the server's usual
                settings). An index that is made anew holds nothing of it: the next writer, or `rove doctor`, does so.
        """

        async def rewrite() -> int:
            await self.calls.call("POST", f"/{self.alias}/_flush", params=FLUSHED)
            await self._merge({"max_num_segments": "1"})
            await self.calls.call("POST", f"/{self.alias}/_flush", params=FLUSHED)
            held = await self.calls.call("GET", f"/{self.alias}/_stats/docs")
            return held["_all"]["total"]["docs"]["deleted"]

        left = 0
        for look in range(LEASE_LOOKS):
            if look:
                await pause(look - 1)
            if not (left := await self._home.here(rewrite)):
                return
        message = (
            f"What was erased is gone from the base and is not found, but {left} deleted documents are in the files "
            f"of the index {self.alias} yet: {self.engine} keeps them for a copy on a node that is away."
        )
        raise ServiceError(message, cure="Run: rove doctor", retryable=False)

    async def _merge(self, how: Mapping[str, str]) -> None:
        await self.calls.call("POST", f"/{self.alias}/_forcemerge", wait_s=LONG_S, params=how)
        await self._refresh()

    async def _refresh(self) -> None:
        await self._home.here(lambda: self.calls.call("POST", f"/{self.alias}/_refresh"))

    async def rebuild(self, batches: AsyncIterator[Sequence[IndexRow]]) -> None:
        """See `Index.rebuild`."""
        await self._home.make_anew()
        async for rows in batches:
            await self.add(rows)

    async def close(self) -> None:
        """See `Index.close`."""
        await asyncio.to_thread(self.calls.client.close)

    # -- reading -----------------------------------------------------------------------------------------------------

    async def keyword(self, terms: Sequence[str], *, top_k: int, where: Filter | None = None) -> list[Scored]:
        """See `Index.keyword`. What the access filter in a filter hides is not counted: see `VisibleWords`.

        By itself the engine counts a chunk that was removed or replaced until it has merged it away, and the length of
        a chunk of over 40 terms roughly, in steps of an eighth. Of a question the first 900 terms are looked for.
        """
        asked = [term for term in terms if is_storable(term)]
        if not asked or top_k < 1:
            return []
        access_filter = access_filter_of(where)
        if where is not None and access_filter is not None:
            within, visible = compile_filter(where), compile_filter(access_filter)
            return await self._home.here(lambda: self._words.keyword(asked, top_k=top_k, where=within, visible=visible))
        query: Query = {"bool": {"must": [any_term(asked)]}}
        if where is not None:
            query["bool"]["filter"] = [compile_filter(where)]
        if self._factor is None:
            self._factor = await self.word_factor()
        found, factor = await self._ranked(query, top_k, search_type="dfs_query_then_fetch"), self._factor
        return best_first((chunk_id, score * factor) for chunk_id, score in found)

    async def semantic(self, vector: Vector, *, top_k: int, where: Filter | None = None) -> list[Scored]:
        """See `Index.semantic`. All that pass are compared where these are few, and under an access filter."""
        within = None if where is None else compile_filter(where)
        candidates = min(max(LEAST_CANDIDATES, self.settings.refine, 4 * top_k), MOST_CANDIDATES)
        exact = access_filter_of(where) is not None or 2 * top_k > candidates
        if within and not exact:
            exact = await self._counted(within) <= EXACT_ROWS
        if exact:
            found = await self._ranked(self.exactly(within or EVERYTHING, vector), top_k)
            return best_first((chunk_id, round(score - 1, DECIMALS)) for chunk_id, score in found)
        found = await self._ranked(self.nearest(vector, candidates, within), top_k)
        return best_first((chunk_id, round(self.nearest_cosine(score), DECIMALS)) for chunk_id, score in found)

    def exactly(self, passing: Query, vector: Vector) -> Query:
        """Return the query that scores all that passes by its cosine, and 1."""
        script = {"source": self.exact_script, "params": {"vector": vector.tolist()}}
        return {"script_score": {"query": passing, "script": script}}

    async def chunk_ids(self) -> list[str]:
        """See `Index.chunk_ids`."""
        return [hit["sort"][0] async for hit in self._paged(EVERYTHING, [{"chunk_id": "asc"}], PAGE)]

    async def count(self) -> int:
        """See `Index.count`."""
        return await self._counted(EVERYTHING)

    async def check(self) -> None:
        """See `Index.check`: the mapping, every shard, and that each document has its vector and its id."""
        await self._home.check()
        whole: Query = {"bool": {"filter": [{"exists": {"field": name}} for name in ("chunk_id", "vector", "length")]}}
        if await self._counted(whole) != await self.count():
            message = f"The index {self.alias} holds documents that lack a part."
            raise ServiceError(message, cure="Run: rove doctor", retryable=False)

    async def search(self, body: Json, **params: str) -> Json:
        """Send a search; one that a part of the index did not take part in is an error."""
        path = "/_search" if "pit" in body else f"/{self.alias}/_search"
        if "pit" not in body:
            params["allow_partial_search_results"] = "false"
        reply = await self.calls.call(
            "POST", path, {"_source": False, "track_total_hits": False, **body}, params=params
        )
        if reply["timed_out"] or reply["_shards"]["failed"]:
            message = f"{self.engine} has searched a part of the index {self.alias} only."
            raise ServiceError(message, cure="Look at the server's health, and try again.")
        return reply

    async def _ranked(self, query: Query, top_k: int, **params: str) -> list[Scored]:
        """The best chunks by the score of a query."""
        if top_k < 1:
            return []
        if top_k > MOST_CANDIDATES:
            order = [{"_score": "desc"}, {"chunk_id": "asc"}]
            return [(hit["sort"][1], hit["sort"][0]) async for hit in self._paged(query, order, PAGE, top_k)]
        body: Json = {"query": query, "size": top_k, "docvalue_fields": ["chunk_id"]}
        reply = await self._home.here(lambda: self.search(body, **params))
        return [(hit["fields"]["chunk_id"][0], hit["_score"]) for hit in reply["hits"]["hits"]]

    async def _paged(
        self, query: Query, order: Sequence[Json], size: int, most: int | None = None
    ) -> AsyncIterator[Json]:
        """All documents that pass, in an order whose last part no two share, as they are at one moment."""
        view = await self._home.here(self.open_view)
        body: Json = {"query": query, "size": size, "sort": order}
        left = most
        try:
            while True:
                pit = {"id": view, "keep_alive": VIEW_LASTS}
                reply = await self.search({**body, "pit": pit})
                view = reply.get("pit_id", view)
                hits: list[Json] = reply["hits"]["hits"]
                for hit in hits[:left]:
                    yield hit
                left = None if left is None else left - len(hits)
                if len(hits) < size or (left is not None and left <= 0):
                    return
                body["search_after"] = hits[-1]["sort"]
        finally:
            await self.close_view(view)

    async def _counted(self, query: Query) -> int:
        reply = await self._home.here(lambda: self.calls.call("POST", f"/{self.alias}/_count", {"query": query}))
        if reply["_shards"]["failed"]:
            message = f"{self.engine} has counted a part of the index {self.alias} only."
            raise ServiceError(message, cure="Look at the server's health, and try again.")
        return reply["count"]


def _lucene_document_id(chunk_id: str) -> str:
    """The id of a chunk's document: the engines take 512 bytes at most."""
    return content_hash(chunk_id)


def _lucene_document(row: IndexRow) -> Json:
    terms = [word(term) for term in row.terms.split()]
    return {
        "chunk_id": row.chunk_id, "terms": " ".join(terms), "length": len(terms), "vector": row.vector.tolist(),
        FIELD: tokens_of(row.fields),
    }  # fmt: skip
