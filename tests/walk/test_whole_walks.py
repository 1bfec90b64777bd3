"""Whole walks against a scripted model: three hops, a wrong turn, nothing there, sources that contradict each other."""

from __future__ import annotations

import json
from pathlib import Path

from openai_server import Reply, chat
from rove.answer.refusal import refusal
from rove.records import Text
from rove.records.walk_events import Budget, FactFound, FactRejected, Stopped
from walking import HOPS, QUESTION, Reader, check_citations, facts_of, founder_reader, kind_of, told, town


async def test_three_hops(tmp_path: Path) -> None:
    model = founder_reader()
    async with town(tmp_path, model) as (kb, server):
        walk = kb.walk(QUESTION)
        answer, events = await told(walk)
        await check_citations(kb, answer)
    assert [text.rstrip(".").partition(",")[0] for text in facts_of(events)] == list(HOPS)
    first = {e.fact.fact_id: e.fact.round for e in reversed(events) if isinstance(e, FactFound)}
    assert sorted(first.values()) == [1, 2, 3]
    stopped = next(e for e in events if isinstance(e, Stopped))
    assert (stopped.reason, stopped.spent.rounds) == ("enough", 3)
    assert stopped.spent.calls == 6
    assert model.asked == ["Notes", "Verdict"] * 3 + [""]
    assert "Netherby lies on the river Teme. [3]" in answer.text
    assert {c.document_id for c in answer.citations} == {"acme", "byron", "netherby"}
    assert answer.mode == "scripted"
    assert [(step.round, step.lead, step.used) for step in answer.path] == [
        (1, "", True),
        (2, "Byron", True),  # the document: what the chain goes by
        (3, "Netherby", True),
    ]
    assert answer.path[1].after == answer.path[0].fact_id
    assert all(not request.get("tools") for request in server.requests)


async def test_a_wrong_turn_is_taken_back(tmp_path: Path) -> None:
    """The model first sends the walk to the wrong person; the walk goes on with what else there is."""
    marks = {
        HOPS[0]: "Ida Carter", "Ida Carter was born in Overby": "Overby", HOPS[1]: "Netherby", HOPS[2]: ""
    }  # fmt: skip
    async with town(tmp_path, Reader(marks, HOPS[2])) as (kb, _):
        answer, _ = await told(kb.walk(QUESTION, budget=Budget(rounds=6)))
        await check_citations(kb, answer)
        leads = {end.text: end.outcome for end in await kb.memory().leads()}
    assert "The founder of Acme is Ada Byron" in answer.text
    followed = [step.lead for step in answer.path]
    assert "Ida Carter" in followed
    assert leads["Overby"] == "nothing"


async def test_nothing_is_found(tmp_path: Path) -> None:
    async with town(tmp_path, Reader({"nowhere to be found": ""}, "never")) as (kb, server):
        answer, events = await told(kb.walk("Who won the boat race of 1872?"))
        assert await kb.memory().facts() == []
    assert answer.refused
    assert answer.text == refusal("en")
    assert facts_of(events) == []
    stopped = next(e for e in events if isinstance(e, Stopped))
    assert stopped.reason in {"no-lead", "no-new-chunk"}
    assert not [r for r in server.requests if kind_of(r) == ""]


async def test_sources_contradict_each_other(tmp_path: Path) -> None:
    texts = [
        Text("The mill of Netherby was built in 1790. It grinds oats.", id="guide", metadata={"date": "2001-05-01"}),
        Text("The mill of Netherby was built in 1812. It burned down once.", id="annals", metadata={"date": "1950"}),
    ]
    model = Reader({"was built in": ""}, "was built in")
    async with town(tmp_path, model, texts=texts, walk={"first_chunks": 4}) as (kb, _):
        answer, _ = await told(kb.walk("When was the mill of Netherby built?"))
        await check_citations(kb, answer)
    (conflict,) = answer.conflicts
    assert {(side.said, side.citation.document_id, side.date) for side in conflict.sides} == {
        ("1790", "guide", "2001-05-01"),
        ("1812", "annals", "1950"),
    }
    assert "contradict" in answer.text
    assert "1801" not in answer.text


async def test_a_fact_that_no_source_holds_is_no_fact(tmp_path: Path) -> None:
    lies = [
        {"fact": "The founder of Acme is Bob Stone.", "relevance": 1, "reference": 1},
        {"fact": "Acme was sold for 4 million.", "relevance": 1, "reference": 77},
        {"fact": "Acme makes shoes.", "relevance": 0.6, "reference": 2},
    ]

    def model(request: dict) -> object:
        if kind_of(request) == "Notes":
            return chat(json.dumps({"facts": lies}))
        if kind_of(request) == "Verdict":
            return chat('{"enough": true}')
        return chat("The founder of Acme is Bob Stone. [1] Acme makes shoes. [1]")

    async with town(tmp_path, model) as (kb, _):  # pyright: ignore
        answer, events = await told(kb.walk(QUESTION))
        kept = [one.text for one in await kb.memory().facts()]
    assert facts_of(events) == kept == ["Acme makes shoes."]
    assert len([e for e in events if isinstance(e, FactRejected)]) == 2
    assert answer.text == "The founder of Acme is Bob Stone. [1≠?] Acme makes shoes. [1]"


async def test_a_budget_of_calls_is_kept_and_what_was_found_is_told(tmp_path: Path) -> None:
    async with town(tmp_path, founder_reader()) as (kb, server):
        answer, events = await told(kb.walk(QUESTION, budget=Budget(calls=4)))
        await check_citations(kb, answer)
    assert len(server.requests) <= 4
    assert next(e for e in events if isinstance(e, Stopped)).reason == "calls"
    assert HOPS[0] in answer.text


async def test_without_a_model_the_walk_takes_the_same_way(tmp_path: Path) -> None:
    async with town(tmp_path, chat("not asked"), chat={"model": "", "base_url": ""}) as (kb, server):
        answer, _ = await told(kb.walk("Where was the founder of Acme born?"))
        await check_citations(kb, answer)
    assert server.requests == []
    assert answer.mode == "extractive"
    assert answer.text == f"{HOPS[0]}, a cobbler. [1] → {HOPS[1]}. [2]"
    assert [(step.lead, step.kind) for step in answer.path if step.used] == [("", ""), ("Byron", "section")]


async def test_a_model_that_notes_nothing_and_always_has_enough_costs_no_answer(tmp_path: Path) -> None:
    """Small ones do so; the chain is found beside them, one round further."""

    def model(request: dict) -> Reply:
        told = {"Notes": '{"facts": []}', "Verdict": '{"enough": true}'}
        return chat(told.get(kind_of(request), "The references do not say so."))

    async with town(tmp_path, model) as (kb, _):
        answer, _ = await told(kb.walk("Where was the founder of Acme born?"))
        await check_citations(kb, answer)
    assert answer.mode == "extractive"
    assert all(hop in answer.text for hop in HOPS[:2])
    assert answer.notes[0].code == "not-written"
