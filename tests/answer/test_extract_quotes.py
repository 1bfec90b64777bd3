from __future__ import annotations

import threading

import pytest

from rove.answer import extract
from rove.answer.answerer import number_citations
from rove.models.fake import FakeEmbedder
from rove.records import Chunk, Hit
from rove.settings import EmbedderSettings

TEXT = "Remote work is approved by the head of unit. The canteen serves soup on Mondays."


async def test_references_are_taken_apart_and_compared_beside_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of long references that takes as long as many others' answers."""
    threads: set[threading.Thread] = set()
    for name in ("list_candidates", "_overlaps"):
        work = getattr(extract, name)

        def noted(*given: object, work: object = work) -> object:
            threads.add(threading.current_thread())
            return work(*given)  # type: ignore[operator]

        monkeypatch.setattr(extract, name, noted)
    hit = Hit(Chunk("c", "d", TEXT, (0, len(TEXT)), 0, language="en"), 1.0, {})
    embedder = FakeEmbedder(EmbedderSettings(name="fake"))
    (best,) = await extract.best_quotes("Who approves remote work?", [hit], "en", embedder, quotes=1)
    assert best.text == "Remote work is approved by the head of unit."
    assert threads
    assert threading.main_thread() not in threads


@pytest.mark.parametrize(
    ("text", "language", "question", "quoted"),
    [
        ("他住罗马。", "zh", "他住在哪里？", True),  # four characters of an unspaced script count as twelve
        ("在罗马。", "zh", "他住在哪里？", False),
        ("ローマだ。", "ja", "どこですか？", True),
        ("In Rome too.", "en", "Where is it?", False),  # nine letters
        ("It is in Rome now.", "en", "Where is it?", True),
    ],
)
async def test_what_is_too_short_to_say_anything_is_not_quoted(
    text: str, language: str, question: str, quoted: bool
) -> None:
    hit = Hit(Chunk("c", "d", text, (0, len(text)), 0, language=language), 1.0, {})
    embedder = FakeEmbedder(EmbedderSettings(name="fake"))
    found = await extract.best_quotes(question, [hit], language, embedder, quotes=1)
    assert [one.text for one in found] == [text] * quoted


def test_references_are_numbered_in_the_order_in_which_quotes_are_read() -> None:
    hits = [
        Hit(Chunk(f"{at}", f"{at}", text, (0, len(text)), 0, language="en"), 1.0, {})
        for at, text in enumerate(("The first is blue here.", "The second is red here.", "The third is green here."))
    ]
    one, two, three = extract.list_candidates("Which colour is it?", hits, "en")
    read, ordered = number_citations([three, one, three], hits)
    assert [quote.citation.number for quote in read] == [1, 2, 1]
    assert ordered == [hits[2], hits[0], hits[1]]
    assert [hit.chunk.document_id for hit in ordered] == ["2", "0", "1"]
    assert number_citations([one, two, three], hits)[1] == hits


async def test_of_documents_that_have_the_code_of_a_question_alone_is_quoted() -> None:
    texts = {
        "0816": "Invoice no. RE-2026-0816. We charge for the invoice of the crane.",
        "0817": "Number RE 2026 0817. 900 EUR are due for greasing the lift.",
    }
    hits = [
        Hit(Chunk(f"c{name}", f"d{name}", text, (0, len(text)), 0, language="en"), 1.0, {})
        for name, text in texts.items()
    ]
    embedder = FakeEmbedder(EmbedderSettings(name="fake"))
    question = "What does invoice {} charge for?"
    own = await extract.best_quotes(question.format("RE-2026-0817"), hits, "en", embedder, quotes=3)
    every = await extract.best_quotes(question.format("RE-2026-0999"), hits, "en", embedder, quotes=3)
    assert {one.citation.document_id for one in own} == {"d0817"}
    assert {one.citation.number for one in own} == {2}
    assert "d0816" in {one.citation.document_id for one in every}
