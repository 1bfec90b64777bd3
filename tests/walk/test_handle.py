"""The handle: events as they come, pause amid a model's stream, edits, take-up, forks, replay, export."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest

from rove import InputError, Rove, field
from rove.records.walk_events import (
    Answered,
    Budget,
    ChunkSeen,
    ChunksRead,
    Edit,
    Edited,
    Fact,
    FactDelta,
    FactFound,
    Judged,
    Lead,
    LeadFollowed,
    LeadFound,
    Paused,
    Resumed,
    RoundStarted,
    Stopped,
    WalkEvent,
    WalkStarted,
)
from rove.walk.state import folded
from walk.chain import QUESTION, RIVER, Scripted, opened, scripted

__all__ = ["scripted"]


def kinds(events: list[WalkEvent]) -> list[str]:
    return [type(event).__name__ for event in events]


def only(events: list[WalkEvent], kind: type) -> list[WalkEvent]:
    return [event for event in events if isinstance(event, kind)]


async def test_a_walk_of_three_hops_tells_each_step(tmp_path: Path, scripted: type[Scripted]) -> None:
    async with await opened(tmp_path, chat=True) as kb:
        events = [event async for event in kb.walk(QUESTION)]
        found = [event.fact.text for event in only(events, FactFound)]
        assert found[-1] == "Szeged lies on the river Tisza."
        assert {"Acme Ltd was founded in 1921 by Ada Byron.", "Ada Byron was born in Szeged in 1893."} >= set(
            found[:-1]
        )
        for event in only(events, FactFound):
            citation = event.fact.citation
            assert (await kb.text(citation.document_id))[slice(*citation.span)] == citation.quote
        assert only(events, FactDelta)
        assert only(events, Stopped)[0].reason == "enough"
        assert "Tisza" in only(events, Answered)[0].answer.text
        assert isinstance(events[0], WalkStarted)
        assert isinstance(events[-1], Answered)


async def test_what_is_told_is_already_kept_and_replays_without_a_model(
    tmp_path: Path, scripted: type[Scripted]
) -> None:
    async with await opened(tmp_path, chat=True) as kb:
        told: list[WalkEvent] = []
        walk = kb.walk(QUESTION)
        async for event in walk:
            if not isinstance(event, FactDelta):
                told.append(event)
                kept = [one async for one in kb.replay(walk.walk_id)]
                assert kept[: len(told)] == told
        calls = len(scripted.last.asked)
        assert [one async for one in kb.replay("last")] == told
        assert len(scripted.last.asked) == calls
        assert folded(told) == walk.state
        assert (await kb.walks())[0].status == "enough"


@pytest.mark.timed
async def test_pause_takes_effect_amid_the_models_stream_and_loses_nothing(
    tmp_path: Path, scripted: type[Scripted]
) -> None:
    scripted.delay_s, scripted.pieces = 0.2, 100
    async with await opened(tmp_path, chat=True, walk={"memory": False}) as kb:
        walk = kb.walk(QUESTION)
        async for event in walk:
            if isinstance(event, FactDelta):
                began = time.monotonic()
                await walk.pause()
                assert time.monotonic() - began < 10  # of the 20 s that the reply takes
                break
        assert walk.state.paused
        assert walk.answer is None
        rest = [event async for event in walk]
        assert kinds(rest)[-1] == "Paused"
        assert [event async for event in walk] == []
        assert (await kb.walks())[0].status == "paused"
        scripted.delay_s = 0.0
        await walk.resume()
        events = [event async for event in walk]
        assert isinstance(events[0], Resumed)
        assert "Tisza" in walk.answer.text


async def test_pausing_from_another_task_ends_the_iteration(tmp_path: Path, scripted: type[Scripted]) -> None:
    scripted.delay_s, scripted.pieces = 0.05, 100
    async with await opened(tmp_path, chat=True) as kb:
        walk = kb.walk(QUESTION)
        seen: list[WalkEvent] = []

        async def listen() -> None:
            seen.extend([event async for event in walk])

        listening = asyncio.create_task(listen())
        await asyncio.sleep(0.5)
        await walk.pause()
        await asyncio.wait_for(listening, 2)
        assert isinstance(seen[-1], Paused)


async def test_an_edit_changes_facts_leads_question_and_budget(tmp_path: Path, scripted: type[Scripted]) -> None:
    async with await opened(tmp_path, chat=True, walk={"memory": False}) as kb:
        walk = kb.walk(QUESTION)
        async for event in walk:
            if isinstance(event, FactFound):
                break
        await walk.pause()
        first = walk.state.facts[0]
        lead = Lead("", "Szeged university", "user", 0)
        mine = Fact("", "The founder lived in Hungary.", 1.0, 0)
        changed = Budget(rounds=6)
        edit = Edit(
            question="What lies in Szeged?", budget=changed, facts=(mine,), leads=(lead,), dropped=(first.fact_id,)
        )
        await walk.edit(edit)
        state = walk.state
        assert state.question == "What lies in Szeged?"
        assert state.budget == changed
        assert [fact.text for fact in state.facts] == ["The founder lived in Hungary."]
        assert state.facts[0].origin == "user"
        assert state.facts[0].citation is None
        await walk.resume()
        events = [event async for event in walk]
        followed = [event.lead_id for event in only(events, LeadFollowed)]
        assert followed[0] == ""  # the new question is asked
        assert state.open_leads[0].lead_id in followed
        assert walk.answer is not None
        with pytest.raises(InputError, match="no fact or lead 'nonsense'"):
            await walk.edit(Edit(dropped=("nonsense",)))
        with pytest.raises(InputError, match="blank"):
            await walk.edit(Edit(question=" "))


async def test_an_edited_walk_that_was_over_goes_on(tmp_path: Path, scripted: type[Scripted]) -> None:
    async with await opened(tmp_path, chat=True, walk={"rounds": 1, "memory": False}) as kb:
        walk = kb.walk(QUESTION)
        await walk.answered()
        assert walk.state.stopped.reason == "rounds"
        await walk.edit(Edit(budget=Budget(rounds=5)))
        answer = await walk.answered()
        assert walk.state.stopped.reason == "enough"
        assert "Tisza" in answer.text


async def test_stop_ends_it_with_what_was_found(tmp_path: Path, scripted: type[Scripted]) -> None:
    async with await opened(tmp_path, chat=True, walk={"memory": False}) as kb:
        walk = kb.walk(QUESTION)
        async for event in walk:
            if isinstance(event, FactFound):
                await walk.stop()
                break
        facts = len(walk.state.facts)
        await walk.answered()
        assert walk.state.stopped.reason == "user"
        assert len(walk.state.facts) == facts == 1
        assert walk.state.round == 1


async def test_taken_up_after_a_restart_it_does_no_round_again(tmp_path: Path, scripted: type[Scripted]) -> None:
    async with await opened(tmp_path, chat=True, walk={"memory": False}) as kb:
        walk = kb.walk(QUESTION)
        async for event in walk:
            if isinstance(event, RoundStarted) and event.round == 2:
                break
        read = [event async for event in kb.replay(walk.walk_id) if isinstance(event, ChunksRead)]
        asked = len(scripted.last.asked)
    async with await opened(tmp_path, chat=True, walk={"memory": False}) as kb:
        taken = await kb.take_up(walk.walk_id[:6])
        assert taken.state.round == 2
        events = [event async for event in taken]
        again = {name for event in only(events, ChunksRead) for name in event.chunk_ids}
        assert not again & {name for event in read for name in event.chunk_ids}
        assert min(event.round for event in only(events, Judged)) == 2
        assert asked >= 2
        assert "Tisza" in taken.answer.text
        assert [event async for event in await kb.take_up("last")] == []


async def test_a_fork_goes_its_own_way(tmp_path: Path, scripted: type[Scripted]) -> None:
    async with await opened(tmp_path, chat=True, walk={"memory": False}) as kb:
        walk = kb.walk(QUESTION)
        await walk.answered()
        events = [event async for event in kb.replay(walk.walk_id)]
        at = next(number for number, event in enumerate(events, 1) if isinstance(event, FactFound))
        fork = await kb.fork(walk.walk_id, at=at)
        assert fork.walk_id != walk.walk_id
        assert fork.state.facts == walk.state.facts[:1]
        await fork.edit(Edit(question="Where was Ada Byron born?"))
        await fork.answered()
        assert [event async for event in kb.replay(walk.walk_id)] == events
        infos = await kb.walks()
        assert {info.forked_from for info in infos} == {"", f"{walk.walk_id}:{at}"}
        whole = await kb.fork(walk.walk_id)
        assert whole.state.stopped is None
        assert len(whole.state.facts) == len(walk.state.facts)
        with pytest.raises(InputError, match="none that is number 999"):
            await kb.fork(walk.walk_id, at=999)


async def test_export_and_import_carry_a_walk(tmp_path: Path, scripted: type[Scripted]) -> None:
    async with await opened(tmp_path / "a", chat=True) as kb:
        walk = kb.walk(QUESTION, where=field("type") != "pdf")
        await walk.answered()
        lines = [line async for line in kb.export_walk(walk.walk_id)]
        with pytest.raises(InputError, match="gone on elsewhere|holds"):
            await kb.import_walk(lines)
    async with await opened(tmp_path / "b", chat=True) as other:
        info = await other.import_walk(lines)
        assert (info.walk_id, info.status) == (walk.walk_id, "enough")
        assert (await other.take_up(info.walk_id)).state == walk.state
        await other.forget_walk(info.walk_id)
        assert await other.walks() == []
        for bad in ([], lines[1:], [lines[0], "{}"], [lines[0], '{"event":"Resumed","data":{"round":"x"}}']):
            with pytest.raises(InputError):
                await other.import_walk(bad)


async def test_two_cannot_go_on_with_one_walk(tmp_path: Path, scripted: type[Scripted]) -> None:
    async with await opened(tmp_path, chat=True, walk={"memory": False}) as kb:
        walk = kb.walk(QUESTION)
        async for event in walk:
            if isinstance(event, ChunkSeen):
                break
        other = await kb.take_up(walk.walk_id)
        await other.answered()
        with pytest.raises(InputError, match="gone on elsewhere"):
            await walk.answered()


async def test_the_filter_holds_at_every_step(tmp_path: Path, scripted: type[Scripted]) -> None:
    async with await opened(tmp_path, chat=True, walk={"memory": False}) as kb:
        events = [event async for event in kb.walk(QUESTION, where=field("document_id") != "szeged")]
        assert "szeged" not in {event.document_id for event in only(events, ChunkSeen)}
        assert only(events, Stopped)[0].reason != "enough"


async def test_without_a_chat_model_it_walks_and_says_so(tmp_path: Path) -> None:
    async with await opened(tmp_path, walk={"memory": False}) as kb:
        walk = kb.walk(RIVER)
        events = [event async for event in walk]
        assert events[0].mode == "extractive"
        assert only(events, LeadFound)
        assert {fact.citation.document_id for fact in walk.state.facts} >= {"szeged"}
        assert walk.state.spent.calls == walk.state.spent.tokens == 0
        assert "Tisza" in walk.answer.text
        again = [event async for event in kb.walk(RIVER)]
        assert kinds(again) == kinds(events)
        with pytest.raises(InputError, match="blank"):
            kb.walk("  ")


def test_the_blocking_face_walks_too(tmp_path: Path) -> None:
    asyncio.run(_made(tmp_path))
    with Rove.open(tmp_path, embedder={"name": "fake"}, walk={"first_chunks": 1, "lead_chunks": 1}) as kb:
        walk = kb.walk(RIVER)
        for event in walk:
            if isinstance(event, FactFound):
                walk.pause()
                break
        assert [type(event) for event in walk][-1] is Paused
        lead = walk.add_lead("river Tisza")
        assert [one.lead_id for one in walk.state.leads if one.text == "river Tisza"] == [lead]
        walk.resume()
        events = list(walk)
        assert only(events, Edited)
        assert walk.answer == walk.answered()
        assert [type(event) for event in kb.replay(walk.walk_id)][-1] is Answered
        assert kb.take_up("last").state == walk.state
        for _ in kb.walk("Who founded Acme?"):
            break  # one that nobody goes on listening to is let go of when the base is closed


async def _made(path: Path) -> None:
    async with await opened(path):
        return
