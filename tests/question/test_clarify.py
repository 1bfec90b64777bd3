"""Questions back: too short, a slot missing, several documents that answer it; and none where all is clear."""

from __future__ import annotations

import pytest

from rove import AsyncRove
from rove.question.word_tables import table
from rove.settings import QuestionSettings
from scripted_chat import ScriptedChat, Understanding


@pytest.mark.parametrize("question", ["What about it?", "Und wie?", "这个呢？"])
async def test_only_function_words_are_too_short(understanding: Understanding, question: str) -> None:
    found = (await understanding(clarify=True).understand(question)).clarification
    assert found
    assert found.reason == "short"
    assert len(found.options) == 5
    assert found.question in table("phrases")["short"].values()


async def test_topics_are_what_can_be_asked_about(understanding: Understanding) -> None:
    topics = {"work": {"description": "offices"}, "leave": {"description": "days off"}}
    found = (await understanding(clarify=True, topics=topics).understand("What?")).clarification
    assert found
    assert found.options == ("work", "leave")


@pytest.mark.parametrize(
    ("question", "options"),
    [("When does it open?", {"Parking", "Canteen", "Library"}), ("opens at", {"Parking", "Canteen", "Library"})],
)
async def test_several_documents_that_answer_it_are_offered(
    understanding: Understanding, question: str, options: set[str]
) -> None:
    found = (await understanding(clarify=True).understand(question)).clarification
    assert found
    assert (found.reason, set(found.options)) == ("ambiguous", options)


@pytest.mark.parametrize(
    "question",
    ["When does the library open?", "Who approves remote work?", "谁批准远程办公？", "休暇は誰が承認しますか"],
)
async def test_a_clear_question_is_not_asked_back(understanding: Understanding, question: str) -> None:
    assert (await understanding(clarify=True).understand(question)).clarification is None


async def test_a_missing_slot_is_asked_for_by_its_description(understanding: Understanding) -> None:
    slots = {"people": {"type": "number", "required": True, "description": "Zahl der Gäste"}}
    found = (await understanding(clarify=True, slots=slots).understand("Wann öffnet die Kantine?")).clarification
    assert found
    assert (found.reason, found.question) == ("missing", "Bitte geben Sie noch an: Zahl der Gäste.")


async def test_the_model_may_ask_back_or_not(understanding: Understanding) -> None:
    vague = {"vague": True, "question": "Which building?", "options": ["Canteen", " "]}
    clear = {"vague": False, "question": "", "options": []}
    chat = ScriptedChat(AskedBack=[vague, clear])
    found = (await understanding(chat, clarify=True).understand("When does it open?")).clarification
    assert found
    assert (found.question, found.options) == ("Which building?", ("Canteen",))
    assert (await understanding(chat, clarify=True).understand("When does it open?")).clarification is None
    assert "The library opens at nine." in chat.asked("AskedBack")[0]


async def test_a_failing_model_leaves_it_to_the_rules(understanding: Understanding) -> None:
    found = await understanding(ScriptedChat(), clarify=True).understand("When does it open?")
    assert found.clarification
    assert "No script" in found.steps[-1].note


async def test_the_answer_is_the_question_back(kb: AsyncRove) -> None:
    kb.settings = kb.settings.model_copy(update={"question": QuestionSettings(clarify=True)})
    first = await kb.respond("When does it open?")
    assert first.answer.mode == "clarifying"
    assert "- Library" in first.answer.text
    assert not first.answer.hits
    second = await kb.respond("The library", history=first.history)
    assert second.understood.standalone == "When does it open? The library"
    assert "nine" in second.answer.text


async def test_slots_are_filled_over_several_turns(kb: AsyncRove) -> None:
    slots = {
        "people": {"type": "number", "required": True, "description": "how many"},
        "room": {"type": "enum", "values": {"red": (), "blue": ()}, "required": True, "description": "which room"},
    }
    settings = QuestionSettings.model_validate({"clarify": True, "slots": slots})
    kb.settings = kb.settings.model_copy(update={"question": settings})
    first = await kb.respond("Who approves remote work?")
    assert first.answer.text == "Please also say: how many, which room."
    second = await kb.respond("12", history=first.history)
    assert second.answer.text == "Please also say: which room."
    third = await kb.respond("the red one", history=second.history)
    assert {slot.name: slot.value for slot in third.understood.slots} == {"people": "12", "room": "red"}
    assert "head of the unit" in third.answer.text
