"""What every fallback promises: hits, or an answer, or a note that says why it has neither."""

from __future__ import annotations

from pathlib import Path

from rove.answer.fallback import FALLBACKS, Case, Fallback, FallbackContext, Rescue
from rove.engine import AsyncRove
from rove.models import ChatModel
from rove.models.fake import FakeChatModel, FakeEmbedder
from rove.records import Expansion
from rove.testing.contract import Contract, waited
from rove.testing.samples import ODD_TEXTS, QUESTIONS, STAFF, filled


class FallbackContract(Contract):
    """Inherit it, and give `name`, or `make`."""

    registry = FALLBACKS

    def make(self, context: FallbackContext) -> Fallback:
        """Return the fallback."""
        return self.registered()(context)

    async def rescue(self, kb: AsyncRove, case: Case, *, chat: bool) -> Rescue:
        """Try it, with or without a chat model, and hold what it returns against what every fallback promises."""
        model: ChatModel | None = FakeChatModel() if chat else None
        rescue = await self.make(FallbackContext(kb.search_context, model, kb.settings.answer, {})).rescue(case)
        assert isinstance(rescue, Rescue)
        assert not (rescue.hits and rescue.answer)
        if rescue.answer is not None:
            assert rescue.answer.text.strip()
            assert rescue.answer.question == case.question
            assert rescue.answer.mode
        for hit in rescue.hits:
            assert (await kb.text(hit.chunk.document_id))[slice(*hit.chunk.span)] == hit.chunk.text
        return rescue

    @waited
    async def test_it_helps_or_says_why_not(self, tmp_path: Path) -> None:
        """In five languages, searched for or not, with a chat model and without."""
        kb = await filled(tmp_path)
        for language, question in QUESTIONS.items():
            for searched in (True, False):
                other = Expansion()
                await self.rescue(kb, Case(question, language, None, other, searched), chat=searched)
            rescue = await self.rescue(kb, Case(question, language), chat=False)
            assert rescue.hits or rescue.answer or rescue.note
        await kb.close()

    @waited
    async def test_what_is_hidden_is_not_found(self, tmp_path: Path) -> None:
        """The question's filter holds here as well."""
        kb = await filled(tmp_path, hidden=4)
        for language, question in QUESTIONS.items():
            rescue = await self.rescue(kb, Case(question, language, STAFF), chat=True)
            assert all(hit.chunk.metadata["access"] == ("staff",) for hit in rescue.hits)
        await kb.close()

    @waited
    async def test_odd_questions_and_an_empty_base_are_no_trouble(self, tmp_path: Path) -> None:
        """Nothing fails where there is nothing."""
        kb = AsyncRove.open(tmp_path, embedder=FakeEmbedder())
        for question in ODD_TEXTS:
            assert not (await self.rescue(kb, Case(question, "en"), chat=True)).hits
        await kb.close()
