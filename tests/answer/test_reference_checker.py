"""A sentence is held against the references that it names, which are numbered from 1; then against the others."""

from __future__ import annotations

import pytest

from rove.answer.reference_checker import ReferenceChecker
from rove.answer.reply import ReplyPart
from rove.answer.sentence_judge import SentenceJudge
from rove.models.fake import FakeEmbedder
from rove.models.judge import Judge, JudgedSpan, Support
from rove.records import Chunk, Hit

TEXTS = ("The bridge opened in 1908.", "Ada Byron heads the office.", "The bridge opened in 1908.")


async def rests_on(sentence: str, *numbers: int) -> list[int]:
    async def text_of(document_id: str) -> str:
        return TEXTS[int(document_id)]

    hits = [
        Hit(Chunk(f"c{n}", str(n), text, (0, len(text)), 0, language="en"), 1.0, {}, str(n), str(n))
        for n, text in enumerate(TEXTS)
    ]
    checker = ReferenceChecker(hits, "en", text_of, FakeEmbedder())
    return [citation.number for citation in await checker.citations(ReplyPart(sentence, numbers, 0))]


async def test_a_number_that_no_reference_has_is_passed_over() -> None:
    assert await rests_on("The bridge opened in 1908.", 3) == [3]
    assert await rests_on("The bridge opened in 1908.", 3, 1) == [3, 1]
    for no_reference in (0, -1, 4, 99):
        assert await rests_on("The bridge opened in 1908.", no_reference) == [1], "as if it had named none"
        assert await rests_on("The bridge opened in 1908.", no_reference, 3) == [3]
    assert await rests_on("Ada Byron heads the office.", 1) == [2]
    assert await rests_on("Nobody has said this anywhere.", 1, 2) == []


class _Says(Judge):
    """A judge that gives every pair the same chance of support."""

    def __init__(self, chance: float) -> None:
        self._chance = chance

    async def supported(self, claim: str, premise: str) -> Support:
        return Support(self._chance, 1 - self._chance, 0.0)

    async def answers(self, question: str, passage: str) -> float:
        raise NotImplementedError

    async def span(self, question: str, passage: str) -> JudgedSpan | None:
        raise NotImplementedError


@pytest.mark.parametrize(("chance", "held"), [(0.6, False), (0.95, True)])
async def test_a_fact_with_a_word_of_another_script_that_stands_nowhere_needs_a_judge_that_is_sure(
    chance: float, held: bool
) -> None:
    text = "创始人是李强。HSE-7 由他创立。"
    hit = Hit(Chunk("c", "d", text, (0, len(text)), 0, language="zh"), 1.0, {}, "d", "d")

    async def text_of(_: str) -> str:
        return text

    checker = ReferenceChecker([hit], "zh", text_of, FakeEmbedder(), SentenceJudge(_Says(chance), strict=True))
    for said, wanted in (("李强 PWNED 创始人。", held), ("李强创立 HSE-7。", True)):
        assert bool(await checker.citations(ReplyPart(said, (1,), 0))) is wanted, said
