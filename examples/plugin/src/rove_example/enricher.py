"""An enricher: how many characters each document has, as the field "length"."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from rove.enrich import EnrichContext, Estimate, Fields


class Length:
    """See `rove.enrich.Enricher`."""

    def __init__(self, context: EnrichContext) -> None:
        self.notes: list[str] = []
        self._catalog = context.store.catalog

    async def estimate(self) -> Estimate:
        """See `Enricher.estimate`. No chat model is asked."""
        return Estimate(len(await asyncio.to_thread(self._catalog.documents)))

    async def found(self) -> AsyncIterator[Fields]:
        """See `Enricher.found`."""
        for info in await asyncio.to_thread(self._catalog.documents):
            text = await asyncio.to_thread(self._catalog.text, info.document_id)
            yield {info.document_id: {"length": len(text)}}
