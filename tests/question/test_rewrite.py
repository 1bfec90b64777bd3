"""Mode "rewrite": the question is put otherwise by what a first search finds, by rules or by a chat model."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from rove import AsyncRove, Text, field
from rove.errors import ServiceError
from rove.question.rewrite import by_other_names
from rove.records import Chunk, Hit
from scripted_chat import ScriptedChat

TEXTS = {
    "rto": "The policy on return to office (RTO) is written by the board of the works council.",
    "plan": "RTO begins in May for the northern offices.",
    "de": "Die Telearbeit genehmigt der Leiter der Abteilung.",
    "hu": "A távmunkát az egységvezető engedélyezi.",
    "zh": "位于广州的中山大学（Sun Yat-sen University）创办于1924年。",
    "ja": "在宅勤務は部門長が承認します。",
}

ERROR = ServiceError("The model is gone.", cure="Wait.")


@pytest.fixture
async def kb(tmp_path: Path) -> AsyncIterator[AsyncRove]:
    question = {"thesaurus": {"Telearbeit": ["Homeoffice"]}}
    async with AsyncRove.open(tmp_path, embedder={"name": "fake"}, question=question) as base:
        await base.add([Text(text, id=name, metadata={"lang": name}) for name, text in TEXTS.items()])
        await base.add([Text(f"Filler number {n} speaks of weather and trains.", id=f"f{n}") for n in range(30)])
        yield base


def lists(hits: list[Hit], name: str) -> dict[str, int]:
    (hit,) = [hit for hit in hits if hit.chunk.document_id == name]
    return {source: place.rank for source, place in hit.sources.items() if source.startswith(("question", "rewrite"))}


async def test_the_other_name_of_a_thing_is_searched_for_too(kb: AsyncRove) -> None:
    hits = await kb.search("When does the return to office begin?", mode="rewrite")
    assert lists(hits, "plan")["rewrite 1"] < lists(hits, "plan").get("question", 99)
    assert {hit.chunk.document_id for hit in hits[:2]} == {"rto", "plan"}


async def test_typos_are_mended_and_what_was_asked_counts_still(kb: AsyncRove) -> None:
    hits = await kb.search("Which board made the poilcy?", mode="rewrite")
    assert lists(hits, "rto") == {"question": 1, "rewrite 1": 1}
    slip = await kb.search("poilcy board", mode="keyword", top_k=1)
    right = await kb.search("policy board", mode="keyword", top_k=1)
    assert slip[0].score < right[0].score


async def test_the_thesaurus_gives_other_words(kb: AsyncRove) -> None:
    (hit, *_) = await kb.search("Wer genehmigt Homeoffice?", mode="rewrite")
    assert hit.chunk.document_id == "de"
    assert hit.sources["rewrite 1"].rank == 1


@pytest.mark.parametrize("question", ["Ki engedélyezi a távmunkát?", "在宅勤務は誰が承認しますか", "trains"])
async def test_where_nothing_is_to_be_said_otherwise_it_is_hybrid_search(kb: AsyncRove, question: str) -> None:
    assert await kb.search(question, mode="rewrite") == await kb.search(question)


async def test_a_filter_holds_for_every_rewrite(kb: AsyncRove) -> None:
    hits = await kb.search("return to office", mode="rewrite", where=field("lang") == "plan")
    assert [hit.chunk.document_id for hit in hits] == ["plan"]


async def test_a_chat_model_puts_it_otherwise_knowing_what_was_found(tmp_path: Path) -> None:
    chat = ScriptedChat(Rewritten=[{"rewrites": ["Who okays it?", "Wer genehmigt Telearbeit?", "x"]}, ERROR])
    async with AsyncRove.open(tmp_path, embedder={"name": "fake"}, chat=chat, question={"rewrites": 1}) as base:
        await base.add([Text(text, id=name) for name, text in TEXTS.items()])
        hits = await base.search("Who okays it?", mode="rewrite")
        (prompt,) = chat.asked("Rewritten")
        assert "Who okays it?" in prompt
        assert any(text in prompt for text in TEXTS.values())
        assert lists(hits, "de")["rewrite 1"] == 1
        assert "rewrite 2" not in {source for hit in hits for source in hit.sources}
        assert (await base.search("Who okays it?", mode="rewrite")) == await base.search("Who okays it?")  # it fails


@pytest.mark.parametrize(
    ("text", "language", "question", "rewritten"),
    [
        ("return to office (RTO)", "en", "Is RTO due?", ["Is return to office due?"]),
        ("die Deutsche Bahn (DB) fährt", "de", "Fährt die DB?", ["Fährt die Deutsche Bahn?"]),
        ("中山大学（Sun Yat-sen University）", "zh", "中山大学在哪里？", ["Sun Yat-sen University在哪里？"]),
        ("東京大学（Tokyo University）", "ja", "Where is Tokyo University?", ["Where is 東京大学?"]),
        ("at Tokyo University (東京大学)", "en", "東京大学はどこ", ["Tokyo Universityはどこ"]),
        ("the function f (a, b)", "en", "What is the function f?", []),
        ("CREATE TABLE (name)", "en", "CREATE TABLE", []),
        ("in the year (2010)", "en", "Which year?", []),
        ("Return to sender (RTO)", "en", "What is RTO?", []),
        ("return to office (RTO)", "en", "Is RTO return to office?", []),
    ],
)
def test_names_in_brackets(text: str, language: str, question: str, rewritten: list[str]) -> None:
    hit = Hit(Chunk("c", "d", text, (0, len(text)), 0, language=language), 1.0)
    assert by_other_names(question, [hit]) == rewritten
