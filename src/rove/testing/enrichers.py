"""What every enricher promises: fields that can be kept, for documents that are there, and the same ones again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rove.engine import AsyncRove
from rove.enrich import ENRICHERS, EnrichContext, Enricher
from rove.models.fake import FakeEmbedder
from rove.records import Text
from rove.records.metadata import stored_fields
from rove.records.source import MetaValue
from rove.testing.contract import Contract, waited
from rove.testing.samples import TEXTS

Given = dict[str, dict[str, MetaValue | None]]


class EnricherContract(Contract):
    """Inherit it, and give `name`, or `make`; and `documents`, if it works on others than plain texts."""

    registry = ENRICHERS

    def make(self, context: EnrichContext) -> Enricher:
        """Return the enricher."""
        return self.registered()(context)

    def documents(self, folder: Path) -> Sequence[Text | Path]:
        """Return what the base is made of; files go to `folder`. The enricher must find something to say of it."""
        del folder
        return [Text(text, id=name) for name, text in TEXTS.items()]

    async def given(self, kb: AsyncRove) -> Given:
        """Run the enricher; returns what it gives each document."""
        settings = kb.settings
        enricher = self.make(EnrichContext(kb.store, kb.embedder, settings.enrich, settings.serve.access_field))
        found: Given = {}
        async for batch in enricher.fields():
            for document_id, fields in batch.items():
                found.setdefault(document_id, {}).update(fields)
        assert all(isinstance(note, str) and note for note in enricher.notes)
        return found

    @waited
    async def test_fields_can_be_kept_and_are_the_same_again(self, tmp_path: Path) -> None:
        """Only documents that are there get fields; a second run changes nothing, nor does it read its own."""
        kb = AsyncRove.open(tmp_path / "kb", embedder=FakeEmbedder())
        assert (await kb.add(*self.documents(tmp_path))).ok
        first = await self.given(kb)
        there = {info.document_id: info for info in await kb.documents()}
        assert first
        assert first.keys() <= there.keys()
        for fields in first.values():
            kept = {name: value for name, value in fields.items() if value is not None}
            assert stored_fields(kept) == kept
        assert await kb.store.enrich(first) > 0
        assert await self.given(kb) == first
        assert await kb.store.enrich(first) == 0
        await kb.close()

    @waited
    async def test_an_empty_base_is_no_trouble(self, tmp_path: Path) -> None:
        """There is nothing to say of nothing."""
        kb = AsyncRove.open(tmp_path, embedder=FakeEmbedder())
        assert await self.given(kb) == {}
        await kb.close()
