"""Static vectors: near in meaning is near, in one language and across two; the same to the bit in any company."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest

from rove.models import Vectors
from rove.models.e5 import packaged
from rove.models.static.embedder import StaticEmbedder
from rove.models.static.pieces import PieceVectors, shipped
from rove.settings import EmbedderSettings

PASSAGES = {
    "en": ("The cat sleeps on the sofa.", "The ship leaves the harbour.", "The doctor examines the patient."),
    "de": ("Die Katze schläft auf dem Sofa.", "Das Schiff verlässt den Hafen.", "Der Arzt untersucht den Patienten."),
    "hu": ("A macska a kanapén alszik.", "A hajó elhagyja a kikötőt.", "Az orvos megvizsgálja a beteget."),
    "zh": ("猫在沙发上睡觉。", "船离开了港口。", "医生正在检查病人。"),
    "ja": ("猫はソファで眠っている。", "船が港を出発する。", "医者が患者を診察する。"),
}
QUESTIONS = {
    "en": ("Where is the kitten resting?", "When does the boat sail?", "Who treats the sick?"),
    "de": ("Wo ruht das Kätzchen?", "Wann fährt das Boot ab?", "Wer behandelt die Kranken?"),
    "hu": ("Hol pihen a cica?", "Mikor indul a csónak?", "Ki gyógyítja a betegeket?"),
    "zh": ("小猫在哪里休息？", "轮船什么时候出港？", "谁给病人看病？"),
    "ja": ("子猫はどこで寝ていますか", "船はいつ出港しますか", "誰が患者を治療しますか"),
}


MISSED = {"hu": [1]}
"""Known misses: "csónak" (boat) is cut into pieces that say nothing of boats."""


@pytest.fixture(scope="module")
def embedder() -> StaticEmbedder:
    return StaticEmbedder(EmbedderSettings())


def embedded(embedder: StaticEmbedder, texts: tuple[str, ...]) -> Vectors:
    return asyncio.run(embedder.passages(texts))


@pytest.mark.parametrize("language", PASSAGES)
def test_the_nearest_passage_answers_without_a_word_in_common(embedder: StaticEmbedder, language: str) -> None:
    near = embedded(embedder, QUESTIONS[language]) @ embedded(embedder, PASSAGES[language]).T
    assert [n for n, found in enumerate(near.argmax(axis=1)) if n != found] == MISSED.get(language, [])


@pytest.mark.parametrize("language", [language for language in PASSAGES if language != "en"])
def test_the_nearest_english_passage_is_the_translation(embedder: StaticEmbedder, language: str) -> None:
    near = embedded(embedder, PASSAGES[language]) @ embedded(embedder, PASSAGES["en"]).T
    assert near.argmax(axis=1).tolist() == [0, 1, 2]


def test_a_vector_is_the_same_to_the_bit_whatever_was_embedded_before(embedder: StaticEmbedder) -> None:
    texts = tuple(text for own in PASSAGES.values() for text in own)
    once = embedded(embedder, texts)
    fresh = PieceVectors(packaged.weights(), packaged.vocabulary())
    ids = packaged.tokenizer().ids(" ".join(texts), is_query=False)
    assert np.array_equal(fresh.sum(ids[::-1]), fresh.sum(ids))
    assert np.array_equal(embedded(embedder, texts[::-1])[::-1], once)


def test_long_texts_do_not_overflow(embedder: StaticEmbedder) -> None:
    short, long = embedded(embedder, ("lighthouse harbour", "lighthouse harbour " * 40_000))
    assert short @ long == pytest.approx(1, abs=1e-6)


def test_punctuation_and_spaces_do_not_matter_and_signs_alone_have_a_vector(embedder: StaticEmbedder) -> None:
    plain, marked, signs, nothing = embedded(embedder, ("red lighthouse", "(red)  lighthouse!", "->", "\ufe0f"))
    assert np.array_equal(plain, marked)
    assert np.isfinite(signs).all()
    assert np.isfinite(nothing).all()


def test_the_fingerprint_names_the_files_and_loads_no_vocabulary(embedder: StaticEmbedder) -> None:
    mark, dimension = shipped()
    assert mark in str(embedder.fingerprint)
    assert embedded(embedder, ("a",)).shape == (1, dimension)
