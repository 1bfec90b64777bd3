"""The index in Chroma: vectors and filters in a collection; words are compared by the embedded index.

What was learnt of it, and what is done about each: an HNSW index that is built as Chroma builds it by itself finds
nine of ten (see `HNSW`), and of texts that are nearly alike fewer than were asked for, without a word (where few pass,
or fewer are found, vectors are fetched and compared here; also where somebody sees a part of the base); a filter is
compiled to what there is (see `chroma_filters`), else what passes is found by reading.
"""

# The annotations of the client name types of numpy and of its own that are not whole.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Sequence
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar, cast
from urllib.parse import urlsplit

import chromadb
import httpx
import numpy as np
from chromadb.config import Settings
from chromadb.errors import ChromaError, NotFoundError

from rove.errors import ConfigError, RoveError, ServiceError
from rove.proxies import except_host, proxy_for
from rove.records import Filter
from rove.records.filter import access_filter_of
from rove.records.source import MetaValue
from rove.settings import IndexServerSettings, StoreSettings
from rove.store import IndexRow, Scored, Vector
from rove.store.catalog_rows import slices
from rove.store.servers.chroma_filters import UnsaidError, Where, compile_filter, fields_of, metadata_of
from rove.store.servers.patience import Patience

T = TypeVar("T")
USUAL = "http://localhost:8000"
HNSW = {"space": "cosine", "ef_construction": 200, "max_neighbors": 32, "ef_search": 800}
"""The pause before a call is tried again; each further one is twice as long."""
PAGE = 2_000
"""Chunks that are read, or named, by one call."""
COMPARED_ROWS = 10_000
"""Chunks that somebody sees who sees a part of the base, up to which vectors are fetched and compared here."""
REFUSED = (401, 403)
AGAIN = (408, 425, 429, 500, 502, 503, 504)
"""What a server answers, or what stands before it, for which waiting helps."""


class ChromaIndex:
    """See `VectorIndex`. One collection has all of it: ids, vectors, and the fields as metadata; no words.

    Who sees a part of the base only is answered by the embedded index: of many chunks Chroma's search is not exact.
    """

    sees_parts = False

    def __init__(self, *, folder: Path, dimension: int, settings: StoreSettings) -> None:
        del folder
        self.dimension = dimension
        self.settings = settings
        self._server = settings.server
        self._lock = Lock()
        self._client: Any = None
        self._held: Any = None

    # -- writing -------------------------------------------------------------------------------------------------

    async def add(self, rows: Sequence[IndexRow], *, fresh: bool = False) -> None:
        """See `VectorIndex.add`."""
        del fresh
        latest = list({row.chunk_id: row for row in rows}.values())
        for part in slices(latest, self._server.bulk_rows):
            await self._ask(lambda held, part=part: _upsert_chroma_rows(held, part))

    async def remove(self, chunk_ids: Collection[str]) -> None:
        """See `VectorIndex.remove`."""
        for part in slices(list(dict.fromkeys(chunk_ids)), PAGE):

            def work(held: Any, part: Sequence[str] = part) -> None:  # noqa: ANN401 - a collection
                there = held.get(ids=list(part), include=[])["ids"]
                if there:
                    held.delete(ids=there)

            await self._ask(work)

    async def optimize(self) -> None:
        """See `VectorIndex.optimize`: Chroma does it by itself; whether it answers is seen."""
        await self._ask(lambda held: held.count())

    async def tidy(self) -> None:
        """See `VectorIndex.tidy`: for the server's own `chroma vacuum`, which needs it to stand still."""

    async def erase(self) -> None:
        """See `VectorIndex.erase`. What was removed is found no more.

        Chroma has no call that drops its bytes: its files, and its log, hold them until they are written over, or until
        `chroma vacuum` is run on the server and the collection is made anew.
        """
        await self._ask(lambda held: held.count())

    async def rebuild(self, batches: AsyncIterator[Sequence[IndexRow]]) -> None:
        """See `VectorIndex.rebuild`."""
        await self._ask(lambda _: self._drop())
        async for rows in batches:
            await self.add(rows)

    async def close(self) -> None:
        """See `VectorIndex.close`."""
        self._client = self._held = None

    # -- reading -------------------------------------------------------------------------------------------------

    async def semantic(self, vector: Vector, *, top_k: int, where: Filter | None = None) -> list[Scored]:
        """See `VectorIndex.semantic`."""
        found = await self._ask(lambda held: _search(held, vector, top_k, where))
        return sorted(found, key=lambda scored: (-scored[1], scored[0]))[:top_k]

    async def chunk_ids(self) -> list[str]:
        """See `VectorIndex.chunk_ids`."""
        return await self._ask(lambda held: [one for page in _collection_pages(held, []) for one in page["ids"]])

    async def count(self) -> int:
        """See `VectorIndex.count`."""
        return await self._ask(lambda held: held.count())

    async def check(self) -> None:
        """See `VectorIndex.check`."""

        def work(held: Any) -> list[str]:  # noqa: ANN401 - a collection
            wrong = 0
            for page in _collection_pages(held, ["embeddings", "metadatas"]):
                for numbers, metadata in zip(page["embeddings"], page["metadatas"], strict=True):
                    wrong += len(numbers) != self.dimension or not (metadata and {"fields", "tokens"} <= set(metadata))
            return [f"{wrong} chunks have lost their vector or their fields"] * bool(wrong)

        if wrong := await self._ask(work):
            message = f"The collection {self._server.name} of Chroma is damaged: {'; '.join(wrong)}."
            raise ServiceError(message, cure="Run: rove doctor", retryable=False)

    # -- how it is reached -------------------------------------------------------------------------------------------

    async def _ask(self, work: Callable[[Any], T]) -> T:
        return await asyncio.to_thread(self._asked, work)

    def _asked(self, work: Callable[[Any], T]) -> T:
        """Let `work` have the collection, again where that helps."""
        patience = Patience(self._server.retries)
        while True:
            held = None
            try:
                held = self._collection()
                return work(held)
            except NotFoundError as error:  # made anew by another process, or taken away
                self._held = None
                patience.wait(self._told(error), error, helps=True)
            except (httpx.HTTPError, ChromaError, ValueError, TypeError) as error:
                patience.wait(self._told(error), error)

    def _collection(self) -> Any:  # noqa: ANN401 - the client's types are not whole
        with self._lock:
            if self._held is None:
                self._client = self._client or _client(self._server)
                self._held = self._client.get_or_create_collection(
                    self._server.name, embedding_function=None, configuration={"hnsw": HNSW}
                )
            return self._held

    def _drop(self) -> None:
        with self._lock:
            self._client.delete_collection(self._server.name)
            self._held = None

    def _told(self, error: Exception) -> RoveError:
        """Say what the client has raised as Rove says it; its `code` is the answer's status."""
        url = urlsplit(self._server.url or USUAL)
        place = f"{url.hostname}:{url.port}" if url.port else f"{url.hostname}"
        said = f"{type(error).__name__}: {str(error).strip().partition(chr(10))[0][:300]}".rstrip(".")
        if "Could not connect" in said:  # which is all that the client says of it
            error = error.__context__ if isinstance(error.__context__, httpx.HTTPError) else httpx.ConnectError(said)
        status = error.response.status_code if isinstance(error, httpx.HTTPStatusError) else _status(error)
        if status in REFUSED or "CERTIFICATE" in said:
            cure = "Check store.server.url, user, password, api_key and ca_file."
            return ConfigError(f"Chroma at {place} refuses: {said}.", cure=cure)
        if isinstance(error, httpx.TransportError) or status in AGAIN:
            cure = "See that the server of store.server.url runs; then run the same again."
            return ServiceError(f"Chroma at {place} cannot be reached or asked now: {said}.", cure=cure)
        return ServiceError(f"Chroma at {place} refuses: {said}.", cure="Run: rove doctor", retryable=False)


def _status(error: Exception) -> int:
    code = getattr(error, "code", None)
    status = code() if callable(code) else 400
    return status if isinstance(status, int) else 400


def _client(server: IndexServerSettings) -> Any:  # noqa: ANN401 - the client's types are not whole
    url = urlsplit(server.url or USUAL)
    if url.scheme not in {"http", "https"} or not url.hostname:
        message = "store.server.url is no address of a Chroma server."
        raise ConfigError(message, cure=f"Write it like {USUAL}")
    if proxy_for(url.geturl()) is None:
        except_host(url.hostname)  # the client has no other way to be told
    headers = dict[str, str]()
    if key := server.api_key.get_secret_value():
        headers = {"X-Chroma-Token": key}
    elif server.user:
        basic = httpx.BasicAuth(server.user, server.password.get_secret_value())
        headers = {"Authorization": next(basic.auth_flow(httpx.Request("GET", USUAL))).headers["Authorization"]}
    own = Settings(
        anonymized_telemetry=False, chroma_server_ssl_verify=server.ca_file or server.verify,
        chroma_query_request_timeout_seconds=max(1, round(server.timeout_s)),
    )  # fmt: skip
    at = {"database": server.database} if server.database else {}
    is_safe = url.scheme == "https"
    port = url.port or (443 if is_safe else 80)
    return chromadb.HttpClient(url.hostname, port, is_safe, headers, own, **at)


def _upsert_chroma_rows(held: Any, rows: Sequence[IndexRow]) -> None:  # noqa: ANN401 - a collection
    held.upsert(
        ids=[row.chunk_id for row in rows],
        embeddings=np.stack([row.vector for row in rows]),
        metadatas=[metadata_of(row.fields) for row in rows],
    )


def _collection_pages(held: Any, include: list[str], where: Where = True) -> Iterator[dict[str, Any]]:  # noqa: ANN401
    """Read all that pass, a page at a time."""
    asked = None if isinstance(where, bool) else where
    for offset in range(0, held.count(), PAGE):
        page = held.get(where=asked, include=include, limit=PAGE, offset=offset)
        if not page["ids"]:
            return
        yield page


def _search(held: Any, vector: Vector, top_k: int, where: Filter | None) -> list[Scored]:  # noqa: ANN401
    try:
        asked = True if where is None else compile_filter(where, lambda some: _collection_fields(held, some))
    except UnsaidError:
        return _by_ids(held, vector, top_k, _scan_matching_ids(held, cast("Filter", where)))
    if asked is False:
        return []
    is_part, conditions = access_filter_of(where) is not None, None if asked is True else asked
    found = [] if is_part else _query_nearest_chunks(held, vector, top_k, conditions, None)
    if len(found) >= top_k:
        return found
    ids = [one for page in _collection_pages(held, [], asked) for one in page["ids"]]
    if len(found) < len(ids) <= COMPARED_ROWS:
        return _exact_chunk_scores(held, vector, ids)
    return _query_nearest_chunks(held, vector, top_k, conditions, None) if is_part else found


def _collection_fields(held: Any, where: Where) -> Iterator[dict[str, MetaValue]]:  # noqa: ANN401
    for page in _collection_pages(held, ["metadatas"], where):
        yield from map(fields_of, page["metadatas"])


def _scan_matching_ids(held: Any, where: Filter) -> list[str]:  # noqa: ANN401
    """The ids of what passes, by the fields of all chunks."""
    return [
        chunk_id
        for page in _collection_pages(held, ["metadatas"])
        for chunk_id, metadata in zip(page["ids"], page["metadatas"], strict=True)
        if where.matches(fields_of(metadata))
    ]


def _by_ids(held: Any, vector: Vector, top_k: int, ids: Sequence[str]) -> list[Scored]:  # noqa: ANN401
    if len(ids) <= COMPARED_ROWS:
        return _exact_chunk_scores(held, vector, ids)
    return [one for part in slices(ids, PAGE) for one in _query_nearest_chunks(held, vector, top_k, None, list(part))]


def _query_nearest_chunks(
    held: Any,  # noqa: ANN401
    vector: Vector,
    top_k: int,
    where: Where | None,
    ids: list[str] | None,
) -> list[Scored]:
    found = held.query(query_embeddings=[vector], n_results=top_k, where=where, ids=ids, include=["distances"])
    return [(one, max(-1.0, 1 - far)) for one, far in zip(found["ids"][0], found["distances"][0], strict=True)]


def _exact_chunk_scores(held: Any, vector: Vector, ids: Sequence[str]) -> list[Scored]:  # noqa: ANN401
    """Compare the vectors themselves."""
    found = list[Scored]()
    for part in slices(ids, PAGE):
        page = held.get(ids=list(part), include=["embeddings"])
        scores = np.asarray(page["embeddings"], np.float32) @ vector if page["ids"] else np.zeros(0)
        found += zip(page["ids"], scores.tolist(), strict=True)
    return found
