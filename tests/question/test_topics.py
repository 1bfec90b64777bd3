"""Topics: by a model or by rules, several at once, parents added, and what they filter."""

from __future__ import annotations

from pathlib import Path

import pytest

from rove import AsyncRove, Text
from rove.question.topics import topic_filter, with_parents
from rove.records import Topic
from rove.settings import QuestionSettings, TopicSettings
from scripted_chat import ScriptedChat, Understanding

TREE = {
    "work": {"description": "remote work, working from home, office days", "subtopics": {"travel": "trips, fares"}},
    "leave": {
        "description": "days off, Urlaub, szabadság, 休暇",
        "subtopics": {"sick": "illness, doctor's note", "holiday": "holidays, vacation, paid days off"},
    },
    "house": {"description": "the building: parking deck, canteen lunch, library books"},
}


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("Who approves remote work?", [Topic("work")]),
        ("How many paid days off do I get on holidays?", [Topic("leave", ("holiday",))]),
        ("Does the canteen serve lunch, and is the parking deck open?", [Topic("house")]),
        ("Wer genehmigt den Urlaub?", [Topic("leave")]),
        ("休暇は誰が承認しますか", [Topic("leave")]),
    ],
)
async def test_rules_find_topics_by_what_is_said(
    understanding: Understanding, question: str, wanted: list[Topic]
) -> None:
    found = await understanding(topics=TREE).understand(question)
    assert list(found.topics) == wanted
    assert found.steps[-1].by == "text"


async def test_an_off_topic_question_has_none(understanding: Understanding) -> None:
    assert (await understanding(topics=TREE).understand("Who won the football match?")).topics == ()


async def test_the_model_chooses_from_the_tree_and_parents_are_added(understanding: Understanding) -> None:
    chat = ScriptedChat(Chosen={"topics": ["leave/sick", "HOUSE", "travel", "invented", "work/invented"]})
    found = await understanding(chat, topics=TREE).understand("?!")
    assert found.topics == (Topic("work", ("travel",)), Topic("leave", ("sick",)), Topic("house"))
    assert "invented, work/invented" in found.steps[-1].note
    (prompt,) = chat.asked("Chosen")
    assert "leave/sick: illness" in prompt


async def test_a_failing_model_leaves_it_to_the_rules(understanding: Understanding) -> None:
    found = await understanding(ScriptedChat(Chosen="no json"), topics=TREE).understand("Who approves remote work?")
    assert found.topics == (Topic("work"),)
    assert found.steps[-1].note


def test_a_subtopic_of_two_parents_is_told_apart() -> None:
    tree = {name: TopicSettings(subtopics={"rules": ""}) for name in ("a", "b")}
    assert with_parents([("b", "rules")], tree) == (Topic("b", ("rules",)),)
    condition = topic_filter([Topic("b", ("rules",))], QuestionSettings(subtopic_field="sub"))
    assert condition
    assert condition.matches({"topic": "b", "sub": "rules"})
    assert not condition.matches({"topic": "a", "sub": "rules"})
    assert not condition.matches({"topic": "b", "sub": "other"})


def test_one_field_can_hold_topics_and_subtopics() -> None:
    condition = topic_filter([Topic("hr", ("leave", "pay")), Topic("it")], QuestionSettings())
    assert condition
    passing = {value: condition.matches({"topic": value}) for value in ("leave", ("hr", "pay"), "it", "hr", "other")}
    assert passing == {"leave": True, ("hr", "pay"): True, "it": True, "hr": True, "other": False}
    assert topic_filter([], QuestionSettings()) is None


@pytest.mark.parametrize("subtopic_field", ["", "sub"])
def test_a_parents_own_chunks_are_found_under_its_subtopic_and_its_other_subtopics_are_not(subtopic_field: str) -> None:
    tree = {"hr": TopicSettings(subtopics={"leave": "", "pay": ""})}
    condition = topic_filter([Topic("hr", ("leave",))], QuestionSettings(topics=tree, subtopic_field=subtopic_field))
    assert condition

    def filed(*subtopics: str) -> dict[str, tuple[str, ...]]:
        if not subtopic_field:
            return {"topic": ("hr", *subtopics)}
        return {"topic": ("hr",), **({"sub": subtopics} if subtopics else {})}

    passing = [condition.matches(filed(*names)) for names in ((), ("leave",), ("pay",), ("leave", "pay"))]
    assert passing == [True, True, False, True]
    assert not condition.matches({"topic": "it"})


@pytest.mark.parametrize("resident", [1_000, 0])
async def test_the_gathering_within_a_subtopic_finds_what_is_filed_under_its_parent(
    tmp_path: Path, resident: int
) -> None:
    filed = {"own": ("leave",), "below": ("leave", "holiday"), "beside": ("leave", "sick"), "far": ("house",)}
    async with AsyncRove.open(
        tmp_path,
        embedder={"name": "fake"},
        store={"index": "lancedb", "resident_chunks": resident},
        question={"topics": TREE},
    ) as base:
        await base.add(
            [Text(f"Paid days off on holidays, {name}.", id=name, metadata={"topic": t}) for name, t in filed.items()]
        )
        found = await base.gather("How many paid days off do I get on holidays?")
        within = topic_filter(found.understood.topics, base.settings.question)
        hits = await base.search("paid days off on holidays", mode="gather", where=within)
    assert found.understood.topics == (Topic("leave", ("holiday",)),)
    assert found.rounds[0].searches[1].found == 2
    assert {hit.chunk.document_id for hit in hits} == {"own", "below"}


async def test_an_answer_comes_from_the_topic_where_it_holds_one(kb: AsyncRove) -> None:
    settings = kb.settings.model_copy(update={"question": QuestionSettings.model_validate({"topics": TREE})})
    kb.settings = settings
    answer = await kb.ask("Who approves remote work?")
    assert {hit.chunk.metadata["topic"] for hit in answer.hits} == {"work"}
