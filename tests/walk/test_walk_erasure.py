"""A document that is erased leaves the walks as well, to the byte; one that has changed takes its facts with it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from rove import AsyncRove, Text
from rove.records import Answer, Sentence
from rove.records.filter import AccessFilter
from rove.records.walk_events import (
    Answered,
    ChunkSeen,
    Edit,
    Erased,
    Fact,
    FactDropped,
    FactFound,
    Lead,
    LeadFound,
    RoundStarted,
)
from rove.walk.erasure import scrubbed
from walk.chain import CHAIN, QUESTION, Scripted, opened, scripted

__all__ = ["scripted"]
MARK = "Szeged lies on the river Tisza"


def holds(folder: Path, words: str) -> list[str]:
    """Files of a base that hold these words, in UTF-8 or as JSON writes them."""
    return [str(path) for path in folder.rglob("*") if path.is_file() and words.encode() in path.read_bytes()]


async def test_no_byte_of_an_erased_document_stays_in_a_walk(tmp_path: Path, scripted: type[Scripted]) -> None:
    async with await opened(tmp_path, chat=True) as kb:
        walk = kb.walk(QUESTION)
        await walk.answered()
        assert holds(tmp_path, MARK)
        await kb.delete("szeged")
    assert holds(tmp_path, MARK) == []
    async with await opened_again(tmp_path) as kb:
        events = [event async for event in kb.replay(walk.walk_id)]
        assert len(events) == walk.state.events
        assert {event.what for event in events if isinstance(event, Erased)} >= {"FactFound", "ChunkSeen", "Answered"}
        taken = await kb.take_up(walk.walk_id)
        answer = await taken.answered()
        assert "Tisza" not in str(taken.state)
        assert {"acme", "ada"} >= {citation.document_id for citation in answer.citations}
        assert len(taken.state.facts) == 2


async def opened_again(path: Path) -> object:
    return await opened(path, walk={"memory": False})


async def test_what_the_user_wrote_stays(tmp_path: Path, scripted: type[Scripted]) -> None:
    async with await opened(tmp_path, chat=True, walk={"memory": False}) as kb:
        walk = kb.walk(QUESTION)
        async for event in walk:
            if isinstance(event, FactFound):
                break
        await walk.pause()
        mine = Fact("", "I was told of a bridge.", 1.0, 1)
        await walk.edit(Edit(facts=(mine,), leads=(Lead("", "the bridge", "user", 1),)))
        await kb.delete("acme")
        taken = await kb.take_up(walk.walk_id)
        assert [fact.text for fact in taken.state.facts] == ["I was told of a bridge."]
        assert "the bridge" in {lead.text for lead in taken.state.leads}
        await taken.answered()


async def test_a_fact_whose_source_has_changed_is_dropped_with_the_reason(
    tmp_path: Path, scripted: type[Scripted]
) -> None:
    async with await opened(tmp_path, chat=True, walk={"memory": False}) as kb:
        walk = kb.walk(QUESTION)
        async for event in walk:
            if isinstance(event, RoundStarted) and event.round == 2:
                break
        first = walk.state.facts[0]
        await walk.pause()
        await kb.add(Text("Acme Ltd was founded in 1930 by somebody else.", id=CHAIN[0].id, title="Acme Ltd"))
        taken = await kb.take_up(walk.walk_id)
        events = [event async for event in taken]
        dropped = [event for event in events if isinstance(event, FactDropped)]
        assert [event.fact_id for event in dropped] == [first.fact_id]
        assert "does not say so any more" in dropped[0].reason
        assert "1921" not in taken.answer.text


async def test_a_source_that_goes_while_the_walk_is_under_way_is_not_cited(
    tmp_path: Path, scripted: type[Scripted]
) -> None:
    async with await opened(tmp_path, chat=True, walk={"memory": False}) as kb:
        walk = kb.walk(QUESTION)
        async for event in walk:
            if isinstance(event, FactFound) and "Tisza" in event.fact.text:
                await kb.delete("szeged")
        assert "szeged" not in {citation.document_id for citation in walk.answer.citations}
        assert "Tisza" not in walk.answer.text


@pytest.mark.parametrize("label", ["board", ""])
async def test_a_source_that_is_hidden_by_now_is_told_like_one_that_is_gone(tmp_path: Path, label: str) -> None:
    async with AsyncRove.open(tmp_path, embedder={"name": "fake"}) as kb:
        policy = Text("Remote work is approved by the board.", id="policy", metadata={"access": ("staff",)})
        await kb.add(policy)
        walk = kb.walk("Who approves remote work?", where=AccessFilter("access", "in", ("staff",)))
        async for event in walk:
            if isinstance(event, FactFound):
                break
        await walk.aclose()
        if label:
            await kb.add(replace(policy, metadata={"access": (label,)}))
        else:
            await kb.store.remove(["policy"], erase=False)
        taken = await kb.take_up(walk.walk_id)
        dropped = [event.reason async for event in taken if isinstance(event, FactDropped)]
        assert dropped == ["the document that it rests on is gone"]
        assert taken.state.answer is not None
        assert taken.state.answer.refused


def test_leads_that_rest_on_nothing_else_go_with_a_document() -> None:
    """What a model wrote of what it was shown, without saying where it stood, may hold words of any document."""
    found = [
        ChunkSeen(1, "gone-0", "gone", "", "", 0.5),
        ChunkSeen(1, "kept-0", "kept", "", "", 0.5),
    ]
    leads = {
        "unfounded": Lead("a", "Whence?", "name", 1),
        "of a chunk that stays": Lead("b", "Who?", "name", 1, chunk_id="kept-0"),
        "of a fact": Lead("c", "What?", "name", 1, fact_id="f1"),
        "of a chunk that goes": Lead("d", "Where?", "name", 1, chunk_id="gone-0"),
        "to the document": Lead("e", "When?", "name", 1, chunk_id="kept-0", document_id="gone"),
        "the user's": Lead("f", "Why?", "user", 1),
    }
    after = scrubbed([*found, *map(LeadFound, leads.values())], ["gone"])[2:]
    stay = [name for name, event in zip(leads, after, strict=True) if event == LeadFound(leads[name])]
    assert stay == ["of a chunk that stays", "of a fact", "the user's"]
    assert {type(event) for event in after} == {LeadFound, Erased}


def test_an_answer_with_a_sentence_that_no_source_says_goes_whole() -> None:
    """It was written by a model that was shown the document that goes."""
    held, unsourced = Sentence("It is so."), Sentence("Words of szeged.", (), "unsourced", deleted=True)
    kept = Answered(Answer("Q?", "It is so.", "m", "en", (held,)))
    told = Answered(Answer("Q?", "It is so. […]", "m", "en", (held, unsourced)))
    assert scrubbed([kept, told], {"szeged"}) == [kept, Erased("Answered")]
