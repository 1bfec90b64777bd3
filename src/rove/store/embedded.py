"""The embedded index: it searches the catalog's own rows, so that nothing is written a second time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection, Sequence

from rove.records import Filter
from rove.store import IndexRow, Scored, Vector
from rove.store.catalog import Catalog
from rove.store.resident import Resident

NAMES = ("embedded", "memory")
"""What the settings call it; "memory" is its older name."""


class EmbeddedIndex:
    """See `Index`. It finds what the catalog holds: adding and removing have nothing left to do."""

    def __init__(self, catalog: Catalog, resident: Resident) -> None:
        self.catalog = catalog
        self.resident = resident

    async def add(self, rows: Sequence[IndexRow], *, fresh: bool = False) -> None:
        """See `Index.add`."""

    async def remove(self, chunk_ids: Collection[str]) -> None:
        """See `Index.remove`."""

    async def keyword(self, terms: Sequence[str], *, top_k: int, where: Filter | None = None) -> list[Scored]:
        """See `Index.keyword`. Exact."""
        found = await asyncio.to_thread(self.resident.search, terms=terms, vector=None, top_k=top_k, where=where)
        return list(found.ranked["keyword"])

    async def semantic(self, vector: Vector, *, top_k: int, where: Filter | None = None) -> list[Scored]:
        """See `Index.semantic`."""
        found = await asyncio.to_thread(self.resident.search, terms=None, vector=vector, top_k=top_k, where=where)
        return list(found.ranked["semantic"])

    async def chunk_ids(self) -> list[str]:
        """See `Index.chunk_ids`."""
        return await asyncio.to_thread(self.catalog.deep_ids)

    async def count(self) -> int:
        """See `Index.count`."""
        return await asyncio.to_thread(self.catalog.deep_count)

    async def check(self) -> None:
        """See `Index.check`: `Resident.mend` looks at the snapshot, whichever index there is."""

    async def optimize(self) -> None:
        """See `Index.optimize`: `Resident.keep` writes the snapshot, once the writer is done."""

    async def tidy(self) -> None:
        """See `Index.tidy`."""

    async def erase(self) -> None:
        """See `Index.erase`: `Resident.renew` follows, whichever index there is."""

    async def rebuild(self, batches: AsyncIterator[Sequence[IndexRow]]) -> None:
        """See `Index.rebuild`."""
        del batches

    async def close(self) -> None:
        """See `Index.close`."""
        await asyncio.to_thread(self.resident.close)
