"""A person corrects words of a document: it gets a new version, and the correction is put in whenever it is read."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime

from rove.document_operations import check_own
from rove.engine import AsyncRove
from rove.errors import InputError
from rove.ingest.batch import FinishedSource, Item, batched
from rove.records.correction import correction_of, spliced
from rove.records.document import Span
from rove.store.corrections import CORRECTED_AT, CORRECTED_BY, Corrections
from rove.store.set_fields import SetFields

CHANGED, CHANGED_CURE = "These words do not stand there any more.", "Load the document again, and correct it then."
BLANK, BLANK_CURE = "Nothing of the document would be left.", "Delete the document instead."


async def correct(kb: AsyncRove, document_id: str, span: Span, before: str, text: str, *, by: str) -> None:
    """Let `text` stand at a span of a document, where `before` stands now.

    What hangs on this version of the document goes with it: kept questions, summaries, triplets.

    Raises:
        InputError: there is no such document, it says something else there, or nothing of it would be left.
    """
    store = kb.store
    await asyncio.to_thread(check_own, store, [document_id])
    found, _ = await kb.document(document_id)
    own = await asyncio.to_thread(store.catalog.own_fields, [document_id])
    document = replace(found, metadata=own.get(document_id, found.metadata))
    if document.text[slice(*span)] != before or span[1] - span[0] != len(before):
        raise InputError(CHANGED, cure=CHANGED_CURE)
    fresh = spliced(document, span, text)
    if not fresh.text.strip():
        raise InputError(BLANK, cure=BLANK_CURE)
    if text == before:
        return
    made = replace(correction_of(document, span, text), by=by, made_at=datetime.now(UTC).isoformat(timespec="seconds"))
    await asyncio.to_thread(Corrections(store.catalog.database).add, [made])
    marks = {CORRECTED_BY: made.by, CORRECTED_AT: made.made_at}
    await asyncio.to_thread(SetFields(store.catalog.database).put, {document_id: marks})
    source = (await asyncio.to_thread(store.ledger.sources_of, [document_id]))[document_id]
    known = await asyncio.to_thread(store.ledger.get, [source])
    origin = await asyncio.to_thread(store.originals.digest_of, document_id)
    ingest = kb._ingest(lambda _: None)  # pyright: ignore[reportPrivateUsage] - the engine's own way in

    def items() -> Iterator[Item]:
        yield replace(ingest.preparer.prepare(fresh, source), origin=origin)
        if source in known:
            yield FinishedSource(known[source])

    await ingest.take(batched(items()))
    await ingest.finish(deep=False)
