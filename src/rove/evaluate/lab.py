"""A base that is asked in many ways; what two ways have in common is done once.

What runs is the engine itself, so that each way gives exactly what `Rove.search` would; only the store, the reranker
and the embedder cache what they were asked last. Time that a way saved by the cache is added to its own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from time import perf_counter
from typing import Any, Self, TypeVar, cast

import numpy as np

from rove.engine import AsyncRove, varied
from rove.evaluate.configuration import Configuration
from rove.evaluate.similarity import Expected
from rove.instances import Instances
from rove.models import Embedder, LateEmbedder, Reranker, Vectors
from rove.models.cache import LateQueryCache, QueryCache
from rove.records import Answer, Filter, Hit, vector_key
from rove.settings import Settings
from rove.store import Vector
from rove.store.catalog_view import Along
from rove.store.live_chunks import Found
from rove.store.search_lists import SearchLists
from rove.store.store import Store
from rove.store.vectors import VectorCache

T = TypeVar("T")
Key = tuple[Hashable, ...]
LASTING = "question"


@dataclass(slots=True)
class LabCache:
    """What was done before, and how long it took; shared by the bases that one process asks, one after another.

    `borrowed_s`: seconds that the present search was spared. What is kept under a key that begins with `LASTING`
    outlives the question. `models`: the embedders that are loaded, by their settings.
    """

    known: dict[Key, tuple[Any, float]] = field(default_factory=dict[Key, tuple[Any, float]])
    lasting: dict[Key, tuple[Any, float]] = field(default_factory=dict[Key, tuple[Any, float]])
    used: set[Key] = field(default_factory=set[Key])
    models: dict[str, Embedder] = field(default_factory=dict[str, Embedder])
    borrowed_s: float = 0.0

    def begin(self) -> None:
        """Begin a search."""
        self.used.clear()
        self.borrowed_s = 0.0

    def forget(self) -> None:
        """Drop what belongs to the last question: the next one, or the next base, is to come."""
        self.known.clear()

    async def once(self, key: Key, make: Callable[[], Awaitable[T]]) -> T:
        """Return what was made under that key, or make it. A search borrows its time once, as the engine would."""
        kept = self.lasting if key[0] == LASTING else self.known
        if key not in kept:
            began = perf_counter()
            made = await make()
            kept[key] = (made, perf_counter() - began)
        elif key not in self.used:
            self.borrowed_s += kept[key][1]
        self.used.add(key)
        return cast("T", kept[key][0])


class CachingStore:
    """A cache of searches in front of an open store; all else is the store's own, its closing too."""

    def __init__(self, store: Store, memory: LabCache) -> None:
        self._store = store
        self.memory = memory
        self._found: dict[str, tuple[Found | None, float]] = {}

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever a store has
        return getattr(self._store, name)

    async def search(
        self, *, terms: Sequence[str] | None, vector: Vector | None, top_k: int, where: Filter | None,
        first: Vector | None = None,
    ) -> SearchLists:  # fmt: skip
        """See `Store.search`. Each list is searched by itself, so that ways that share one of them share it."""
        found = SearchLists({})
        if terms is not None:
            found = await self._list(top_k, where, terms=terms)
        if vector is not None:
            semantic = await self._list(top_k, where, vector=vector, first=first)
            found = replace(semantic, ranked={**found.ranked, **semantic.ranked}, coverage=found.coverage)
        return found

    async def _list(
        self, top_k: int, where: Filter | None, *, terms: Sequence[str] | None = None, vector: Vector | None = None,
        first: Vector | None = None,
    ) -> SearchLists:  # fmt: skip
        vectors = [None if one is None else one.tobytes() for one in (vector, first)]
        key = ("list", None if terms is None else tuple(terms), *vectors, top_k, where)
        look = partial(self._store.search, terms=terms, vector=vector, top_k=top_k, where=where, first=first)
        return await self.memory.once(key, look)

    async def find(self, chunk_ids: Sequence[str], along: Along = "") -> dict[str, Found]:
        """See `Store.find`."""
        missing = [chunk_id for chunk_id in chunk_ids if chunk_id not in self._found]
        if missing:
            began = perf_counter()
            found = await self._store.find(missing, along)
            each = (perf_counter() - began) / len(missing)
            self._found |= {chunk_id: (found.get(chunk_id), each) for chunk_id in missing}
        fresh = set(missing)
        self.memory.borrowed_s += sum(self._found[chunk_id][1] for chunk_id in chunk_ids if chunk_id not in fresh)
        known = {chunk_id: self._found[chunk_id][0] for chunk_id in chunk_ids}
        return {chunk_id: found for chunk_id, found in known.items() if found is not None}

    def forget(self) -> None:
        """The next question comes."""
        self.memory.forget()
        self._found.clear()


class CachingReranker:
    """A `Reranker` before another one. `name` tells it from others that are asked about the same hits."""

    def __init__(self, reranker: Reranker, memory: LabCache, name: str) -> None:
        self._reranker, self._memory, self._name = reranker, memory, name

    @property
    def weight(self) -> float:
        """See `Reranker.weight`."""
        return self._reranker.weight

    @property
    def reads(self) -> Along:
        """See `SearchContext.along`."""
        return getattr(self._reranker, "reads", "")

    async def scores(self, question: str, hits: Sequence[Hit]) -> Vectors:
        """See `Reranker.scores`."""
        key = ("opinions", self._name, question, tuple(hit.chunk.chunk_id for hit in hits))
        return await self._memory.once(key, lambda: self._reranker.scores(question, hits))


class CachingEmbedder(QueryCache):
    """An embedder in front of another one: it times each question, and takes over what other bases have embedded."""

    def __init__(self, embedder: Embedder, memory: LabCache) -> None:
        super().__init__(embedder)
        self.memory = memory
        self.elsewhere: list[VectorCache] = []

    async def queries(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder.queries`."""
        embed, name = super().queries, str(self.fingerprint)
        found = [await self.memory.once((LASTING, name, text), partial(embed, [text])) for text in texts]
        return np.concatenate(found) if found else await embed([])

    async def passages(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder.passages`."""
        known = await asyncio.to_thread(self._known_vectors, texts)
        missing = [text for text in texts if text not in known]
        if missing:
            known.update(zip(missing, await super().passages(missing), strict=True))
        return np.stack([known[text] for text in texts]) if texts else await super().passages([])

    def _known_vectors(self, texts: Sequence[str]) -> dict[str, Vector]:
        keys = {vector_key(str(self.fingerprint), text): text for text in texts}
        found: dict[str, Vector] = {}
        for cache in self.elsewhere:
            found |= {keys[key]: vector for key, vector in cache.get(list(keys)).items()}
        return found

    def _known_tokens(self, texts: Sequence[str]) -> dict[str, bytes]:
        keys = {vector_key(str(self.fingerprint), text): text for text in texts}
        found: dict[str, bytes] = {}
        for cache in self.elsewhere:
            found |= {keys[key]: tokens for key, tokens in cache.tokens(list(keys)).items()}
        return found


class CachingLateEmbedder(CachingEmbedder, LateQueryCache):
    """See `CachingEmbedder`."""

    async def passages_with_tokens(self, texts: Sequence[str]) -> tuple[Vectors, list[bytes]]:
        """See `LateEmbedder.passages_with_tokens`."""
        tokens = await asyncio.to_thread(self._known_tokens, texts)
        vectors = await asyncio.to_thread(self._known_vectors, list(tokens))
        missing = [text for text in texts if text not in vectors]
        if not vectors or not texts:
            return await super().passages_with_tokens(texts)
        if missing:
            made, packed = await super().passages_with_tokens(missing)
            if not packed:  # it keeps no tokens here: then no text may have any
                return await super().passages_with_tokens(texts)
            vectors.update(zip(missing, made, strict=True))
            tokens.update(zip(missing, packed, strict=True))
        return np.stack([vectors[text] for text in texts]), [tokens[text] for text in texts]


@dataclass(frozen=True, slots=True)
class TimedHits:
    """What one question found by one configuration, in how many seconds as if it had been asked alone."""

    hits: Sequence[Hit]
    seconds: float


class Lab:
    """One open base. `search` asks it as a configuration says; `forget` between two questions keeps memory small.

    Configurations are laid over `under`; where it is None, over the settings of file and environment. `compare` lets
    what is found be compared with what is expected, too.
    """

    def __init__(self, base: AsyncRove, memory: LabCache | None = None, *, under: Settings | None = None) -> None:
        self.base = base
        self.expected: Expected | None = None
        self._under = under
        self.memory = memory or LabCache()
        self._searches = CachingStore(base.store, self.memory)
        base.store = cast("Store", self._searches)
        late = isinstance(base.embedder, LateEmbedder)
        self.embedder = (CachingLateEmbedder if late else CachingEmbedder)(base.embedder, self.memory)
        base.embedder = self.embedder
        self._ways: dict[str, AsyncRove] = {}
        self._named: dict[str, AsyncRove] = {}

    @classmethod
    def open(cls, settings: Settings, memory: LabCache | None = None) -> Self:
        """Open a base, or make it, with the model that an earlier one had, if any. Raises as `AsyncRove` does."""
        memory = memory or LabCache()
        name = settings.embedder.model_dump_json()
        base = AsyncRove(settings, Instances(embedder=memory.models.get(name)))
        memory.models[name] = base.embedder
        return cls(base, memory)

    def compare(self) -> None:
        """Measure with each search how near it comes to the expected documents."""
        self.expected = Expected(self.base)

    async def search(self, question: str, way: Configuration) -> TimedHits:
        """Find what `AsyncRove.search` finds by the configuration's settings and arguments."""
        kb = self._way(way)
        self.memory.begin()
        began = perf_counter()
        hits = await kb.search(question, top_k=way.top_k, where=way.condition, mode=way.mode, rerank=way.rerank)
        return TimedHits(hits, perf_counter() - began + self.memory.borrowed_s)

    async def answer(self, question: str, way: Configuration) -> tuple[Answer, float]:
        """Answer as `AsyncRove.ask` does by the configuration's settings and filter; and the seconds it took."""
        kb = self._way(way)
        self.memory.begin()
        began = perf_counter()
        answer = await kb.ask(question, where=way.condition)
        return answer, perf_counter() - began + self.memory.borrowed_s

    def settings_of(self, way: Configuration) -> Settings:
        """The settings that a configuration has here. Raises as `Configuration.settings` does."""
        path = self.base.settings.path
        settings = way.over(self._under) if self._under else way.settings(path)
        return settings.model_copy(update={"path": path})

    def forget(self) -> None:
        """The next question comes."""
        self._searches.forget()

    def _way(self, way: Configuration) -> AsyncRove:
        """The base, set up as the configuration says; two that differ in arguments only have the same."""
        if way.name not in self._named:
            settings = self.settings_of(way)
            key = settings.model_dump_json()
            if key not in self._ways:
                self._ways[key] = self._varied(settings)
            self._named[way.name] = self._ways[key]
        return self._named[way.name]

    def _varied(self, settings: Settings) -> AsyncRove:
        kb = varied(self.base, settings)
        name = settings.search.reranker + settings.reranker.model_dump_json()
        kb.search_context = replace(
            kb.search_context, reranker=CachingReranker(kb.search_context.reranker, self.memory, name)
        )
        return kb

    async def close(self) -> None:
        """Close the base."""
        await self.base.close()
