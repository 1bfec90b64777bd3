"""A run of an enricher: what it finds is kept batch by batch, and told as it comes."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from rove.enrich import EnrichContext, Enriched, Enricher, Estimate, FoundSummaries, FoundTriplets
from rove.events import DocumentsEnriched, Listener
from rove.settings import ChatSettings
from rove.store.summaries import Summaries
from rove.store.triplets import Triplets


async def enriched(enricher: Enricher, context: EnrichContext, listener: Listener) -> Enriched:
    """Run an enricher over the base. See `AsyncRove.enrich`."""
    database = context.store.catalog.database
    triplets, summaries = Triplets(database), Summaries(database)
    documents = changed = 0
    async for batch in enricher.found():
        if isinstance(batch, FoundTriplets):
            looked = len(batch.documents)
            documents += sum(bool(document.triplets) for document in batch.documents)
            changed += await asyncio.to_thread(triplets.keep, batch.documents, batch.by)
        elif isinstance(batch, FoundSummaries):
            looked = len(batch.documents)
            documents += sum(bool(summary.sentences) for one in batch.documents for summary, _ in one.summaries[:1])
            changed += await asyncio.to_thread(summaries.keep, batch.documents, batch.by)
        else:
            looked = len(batch)
            documents += sum(any(value is not None for value in given.values()) for given in batch.values())
            changed += await context.store.enrich(batch)
        listener(DocumentsEnriched(looked))
    await context.store.optimize()
    return Enriched(documents, changed, tuple(enricher.notes))


async def estimated(enricher: Enricher, chat: ChatSettings) -> Estimate:
    """Say what a run of an enricher will come to. See `AsyncRove.estimate_enrich`."""
    found = await enricher.estimate()
    if not found.calls or not (chat.price_in or chat.price_out):
        return found
    price = (found.input_tokens * chat.price_in + found.output_tokens * chat.price_out) / 1_000_000
    return replace(found, price=price)
