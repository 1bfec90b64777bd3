"""What every enricher promises: what can be kept, of documents that are there, and the same again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rove.engine import AsyncRove
from rove.enrich import ENRICHERS, EnrichContext, Enriched, Enricher, FoundSummaries, FoundTriplets
from rove.enrich.run import enriched
from rove.events import DocumentsEnriched, Event, Listener, ignore
from rove.models.fake import FakeEmbedder
from rove.records import Text
from rove.records.metadata import stored_fields
from rove.records.source import MetaValue
from rove.store.triplets import Triplets
from rove.testing.contract import Contract, waited
from rove.testing.samples import TEXTS

Given = dict[str, dict[str, MetaValue | None]]
NAMED = "Ada Bell runs the Oslo Office. Bell Works sells pumps."
"""A text that names things."""


class EnricherContract(Contract):
    """Inherit it, and give `name`, or `make`; and `documents`, if it works on others than plain texts."""

    registry = ENRICHERS

    def make(self, context: EnrichContext) -> Enricher:
        """Return the enricher."""
        return self.registered()(context)

    def documents(self, folder: Path) -> Sequence[Text | Path]:
        """Return what the base is made of; files go to `folder`. The enricher must find something to say of it."""
        del folder
        return [Text(text, id=name) for name, text in {**TEXTS, "named": NAMED}.items()]

    def context(self, kb: AsyncRove) -> EnrichContext:
        """Return what the enricher works with."""
        return EnrichContext(kb.store, kb.embedder, kb.settings.enrich, kb.settings.serve.access_field)

    async def given(self, kb: AsyncRove) -> Given:
        """Run the enricher; returns what it gives each document: fields, or how many triplets or summaries."""
        enricher = self.make(self.context(kb))
        found: Given = {}
        async for batch in enricher.found():
            if isinstance(batch, FoundTriplets):
                rows = {
                    row: name
                    for name, row in Triplets(kb.store.catalog.database)
                    .rows_of(await _catalog_document_ids(kb))
                    .items()
                }
                found |= {rows[one.row]: {batch.by: len(one.triplets)} for one in batch.documents if one.triplets}
                continue
            if isinstance(batch, FoundSummaries):
                rows = {
                    row: name
                    for name, row in Triplets(kb.store.catalog.database)
                    .rows_of(await _catalog_document_ids(kb))
                    .items()
                }
                found |= {rows[one.row]: {batch.by: len(one.summaries)} for one in batch.documents}
                continue
            for document_id, fields in batch.items():
                found.setdefault(document_id, {}).update(fields)
        assert all(isinstance(note, str) and note for note in enricher.notes)
        return found

    @waited
    async def test_what_is_found_can_be_kept_and_is_the_same_again(self, tmp_path: Path) -> None:
        """Only documents that are there get something; a second look finds the same, a second run changes nothing."""
        kb = AsyncRove.open(tmp_path / "kb", embedder=FakeEmbedder())
        assert (await kb.add(*self.documents(tmp_path))).ok
        first = await self.given(kb)
        assert first
        assert first.keys() <= set(await _catalog_document_ids(kb))
        assert await self.given(kb) == first
        for fields in first.values():
            kept = {name: value for name, value in fields.items() if value is not None}
            assert stored_fields(kept) == kept
        assert (await self.run(kb)).changed > 0
        assert (await self.run(kb)).changed == 0
        await kb.close()

    @waited
    async def test_it_says_how_far_it_has_come_and_what_a_run_comes_to(self, tmp_path: Path) -> None:
        """It tells of no more documents than it has estimated; without a chat model, no calls."""
        kb = AsyncRove.open(tmp_path / "kb", embedder=FakeEmbedder())
        await kb.add(*self.documents(tmp_path))
        estimate = await self.make(self.context(kb)).estimate()
        told: list[Event] = []
        await self.run(kb, told.append)
        counts = [event.count for event in told if isinstance(event, DocumentsEnriched)]
        assert 0 < sum(counts) <= estimate.documents
        assert estimate.calls == estimate.input_tokens == 0
        await kb.close()

    @waited
    async def test_an_empty_base_is_no_trouble(self, tmp_path: Path) -> None:
        """There is nothing to say of nothing."""
        kb = AsyncRove.open(tmp_path, embedder=FakeEmbedder())
        assert (await self.make(self.context(kb)).estimate()).documents == 0
        assert await self.given(kb) == {}
        await kb.close()

    async def run(self, kb: AsyncRove, listener: Listener = ignore) -> Enriched:
        """Run the enricher, and keep what it finds."""
        return await enriched(self.make(self.context(kb)), self.context(kb), listener)


async def _catalog_document_ids(kb: AsyncRove) -> list[str]:
    return [info.document_id for info in await kb.documents()]
