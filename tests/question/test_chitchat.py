"""Messages that ask nothing of the documents are answered as such, in their language, and never by quoting."""

from __future__ import annotations

from pathlib import Path

import pytest

from rove import Rove, Text
from rove.answer.chitchat import CHITCHAT, chitchat
from rove.settings.presets import PRESETS

SAID = {
    "greeting": ["Hello there", "hi!", "Good morning everyone", "Guten Tag!", "Grüß Gott", "Szia!", "Jó napot kívánok!",
                 "你好！", "こんにちは。", "Bonjour", "¡Hola!"],
    "wellbeing": ["How are you?", "Hi, how's it going?", "Wie geht es Ihnen?", "Hogy vagy?", "你好吗？",
                  "お元気ですか？"],
    "thanks": ["Thanks a lot!", "thank you", "Vielen Dank", "Danke schön!", "Köszönöm szépen", "非常感谢你",
               "ありがとうございます"],
    "farewell": ["Bye!", "Auf Wiedersehen", "Viszlát", "再见", "さようなら"],
    "itself": ["Who are you?", "Stell dich bitte vor", "Mutatkozz be", "你能做什么？", "自己紹介をしてください"],
}  # fmt: skip
ASKED = [
    "Hello, who approves remote work?", "Thanks to whom was the bridge built?", "Danke, und wer genehmigt das?",
    "How are you paid?", "Wie geht es weiter?", "Jó napot, hol van a könyvtár?",
    "你好，谁批准？", "お元気な人は誰ですか",
    "hi-fi", "Hey Jude", "thanksgiving", "remote work", "", "x" * 99,
]  # fmt: skip


@pytest.mark.parametrize(("kind", "message"), [(kind, one) for kind, known in SAID.items() for one in known])
def test_what_asks_nothing_is_known(kind: str, message: str) -> None:
    known = chitchat(message)
    assert known is not None
    assert known.kind == kind
    assert known.reply


@pytest.mark.parametrize("message", ASKED)
def test_whoever_asks_for_something_is_not_put_off(message: str) -> None:
    assert chitchat(message) is None


def test_a_greeting_quotes_nothing(tmp_path: Path) -> None:
    with Rove.open(tmp_path / "kb", embedder={"name": "fake"}) as kb:
        kb.add([Text("Hello there! The hello program prints hello.", title="Hello")])
        for message, language in (("Hello there", "en"), ("Guten Morgen", "de"), ("你好", "zh")):
            answer = kb.ask(message)
            assert (answer.mode, answer.language, answer.citations) == (CHITCHAT, language, ())
        assert kb.ask("What does the hello program print?").mode != CHITCHAT
    with Rove.open(tmp_path / "kb2", embedder={"name": "fake"}) as kb:
        assert kb.ask("Szia!").text.startswith("Üdvözlöm"), "an empty base greets too"


@pytest.mark.parametrize("message", ["Hello there", "Vielen Dank!", "Szia!", "你好！", "こんにちは。"])
def test_a_walk_goes_nowhere_where_nothing_is_asked(tmp_path: Path, message: str) -> None:
    with Rove.open(tmp_path / "kb", embedder={"name": "fake"}) as kb:
        kb.add([Text("Hello there! The hello program prints hello.", title="Hello")])
        walk = kb.walk(message)
        events = list(walk)
        assert [type(event).__name__ for event in events] == ["WalkStarted", "Stopped", "Answered"]
        assert walk.answer is not None
        assert (walk.answer.mode, walk.answer.citations, walk.answer.text) == (CHITCHAT, (), kb.ask(message).text)
        asked = [type(event).__name__ for event in kb.walk("What does the hello program print?")]
        assert "FactFound" in asked, "and a question is walked for"


@pytest.mark.parametrize(("message", "language"), [("Who are you?", "en"), ("Wer bist du?", "de"), ("你是谁？", "zh")])
def test_who_the_assistant_is_says_the_persona(tmp_path: Path, message: str, language: str) -> None:
    """Without a chat model: its own words, or, of the preset, the demonstration in the user's language."""
    settings = {"embedder": {"name": "fake"}}
    with Rove.open(tmp_path / "usual", **settings) as kb:
        usual = kb.ask(message)
        assert usual.mode == CHITCHAT
        assert usual.text == (known.reply if (known := chitchat(message)) else "")
    with Rove.open(tmp_path / "own", **settings, answer={"persona": "You are Ada."}) as kb:
        assert kb.ask(message).text == "“You are Ada.”"
    with Rove.open(tmp_path / "campus", **settings, preset="campus") as kb:
        told = kb.ask(message)
        assert (told.mode, told.language) == (CHITCHAT, language)
        assert told.text not in {PRESETS["campus"]["answer"]["persona"], usual.text}
