"""The enricher "graph": who does what to whom in every document, by rules, and by a chat model held to its words."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence

from rove.enrich import EnrichContext, Estimate, FoundTriplets
from rove.enrich.triplets import READER, triplets_in
from rove.enrich.triplets.by_model import TripletModel
from rove.errors import ServiceError
from rove.records import Chunk
from rove.records.graph import Triplet
from rove.store.triplets import ReadDocument, Triplets

BATCH = 32
"""Documents that are kept at once; a run that is cut off loses at most so many."""
FAILED = "The chat model failed at {count} chunks, of which only what rules find is kept. {reason}"
NOT_HELD = "{count} triplets that the chat model named were left out: the text does not hold them."


class Graph:
    """See `Enricher`. Only documents in which this reader has not looked yet are read, so that a run is taken up.

    Without a chat model, or without `enrich.ask_model`, rules read; with them, the model reads what is no table as
    well, and what rules find stays. A triplet of the model is kept only where its quotation stands in the chunk, and
    holds subject and object.
    """

    def __init__(self, context: EnrichContext) -> None:
        self.catalog = context.store.catalog
        self.triplets = Triplets(context.store.catalog.database)
        chat = context.chat() if context.settings.ask_model else None
        self.model = TripletModel(chat) if chat else None
        self.by = f"{READER}, {chat.name}" if chat else READER
        self.notes: list[str] = []

    async def estimate(self) -> Estimate:
        """See `Enricher.estimate`: by the characters of the chunks that the chat model would read."""
        unread = await asyncio.to_thread(self.triplets.unread, self.by)
        if not self.model:
            return Estimate(len(unread))
        calls = tokens = 0
        for start in range(0, len(unread), BATCH):
            for _, chunks, _ in await asyncio.to_thread(self._read, unread[start : start + BATCH]):
                asked = [self.model.asked(batch) for batch in self.model.batches(chunks)]
                calls += len(asked)
                tokens += sum(map(self.model.tokens, asked))
        return Estimate(len(unread), calls, tokens, calls * self.model.reply_tokens)

    async def found(self) -> AsyncIterator[FoundTriplets]:
        """See `Enricher.found`."""
        unread = await asyncio.to_thread(self.triplets.unread, self.by)
        failed, reason = 0, ""
        for start in range(0, len(unread), BATCH):
            documents: list[ReadDocument] = []
            for row, chunks, title in await asyncio.to_thread(self._read, unread[start : start + BATCH]):
                triplets = await asyncio.to_thread(_by_rules, chunks, title)
                for batch in self.model.batches(chunks) if self.model else ():
                    try:
                        triplets += await self.model.triplets(batch) if self.model else []
                    except ServiceError as error:
                        failed, reason = failed + len(batch), error.reason
                documents.append(ReadDocument(row, triplets))
            yield FoundTriplets(documents, self.by)
        if failed:
            self.notes.append(FAILED.format(count=failed, reason=reason))
        if self.model and self.model.not_held:
            self.notes.append(NOT_HELD.format(count=self.model.not_held))

    def _read(self, rows: Sequence[tuple[int, str]]) -> list[tuple[int, Sequence[Chunk], str]]:
        """Fetch documents that are still there: row number, chunks, title."""
        found = ((row, self.catalog.document(document_id)) for row, document_id in rows)
        return [(row, held[1], held[0].title) for row, held in found if held]


def _by_rules(chunks: Sequence[Chunk], title: str) -> list[tuple[str, Triplet]]:
    return [(chunk.chunk_id, triplet) for chunk in chunks for triplet in triplets_in(chunk, title)]
