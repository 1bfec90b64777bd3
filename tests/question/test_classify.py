"""Kinds of questions: by a model or by examples, and where each kind is sent."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rove import AsyncRove, ConfigError
from rove.models.fake import FakeEmbedder
from rove.question.classify import FILE, classifier_of
from rove.question.logistic import Classifier, train
from rove.settings import IntentSettings, QuestionSettings
from scripted_chat import ScriptedChat, Understanding

INTENTS = {
    "opening": {
        "examples": ["When does the library open?", "opening hours, canteen", "open on sunday?", "图书馆几点开门"],
        "route": "keyword",
    },
    "approval": {
        "examples": ["Who approves remote work?", "who signs my leave", "Wer genehmigt den Urlaub?", "谁批准远程办公"],
    },
    "insult": {
        "description": "offends somebody",
        "examples": ["you are a stupid machine", "shut up idiot", "du bist ein dummer Idiot", "你这个笨蛋"],
        "route": "refuse",
    },
}  # fmt: skip


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("When does the canteen open on sunday?", "opening"),
        ("食堂几点开门", "opening"),
        ("Who approves my leave?", "approval"),
        ("谁批准休假", "approval"),
        ("you stupid idiot machine", "insult"),
    ],
)
async def test_examples_teach_the_kinds(understanding: Understanding, question: str, wanted: str) -> None:
    found = await understanding(intents=INTENTS).understand(question)
    assert found.intent
    assert found.intent.name == wanted
    assert 0.5 <= found.intent.probability <= 1
    assert found.steps[-1].by == "examples"


async def test_an_improbable_kind_is_none(understanding: Understanding) -> None:
    found = await understanding(intents=INTENTS, min_probability=0.95).understand("Quantum chromodynamics on lattices")
    assert found.intent is None


async def test_the_model_names_a_kind_and_an_unknown_name_is_none(understanding: Understanding) -> None:
    chat = ScriptedChat(Kind=[{"kind": " Insult"}, {"kind": "compliment"}])
    first = await understanding(chat, intents=INTENTS).understand("hello")
    assert first.intent
    assert (first.intent.name, first.intent.route, first.intent.probability) == ("insult", "refuse", 1.0)
    assert (await understanding(chat, intents=INTENTS).understand("hello")).intent is None
    assert "insult: offends somebody" in chat.asked("Kind")[0]


async def test_a_failing_model_leaves_it_to_the_examples_or_to_nothing(understanding: Understanding) -> None:
    found = await understanding(ScriptedChat(), intents=INTENTS).understand("shut up idiot")
    assert found.intent
    assert found.intent.name == "insult"
    assert "No script" in found.steps[-1].note
    bare = {"a": {"description": "x"}, "b": {"description": "y"}}
    found = await understanding(ScriptedChat(), intents=bare).understand("shut up")
    assert found.intent is None
    assert "No script" in found.steps[-1].note


async def test_without_a_model_and_without_examples_it_says_what_is_needed(understanding: Understanding) -> None:
    bare = {"a": {"description": "x"}, "b": {"examples": ["y"]}}
    with pytest.raises(ConfigError, match="examples"):
        await understanding(intents=bare).understand("What?")
    with pytest.raises(ConfigError, match=r"chat\.model"):
        await understanding(intents=INTENTS, classifier="model").understand("What?")


async def test_abusive_messages_are_refused_before_any_search(kb: AsyncRove) -> None:
    kb.settings = kb.settings.model_copy(update={"question": QuestionSettings.model_validate({"intents": INTENTS})})
    answer = await kb.ask("shut up you stupid idiot")
    assert answer.refused
    assert answer.hits == ()
    assert "insult" in answer.note
    intents = {"all": {"examples": ["Köszönöm!", "thank you"], "route": "refuse"}, "none": {"examples": ["who"]}}
    kb.settings = kb.settings.model_copy(update={"question": QuestionSettings.model_validate({"intents": intents})})
    assert (await kb.ask("Köszönöm!")).mode == "chitchat"
    kb.settings = kb.settings.model_copy(update={"question": QuestionSettings.model_validate({"intents": INTENTS})})
    routed = await kb.ask("When does the library open?")
    assert all("semantic" not in hit.sources for hit in routed.hits)
    assert "nine" in routed.text


async def test_the_classifier_is_kept_as_json_and_made_anew_when_the_examples_change(tmp_path: Path) -> None:
    intents = {name: IntentSettings.model_validate(intent) for name, intent in INTENTS.items()}
    embedder = FakeEmbedder()
    first = await classifier_of(intents, embedder, tmp_path)
    kept = json.loads((tmp_path / FILE).read_text("utf-8"))
    assert kept["classes"] == ["approval", "insult", "opening"]
    again = await classifier_of(intents, embedder, tmp_path)
    probe = await embedder.queries(["who approves this"])
    assert np.allclose(first.probabilities(probe), again.probabilities(probe))
    fewer = {**intents, "opening": IntentSettings(examples=("open",))}
    assert (await classifier_of(fewer, embedder, tmp_path)).made_of != first.made_of
    (tmp_path / FILE).write_text('{"classes": ["a"], "weights": [[1]]}', "utf-8")
    mended = await classifier_of(intents, embedder, tmp_path)
    assert mended.made_of == first.made_of


async def test_a_folder_that_cannot_be_written_costs_time_only(tmp_path: Path) -> None:
    intents = {name: IntentSettings.model_validate(intent) for name, intent in INTENTS.items()}
    made = await classifier_of(intents, FakeEmbedder(), tmp_path / "not" / "there")
    assert len(made.classes) == 3


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 5), st.integers(1, 6), st.integers(0, 1000))
def test_probabilities_are_a_distribution_and_training_is_deterministic(classes: int, each: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    vectors = random.normal(size=(classes * each, 12)).astype(np.float32)
    labels = [f"c{i % classes}" for i in range(len(vectors))]
    made = train(vectors, labels)
    chances = made.probabilities(vectors)
    assert np.allclose(chances.sum(axis=1), 1)
    assert (chances >= 0).all()
    assert train(vectors, labels).to_json() == made.to_json()
    assert np.allclose(Classifier.from_json(made.to_json()).probabilities(vectors), chances)


def test_training_reaches_the_least_of_its_loss() -> None:
    """The slope at what was found is nought: held against differences of the loss itself."""
    random = np.random.default_rng(3)
    vectors = random.normal(size=(30, 6)).astype(np.float32)
    labels = ["abc"[i % 3] for i in range(30)]
    made = train(vectors, labels, strength=0.1)

    def loss(weights: np.ndarray) -> float:
        scores = (vectors - made.mean) / made.spread @ weights + made.bias
        chances = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
        right = [chances[i, made.classes.index(label)] for i, label in enumerate(labels)]
        return float(-np.log(right).mean() + 0.05 * (weights**2).sum())

    least = loss(made.weights)
    for _ in range(50):
        assert loss(made.weights + random.normal(scale=0.02, size=made.weights.shape)) > least


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"classes": 3}', "not json"])
def test_what_is_no_classifier_is_an_error(text: str) -> None:
    with pytest.raises(ValueError, match="no classifier"):
        Classifier.from_json(text)
