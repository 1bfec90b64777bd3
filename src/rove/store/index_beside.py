"""The index beside the catalog that the settings name: when it is asked, and what of its answer is live."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import cached_property, partial
from pathlib import Path
from uuid import uuid4

from rove.records import Filter
from rove.records.filter import access_filter_of
from rove.settings import Address, StoreSettings
from rove.store import INDEXES, Scored, Vector, VectorIndex
from rove.store.catalog import Catalog
from rove.store.embedded import NAMES
from rove.store.guarded import GuardedIndex
from rove.store.index_facts import SERVER_NAME, WRITTEN_TO
from rove.store.resident import Resident
from rove.store.stale_reads import MOST_LOOKS
from rove.tracing import stage


class IndexBeside:
    """Any index but the embedded one. It is asked where the base is large, and only if it has been given all of it."""

    def __init__(
        self,
        catalog: Catalog,
        resident: Resident,
        settings: StoreSettings,
        *,
        folder: Path,
        dimension: int,
        index: VectorIndex | None,
        address: Address | None = None,
    ) -> None:
        """Take what is there; nothing is loaded or reached. `index` is used in place of the one that is named.

        `address`: of the base, where it lives in a database. An index that can be kept there too says so by `beside`.
        """
        self._catalog = catalog
        self._resident = resident
        self._settings = settings
        self._folder = folder
        self._dimension = dimension
        self._given = index
        self._address = address
        self.is_named = index is not None or settings.index not in NAMES
        server = settings.server
        self.name = (
            type(index).__qualname__ if index else " ".join(filter(None, (settings.index, _place_of(server.url))))
        )

    def open(self) -> GuardedIndex:
        """Return the index. Loads its library."""
        return GuardedIndex(self._made)

    def _made(self) -> VectorIndex:
        if self._given is not None:
            return self._given
        make = INDEXES.get(self._settings.index)
        server = self._settings.server
        if not server.name:
            name = self._catalog.fact(SERVER_NAME) or self._catalog.keep_fact(SERVER_NAME, f"rove_{uuid4().hex[:16]}")
            server = server.model_copy(update={"name": name})
        if self._address and not server.url and getattr(make, "beside", "") == self._address.kind:
            server = server.model_copy(update={"url": self._address.url})
        settings = self._settings.model_copy(update={"server": server})
        return make(folder=self._folder, dimension=self._dimension, settings=settings)

    async def search(
        self,
        opened: Callable[[], VectorIndex],
        *,
        terms: Sequence[str] | None,
        vector: Vector | None,
        top_k: int,
        where: Filter | None,
    ) -> dict[str, list[Scored]]:
        """Return the lists that the index is to make, "semantic" and "keyword"; the embedded one makes the others.

        Words are looked for there only where the settings say so, and never for who sees a part of the base: how rare a
        word is on a server counts what is hidden. `opened` is called only if the index is asked: the first that opens
        it writes down its name, and who only reads may not be able to.
        """
        live = await asyncio.to_thread(self._resident.count)
        if not await asyncio.to_thread(self._was_given, live) or not self._may_see(where):
            return {}
        index = opened()
        wanted = {} if vector is None else {"semantic": partial(index.semantic, vector, where=where)}
        by_words = self._settings.keywords == "index" and access_filter_of(where) is None
        if terms and by_words and isinstance(index, GuardedIndex):
            wanted["keyword"] = partial(index.keyword, terms, where=where)
        if not wanted or await index.count() < live:  # one in memory is each process's own
            return {}
        return {name: await self._live(look, top_k) for name, look in wanted.items()}

    def _may_see(self, where: Filter | None) -> bool:
        """Whether the index compares exactly for who sees a part of the base, if that is who asks."""
        return access_filter_of(where) is None or self._given is not None or self._sees_parts

    @cached_property
    def _sees_parts(self) -> bool:
        return bool(getattr(INDEXES.get(self._settings.index), "sees_parts", True))

    def _was_given(self, live: int) -> bool:
        """Whether the base is large enough, and the last writer has given this index all of it."""
        return live > self._settings.resident_chunks and self._catalog.fact(WRITTEN_TO) == self.name

    async def _live(self, search: Callable[..., Awaitable[list[Scored]]], top_k: int) -> list[Scored]:
        """Ask the index, which holds a chunk before it is live and after it was replaced, for the best that are live.

        One of the two versions is always there, unless the new one was published between the two looks.
        """
        depth, looks = top_k, 0
        with stage("index"):
            while True:
                looks += 1
                revision = await asyncio.to_thread(self._catalog.newest_revision)
                found = await search(top_k=depth)
                living = await asyncio.to_thread(self._catalog.living, [chunk_id for chunk_id, _ in found])
                kept = [scored for scored in found if scored[0] in living]
                whole = len(kept) >= top_k or len(found) < depth
                same = len(kept) == len(found) or revision == await asyncio.to_thread(self._catalog.newest_revision)
                if (whole and same) or looks == MOST_LOOKS:
                    return kept[:top_k]
                depth = depth if whole else 2 * depth


def _place_of(url: str) -> str:
    """An address without who asks and how: it is kept as a fact.

    >>> _place_of("https://me:secret@search.example:9200/path?key=secret"), _place_of("search.example:9200")
    ('https://search.example:9200/path', 'search.example:9200')
    """
    scheme, is_whole, rest = url.rpartition("://")
    return f"{scheme}{is_whole}{rest.rpartition('@')[2].partition('?')[0]}"
