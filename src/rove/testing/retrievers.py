"""What every retriever promises: hits with exact spans, best first, and nothing that a filter or a label hides."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

import pytest

from rove.engine import AsyncRove
from rove.records import Filter, Hit, field
from rove.retrieve import RETRIEVERS, Query, Retriever, SearchContext
from rove.testing.contract import Contract, waited
from rove.testing.samples import ODD_TEXTS, QUESTIONS, STAFF, TEXTS, filled


class RetrieverContract(Contract):
    """Inherit it, and give `name`, or `make`; and `questions`, if it is not asked in plain language.

    `questions`: language → what is asked; the retriever is to find the text of that language in `samples.TEXTS`.
    `is_global`: it says what the base is about, whatever is asked.
    `prepare` does what a base needs before this retriever finds anything in it.
    """

    registry = RETRIEVERS
    questions: ClassVar[Mapping[str, str]] = QUESTIONS
    is_global: ClassVar[bool] = False

    def make(self, search_context: SearchContext) -> Retriever:
        """Return the retriever."""
        return self.registered()(search_context)

    async def prepare(self, kb: AsyncRove) -> None:
        """Do nothing; or work out what the retriever looks for."""

    async def filled(self, folder: Path, hidden: int = 0) -> AsyncRove:
        """Open a base of `samples`, prepared."""
        kb = await filled(folder, hidden=hidden)
        await self.prepare(kb)
        return kb

    async def found(self, kb: AsyncRove, text: str, where: Filter | None = None, top_k: int = 5) -> list[Hit]:
        """Search, and hold what is found against what every retriever promises of it."""
        hits = await self.make(kb.search_context).retrieve(Query(text, top_k, where))
        assert len(hits) <= top_k
        assert len({hit.chunk.chunk_id for hit in hits}) == len(hits)
        scores = [hit.score for hit in hits]
        assert scores == sorted(scores, reverse=True)
        assert all(map(math.isfinite, scores))
        for hit in hits:
            assert hit.sources
            assert all(place.rank >= 1 for place in hit.sources.values())
            assert (await kb.text(hit.chunk.document_id))[slice(*hit.chunk.span)] == hit.chunk.text
            assert hit.uri
        return hits

    @waited
    async def test_it_finds_what_answers_in_every_language(self, tmp_path: Path) -> None:
        """The text that answers is among the first three; asked again, all is as before."""
        kb = await self.filled(tmp_path)
        for language, question in self.questions.items():
            hits = await self.found(kb, question)
            assert hits if self.is_global else language in ids(hits[:3])
            assert await self.found(kb, question) == hits
            assert ids(await self.found(kb, question, top_k=1)) == ids(hits[:1])
        await kb.close()

    @waited
    async def test_a_filter_holds(self, tmp_path: Path) -> None:
        """What does not pass the filter is not found; what passes is, however much else there is."""
        kb = await self.filled(tmp_path, hidden=8)
        for language, question in self.questions.items():
            assert set(ids(await self.found(kb, question, field("lang") == language))) == {language}
            assert await self.found(kb, question, field("lang") == "nowhere") == []
        await kb.close()

    @waited
    async def test_what_a_label_hides_changes_nothing(self, tmp_path: Path) -> None:
        """Who may not see a document finds the same, with the same scores, as if it were not there."""
        found: list[list[tuple[str, float]]] = []
        for hidden in (0, 8):
            kb = await self.filled(tmp_path / str(hidden), hidden=hidden)
            hits = [hit for question in self.questions.values() for hit in await self.found(kb, question, STAFF)]
            found.append([(hit.chunk.document_id, hit.score) for hit in hits])
            await kb.close()
        assert [name for name, _ in found[0]] == [name for name, _ in found[1]]
        assert [score for _, score in found[0]] == pytest.approx([score for _, score in found[1]], rel=1e-6)

    @waited
    async def test_odd_questions_are_searched_for(self, tmp_path: Path) -> None:
        """Signs, pictures and endless questions find something or nothing, and do no harm."""
        kb = await self.filled(tmp_path)
        for question in ODD_TEXTS:
            await self.found(kb, question)
        await kb.close()

    @waited
    async def test_in_an_empty_base_nothing_is_found(self, tmp_path: Path) -> None:
        """Nor where everything was deleted."""
        kb = AsyncRove.open(tmp_path, embedder={"name": "fake"})
        assert await self.found(kb, TEXTS["en"]) == []
        await kb.close()


def ids(hits: Sequence[Hit]) -> list[str]:
    """Return the documents of hits, in their order."""
    return [hit.chunk.document_id for hit in hits]
