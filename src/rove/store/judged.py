"""What the embedder has made of shallow chunks because somebody found them: vectors and tokens, ahead of their turn."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Collection, Mapping
from contextlib import suppress
from threading import Lock

from rove.errors import RoveError
from rove.store import Vector
from rove.store.catalog import Catalog
from rove.store.documents import Documents
from rove.store.shallow import ShallowChunk
from rove.store.vectors import VectorCache

HELD = 2_048
"""Chunks whose vectors and tokens are held in memory: some kilobytes each."""
CLOSING_S = 2.0
"""So long, at most, a base that is closed waits until what is held is kept."""


class Judged:
    """In memory, the latest; and soon in the catalog, so that each is embedded once. What is no coroutine blocks."""

    def __init__(self, catalog: Catalog, documents: Documents) -> None:
        """`documents` are those that are read, `catalog` the one that is written to."""
        self._catalog = catalog
        self._documents = documents
        self._kept = VectorCache(catalog.database)
        self._held: OrderedDict[str, tuple[Vector, bytes]] = OrderedDict()
        self._lock = Lock()
        self._unkept: dict[str, ShallowChunk] = {}
        self._keeping: asyncio.Task[None] | None = None

    def shallow_of(self, chunk_ids: Collection[str]) -> dict[str, ShallowChunk]:
        """See `ShallowDocuments.shallow_of`."""
        return self._documents.shallow_of(chunk_ids)

    def vectors(self, chunks: Mapping[str, ShallowChunk]) -> dict[str, Vector]:
        """The embedder's vectors of these shallow chunks, by chunk id; one that it has not reached is absent."""
        held = self._by_key(chunks)
        kept = self._kept.get([one.key for one in chunks.values() if one.key not in held])
        known = {key: vector for key, (vector, _) in held.items()} | kept
        return {chunk_id: known[one.key] for chunk_id, one in chunks.items() if one.key in known}

    def tokens(self, chunks: Mapping[str, ShallowChunk]) -> dict[str, bytes]:
        """Likewise their tokens."""
        held = self._by_key(chunks)
        kept = self._kept.tokens([one.key for one in chunks.values() if one.key not in held])
        known = {key: tokens for key, (_, tokens) in held.items() if tokens} | kept
        return {chunk_id: known[one.key] for chunk_id, one in chunks.items() if one.key in known}

    def hold(self, vectors: Mapping[str, Vector], tokens: Mapping[str, bytes]) -> None:
        """Hold what was just made, by key."""
        with self._lock:
            for key, vector in vectors.items():
                self._held[key] = (vector, tokens.get(key, b""))
            while len(self._held) > HELD:
                self._held.popitem(last=False)

    async def keep_soon(self, chunks: Mapping[str, ShallowChunk]) -> None:
        """Let what is held of these chunks be kept in the catalog, and their documents be next; nothing waits for it.

        Where the catalog cannot be written to, or too much waits, it is held only.
        """
        if len(self._unkept) < HELD:
            self._unkept |= chunks
        if self._keeping is None or self._keeping.done():
            self._keeping = asyncio.create_task(self._keep())

    async def close(self) -> None:
        """Wait a little until all is kept."""
        if self._keeping and not self._keeping.done():
            await asyncio.wait([self._keeping], timeout=CLOSING_S)
            self._keeping.cancel()

    def forget(self) -> None:
        """Hold nothing any more: something is erased."""
        with self._lock:
            self._held.clear()

    async def _keep(self) -> None:
        while self._unkept:
            some, self._unkept = self._unkept, {}
            held = self._by_key(some)
            vectors = {key: vector for key, (vector, _) in held.items()}
            tokens = {key: tokens for key, (_, tokens) in held.items() if tokens}
            keys = {chunk_id: one.key for chunk_id, one in some.items()}
            with suppress(RoveError):
                await asyncio.to_thread(self._catalog.keep_judged, keys, vectors, tokens)

    def _by_key(self, chunks: Mapping[str, ShallowChunk]) -> dict[str, tuple[Vector, bytes]]:
        with self._lock:
            return {one.key: self._held[one.key] for one in chunks.values() if one.key in self._held}
