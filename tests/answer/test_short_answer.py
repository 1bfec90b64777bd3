"""The short answer is whole words, numbers with their units, dates and names; what does not answer gives none."""

from __future__ import annotations

from pathlib import Path

import pytest

from rove import Rove, Text
from rove.answer.short_answer import completed


@pytest.mark.parametrize(
    ("language", "text", "part", "whole"),
    [
        ("en", "The rent is EUR 2,460.50 a month.", "2,460", "EUR 2,460.50"),
        ("en", "The fee of $19.99, due monthly.", "19", "$19.99"),
        ("en", "It ends on 1 April 2026 and starts anew.", "April", "1 April 2026"),
        ("en", "It took 12 days (and nights).", "12", "12 days"),
        ("en", "Signed by Ilona Kovács (the Landlord).", "Kovács (", "Ilona Kovács"),
        ("en", "The colour is cobalt, of course.", "balt,", "cobalt"),
        ("de", "Die Miete beträgt 1.250,00 EUR im Monat.", "250", "1.250,00 EUR"),
        ("de", "Der Vertrag endet am 31. März 2031.", "März", "31. März 2031"),
        ("de", "Der Zuschuss ist 3 Prozent.", "3", "3 Prozent"),
        ("hu", "A bérleti díj 12 000 Ft havonta.", "000", "12 000 Ft"),
        ("hu", "A titkárság vezetője Szabó Réka.", "Réka.", "Szabó Réka"),
        ("zh", "住宿标准为每晚500元，超出部分自理。", "500元，", "500元"),
        ("zh", "合同自2026年4月1日起生效。", "2026年4月1日", "2026年4月1日"),
        ("ja", "申請は「田中部長」に提出します。", "「田中部長」", "田中部長"),
        ("ja", "年次有給休暇は20日です。", "20日", "20日"),
    ],
)
def test_a_part_is_completed(language: str, text: str, part: str, whole: str) -> None:
    start = text.index(part)
    begin, end = completed(text, (start, start + len(part)), language)
    assert text[begin:end] == whole


@pytest.mark.parametrize("text", ["", "…", "((((", "7" * 400, "A " * 400, "“”„", "1,2,3,4,5,6"])
def test_odd_texts_are_completed_to_something_within(text: str) -> None:
    for span in ((0, len(text)), (0, 0), (len(text), len(text)), (len(text) // 2, len(text))):
        begin, end = completed(text, span, "en")
        assert begin >= 0
        assert end <= len(text)


DOCUMENTS = {
    "lease": "# Lease\n\nThe rent of the shop is EUR 2,460.50 a month (net). Ilona Kovács signs for the Landlord. "
    "The contract begins on 1 April 2026 and ends on 31 March 2031.",
    "leave": "# Leave\n\n| kind | days |\n|---|---|\n| annual | 25 days |\n| marriage | 3 days |\n",
    "hu": "# Szabályzat\n\nA próbaidő három hónap. A felmondási idő 30 nap. A titkárság vezetője Szabó Réka.",
    "zh": "# 差旅\n\n员工出差住宿标准为每晚500元，超出部分自理。部门经理王芳负责审批。",
}
ASKED = {
    "What is the rent of the shop?": "EUR 2,460.50",
    "Who signs for the landlord?": "Ilona Kovács",
    "When does the contract begin?": "1 April 2026",
    "How many days of marriage leave are there?": "3 days",
    "Ki a titkárság vezetője?": "Szabó Réka",
    "出差住宿标准是多少？": "500元",
}


OF = {
    "How many days of marriage leave are there?": "marriage · days",
    "Ki a titkárság vezetője?": "Szabályzat",
    "What is the rent of the shop?": "Lease",
}
"""What the answer to a question is of."""


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Rove:
    kb = Rove.open(tmp_path_factory.mktemp("short"))
    kb.add([Text(text, id=name) for name, text in DOCUMENTS.items()])
    return kb


@pytest.mark.model
@pytest.mark.parametrize("question", ASKED)
def test_the_judge_says_the_answer_and_its_sentence_is_quoted(kb: Rove, question: str) -> None:
    answer = kb.ask(question)
    assert answer.short
    assert answer.short.quote == ASKED[question]
    (quote, *_) = answer.sentences
    assert quote.citations[0].span[0] <= answer.short.span[0] < quote.citations[0].span[1]


@pytest.mark.model
def test_what_the_answer_is_of_stands_beside_it(kb: Rove) -> None:
    """The row's key and the column; else the heading, or the document's title."""
    lengths = {question: kb.ask(question).short for question in OF}
    assert {question: short and short.subject for question, short in lengths.items()} == OF


@pytest.mark.model
def test_where_nothing_answers_nothing_is_set_off(kb: Rove) -> None:
    for question in ("What does the shop sell?", "Who is the king of France?", "Mennyi a fizetés?"):
        assert kb.ask(question).short is None


@pytest.mark.model
def test_without_a_judge_the_reader_answers(tmp_path: Path) -> None:
    with Rove.open(tmp_path, judge={"name": ""}) as kb:
        kb.add(Text(DOCUMENTS["lease"], id="lease"))
        answer = kb.ask("Who signs for the landlord?")
    assert not answer.refused
    assert "Ilona Kovács" in answer.text
