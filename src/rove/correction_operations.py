"""The calls of the engine that concern corrections: words of a document are corrected, listed, and taken back."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime

from rove.argument_checks import Positive
from rove.document_erasure import check_own
from rove.errors import InputError
from rove.events import Listener, ignore
from rove.ingest.batch import FinishedSource, Item, batched
from rove.ingest.pipeline import Ingest
from rove.records import Chunk, Document
from rove.records.correction import correction_of, spliced
from rove.records.correction_history import MadeCorrection, history_of
from rove.records.document import Span
from rove.records.metadata import clean
from rove.store.corrections import CORRECTED_AT, CORRECTED_BY, Corrections
from rove.store.set_fields import SetFields
from rove.store.store import Store

CHANGED, CHANGED_CURE = "These words do not stand there any more.", "Load the document again, and correct it then."
BLANK, BLANK_CURE = "Nothing of the document would be left.", "Delete the document instead."
LOCAL = "local"


class CorrectionOperations:
    """The part of `AsyncRove` that corrects documents: each gets a new version, also whenever its file is read."""

    store: Store
    document: Callable[[str], Awaitable[tuple[Document, list[Chunk]]]]
    _ingest: Callable[[Listener], Ingest]

    async def correct(self, document_id: str, span: Span, before: str, text: str, *, by: str = LOCAL) -> None:
        """Let `text` stand at a span of a document, where `before` stands now.

        The document gets a new version; the correction is put in whenever its file is read. What hangs on the version
        before goes with it: kept questions, summaries, triplets.

        Raises:
            InputError: there is no such document, it says something else there, or nothing of it would be left.
        """
        store = self.store
        await asyncio.to_thread(check_own, store, [document_id])
        found, _ = await self.document(document_id)
        own = await asyncio.to_thread(store.catalog.own_fields, [document_id])
        document = replace(found, metadata=own.get(document_id, found.metadata))
        if document.text[slice(*span)] != before or span[1] - span[0] != len(before):
            raise InputError(CHANGED, cure=CHANGED_CURE)
        text = clean(text)
        fresh = spliced(document, span, text)
        if not fresh.text.strip():
            raise InputError(BLANK, cure=BLANK_CURE)
        if text == before:
            return
        now = datetime.now(UTC).isoformat(timespec="seconds")
        made = replace(correction_of(document, span, text), by=clean(by), made_at=now)
        await asyncio.to_thread(Corrections(store.catalog.database).add, [made])
        marks = {CORRECTED_BY: made.by, CORRECTED_AT: made.made_at}
        await asyncio.to_thread(SetFields(store.catalog.database).put, {document_id: marks})
        await self._take_corrected(fresh)

    async def corrections(self, document_id: str) -> list[MadeCorrection]:
        """What people have corrected in a document, in the order in which they did; what was taken back stays listed.

        Raises:
            InputError: there is no such document.
        """
        await self.document(document_id)
        found = await asyncio.to_thread(Corrections(self.store.catalog.database).of, [document_id])
        return await asyncio.to_thread(history_of, found.get(document_id, []))

    async def take_back(self, document_id: str, number: Positive, *, by: str = LOCAL) -> None:
        """Take a correction of a document back: what stood there before stands there again, as a correction of its own.

        One that takes another back can be taken back, too.

        Args:
            document_id: the document.
            number: which of its `corrections`.
            by: who takes it back.

        Raises:
            InputError: there is no such document or correction, it was taken back already, or its words were corrected
                again since.
        """
        made = {one.number: one for one in await self.corrections(document_id)}
        if number not in made:
            message = f"There is no correction {number} of this document."
            raise InputError(message, cure="List its corrections, and name one of them by its number.")
        one = made[number]
        if one.taken_back_by:
            message = f"Correction {number} was taken back already, by correction {one.taken_back_by}."
            raise InputError(message, cure=f"To have it again, take back correction {one.taken_back_by}.")
        if one.span is None:
            message = f"The words of correction {number} were corrected again since."
            raise InputError(message, cure="Take back the later correction first, or correct the words anew.")
        await self.correct(document_id, one.span, one.added, one.removed, by=by)

    async def _take_corrected(self, document: Document) -> None:
        """Keep a document that was corrected as the next version of itself."""
        store, document_id = self.store, document.document_id
        source = (await asyncio.to_thread(store.ledger.sources_of, [document_id]))[document_id]
        known = await asyncio.to_thread(store.ledger.get, [source])
        origin = await asyncio.to_thread(store.originals.digest_of, document_id)
        ingest = self._ingest(ignore)

        def items() -> Iterator[Item]:
            yield replace(ingest.preparer.prepare(document, source), origin=origin)
            if source in known:
                yield FinishedSource(known[source])

        await ingest.take(batched(items()))
        await ingest.finish(deep=False)
