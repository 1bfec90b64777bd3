"""A walk that has ended and is let go on reads what is left, or says that nothing is."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from rove import AsyncRove, Text
from rove.records.walk_events import (
    Answered,
    Budget,
    ChunkSeen,
    Edit,
    Edited,
    Fact,
    FactFound,
    Judged,
    Lead,
    LeadFollowed,
    LeadFound,
    RoundStarted,
    Stopped,
    WalkEvent,
    WalkStarted,
)
from rove.walk.handle import AsyncWalk
from rove.walk.state import QUESTION, State, folded
from rove.walk.step import Begin, End, next_step

MORE = Edit(budget=Budget(rounds=6, seconds=0))
ASKED = "Does a Note say that a train leaves at noon?"
NOTES = [Text(f"Note {i} says that train {i} leaves at noon on day {i * 7}.", id=f"n{i}") for i in range(7)]


def ended(stop: str, *, enough: bool = False, chunks: int = 1, leads: Sequence[Lead] = ()) -> State:
    """A walk of one round that has ended."""
    events = [
        WalkStarted("w", "Who?", "en", "extractive", Budget()),
        RoundStarted(1, (QUESTION,)),
        LeadFollowed(QUESTION, 1, chunks),
        FactFound(Fact("f", "Ada lived in Szeged.", 0.9, 1)),
        *map(LeadFound, leads),
        judged(1, enough=enough),
    ]
    state = folded(events)
    return folded([Stopped(stop, "", state.spent)], state)  # pyright: ignore


def judged(number: int, *, enough: bool = False) -> Judged:
    return Judged(number, enough=enough, by="extractive", reason="", missing="" if enough else "river")


@pytest.mark.parametrize("stop", ["enough", "no-new-fact", "no-lead", "no-new-chunk"])
def test_more_rounds_alone_let_it_ask_further_and_follow_what_is_left(stop: str) -> None:
    enough, leads = stop == "enough", [Lead("a", "a", "name", 1, score=0.5)] if stop != "no-lead" else []
    state = folded([Edited(MORE), judged(1, enough=enough)], ended(stop, enough=enough, leads=leads))
    assert next_step(state, 3) == Begin(2, (QUESTION, *(lead.lead_id for lead in leads)))


def test_it_ends_again_when_enough_is_found_in_a_later_round() -> None:
    state = folded([Edited(MORE), judged(1, enough=True), RoundStarted(2, (QUESTION,))], ended("enough", enough=True))
    assert next_step(state, 3).lead is None  # pyright: ignore - asked again, though it was followed in round 1
    state = folded([LeadFollowed(QUESTION, 2, 3), judged(2, enough=True)], state)
    assert next_step(state, 3) == End("enough")


def test_rounds_that_come_no_nearer_are_counted_from_there() -> None:
    state = folded([Edited(MORE), judged(1)], ended("no-new-fact"))
    for number in (2, 3):
        assert next_step(state, 3) == Begin(number, (QUESTION,))
        state = folded([RoundStarted(number, (QUESTION,)), LeadFollowed(QUESTION, number, 3), judged(number)], state)
    assert next_step(state, 3) == End("no-new-fact")


def test_where_the_question_finds_nothing_further_it_ends() -> None:
    state = folded([Edited(MORE), judged(1), RoundStarted(2, (QUESTION,))], ended("no-lead"))
    state = folded([LeadFollowed(QUESTION, 2, 0), judged(2)], state)
    assert next_step(state, 3) == End("no-new-chunk")


def test_a_budget_that_holds_no_further_round_ends_it() -> None:
    state = folded([Edited(Edit(budget=Budget(rounds=1))), judged(1)], ended("no-lead"))
    assert next_step(state, 3) == End("rounds")


def test_what_is_judged_twice_in_a_round_is_one_round() -> None:
    """A fact that the user drops has the round judged again: that is no round without news."""
    lead = Lead("a", "a", "name", 1, score=0.5)
    state = folded([Edited(Edit(dropped=("f",))), judged(1)], ended("user", leads=[lead]))
    assert next_step(state, 3) == Begin(2, ("a",))


def test_another_question_is_asked_however_little_the_last_rounds_brought() -> None:
    state = ended("no-new-fact")
    for number in (2, 3):
        state = folded([RoundStarted(number, ()), judged(number)], state)
    state = folded([Edited(Edit(question="Where?", budget=Budget(rounds=6))), judged(3)], state)
    assert next_step(state, 3) == Begin(4, (QUESTION,))


async def ended_walk(folder: Path) -> tuple[AsyncRove, AsyncWalk]:
    settings = {"first_chunks": 2, "lead_chunks": 1, "memory": False}
    kb = AsyncRove.open(folder, embedder={"name": "fake"}, walk=settings)
    if not await kb.documents():
        await kb.add(NOTES)
    walk = kb.walk(ASKED)
    await walk.answered()
    return kb, walk


def chunks(events: Sequence[WalkEvent]) -> list[str]:
    return [event.chunk_id for event in events if isinstance(event, ChunkSeen)]


async def test_gone_on_with_it_reads_the_whole_base_and_then_says_that_nothing_is_left(tmp_path: Path) -> None:
    kb, walk = await ended_walk(tmp_path)
    async with kb:
        assert walk.state.stopped.reason in {"enough", "no-lead"}
        read = len(walk.state.seen)
        assert read < len(NOTES)
        for _ in range(4):
            await walk.edit(MORE)
            told = [event async for event in walk]
            assert isinstance(told[-1], Answered)
        assert len({one.chunk_id for one in walk.state.seen}) == len(walk.state.seen) == len(NOTES)
        assert walk.state.stopped.reason == "no-new-chunk"
        assert "another question" in walk.state.stopped.text
        assert folded([event async for event in kb.replay(walk.walk_id)]) == walk.state


async def test_taken_up_amid_a_further_round_or_forked_there_it_reads_the_same(tmp_path: Path) -> None:
    kb, walk = await ended_walk(tmp_path)
    async with kb:
        await walk.edit(MORE)
        told = [event async for event in walk]
        whole = [event async for event in kb.replay(walk.walk_id)]
        second = [at for at, event in enumerate(whole, 1) if isinstance(event, RoundStarted | LeadFollowed)][-2:]
        for at in second:
            assert whole[at - 1].round == 2
            forked = await kb.fork(walk.walk_id, at=at)
            await forked.aclose()
            again = await kb.take_up(forked.walk_id)
            assert again.state.since == 1
            rest = [event async for event in again]
            assert chunks(whole[:at]) + chunks(rest) == chunks(whole)
            assert again.answer.text == walk.answer.text
        assert chunks(told)
