"""What every embedder promises: unit vectors of one size, the same for the same text, in the order of the texts."""

from __future__ import annotations

import asyncio
from pathlib import Path

import numpy as np

from rove.models import EMBEDDERS, Embedder, Fingerprint, LateEmbedder, Vectors
from rove.settings import EmbedderSettings
from rove.testing.contract import Contract, waited
from rove.testing.samples import ODD_TEXTS, QUESTIONS, TEXTS, filled

CLOSE = 1e-3


class EmbedderContract(Contract):
    """Inherit it, and give `name`, or `make`."""

    registry = EMBEDDERS

    def make(self) -> Embedder:
        """Return the embedder."""
        return self.registered()(EmbedderSettings())

    def test_it_says_what_its_vectors_depend_on(self) -> None:
        """Two that are made alike have one fingerprint; the thresholds are distances."""
        embedder = self.make()
        assert isinstance(embedder.fingerprint, Fingerprint)
        assert embedder.fingerprint == self.make().fingerprint
        assert embedder.fingerprint.dimension > 0
        assert 0 < embedder.max_distance <= 2
        assert embedder.min_lead >= 0

    def _check(self, vectors: Vectors, count: int) -> None:
        assert vectors.shape == (count, self.make().fingerprint.dimension)
        assert vectors.dtype == np.float32
        assert np.isfinite(vectors).all()
        assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=CLOSE)

    @waited
    async def test_vectors_are_of_unit_length_and_in_order(self) -> None:
        """A text has its vector wherever it stands, alone or among others, whenever it is asked for."""
        embedder, texts = self.make(), list(TEXTS.values())
        for embed in (embedder.passages, embedder.queries):
            vectors = await embed(texts)
            self._check(vectors, len(texts))
            assert np.allclose(vectors, (await embed(texts[::-1]))[::-1], atol=CLOSE)
            assert np.allclose(vectors[:1], await embed(texts[:1]), atol=CLOSE)
            self._check(await embed([]), 0)

    @waited
    async def test_a_text_that_comes_twice_has_its_vector_twice(self) -> None:
        """There is a vector for each text, and not for each that is another."""
        embedder, text = self.make(), TEXTS["en"]
        for embed in (embedder.passages, embedder.queries):
            vectors = await embed([text, TEXTS["de"], text])
            self._check(vectors, 3)
            assert np.allclose(vectors[0], vectors[2], atol=CLOSE)

    @waited
    async def test_vectors_stay_as_they_were_given(self) -> None:
        """What is asked for next does not write over them."""
        embedder, texts = self.make(), list(TEXTS.values())
        for embed in (embedder.passages, embedder.queries):
            given = await embed(texts)
            before = given.copy()
            await embed(texts[::-1])
            assert np.array_equal(given, before)

    @waited
    async def test_odd_texts_have_vectors_too(self) -> None:
        """Long texts, signs, pictures: none fails, none has a vector that is not a number."""
        embedder = self.make()
        self._check(await embedder.passages(ODD_TEXTS), len(ODD_TEXTS))
        self._check(await embedder.queries(ODD_TEXTS), len(ODD_TEXTS))

    @waited
    async def test_a_text_is_nearest_to_itself(self) -> None:
        """Asked for to the letter, each passage is the nearest of all."""
        embedder, texts = self.make(), list(TEXTS.values())
        near = await embedder.queries(texts) @ (await embedder.passages(texts)).T
        assert near.argmax(axis=1).tolist() == list(range(len(texts)))

    @waited
    async def test_calls_at_the_same_time_do_not_mix(self) -> None:
        """Ingest and searches share one embedder."""
        embedder, texts = self.make(), list(TEXTS.values())
        alone = [await embedder.passages([text]) for text in texts]
        together = await asyncio.gather(*(embedder.passages([text]) for text in texts))
        assert np.allclose(alone, together, atol=CLOSE)

    @waited
    async def test_tokens_go_with_the_same_vectors(self) -> None:
        """An embedder with late interaction gives the same vectors, one lot of tokens a text, and a score for each."""
        embedder, texts = self.make(), list(TEXTS.values())
        if isinstance(embedder, LateEmbedder):
            vectors, tokens = await embedder.passages_with_tokens(texts)
            assert np.allclose(vectors, await embedder.passages(texts), atol=CLOSE)
            assert len(tokens) in {0, len(texts)}
            scores = await embedder.interactions(texts[0], tokens)
            assert scores is None or scores.shape == (len(tokens),)
            assert scores is None or np.isfinite(scores).all()

    @waited
    async def test_a_base_is_searched_with_it(self, tmp_path: Path) -> None:
        """Handed to `Rove.open` it embeds what comes in and what is asked."""
        kb = await filled(tmp_path, embedder=self.make())
        for language, question in QUESTIONS.items():
            assert language in [hit.chunk.document_id for hit in await kb.search(question)]
            assert await kb.search(question, mode="semantic", top_k=3)
        await kb.close()
