"""What every reader of a walk promises: facts that rest on exact words, and leads that say what to look for."""

from __future__ import annotations

from pathlib import Path

from rove.engine import AsyncRove
from rove.models.fake import FakeChatModel, FakeEmbedder
from rove.records.walk_events import FactFound, LeadFound
from rove.testing.contract import Contract, waited
from rove.testing.samples import ODD_TEXTS, QUESTIONS, filled
from rove.walk import READERS, Finding, Material, Reader, WalkContext
from rove.walk.state import State


class ReaderContract(Contract):
    """Inherit it, and give `name`, or `make`."""

    registry = READERS

    def make(self, context: WalkContext) -> Reader:
        """Return the reader."""
        return self.registered()(context)

    async def read(self, kb: AsyncRove, question: str, language: str) -> list[Finding]:
        """Read what a search finds, and hold each finding against what every reader promises: its facts and leads."""
        context = WalkContext(kb.search_context, FakeChatModel(), kb.settings.walk, kb.settings.answer, kb.text)
        hits = tuple(await kb.search(question, top_k=4))
        material = Material(hits, State(walk_id="w", question=question, language=language, round=1))
        found = [finding async for finding in self.make(context).read(material)]
        read = {hit.chunk.chunk_id for hit in hits}
        for finding in found:
            if isinstance(finding, FactFound):
                fact, words = finding.fact, finding.fact.citation
                assert words is not None, "only a user's facts rest on nothing"
                assert words.chunk_id in read
                assert (await kb.text(words.document_id))[slice(*words.span)] == words.quote
                assert fact.text.strip()
                assert 0 <= fact.relevance <= 1
            elif isinstance(finding, LeadFound):
                assert finding.lead.text.strip()
                assert 0 <= finding.lead.score <= 1
        return [finding for finding in found if isinstance(finding, FactFound | LeadFound)]

    @waited
    async def test_facts_rest_on_exact_words(self, tmp_path: Path) -> None:
        """In five languages; the same material gives the same findings."""
        kb = await filled(tmp_path)
        facts = 0
        for language, question in QUESTIONS.items():
            found = await self.read(kb, question, language)
            facts += sum(isinstance(finding, FactFound) for finding in found)
            assert await self.read(kb, question, language) == found
        assert facts
        await kb.close()

    @waited
    async def test_odd_questions_and_nothing_to_read_are_no_trouble(self, tmp_path: Path) -> None:
        """A walk may find nothing, and may be asked anything."""
        kb = await filled(tmp_path)
        for question in ODD_TEXTS:
            await self.read(kb, question, "en")
        await kb.close()
        kb = AsyncRove.open(tmp_path / "empty", embedder=FakeEmbedder())
        assert await self.read(kb, QUESTIONS["en"], "en") == []
        await kb.close()
