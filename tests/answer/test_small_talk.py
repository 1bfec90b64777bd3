"""Small talk is answered as such: from the persona where one is set, and never from a document."""

from __future__ import annotations

from pathlib import Path

import pytest

from rove import AsyncRove, Text
from rove.answer.refusal import refusal
from rove.answer.small_talk import PERSONA, small_talk

GREETINGS = {
    "en": ("Hello there", "Hi!", "Good morning, how are you?"),
    "de": ("Hallo zusammen!", "Grüß Gott", "Guten Tag, wie geht es Ihnen?"),
    "hu": ("Szia!", "Jó napot kívánok!", "Helló, hogy vagy?"),
    "zh": ("你好", "您好！", "大家好，在吗？"),
    "ja": ("こんにちは", "おはようございます。", "こんばんは、お元気ですか"),
}
THANKS = {
    "en": "Thank you very much!",
    "de": "Vielen Dank!",
    "hu": "Köszönöm szépen.",
    "zh": "谢谢你",
    "ja": "どうもありがとう",
}
FAREWELLS = {"en": "Goodbye!", "de": "Auf Wiedersehen", "hu": "Viszlát!", "zh": "再见", "ja": "さようなら"}
ITSELF = {
    "en": "Introduce yourself.",
    "de": "Wer bist du?",
    "hu": "Mutatkozz be!",
    "zh": "你是谁？",
    "ja": "お名前は何ですか",
}
LINES = (
    "Hello there, said the fox.",
    "Hallo, sagte der Fuchs.",
    "Szia, mondta a róka.",
    "你好，狐狸说。",
    "こんにちは、と狐は言った。",
)
QUESTIONS = (
    "Hello there Kenobi", "What does hello mean?", "Hi-fi", "Danke für die Blumen und wann kommt die Rechnung?",
    "Hallo Berlin", "Szia szó eredete?", "你好用英语怎么说？", "こんにちはの語源は？", "", "???", "hi" * 41,
)  # fmt: skip


@pytest.mark.parametrize("language", GREETINGS)
async def test_small_talk_quotes_no_document(tmp_path: Path, language: str) -> None:
    persona = "You are Ada, of the library."
    async with AsyncRove.open(tmp_path, embedder={"name": "fake"}) as base:
        await base.add(*(Text(line) for line in LINES))
        usual = [await base.ask(message) for message in (*GREETINGS[language], ITSELF[language])]
        base.settings = base.settings.model_copy(
            update={"answer": base.settings.answer.model_copy(update={"persona": persona})}
        )
        own = [await base.ask(message) for message in (*GREETINGS[language], ITSELF[language])]
        for answer in (*usual, *own):
            assert (answer.mode, answer.language, answer.hits, answer.citations) == (PERSONA, language, (), ())
        assert all(persona in answer.text for answer in own)
        assert not any("{" in answer.text or persona in answer.text for answer in usual)
        assert usual[0].text != usual[-1].text, "who greets is greeted"
        told = {(await base.ask(message)).text for message in (THANKS[language], FAREWELLS[language])}
        assert len(told) == 2 and not any(persona in text for text in told)


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_is_no_small_talk(question: str) -> None:
    assert small_talk(question) is None


async def test_the_nearest_passages_stand_beneath_a_refusal(tmp_path: Path) -> None:
    async with AsyncRove.open(tmp_path, embedder={"name": "fake"}, answer={"max_distance": 0.0001}) as base:
        await base.add(*(Text(line) for line in LINES))
        told = await base.ask("What did the fox say?")
        assert (told.refused, told.text) == (True, refusal("en"))
        found = await base.search("What did the fox say?", top_k=3)
        assert [hit.chunk.text for hit in told.nearest] == [hit.chunk.text for hit in found]
        far = base.settings.answer.model_copy(update={"max_distance": 2.0})
        base.settings = base.settings.model_copy(update={"answer": far})
        answered = await base.ask("What did the fox say?")
        assert answered.citations and answered.nearest == ()
