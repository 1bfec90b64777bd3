"""Models that fail in every way: the walk ends in time, says what was wrong, and keeps what was found."""

from __future__ import annotations

import asyncio
import gc
import json
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from tests.cpu_time import uncollected

import rove.models.endpoint as waits
from openai_server import Reply, chat, endless, failure, in_bytes, no_choices, odd_replies, raw_stream, serve
from rove.records import Text
from rove.records.walk_events import Answered, Budget, FactFound, Stopped, Warned
from walking import HOPS, QUESTION, Reader, check_citations, founder_reader, kind_of, prompt_of, told, town

pytestmark = pytest.mark.long

HTML = b'<html><body><h1>Bad gateway</h1> {"facts": [{"fact": "Acme is closed."}]}</body></html>'
BEGUN = chat('{"facts": [{"fact": "The founder', " of Acme", " is", done=False)
FAULTS: Mapping[str, Reply] = {
    "hung": Reply(delay_s=60),
    "stalled": replace(BEGUN, stall_after=2),
    "half-closed": replace(BEGUN, half=True),
    "no end mark": replace(BEGUN, cut=True),
    "429": failure(429),
    "429 and a long wait": failure(429, Retry_After="30"),
    "500": failure(500),
    "html": Reply(chunks=[HTML], headers={"Content-Type": "text/html"}),
    "html error": Reply(502, [HTML], headers={"Content-Type": "text/html"}),
    "bad json": raw_stream(b"data: {not json\n\n"),
    "no json": chat("I am sorry, Dave."),
    "truncated json": chat('{"facts": [{"fact": "The foun'),
    "cut json": chat('{"facts": [{"fact": "The foun', finish="length"),
    "wrong schema": chat('{"facts": "none", "enough": "perhaps"}'),
    "other schema": chat('[{"answer": 42}]'),
    "empty": chat(""),
    "no choices": no_choices(),
    "endless": endless("la la la la la "),
    "endless json": endless('{"facts": [], "x": "'),
    "not utf-8": raw_stream(b'data: {"choices": [{"index": 0, "delta": {"content": "\xff\xfe\xe4"}}]}\n\n'),
    "null": raw_stream(b"data: null\n\n", b"data: []\n\n"),
}
ODD = odd_replies()
OF_SHAPE = {"truncated json"}
"""This says, in the right shape, a fact that no source holds: the model did not fail."""
LATER = ("hung", "stalled", "429", "500", "truncated json", "cut json", "wrong schema", "null")
CASES = [*((fault, 0) for fault in FAULTS), *((fault, 2) for fault in LATER)]
QUICK = {"timeout_s": 0.5, "max_tokens": 200}
CALM = {"timeout_s": 10, "max_tokens": 200}
GUARD_S = 25
BUDGET = Budget(rounds=4, seconds=6)


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waits, "FIRST_WAIT_S", 0.01)


@pytest.fixture(autouse=True)
async def nothing_left_open() -> AsyncIterator[None]:
    """Warnings of unclosed things are errors; they come when garbage is collected, and here while the loop runs.

    Some streams of the client that broke off refer to themselves: collected later, they may fail another test, and
    collected by another thread while the loop closes them, this one.
    """
    with uncollected():
        yield
        gc.collect()
    await asyncio.sleep(0.02)


def after(count: int, model: Callable[[dict], Reply], fault: Reply) -> Callable[[dict], Reply]:
    """A model that does its work for so many requests, then fails for ever."""
    left = iter(range(count))
    return lambda request: model(request) if next(left, None) is not None else fault


@pytest.mark.parametrize(("fault", "healthy"), CASES)
async def test_a_walk_ends_with_what_was_found(fault: str, healthy: int, tmp_path: Path) -> None:
    async with town(tmp_path, after(healthy, founder_reader(), FAULTS[fault]), chat=QUICK) as (kb, _):
        async with asyncio.timeout(GUARD_S):
            answer, events = await told(kb.walk(QUESTION, budget=BUDGET))
        await check_citations(kb, answer)
        stopped = next(e for e in events if isinstance(e, Stopped))
        assert stopped.text
        found = [e.fact for e in events if isinstance(e, FactFound)]
        assert all("closed" not in fact.text for fact in found)
        if healthy or fault not in OF_SHAPE:
            assert HOPS[0] in answer.text
            assert any(HOPS[0] in fact.text for fact in found)
            assert [e for e in events if isinstance(e, Warned)] or fault in OF_SHAPE
        else:  # what rules find without the model is there still
            assert answer.refused or answer.mode == "extractive"
            assert answer.note
        assert not healthy or found[0].origin == "model"
        events_kept = [event async for event in kb.replay("last")]
        assert len([e for e in events_kept if isinstance(e, FactFound)]) == len(found)


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_failure_in_the_answer_costs_no_fact(fault: str, tmp_path: Path) -> None:
    reader = founder_reader()

    def model(request: dict) -> Reply:
        return reader(request) if kind_of(request) else FAULTS[fault]

    async with town(tmp_path, model, chat=QUICK) as (kb, _):
        async with asyncio.timeout(GUARD_S):
            answer, _ = await told(kb.walk(QUESTION, budget=BUDGET))
        await check_citations(kb, answer)
    assert answer.mode == "extractive"
    assert all(hop in answer.text for hop in HOPS)
    assert "quotes" in answer.note


async def test_a_reply_cut_in_half_gives_its_whole_facts_and_the_model_is_asked_again(tmp_path: Path) -> None:
    """The fact that was being written is none; the step is done by rules, the next one by the model."""
    reader, cut = founder_reader(), iter(range(1))
    half = {"fact": "Acme makes shoes for nobody", "reference": 1}

    def model(request: dict) -> Reply:
        if kind_of(request) != "Notes" or next(cut, None) is None:
            return reader(request)
        facts = [*reader.notes(prompt_of(request)), half]
        return chat(json.dumps({"facts": facts})[:-14], finish="length")

    async with town(tmp_path, model, chat=CALM) as (kb, server):
        answer, events = await told(kb.walk(QUESTION, budget=Budget(seconds=60)))
        await check_citations(kb, answer)
    facts = [event.fact for event in events if isinstance(event, FactFound)]
    assert (facts[0].origin, HOPS[0] in facts[0].text) == ("model", True)
    assert not [fact for fact in facts if "nobody" in fact.text]
    (warned,) = [event.text for event in events if isinstance(event, Warned)]
    assert "chat.max_tokens" in warned
    assert [kind_of(request) for request in server.requests].count("Notes") > 1
    assert answer.mode == "scripted"


async def test_a_walks_answer_that_is_cut_off_says_so_when_it_is_replayed_too(tmp_path: Path) -> None:
    reader = founder_reader()

    def model(request: dict) -> Reply:
        return reader(request) if kind_of(request) else chat(f"{HOPS[0]}, a cobbler. [1] {HOPS[1]}", finish="length")

    async with town(tmp_path, model, chat=CALM) as (kb, _):
        answer, _ = await told(kb.walk(QUESTION, budget=Budget(seconds=60)))
        kept = [event.answer async for event in kb.replay("last") if isinstance(event, Answered)]
    assert (answer.mode, answer.cut, answer.text) == ("scripted", True, f"{HOPS[0]}, a cobbler. [1]")
    assert "chat.max_tokens" in answer.note
    assert kept == [answer]


@pytest.mark.parametrize("fault", ["deep content", "deep event", "one giant piece of text", "round and round"])
async def test_an_odd_reply_costs_no_fact(fault: str, tmp_path: Path) -> None:
    async with town(tmp_path, after(2, founder_reader(), ODD[fault]), chat=QUICK) as (kb, _):
        async with asyncio.timeout(GUARD_S):
            answer, events = await told(kb.walk(QUESTION, budget=BUDGET))
            asked = await kb.ask("Who is the founder of Acme?")
        await check_citations(kb, answer)
    assert HOPS[0] in answer.text
    assert HOPS[0] in asked.text
    assert (asked.mode, asked.note != "") == ("extractive", True)
    assert [e for e in events if isinstance(e, Warned)]


async def test_nobody_listens_at_the_address(tmp_path: Path) -> None:
    async with serve(chat("x")) as gone:
        address = gone.url
    async with town(tmp_path, chat("x"), chat={**QUICK, "base_url": address}) as (kb, server):
        async with asyncio.timeout(GUARD_S):
            answer, events = await told(kb.walk(QUESTION, budget=BUDGET))
        await check_citations(kb, answer)
    assert server.requests == []
    assert HOPS[0] in answer.text
    assert "chat.base_url" in next(e for e in events if isinstance(e, Warned)).text


async def test_a_slow_first_byte_is_waited_for(tmp_path: Path) -> None:
    reader = founder_reader()

    def slow(request: dict) -> Reply:
        reply = reader(request)
        return Reply(chunks=[b"".join(reply.chunks)], headers=reply.headers, delay_s=0.2)

    async with town(tmp_path, slow, chat=QUICK) as (kb, _):
        answer, events = await told(kb.walk(QUESTION, budget=Budget(seconds=60)))
    assert answer.mode == "scripted"
    assert HOPS[2] in answer.text
    assert not [e for e in events if isinstance(e, Warned)]


async def test_a_passing_failure_is_tried_again(tmp_path: Path) -> None:
    script = [failure(429, Retry_After="0"), failure(429), failure(503)]
    reader = founder_reader()

    def model(request: dict) -> Reply:
        return script.pop() if script else reader(request)

    async with town(tmp_path, model, chat={**QUICK, "retries": 3}) as (kb, server):
        answer, events = await told(kb.walk(QUESTION, budget=Budget(seconds=60)))
    assert answer.mode == "scripted"
    assert not [e for e in events if isinstance(e, Warned)]
    assert len(server.requests) == 3 + 7


@pytest.mark.parametrize("size", [2, 7])
async def test_characters_cut_between_packets_are_whole(size: int, tmp_path: Path) -> None:
    sentence = "阿克米公司的创始人是王小明。"
    fact = {"fact": sentence, "relevance": 0.9, "reference": 1, "next_source": "𠮷野家🍜", "expected_info": ""}

    def model(request: dict) -> Reply:
        text = {"Notes": json.dumps({"facts": [fact]}, ensure_ascii=False), "Verdict": '{"enough": true}'}
        return in_bytes(chat(*text.get(kind_of(request), f"{sentence}[1]")), size)

    async with town(tmp_path, model, texts=[Text(sentence + "公司制鞋。", id="zh")]) as (kb, _):
        answer, events = await told(kb.walk("阿克米公司的创始人是谁？", budget=Budget(seconds=60)))
        await check_citations(kb, answer)
    found = {e.fact.fact_id: e.fact for e in events if isinstance(e, FactFound)}
    assert [(one.text, one.next_source) for one in found.values()] == [(sentence, "𠮷野家🍜")]
    assert answer.text == f"{sentence} [1]"
    assert answer.mode == "scripted"


async def test_facts_that_were_written_before_a_stall_are_kept(tmp_path: Path) -> None:
    """The first of two facts is whole when the model falls silent in the second."""
    reader = Reader({HOPS[0]: "", "Acme employs": ""}, "never")

    def model(request: dict) -> Reply:
        if kind_of(request) != "Notes":
            return Reply(delay_s=60)
        whole = reader(request)
        return Reply(chunks=whole.chunks, headers=whole.headers, stall_after=10)

    async with town(tmp_path, model, chat=QUICK) as (kb, _):
        async with asyncio.timeout(GUARD_S):
            answer, events = await told(kb.walk(QUESTION, budget=Budget(rounds=1, seconds=6)))
        await check_citations(kb, answer)
    found = [e.fact for e in events if isinstance(e, FactFound)]
    assert [fact.origin for fact in found][:1] == ["model"]
    assert HOPS[0] in answer.text


@pytest.mark.parametrize("fault", ["endless", "stalled", "hung"])
async def test_a_plain_question_ends_too(fault: str, tmp_path: Path) -> None:
    async with town(tmp_path, FAULTS[fault], chat=QUICK) as (kb, _):
        async with asyncio.timeout(GUARD_S):
            answer = await kb.ask("Who is the founder of Acme?")
        await check_citations(kb, answer)
    assert HOPS[0] in answer.text
    assert answer.mode == "extractive"
