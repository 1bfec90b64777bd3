"""What is answered from where distances say little: an embedder's own rule, by the question's words first."""

from __future__ import annotations

from pathlib import Path

import pytest

from rove import Rove, Text
from rove.answer.gate import by_words
from rove.models import WordRule, word_rule_of
from rove.models.fake import FakeEmbedder
from rove.models.static.embedder import StaticEmbedder
from rove.records import Chunk, Hit, Note, Place
from rove.settings import EmbedderSettings

FEW = Note("too-few-words")
RULE = WordRule(words=0.5, near=0.5, foreign=0.75)
TEXTS = (
    Text("Remote work is approved by the head of unit within five days.", id="policy"),
    Text("The canteen serves soup on Mondays.", id="canteen"),
    Text("Der Urlaub wird von der Abteilungsleitung genehmigt.", id="urlaub"),
    Text("休暇は部長が三日以内に承認します。", id="休暇"),
)


def hit(text: str, *, cosine: float | None = None, language: str = "en", lead: float | None = None) -> Hit:
    places = {} if cosine is None else {"semantic": Place(1, cosine, lead)}
    chunk = Chunk("c", "d", text, (0, len(text)), 0, language=language)
    return Hit(chunk, 1.0, places, uri="d", title="")


@pytest.mark.parametrize(
    ("hits", "passes"),
    [
        ([hit("The head of unit approves remote work.", cosine=0.1)], True),  # its words
        ([hit("Telework needs the consent of one's superior.", cosine=0.5)], True),  # near in its language
        ([hit("Telework needs the consent of one's superior.", cosine=0.49)], False),
        ([hit("Heimarbeit genehmigt der Chef.", cosine=0.25, language="de")], True),  # near in another
        ([hit("Heimarbeit genehmigt der Chef.", cosine=0.24, language="de")], False),
        ([hit("Heimarbeit genehmigt der Chef.", cosine=0.15, language="de", lead=0.15)], True),  # it stands out
        ([hit("Heimarbeit genehmigt der Chef.", cosine=0.15, language="de", lead=0.14)], False),
        ([hit("The canteen serves soup.")], False),  # found by nothing that measures, and holds no word
        ([hit("The canteen serves soup.", cosine=0.2), hit("Remote work is fine.", cosine=0.2)], True),
    ],
)
def test_words_first_then_distances(hits: list[Hit], passes: bool) -> None:
    verdict = by_words("Who approves remote work?", "en", hits, RULE, 0.15)
    assert (verdict.passes, verdict.note) == (passes, None if passes else FEW)


def test_each_embedder_brings_its_own() -> None:
    assert word_rule_of(StaticEmbedder(EmbedderSettings(name="static"))) == RULE
    assert word_rule_of(FakeEmbedder(EmbedderSettings(name="fake"))) is None


@pytest.mark.model
def test_with_static_vectors_what_is_found_first_is_answered(tmp_path: Path) -> None:
    with Rove.open(tmp_path / "kb", embedder={"name": "static"}) as kb:
        kb.add(TEXTS)
        for question, words in (
            ("Who approves remote work?", "head of unit"),
            ("On which day is there soup in the canteen?", "Mondays"),
            ("Wer genehmigt den Urlaub?", "Abteilungsleitung"),
            ("休暇は誰が承認しますか", "部長"),
        ):
            answer = kb.ask(question)
            assert not answer.refused, (question, answer.note)
            assert words in answer.text
        refused = kb.ask("How heavy is a blue whale?")
        assert (refused.refused, FEW in refused.notes) == (True, True)
    with Rove.open(tmp_path / "kb", embedder={"name": "static"}, answer={"max_distance": 0.01}) as kb:
        assert kb.ask("Who approves remote work?").refused  # what is set stands above it
