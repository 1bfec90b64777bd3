"""A sentence is held against the references that it names, which are numbered from 1; then against the others."""

from __future__ import annotations

from rove.answer.reference_checker import ReferenceChecker
from rove.answer.reply import ReplyPart
from rove.models.fake import FakeEmbedder
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
