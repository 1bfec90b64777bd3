"""What the embedder has made of shallow chunks because somebody found them: vectors and tokens, ahead of their turn."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Mapping
from threading import Lock

from rove.errors import ServiceError
from rove.store import Vector
from rove.store.catalog import Catalog
from rove.store.documents import Documents
from rove.store.shallow import ShallowChunk
from rove.store.vectors import VectorCache

HELD = 2_048
"""Chunks whose vectors and tokens are held in memory: some kilobytes each."""


class Judged:
    """In memory, the latest; and in the catalog, so that each is embedded once. Calls block."""

    def __init__(self, catalog: Catalog, documents: Documents) -> None:
        """`documents` are those that are read, `catalog` the one that is written to."""
        self._catalog = catalog
        self._documents = documents
        self._kept = VectorCache(catalog.database)
        self._held: OrderedDict[str, tuple[Vector, bytes]] = OrderedDict()
        self._lock = Lock()

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

    def keep(
        self, chunks: Mapping[str, ShallowChunk], vectors: Mapping[str, Vector], tokens: Mapping[str, bytes]
    ) -> None:
        """Keep it in the catalog, and let the documents be next; where that cannot be written to, it is held only."""
        try:
            self._catalog.keep_judged({name: one.key for name, one in chunks.items()}, vectors, tokens)
        except ServiceError:
            return

    def _by_key(self, chunks: Mapping[str, ShallowChunk]) -> dict[str, tuple[Vector, bytes]]:
        with self._lock:
            return {one.key: self._held[one.key] for one in chunks.values() if one.key in self._held}
