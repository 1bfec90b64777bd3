"""What every reranker promises: a number for each hit, whatever order they come in."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from rove.engine import AsyncRove
from rove.models import RERANKERS, Embedder, KeptOfChunks, Reranker
from rove.models.fake import FakeEmbedder
from rove.records import Hit
from rove.settings import RerankerSettings
from rove.testing.contract import Contract, waited
from rove.testing.samples import ODD_TEXTS, QUESTIONS, filled

CLOSE = 1e-3


class RerankerContract(Contract):
    """Inherit it, and give `name`, or `make`; and `embedder`, if it needs one that keeps tokens."""

    registry = RERANKERS

    def make(self, embedder: Embedder, kept: KeptOfChunks) -> Reranker:
        """Return the reranker."""
        return self.registered()(embedder, kept, RerankerSettings())

    def embedder(self) -> Embedder:
        """Return the embedder of the base whose hits are reranked."""
        return FakeEmbedder()

    @waited
    async def test_each_hit_has_its_score(self, tmp_path: Path) -> None:
        """Scores are finite and go with their hits: in another order of the hits, or asked again, they are the same."""
        kb = await filled(tmp_path, embedder=self.embedder())
        reranker = self.make(kb.embedder, kb.store)
        assert 0 <= reranker.weight <= 1
        for question in QUESTIONS.values():
            hits = await kb.search(question, rerank=False)
            scores = await self._scores(reranker, question, hits)
            backwards = await self._scores(reranker, question, hits[::-1])
            assert np.allclose(scores, backwards[::-1], atol=CLOSE)
        await kb.close()

    async def _scores(self, reranker: Reranker, question: str, hits: Sequence[Hit]) -> list[float]:
        scores = await reranker.scores(question, hits)
        assert scores.shape == (len(hits),)
        assert scores.dtype == np.float32
        assert np.isfinite(scores).all()
        return scores.tolist()

    @waited
    async def test_odd_questions_and_no_hits_are_no_trouble(self, tmp_path: Path) -> None:
        """No hit is no score; signs and endless questions are reranked like any other."""
        kb = await filled(tmp_path, embedder=self.embedder())
        reranker = self.make(kb.embedder, kb.store)
        assert await self._scores(reranker, QUESTIONS["en"], []) == []
        hits = await kb.search(QUESTIONS["en"], rerank=False, top_k=3)
        for question in ODD_TEXTS:
            await self._scores(reranker, question, hits)
        await kb.close()

    @waited
    async def test_a_base_is_searched_with_it(self, tmp_path: Path) -> None:
        """Handed to `Rove.open` it orders what hybrid search has found, and loses nothing of it."""
        kb = await filled(tmp_path, embedder=self.embedder())
        reranker = self.make(kb.embedder, kb.store)
        await kb.close()
        kb = AsyncRove.open(tmp_path, embedder=self.embedder(), reranker=reranker)
        for question in QUESTIONS.values():
            before, after = [await kb.search(question, rerank=rerank, top_k=99) for rerank in (False, True)]
            assert {hit.chunk.chunk_id for hit in after} == {hit.chunk.chunk_id for hit in before}
            assert [hit.score for hit in after] == sorted((hit.score for hit in after), reverse=True)
        await kb.close()
