"""A row of a table is read with its head; what stands in another row is false; sources hold a join together."""

from __future__ import annotations

import pytest

from rove.answer.cite import support
from rove.answer.reference_checker import ReferenceChecker
from rove.answer.reply import ReplyPart
from rove.answer.sentence_judge import SentenceJudge
from rove.models.fake import FakeEmbedder
from rove.models.judge import JUDGES
from rove.records import Chunk, Hit
from rove.settings import JudgeSettings

RATES = {
    "en": "In force from 1 January.\n\n| Class | Rate per month (GBP) | Callouts |\n|---|---|---|\n"
    "| Pearl | 310 | 1 |\n| Amber | 1,950 | 4 |\n| Cobalt | 4,812 | 9 |\n| Slate | 7,300 | 16 |",
    "de": "| Stufe | Gebühr im Jahr (EUR) | Plätze |\n|---|---|---|\n"
    "| Nord | 84 | 2 |\n| West | 131 | 5 |\n| Ost | 267 | 8 |",
    "hu": "| Osztály | Havi díj (Ft) | Létszám |\n|---|---|---|\n"
    "| Bükk | 8400 | 2 |\n| Mátra | 13100 | 5 |\n| Bakony | 26700 | 8 |",
    "zh": "| 类别 | 每晚上限(元) | 餐费(元) |\n|---|---|---|\n"
    "| 甲类 | 1560 | 410 |\n| 乙类 | 1180 | 330 |\n| 丙类 | 720 | 210 |",
}
SENTENCES = {
    "en": (
        ("Pearl", "310"),
        ("Amber", "1,950"),
        ("Cobalt", "4,812"),
        ("Slate", "7,300"),
        "The rate per month for class {} is {} GBP.",
    ),
    "de": (("Nord", "84"), ("West", "131"), ("Ost", "267"), "Die Gebühr im Jahr für die Stufe {} ist {} EUR."),
    "hu": (("Bükk", "8400"), ("Mátra", "13100"), ("Bakony", "26700"), "A(z) {} osztály havi díja {} Ft."),
    "zh": (("甲类", "1560"), ("乙类", "1180"), ("丙类", "720"), "{}每晚上限为{}元。"),
}
ANNEX = (
    "| Site | Plant | Class |\n|---|---|---|\n"
    "| Brack creamery | ice bank | Cobalt |\n| Head office | split unit | Pearl |"
)


def hit(text: str, title: str, language: str = "en") -> Hit:
    return Hit(Chunk(title, title, text, (0, len(text)), 0, language=language), 1.0, uri=title, title=title)


async def verdict(sentence: str, hits: list[Hit], *numbers: int, language: str = "en", strict: bool = True) -> str:
    texts = {one.chunk.document_id: one.chunk.text for one in hits}

    async def text_of(document_id: str) -> str:
        return texts[document_id]

    judge = SentenceJudge(JUDGES.get("e5")(JudgeSettings()), strict=strict)
    checker = ReferenceChecker(hits, language, text_of, FakeEmbedder(), judge)
    return (await checker.check(ReplyPart(sentence, numbers, 0))).verdict


@pytest.mark.parametrize("language", RATES)
async def test_each_row_holds_its_own_value_and_none_of_another_row(language: str) -> None:
    *rows, sentence = SENTENCES[language]
    table = RATES[language]
    for name, _ in rows:
        for other, value in rows:
            said = sentence.format(name, value)
            found = await verdict(said, [hit(table, "Schedule 3", language)], 1, language=language)
            assert (found == "supported") == (name == other), said
            assert bool(support(said, table, language, context="Schedule 3")) == (name == other), said


@pytest.mark.parametrize("strict", [True, False])
async def test_a_join_is_held_by_all_that_it_cites_together(strict: bool) -> None:
    sources = [hit(ANNEX, "Annex B: Sites"), hit(RATES["en"], "Schedule 3: Rates")]
    true = (
        "The Brack creamery pays 4,812 GBP each month, as a site of class Cobalt.",
        "The rate for the Brack creamery is 4,812 GBP per month.",
    )
    false = (
        "The Brack creamery pays 1,950 GBP each month, as a site of class Cobalt.",
        "The rate for the Brack creamery is 310 GBP per month.",
    )
    assert [await verdict(said, sources, 1, 2, strict=strict) for said in true] == ["supported", "supported"]
    assert [await verdict(said, sources, 1, 2, strict=strict) for said in false] == ["differs", "differs"]


def test_a_number_in_the_name_of_the_document_is_no_value_to_look_for() -> None:
    text = "Fees are due on the fifth Business Day of the month."
    said = "Under Agreement HD-{}, fees are due on the fifth Business Day of the month."
    assert support(said.format(114), text, "en", context="Agreement HD-114")
    assert not support(said.format(115), text, "en", context="Agreement HD-114")
