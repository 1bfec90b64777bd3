"""An index: the exact one in memory, which counts what it is asked."""

from __future__ import annotations

from collections.abc import Sequence

from rove.records import Filter
from rove.store import Scored, Vector
from rove.store.memory_index import MemoryIndex


class CountingIndex(MemoryIndex):
    """See `rove.store.Index`."""

    asked = 0

    async def keyword(self, terms: Sequence[str], *, top_k: int, where: Filter | None = None) -> list[Scored]:
        """See `Index.keyword`."""
        self.asked += 1
        return await super().keyword(terms, top_k=top_k, where=where)

    async def semantic(self, vector: Vector, *, top_k: int, where: Filter | None = None) -> list[Scored]:
        """See `Index.semantic`."""
        self.asked += 1
        return await super().semantic(vector, top_k=top_k, where=where)
