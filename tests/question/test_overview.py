"""A question for all there is is told from one for something of its own, in every language."""

from __future__ import annotations

from pathlib import Path

import pytest

from rove import Rove, Text
from rove.question.overview import asks_for_overview

FOR_ALL = [
    ("What are the main themes?", "en"),
    ("Give me an overview of the documents, please.", "en"),
    ("What topics are covered?", "en"),
    ("Worum geht es in den Dokumenten?", "de"),
    ("Nenne die wichtigsten Themen", "de"),
    ("Miről szólnak a dokumentumok?", "hu"),
    ("Mik a fő témák?", "hu"),
    ("这些文档的主要内容是什么？", "zh"),
    ("主题有哪些？", "zh"),
    ("主なテーマは何ですか", "ja"),
    ("概要を教えてください", "ja"),
    ("¿De qué tratan los documentos?", "es"),
]
FOR_SOME = [
    ("What are the main themes of Hamlet?", "en"),
    ("overview of vacation policy", "en"),
    ("Who approves the themes?", "en"),
    ("Worum geht es in Paragraph 3?", "de"),
    ("Welche Themen hat der Betriebsrat?", "de"),
    ("Miről szól a 3. szakasz?", "hu"),
    ("年假制度的主要内容", "zh"),
    ("情報セキュリティ規程の概要", "ja"),
    ("Welche Themen?", "en"),
]


@pytest.mark.parametrize(("question", "language"), FOR_ALL)
def test_what_asks_for_all(question: str, language: str) -> None:
    assert asks_for_overview(question, language)


@pytest.mark.parametrize(("question", "language"), FOR_SOME)
def test_what_asks_for_something(question: str, language: str) -> None:
    assert not asks_for_overview(question, language)


def test_it_is_answered_by_the_themes_unless_the_settings_say_otherwise(tmp_path: Path) -> None:
    texts = [Text(f"The boat number {n} sails before the wind.", id=f"b{n}", title="Boats") for n in range(4)]
    with Rove.open(tmp_path, embedder={"name": "fake"}) as kb:
        kb.add(texts)
        assert kb.ask("What are the main themes?").text.startswith("- Boats: The boat number")
        assert not kb.ask("Which wind does the boat sail before?").text.startswith("- Boats")
    with Rove.open(tmp_path, embedder={"name": "fake"}, answer={"overview": False}) as kb:
        assert not kb.ask("What are the main themes?").text.startswith("- Boats")
