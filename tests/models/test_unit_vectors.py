"""What an embedder gives is checked at the door: any array of numbers passes, and what cannot be used says why."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rove import ConfigError, InputError, Rove, RoveError, Text
from rove.events import Event, Noted
from rove.models import Fingerprint, Vectors
from rove.models.cache import remembering
from rove.models.fake import FakeEmbedder
from rove.models.unit_vectors import UnusableVectorsError, unit_vectors
from rove.settings import EmbedderSettings

TEXTS = ["The cat sat on the mat.", "This one is poison.", "Rome is the capital of Italy."]
MARKED = "poison"
Change = Callable[[Vectors, Sequence[str]], Any]


class Odd(FakeEmbedder):
    """Gives what a function makes of the right vectors, whether asked for passages or for queries."""

    def __init__(self, change: Change) -> None:
        super().__init__(EmbedderSettings())
        self._change = change

    async def passages(self, texts: Sequence[str]) -> Any:
        return self._change(await super().passages(texts), texts)

    async def queries(self, texts: Sequence[str]) -> Any:
        return self._change(await super().queries(texts), texts)


def read_only(vectors: Vectors, _: Sequence[str]) -> Vectors:
    vectors.flags.writeable = False
    return vectors


def with_row(vectors: Vectors, texts: Sequence[str], row: Any) -> Any:
    return [row if MARKED in text else vector for vector, text in zip(vectors, texts, strict=True)]


PASSING: dict[str, Change] = {
    "longer": lambda v, _: v * 1.02,
    "37 long": lambda v, _: v * 37,
    "lists": lambda v, _: v.tolist(),
    "tuples": lambda v, _: tuple(map(tuple, v)),
    "a generator": lambda v, _: (row for row in v),
    "arrays in a list": lambda v, _: list(v),
    "float64": lambda v, _: v.astype(np.float64),
    "float16": lambda v, _: v.astype(np.float16),
    "big-endian": lambda v, _: v.astype(">f4"),
    "objects": lambda v, _: v.astype(object),
    "whole numbers": lambda v, _: (v * 1_000).astype(np.int16),
    "read-only": read_only,
    "columns first": lambda v, _: np.asfortranarray(v),
    "every other one": lambda v, _: np.repeat(v, 2, axis=1)[:, ::2],
    "too large for float32": lambda v, _: v.astype(np.float64) * 1e300,
    "next to nothing": lambda v, _: v.astype(np.float64) * 1e-300,
    "below what float32 can square": lambda v, _: v * np.float32(1e-30),
    "above what float32 can square": lambda v, _: v * np.float32(1e30),
}
NOT_A_ROW: dict[str, Any] = {
    "not a number": np.full(384, np.nan),
    "infinite": np.full(384, -np.inf),
    "zeros": np.zeros(384),
    "short": np.ones(5),
    "long": np.ones(385),
    "nothing": [],
    "None": [None] * 384,
}
REFUSED: dict[str, Change] = {
    "one too few": lambda v, _: v[:-1],
    "one too many": lambda v, _: np.vstack([v, v[:1]]),
    "flat": lambda v, _: v.reshape(-1),
    "deep": lambda v, _: v[:, None],
    "other dimension": lambda v, _: v[:, :100],
    "None": lambda _, __: None,
    "Nones": lambda _, texts: [None] * len(texts),
    "words": lambda v, texts: [["a"] * v.shape[1] for _ in texts],
    "numbers as words": lambda v, _: v.astype(str),
    "a word": lambda _, __: "vectors",
    "a map": lambda v, _: dict(enumerate(v)),
    "complex": lambda v, _: v.astype(complex),
    "a number": lambda _, __: 1.0,
}


def add(kb: Rove) -> Any:
    return kb.add([Text(text, id=str(n)) for n, text in enumerate(TEXTS)])


@pytest.mark.parametrize("how", PASSING)
def test_any_array_of_numbers_passes(how: str, tmp_path: Path) -> None:
    with Rove.open(tmp_path, embedder=Odd(PASSING[how])) as kb:
        assert add(kb).failed == ()
        assert [hit.chunk.document_id for hit in kb.search(TEXTS[2], mode="semantic")][0] == "2"
        assert len(kb.search(TEXTS[2])) == 3
        assert kb.ask("What is the capital of Italy?").text
        assert kb.doctor().ok


@pytest.mark.parametrize("how", NOT_A_ROW)
def test_a_vector_that_cannot_be_used_refuses_its_document_alone(how: str, tmp_path: Path) -> None:
    with Rove.open(tmp_path, embedder=Odd(lambda v, texts: with_row(v, texts, NOT_A_ROW[how]))) as kb:
        report = add(kb)
        assert [entry.source for entry in report.failed] == ["1"]
        assert "fake" in report.failed[0].reason and report.failed[0].cure
        assert {hit.chunk.document_id for hit in kb.search("Rome", mode="semantic")} == {"0", "2"}
        with pytest.raises(RoveError, match="fake gave"):
            kb.search("poison")
        assert kb.doctor().ok
        assert [entry.source for entry in kb.ledger("failed")] == ["1"]


@pytest.mark.parametrize("how", REFUSED)
def test_what_is_no_array_of_vectors_is_refused_with_a_cure(how: str, tmp_path: Path) -> None:
    with Rove.open(tmp_path, embedder=Odd(REFUSED[how])) as kb:
        for call in (lambda: add(kb), lambda: kb.search("Rome")):
            with pytest.raises(ConfigError, match="embedder fake gave") as raised:
                call()
            assert raised.value.cure
        assert kb.documents() == []
        assert kb.doctor().ok


def test_that_vectors_were_normalised_is_said_once(tmp_path: Path) -> None:
    told: list[Event] = []
    with Rove.open(tmp_path, embedder=Odd(PASSING["longer"])) as kb:
        report = kb.add(Text("One.", id="1"), listener=told.append)
        assert [entry.source for entry in report.noted] == ["embedder"]
        assert "of length 1.02" in report.noted[0].reason and "unit_length=False" in report.noted[0].reason
        assert kb.add(Text("Two.", id="2"), listener=told.append).noted == ()
        kb.search("One", listener=told.append)
    assert [event.text for event in told if isinstance(event, Noted)] == [report.noted[0].reason]
    with Rove.open(tmp_path, embedder=Odd(PASSING["longer"])) as kb:  # of the vectors of questions it is said, too
        kb.search("One", listener=told.append)
        kb.search("Two", listener=told.append)
    assert sum(isinstance(event, Noted) for event in told) == 2


class Unpromised(Odd):
    """Does not say that its vectors are of unit length."""

    @property
    def fingerprint(self) -> Fingerprint:
        return Fingerprint("unpromised", 384, unit_length=False)


def test_what_was_not_promised_is_normalised_without_a_word(tmp_path: Path) -> None:
    with Rove.open(tmp_path, embedder=Unpromised(PASSING["37 long"])) as kb:
        assert add(kb).noted == ()
        assert [hit.score <= 1 for hit in kb.search(TEXTS[0], mode="semantic")] == [True] * 3


class Reusing(FakeEmbedder):
    """Writes all vectors into the same memory."""

    memory = np.zeros((8, 384), np.float32)

    async def passages(self, texts: Sequence[str]) -> Vectors:
        self.memory[: len(texts)] = await super().passages(texts)
        return self.memory[: len(texts)]

    queries = passages


async def test_an_embedder_may_use_its_memory_again() -> None:
    embedder = remembering(Reusing(EmbedderSettings()))
    first = await embedder.passages(TEXTS[:1])
    before = first.copy()
    await embedder.passages(TEXTS[1:])
    assert np.array_equal(first, before)


async def test_unit_vectors_stay_as_they_are_to_the_bit() -> None:
    given = await FakeEmbedder(EmbedderSettings()).passages(TEXTS)
    fingerprint = Fingerprint("fake", 384)
    assert np.array_equal(unit_vectors(given, TEXTS, fingerprint).vectors, given)
    mixed = given.copy()
    mixed[1] *= 2
    made = unit_vectors(mixed, TEXTS, fingerprint)
    assert made.length == pytest.approx(2)
    assert np.array_equal(made.vectors[[0, 2]], given[[0, 2]])
    assert np.allclose(made.vectors[1], given[1], atol=1e-6)


def test_an_error_names_the_rows_and_their_texts() -> None:
    rows = np.eye(4)
    rows[[1, 3]] = np.nan
    with pytest.raises(UnusableVectorsError, match=r"mine gave a number that is not finite for 'b', 'd'\.") as raised:
        unit_vectors(rows, ["a", "b", "c", "d"], Fingerprint("mine", 4))
    assert raised.value.rows == (1, 3)
    assert isinstance(raised.value, InputError)


class Counting(Odd):
    """Counts its calls."""

    calls = 0

    async def passages(self, texts: Sequence[str]) -> Any:
        self.calls += 1
        return await super().passages(texts)


def test_one_bad_row_costs_two_calls_and_not_one_for_each_text(tmp_path: Path) -> None:
    embedder = Counting(lambda v, texts: with_row(v, texts, np.full(384, np.nan)))
    with Rove.open(tmp_path, embedder=embedder) as kb:
        assert len(kb.add([Text(f"{n} {MARKED * (n == 7)}", id=str(n)) for n in range(30)]).failed) == 1
    assert embedder.calls == 3


class Blocking(FakeEmbedder):
    """Forgets that its methods are to be coroutines."""

    def passages(self, texts: Sequence[str]) -> Any:
        return np.ones((len(texts), 384))

    queries = passages


class Unsaid(FakeEmbedder):
    """Does not say how long its vectors are."""

    fingerprint: Any = {"model": "mine", "dimension": 384}  # pyright: ignore[reportIncompatibleMethodOverride]


def test_an_embedder_that_breaks_the_contract_otherwise_is_told_how_to_keep_it(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="fingerprint of the embedder Unsaid"):
        Rove.open(tmp_path, embedder=Unsaid(EmbedderSettings()))
    with Rove.open(tmp_path, embedder=Blocking(EmbedderSettings())) as kb:
        with pytest.raises(ConfigError, match="async def"):
            kb.search("Rome")
        with pytest.raises(ConfigError, match="async def"):
            add(kb)


@pytest.mark.parametrize("tokens", [[b"one"], ["a", "b", "c"], None, b"abc"])
async def test_tokens_are_checked_too(tokens: Any) -> None:
    class Late(Odd):
        async def passages_with_tokens(self, texts: Sequence[str]) -> Any:
            return await self.passages(texts), tokens

        async def interactions(self, question: str, passages: Sequence[bytes]) -> None:
            del question, passages

    with pytest.raises(ConfigError, match="tokens"):
        await remembering(Late(lambda v, _: v)).passages_with_tokens(TEXTS)  # pyright: ignore
