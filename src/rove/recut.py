"""Documents that are cut and indexed anew from their own text, where what they were read from is not at hand.

What comes out as it was is left as it is, and with it all that hangs on that version of the document.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import replace

from rove.engine import AsyncRove
from rove.events import AddStarted, Listener, ignore
from rove.ingest.batch import FinishedSource, Item, batched
from rove.records import Document
from rove.store.store import Store


async def recut(kb: AsyncRove, document_ids: Sequence[str], listener: Listener = ignore) -> None:
    """Cut documents anew as the settings say by now. Raises as `AsyncRove.add` does."""
    sources = await asyncio.to_thread(kb.store.ledger.sources_of, document_ids)
    if not sources:
        return
    listener(AddStarted(len(set(sources.values()))))
    ingest = kb._ingest(listener)  # pyright: ignore[reportPrivateUsage] - the engine's own way in
    known = await asyncio.to_thread(kb.store.ledger.get, list(set(sources.values())))

    def items() -> Iterator[Item]:
        for source in dict.fromkeys(sources.values()):
            ids = [document_id for document_id, held in sources.items() if held == source]
            for document in _documents_as_ingested(kb.store, ids):
                yield ingest.preparer.prepare(document, source)
            if source in known:
                yield FinishedSource(known[source])

    await ingest.take(batched(items()))
    await ingest.finish(deep=False)


def _documents_as_ingested(store: Store, document_ids: Sequence[str]) -> Iterator[Document]:
    """Documents with the metadata that they came with, without what was found in them or set since."""
    own = store.catalog.own_fields(document_ids)
    for document_id, document in store.catalog.wholes(document_ids).items():
        yield replace(document, metadata=own[document_id])
