"""Without a model a walk's answer is never worse than `ask`: it has what that quotes, and then what leads brought."""

from __future__ import annotations

from pathlib import Path

import pytest

from openai_server import chat
from rove.records import Answer, Text
from rove.records.walk_events import FactFound, Judged, Stopped
from rove.walk.earlier_walks import WalkMemory
from rove.walk.state import State
from walking import HOPS, TOWN, check_citations, told, town

NO_MODEL = {"model": "", "base_url": ""}
APPROVED = {
    "en": (
        "Who approves mobile working, and since when?",
        "Since March the head of the department approves mobile working; before it was the office.",
        "Acorn Tablet: approves of mobile working, and since when Acorn Phone is sold too.",
    ),
    "de": (
        "Wer genehmigt mobiles Arbeiten, und seit wann?",
        "Seit März genehmigt die Abteilungsleitung mobiles Arbeiten; vorher tat es das Büro.",
        "Eichel Tablet: genehmigt mobiles Arbeiten, und seit wann es Eichel Telefon gibt.",
    ),
    "hu": (
        "Ki engedélyezi a távmunkát, és mióta?",
        "A távmunkát március óta az osztályvezető engedélyezi; azelőtt az iroda tette.",
        "Makk Tábla: engedélyezi a távmunkát, és mióta van Makk Telefon.",
    ),
    "zh": (
        "远程办公由谁批准，从什么时候开始？",
        "从三月开始，远程办公由部门经理批准；以前由办公室批准。",
        "橡果平板：远程办公由谁批准不重要，从什么时候开始卖橡果手机才重要。",
    ),
    "ja": (
        "在宅勤務は誰が承認し、いつからですか",
        "在宅勤務は三月から部長が承認する。以前は事務室であった。",
        "どんぐり板では在宅勤務を承認する人が、いつからドングリフォンを売るかを決める。",
    ),
}


def quotes(answer: Answer) -> list[str]:
    return [citation.quote for citation in answer.citations]


@pytest.mark.parametrize("language", APPROVED)
@pytest.mark.parametrize("memory", [False, True])
async def test_a_walk_quotes_what_ask_quotes_before_all_else(language: str, memory: bool, tmp_path: Path) -> None:
    """However often it was asked before, and whatever later rounds or earlier walks have found."""
    question, answer, other = APPROVED[language]
    texts = [Text(answer, id="rule"), Text(other, id="shop"), Text(f"{other} 2.", id="again")]
    settings = {"first_chunks": 2, "lead_chunks": 2, "memory": memory}
    async with town(tmp_path, chat("not asked"), texts=texts, chat=NO_MODEL, walk=settings) as (kb, _):
        asked = quotes(await kb.ask(question))
        assert asked
        for _ in range(2):
            walked, _ = await told(kb.walk(question))
            assert quotes(walked)[: len(asked)] == asked
            await check_citations(kb, walked)


async def test_what_a_walk_quotes_is_among_its_facts(tmp_path: Path) -> None:
    async with town(tmp_path, chat("not asked"), chat=NO_MODEL) as (kb, _):
        walk = kb.walk("Where was the founder of Acme born?")
        answer, events = await told(walk)
        found = {e.fact.citation.quote for e in events if isinstance(e, FactFound) and e.fact.citation}
        replayed = [event async for event in kb.replay(walk.walk_id)]
    assert set(quotes(answer)) <= found
    assert [step.text for step in answer.path if step.used]
    assert replayed == events


async def test_after_the_quotes_come_only_facts_that_tell_more_of_the_question(tmp_path: Path) -> None:
    """Rounds that a lead to no purpose brings ("Ada Byron learned her trade") leave no trace in the answer."""
    async with town(tmp_path, chat("not asked"), chat=NO_MODEL) as (kb, _):
        answer, _ = await told(kb.walk("Where was the founder of Acme born?"))
    assert quotes(answer) == [f"{HOPS[0]}, a cobbler.", f"{HOPS[1]}."]


async def test_all_the_words_of_the_question_are_not_enough_where_nothing_is_near(tmp_path: Path) -> None:
    """Without a judge, words decide: with one, a text that answers nothing is never enough."""
    question = "Who founded Acme, the maker of shoes?"
    texts = [Text("Who founded shoes? Of Acme the maker founded a maker of shoes, Acme.", id="words")]
    for distance, enough in ((0.0001, False), (2.0, True)):
        async with town(
            tmp_path / str(enough),
            chat("not asked"),
            texts=texts,
            chat=NO_MODEL,
            answer={"max_distance": distance},
            judge={"name": ""},
        ) as (kb, _):
            answer, events = await told(kb.walk(question))
        judged = [event for event in events if isinstance(event, Judged)]
        assert any(event.enough for event in judged) == enough
        assert ("near enough" in judged[0].reason) != enough
        assert answer.refused != enough


async def test_a_walk_that_failed_is_not_enough_the_next_time(tmp_path: Path) -> None:
    question = "Which mayor of Netherby paid for the fair, the church and the harbour?"
    async with town(tmp_path, chat("not asked"), chat=NO_MODEL) as (kb, _):
        _, events = await told(kb.walk(question))
        assert next(e for e in events if isinstance(e, Stopped)).reason != "enough"
        assert await kb.memory().facts()
        _, again = await told(kb.walk(question))
        recalled = await WalkMemory(kb.memory()).recall(State(question=question), 4)
    assert not any(e.enough for e in again if isinstance(e, Judged))
    assert not recalled.settled


async def test_an_answer_says_what_of_it_earlier_walks_have_found(tmp_path: Path) -> None:
    async with town(tmp_path, chat("not asked"), chat=NO_MODEL) as (kb, _):
        first, _ = await told(kb.walk("Who is the founder of Acme?"))
        second, events = await told(kb.walk("Who is the founder of Acme?"))
    assert [e.by for e in events if isinstance(e, Judged)] == ["memory"]
    assert "earlier walks" not in first.note
    assert "1 of the facts that this answer rests on" in second.note
    assert quotes(second) == quotes(first)


async def test_what_is_remembered_passes_no_threshold_that_the_text_itself_does_not(tmp_path: Path) -> None:
    question = "Who is the founder of Acme?"
    texts = [Text(text, id=name, title=name.title()) for name, text in TOWN.items()]
    async with town(tmp_path, chat("not asked"), texts=texts, chat=NO_MODEL) as (kb, _):
        await told(kb.walk(question))
    async with town(tmp_path, chat("x"), texts=texts, chat=NO_MODEL, answer={"max_distance": 0.0001}) as (kb, _):
        asked = await kb.ask(question)
        walked, events = await told(kb.walk(question))
    assert any(e.fact.origin == "memory" for e in events if isinstance(e, FactFound))
    assert asked.refused
    assert walked.refused
