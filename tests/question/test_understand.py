"""All steps together: by settings from a file, with a model that works, fails or hangs; what a turn gives."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from openai_server import chat, serve
from rove import AsyncRove, ConfigError, Rove, Text
from rove.records import Expansion, History, Turn
from rove.settings import AnswerSettings, ChatSettings, QuestionSettings
from scripted_chat import ScriptedChat, Understanding

SETTINGS = """
[embedder]
name = "fake"

[question]
reform = "first"
clarify = true
expand = true

[question.thesaurus]
"remote work" = ["WFH"]

[question.topics.work]
description = "remote work, offices"
subtopics = { trips = "travel, fares" }

[question.intents.rules]
examples = ["who approves it", "is it allowed"]
[question.intents.insult]
examples = ["stupid machine", "shut up"]
route = "refuse"

[question.slots.people]
type = "number"
description = "how many"
"""
EVERYTHING = {
    "reform": "first",
    "clarify": True,
    "expand": True,
    "topics": {"work": {"description": "remote work"}},
    "intents": {"a": {"examples": ["who approves it"]}, "b": {"examples": ["shut up"]}},
    "slots": {"people": {"type": "number"}},
}


def test_settings_of_a_file_make_all_steps_run(tmp_path: Path) -> None:
    (tmp_path / "rove.toml").write_text(SETTINGS, "utf-8")
    with Rove.open(tmp_path / "rove.toml") as kb:
        kb.add(Text("Remote work is approved by the head of the unit for 12 people.", id="remote"))
        found = kb.understand("Who aproved WFH for 12 people?")
        assert found.standalone == "Who approved remote work for 12 people?"
        assert [topic.name for topic in found.topics] == ["work"]
        assert found.intent
        assert found.intent.name == "rules"
        assert [(slot.name, slot.value) for slot in found.slots] == [("people", "12")]
        assert found.expansion.keywords == ("approved", "remote", "work", "12", "people")
        assert found.expansion.synonyms == ("WFH",)
        names = [step.name for step in found.steps]
        assert names == ["thesaurus", "reform", "intent", "topics", "slots", "expand", "clarify"]
        assert json.loads(json.dumps(asdict(found)))["question"] == "Who aproved WFH for 12 people?"


@pytest.mark.parametrize("line", ["reforn = 'first'", "reform = 'third'", "[question.slots.x]\ntype = 'colour'"])
def test_wrong_settings_are_named(tmp_path: Path, line: str) -> None:
    (tmp_path / "rove.toml").write_text(f"[question]\n{line}\n", "utf-8")
    with pytest.raises(ConfigError, match="question"):
        Rove.open(tmp_path / "rove.toml")


async def test_each_step_outlives_a_model_that_fails(understanding: Understanding) -> None:
    broken = await understanding(ScriptedChat(), **EVERYTHING).understand("Who aproved remote work for 12 people?")
    plain = await understanding(None, **EVERYTHING).understand("Who aproved remote work for 12 people?")
    for name in ("standalone", "topics", "intent", "slots", "expansion", "clarification"):
        assert getattr(broken, name) == getattr(plain, name), name
    assert len(broken.steps) == 6
    assert all("No script" in step.note for step in broken.steps)
    assert not any(step.note for step in plain.steps)


async def test_a_model_can_be_left_out(understanding: Understanding) -> None:
    model = ScriptedChat()
    await understanding(model, **EVERYTHING, model=False).understand("Who approves remote work?")
    assert model.prompts == []


async def test_a_model_that_hangs_ends_within_its_time_and_the_question_is_answered(kb: AsyncRove) -> None:
    async with serve(chat("never", delay_s=30)) as server:
        model = ChatSettings(model="m", base_url=server.url, timeout_s=0.2, retries=0)
        settings = {
            "chat": model,
            "question": QuestionSettings(reform="first"),
            "answer": AnswerSettings(pipeline="gather", fallback=("hyde", "refuse")),
        }
        kb.settings = kb.settings.model_copy(update=settings)
        response = await kb.respond("Who approves remote work?")
    assert "head of the unit" in response.answer.text
    assert response.answer.mode == "extractive"
    assert "wrote nothing for 1 s" in response.answer.note
    assert "wrote nothing for 1 s" in response.understood.steps[0].note


async def test_the_model_expands_by_words_that_the_question_lacks(understanding: Understanding) -> None:
    wrote = {"keywords": ["WFH", "invented"], "synonyms": ["remote work", "wfh", ""]}
    model = ScriptedChat(Words=wrote)
    found = await understanding(model, expand=True).understand("Who okays WFH?")
    assert found.expansion == Expansion(("WFH",), ("remote work",))


@pytest.mark.parametrize(
    ("question", "keywords"),
    [
        ("Who approves the RTO policy?", ("approves", "RTO", "policy")),
        ("Wer genehmigt die Telearbeit?", ("genehmigt", "Telearbeit")),
        ("食堂几点开门", ("食堂几点开门",)),
        ("図書館は何時に開きますか", ("図書館", "何時", "開")),
    ],
)
async def test_keywords_without_a_model(understanding: Understanding, question: str, keywords: tuple[str, ...]) -> None:
    assert (await understanding(expand=True).understand(question)).expansion.keywords == keywords


async def test_a_single_search_takes_the_conversation_into_account(kb: AsyncRove) -> None:
    history = History((Turn("When does the library open?", "At nine."),))
    response = await kb.respond("And the books?", history=history)
    assert response.understood.standalone.startswith("And the books? (")
    assert response.answer.hits[0].chunk.document_id == "library"
    assert len(response.history.turns) == 2
    assert (await kb.understand("And the books?")).standalone == "And the books?"


async def test_a_conversation_is_bounded(kb: AsyncRove) -> None:
    kb.settings = kb.settings.model_copy(update={"question": QuestionSettings(max_turns=2)})
    history = History()
    for question in ("Parking?", "Canteen?", "Library?"):
        history = (await kb.respond(question, history=history)).history
    assert [turn.question for turn in history.turns] == ["Canteen?", "Library?"]


async def test_the_retriever_of_answers_is_a_setting(kb: AsyncRove) -> None:
    kb.settings = kb.settings.model_copy(update={"answer": AnswerSettings(mode="sparse")})
    answer = await kb.ask("Who approves remote work?")
    assert "head of the unit" in answer.text
    assert all("semantic" not in hit.sources for hit in answer.hits)
