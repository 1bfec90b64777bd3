"""What ends a walk: budgets, a model that hangs or fails, nothing left to follow; the reason is told each time."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from rove import AsyncRove
from rove.errors import ServiceError
from rove.instances import Instances
from rove.models import Vectors
from rove.models.fake import FakeEmbedder
from rove.records.walk_events import (
    Answered,
    Budget,
    ChunksRead,
    Fact,
    FactDelta,
    FactFound,
    FactRejected,
    Judged,
    Lead,
    LeadFollowed,
    LeadFound,
    RoundStarted,
    Spent,
    Stopped,
    Used,
    WalkStarted,
    Warned,
)
from rove.settings import read_settings
from rove.walk.clock import WalkClock
from rove.walk.json_format import to_line
from rove.walk.state import QUESTION as ASKED
from rove.walk.state import State, folded
from rove.walk.step import Begin, End, next_step
from walk import chain
from walk.chain import CHAIN, FILLER, QUESTION, RIVER, Scripted, notes_of, opened, scripted

__all__ = ["scripted"]


@pytest.mark.parametrize(
    ("budget", "reason"),
    [
        (Budget(rounds=1), "rounds"),
        (Budget(calls=3), "calls"),
        (Budget(tokens=200), "tokens"),
        (Budget(money=0.00015), "money"),
        (Budget(), "enough"),
        (Budget(rounds=0, calls=0, tokens=0, seconds=0, money=0), "enough"),
    ],
)
async def test_each_budget_ends_it_and_is_named(
    budget: Budget, reason: str, tmp_path: Path, scripted: type[Scripted]
) -> None:
    async with await opened(tmp_path, chat=True, walk={"memory": False, "price_input": 1.0}) as kb:
        walk = kb.walk(QUESTION, budget=budget)
        events = [event async for event in walk]
        stopped = next(event for event in events if isinstance(event, Stopped))
        assert stopped.reason == reason
        assert walk.state.spent.calls == len(scripted.last.asked)
        assert walk.state.spent.tokens == 120 * len(scripted.last.asked)
        assert walk.state.spent.money == pytest.approx(0.0001 * len(scripted.last.asked))
        assert not budget.calls or walk.state.spent.calls <= budget.calls
        assert isinstance(events[-1], Answered)


@pytest.mark.timed
async def test_a_model_that_hangs_ends_within_the_deadline_with_what_can_be_had_without_it(
    tmp_path: Path, scripted: type[Scripted]
) -> None:
    scripted.delay_s = 60.0
    async with await opened(tmp_path, chat=True, walk={"memory": False}) as kb:
        began = time.monotonic()
        walk = kb.walk(RIVER, budget=Budget(seconds=6))
        events = [event async for event in walk]
        assert time.monotonic() - began < 30
        assert any("goes on without it" in event.text for event in events if isinstance(event, Warned))
        assert {event.by for event in events if isinstance(event, ChunksRead)} == {"extractive"}
        assert walk.state.facts
        assert "Tisza" in walk.answer.text


async def test_a_model_that_is_slow_once_is_asked_again_and_what_it_noted_is_kept(
    tmp_path: Path, scripted: type[Scripted]
) -> None:
    class SlowOnce(scripted):
        async def stream(self, *args: object, **kwargs: object) -> AsyncIterator[str]:
            slow = not self.asked
            async for at, piece in enumerated(super().stream(*args, **kwargs)):  # pyright: ignore
                if slow and at == 11:  # the first fact is written, the object is not
                    await asyncio.sleep(60)
                yield piece

    chain.Own = SlowOnce
    async with await opened(tmp_path, chat=True, walk={"memory": False, "first_chunks": 3}) as kb:
        walk = kb.walk(RIVER, budget=Budget(seconds=8))
        events = [event async for event in walk]
        warned = [event.text for event in events if isinstance(event, Warned)]
        assert [text for text in warned if text.endswith("what it noted is kept, and it is asked once more.")] == warned
        late = next(at for at, event in enumerate(events) if isinstance(event, Warned))
        assert [event.fact.origin for event in events[:late] if isinstance(event, FactFound)][:1] == ["model"]
        assert {event.by for event in events if isinstance(event, ChunksRead)} == {"scripted"}


async def enumerated(pieces: AsyncIterator[str]) -> AsyncIterator[tuple[int, str]]:
    at = 0
    async for piece in pieces:
        yield at, piece
        at += 1


async def test_a_model_that_breaks_off_keeps_its_facts_and_the_walk_goes_on(
    tmp_path: Path, scripted: type[Scripted]
) -> None:
    scripted.notes = staticmethod(lambda prompt: "no JSON at all")
    async with await opened(tmp_path, chat=True, walk={"memory": False}) as kb:
        walk = kb.walk(RIVER)
        events = [event async for event in walk]
        assert any("without a model" in event.text for event in events if isinstance(event, Warned))
        assert walk.state.facts
        assert isinstance(events[-1], Answered)


async def test_what_no_source_holds_is_rejected_and_never_cited(tmp_path: Path, scripted: type[Scripted]) -> None:
    def lying(prompt: str) -> str:
        told = json.loads(notes_of(prompt))["facts"]
        lie = {"fact": "Acme was sold to the Martian senate for 4711 elephants.", "relevance": 1, "reference": 1}
        return json.dumps({"facts": [lie, *told]})

    scripted.notes = staticmethod(lying)
    async with await opened(tmp_path, chat=True, walk={"memory": False}) as kb:
        events = [event async for event in kb.walk(QUESTION)]
        rejected = [event for event in events if isinstance(event, FactRejected)]
        assert "Martian" in rejected[0].text
        assert rejected[0].reason == "no reference holds it"
        assert not any("Martian" in event.fact.text for event in events if isinstance(event, FactFound))


async def test_a_fact_that_is_known_is_not_taken_twice(tmp_path: Path, scripted: type[Scripted]) -> None:
    def stammering(prompt: str) -> str:
        told = json.loads(notes_of(prompt))["facts"]
        return json.dumps({"facts": [*told, *told]})

    scripted.notes = staticmethod(stammering)
    async with await opened(tmp_path, chat=True, walk={"memory": False}) as kb:
        walk = kb.walk(QUESTION)
        await walk.answered()
        texts = [fact.text for fact in walk.state.facts]
        assert len(set(texts)) == len(texts) == 3


async def test_nothing_found_ends_with_the_refusal(tmp_path: Path, scripted: type[Scripted]) -> None:
    async with AsyncRove.open(tmp_path, embedder={"name": "fake"}) as kb:
        await kb.add(FILLER)  # of which the scripted model makes no facts
    async with await opened(tmp_path, chat=True, walk={"memory": False}) as kb:
        walk = kb.walk("量子色動力学の格子計算とは何ですか")
        answer = await walk.answered()
        assert answer.refused
        assert walk.state.stopped.reason in {"no-lead", "no-new-chunk"}


def _started(**more: object) -> State:
    return folded([WalkStarted("w", "Who?", "en", "extractive", Budget())], State())


def test_no_lead_and_no_new_chunk_are_told_apart() -> None:
    judged = Judged(1, enough=False, by="extractive", reason="")
    for chunks, reason in ((3, "no-lead"), (0, "no-new-chunk")):
        state = folded([LeadFollowed(ASKED, 1, chunks), judged], next_round(_started()))
        assert next_step(state, 3) == End(reason)


def test_the_most_promising_leads_are_followed_first() -> None:
    leads = [Lead(name, name, "name", 1, score=score) for name, score in (("a", 0.2), ("b", 0.9), ("c", 0.5))]
    judged = Judged(1, enough=False, by="extractive", reason="")
    state = folded([LeadFollowed(ASKED, 1, 1), *map(LeadFound, leads), judged], next_round(_started()))
    assert next_step(state, 2) == Begin(2, ("b", "c"))


def next_round(state: State, leads: int = 3) -> State:
    step = next_step(state, leads)
    assert isinstance(step, Begin)
    return folded([RoundStarted(step.round, step.lead_ids)], state)


def test_spent_is_what_the_last_account_says() -> None:
    assert folded([], _started()).spent == Spent()


async def test_walks_with_the_fake_chat_model_are_the_same_each_time(tmp_path: Path) -> None:
    texts: list[str] = []
    for name in ("a", "b"):
        kb = AsyncRove.open(tmp_path / name, embedder={"name": "fake"}, chat={"model": "fake"}, walk={"memory": False})
        async with kb:
            await kb.add([*CHAIN, *FILLER])
            events = [event async for event in kb.walk(QUESTION)]
            told = [event for event in events if not isinstance(event, WalkStarted | Used | Stopped | FactDelta)]
            texts.append("\n".join(map(to_line, told)))
            assert [event for event in events if isinstance(event, FactFound)]
            assert {event.by for event in events if isinstance(event, Judged)} == {"fake"}
    assert texts[0] == texts[1]


def test_two_rounds_without_a_new_fact_end_a_walk() -> None:
    leads = [Lead(name, name, "name", 1, score=score) for name, score in (("a", 0.9), ("b", 0.5), ("c", 0.2))]
    state = folded([LeadFollowed(ASKED, 1, 1), *map(LeadFound, leads)], next_round(_started()))
    state = folded([FactFound(Fact("f", "Szeged lies on the Tisza.", 0.9, 1))], state)
    taken = []
    while isinstance(step := next_step(_judged(state, by="model"), 1), Begin):
        taken += step.lead_ids
        state = folded([LeadFollowed(step.lead_ids[0], step.round, 1)], next_round(_judged(state, by="model"), 1))
    assert taken == ["a", "b"]
    assert step == End("no-new-fact")


@pytest.mark.parametrize(
    ("found", "missing", "goes_on"),
    [(0.5, "river", False), (0.9, "river", False), (0.91, "river", True), (0.5, "", True)],
    ids=["weaker", "as good", "better", "a missing word"],
)
def test_without_a_model_a_round_that_comes_no_nearer_is_the_last(found: float, missing: str, goes_on: bool) -> None:
    leads = [LeadFound(Lead(name, name, "name", 1, score=0.9)) for name in ("a", "b")]
    first = Fact("f", "Ada lived in Szeged.", 0.9, 1)
    state = folded([LeadFollowed(ASKED, 1, 1), *leads, FactFound(first)], next_round(_started()))
    state = next_round(_judged(state, missing="river"), 1)
    state = folded([LeadFollowed("a", 2, 1), FactFound(Fact("g", "It lies on a river.", found, 2))], state)
    step = next_step(_judged(state, missing=missing), 1)
    assert step == (Begin(3, ("b",)) if goes_on else End("no-new-fact"))


def _judged(state: State, *, by: str = "extractive", missing: str = "") -> State:
    return folded([Judged(state.round, enough=False, by=by, reason="", missing=missing)], state)


class Hanging(FakeEmbedder):
    """An embedder that answers so many calls, and then never again."""

    left = 1_000

    async def passages(self, texts: Sequence[str]) -> Vectors:
        await self._turn()
        return await super().passages(texts)

    async def queries(self, texts: Sequence[str]) -> Vectors:
        await self._turn()
        return await super().queries(texts)

    async def _turn(self) -> None:
        self.left -= 1
        if self.left < 0:
            await asyncio.Event().wait()


@pytest.mark.parametrize("calls", [0, 1, 3, 8])
@pytest.mark.parametrize("model", [False, True])
async def test_a_search_that_hangs_at_any_step_ends_with_the_seconds(
    calls: int, model: bool, tmp_path: Path, scripted: type[Scripted]
) -> None:
    settings = read_settings(
        tmp_path, embedder={"name": "fake"}, chat={"model": "fake" if model else ""}, walk={"rounds": 4}
    )
    embedder = Hanging()
    async with AsyncRove(settings, Instances(embedder=embedder)) as kb:
        await kb.add([*CHAIN, *FILLER])
        embedder.left = calls
        walk = kb.walk(RIVER, budget=Budget(seconds=1.5))
        async with asyncio.timeout(40):
            events = [event async for event in walk]
        stopped = next(event for event in events if isinstance(event, Stopped))
        assert stopped.reason in {"seconds", "enough", "no-lead", "no-new-fact", "no-new-chunk"}
        assert calls or stopped.reason == "seconds"
        assert isinstance(events[-1], Answered | Warned)
        assert walk.state.spent.seconds < 30
        assert len(events) < 200


async def test_an_embedder_that_lets_out_its_own_time_out_fails_the_walk_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def late(self: FakeEmbedder, texts: Sequence[str]) -> Vectors:
        raise TimeoutError

    async with AsyncRove(read_settings(tmp_path, embedder={"name": "fake"}), Instances(embedder=FakeEmbedder())) as kb:
        await kb.add([*CHAIN, *FILLER])
        monkeypatch.setattr(FakeEmbedder, "queries", late)
        walk = kb.walk(RIVER, budget=Budget(seconds=0))
        async with asyncio.timeout(40):
            events = [event async for event in walk]
        assert next(event.reason for event in events if isinstance(event, Stopped)) == "failed"


async def test_a_question_ends_though_the_search_hangs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rove.models.deadline.RULES_S", 0.5)
    embedder = Hanging()
    settings = read_settings(tmp_path, embedder={"name": "fake"}, answer={"seconds": 0.5})
    async with AsyncRove(settings, Instances(embedder=embedder)) as kb:
        await kb.add([*CHAIN, *FILLER])
        for calls in (0, 1):
            embedder.left = calls
            async with asyncio.timeout(30):
                with pytest.raises(ServiceError, match="more than 1 s") as refused:
                    await kb.ask(RIVER)
            assert "answer.seconds" in refused.value.cure


def test_a_clock_that_nobody_has_read_has_nothing_pending() -> None:
    assert WalkClock().pending == 0.0
