"""An enricher: how many characters each document has, as the field "length"."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from rove.enrich import EnrichContext, Fields


class Length:
    """See `rove.enrich.Enricher`."""

    def __init__(self, context: EnrichContext) -> None:
        self.notes: list[str] = []
        self._catalog = context.store.catalog

    async def fields(self) -> AsyncIterator[Fields]:
        """See `Enricher.fields`."""
        for info in await asyncio.to_thread(self._catalog.documents):
            text = await asyncio.to_thread(self._catalog.text, info.document_id)
            yield {info.document_id: {"length": len(text)}}
