"""The reader computes what its definition says, and finds the best span."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rove import ConfigError
from rove.models.e5.interaction import Interaction
from rove.models.e5.reader import PASSAGE_TOKENS, QUESTION_TOKENS, CrossReader
from rove.models.passage_reading import ANSWER_TOKENS, PassageReading

WIDTH, ATTENTION, HEADS, INNER, REACH = 48, 32, 2, 64, 6


def unit(count: int, seed: int, dimension: int = 384) -> np.ndarray:
    drawn = np.random.default_rng(seed).normal(size=(count, dimension)).astype(np.float32)
    return drawn / np.linalg.norm(drawn, axis=1, keepdims=True)


def random_weights(interaction: Interaction) -> dict[str, np.ndarray]:
    drawn = np.random.default_rng(5)
    shapes = {"enter": (WIDTH, 132), "heads": (4, WIDTH)}
    norms = ["last_norm"]
    for layer in ("layers.0", "layers.1"):
        shapes |= {f"{layer}.{side}": (ATTENTION, WIDTH) for side in ("query", "key", "value")}
        shapes |= {f"{layer}.mix": (WIDTH, ATTENTION), f"{layer}.inner": (INNER, WIDTH)}
        shapes[f"{layer}.outer"] = (WIDTH, INNER)
        norms += [f"{layer}.attention_norm", f"{layer}.inner_norm"]
    weights = {f"{name}.weight": drawn.normal(size=shape) / shape[1] ** 0.5 for name, shape in shapes.items()}
    weights |= {f"{name}.bias": drawn.normal(size=shape[0]) / 10 for name, shape in shapes.items()}
    weights |= {f"{name}.weight": 1 + drawn.normal(size=WIDTH) / 10 for name in norms}
    weights |= {f"{name}.bias": drawn.normal(size=WIDTH) / 10 for name in norms}
    weights["distance"] = drawn.normal(size=(HEADS, 2 * REACH + 1))
    weights = {name: value.astype(np.float16) for name, value in weights.items()}
    return weights | {"mark": np.frombuffer(interaction.mark, np.uint8)}


@pytest.fixture(scope="module")
def interaction() -> Interaction:
    return Interaction()


@pytest.fixture(scope="module")
def weights(interaction: Interaction) -> dict[str, np.ndarray]:
    return random_weights(interaction)


@pytest.fixture(scope="module")
def file(weights: dict[str, np.ndarray], tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("reader") / "reader.npz"
    np.savez(path, **weights)
    return path


@pytest.fixture(scope="module")
def reader(file: Path, interaction: Interaction) -> CrossReader:
    return CrossReader(file, interaction)


def by_definition(weights: dict[str, np.ndarray], question: np.ndarray, passage: np.ndarray) -> np.ndarray:
    """The four numbers at every token, one step after the other."""
    w = {name: value.astype(np.float64) for name, value in weights.items() if name != "mark"}

    def normal(x: np.ndarray, name: str) -> np.ndarray:
        x = (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5)
        return x * w[f"{name}.weight"] + w[f"{name}.bias"]

    def linear(x: np.ndarray, name: str) -> np.ndarray:
        return x @ w[f"{name}.weight"].T + w[f"{name}.bias"]

    vectors = np.vstack([np.zeros((1, 128)), question, passage])
    sides = np.array([0] + [1] * len(question) + [2] * len(passage))
    cosines = np.maximum(question @ passage.T, 0)
    forth, back = cosines.max(1), cosines.max(0)
    maxsim = (forth**3).mean() + 0.5 * (back**3).mean()
    state = linear(np.column_stack([vectors, [maxsim, *forth, *back], np.eye(3)[sides]]), "enter")
    place = np.concatenate([[0], np.arange(len(question)), np.arange(len(passage))])
    for layer in ("layers.0", "layers.1"):
        even = normal(state, f"{layer}.attention_norm")
        q, k, v = (linear(even, f"{layer}.{side}") for side in ("query", "key", "value"))
        mixed = np.zeros_like(q)
        size = ATTENTION // HEADS
        for head in range(HEADS):
            own = slice(head * size, (head + 1) * size)
            scores = q[:, own] @ k[:, own].T / size**0.5
            for i, j in np.ndindex(scores.shape):
                if sides[i] == sides[j] != 0:
                    scores[i, j] += w["distance"][head, REACH + max(-REACH, min(REACH, place[j] - place[i]))]
            shares = np.exp(scores - scores.max(1, keepdims=True))
            mixed[:, own] = shares / shares.sum(1, keepdims=True) @ v[:, own]
        state = state + linear(mixed, f"{layer}.mix")
        inner = np.maximum(linear(normal(state, f"{layer}.inner_norm"), f"{layer}.inner"), 0)
        state = state + linear(inner, f"{layer}.outer")
    return linear(normal(state, "last_norm"), "heads")


def numbers(reading: PassageReading) -> np.ndarray:
    return np.concatenate([[reading.relevance, reading.answer, reading.no_span], reading.begins, reading.ends])


def test_it_computes_what_is_defined(
    reader: CrossReader, interaction: Interaction, weights: dict[str, np.ndarray]
) -> None:
    question = interaction.project_query(unit(9, 1))
    for size in (1, 40, 130):
        packed = interaction.project(unit(size, size))
        found = by_definition(weights, question, interaction.unpack(packed))
        (reading,) = reader.read(question, [packed])
        own = found[10:]
        wanted = [[*found[0, :2], found[0, 2:].sum()], own[:, 2], own[:, 3]]
        assert numbers(reading) == pytest.approx(np.concatenate(wanted), abs=1e-4)


def test_what_is_read_does_not_depend_on_the_neighbours(file: Path, interaction: Interaction) -> None:
    reader = CrossReader(file, interaction)
    question = interaction.project_query(unit(5, 4))
    passages = [interaction.project(unit(size, size)) for size in (30, 3, 170)]
    together = reader.read(question, passages)
    for packed, reading in zip(passages, together, strict=True):
        assert (numbers(reader.read(question, [packed])[0]) == numbers(reading)).all()


def test_of_what_is_too_long_only_the_beginning_is_read(reader: CrossReader, interaction: Interaction) -> None:
    question = interaction.project_query(unit(QUESTION_TOKENS + 9, 6))
    packed = interaction.project(unit(PASSAGE_TOKENS + 9, 7))
    (whole,) = reader.read(question, [packed])
    (cut,) = reader.read(question[:QUESTION_TOKENS], [packed[:PASSAGE_TOKENS]])
    assert len(whole.begins) == PASSAGE_TOKENS
    assert (numbers(whole) == numbers(cut)).all()


def test_where_there_are_no_tokens_there_is_no_span(reader: CrossReader, interaction: Interaction) -> None:
    question, packed = interaction.project_query(unit(5, 8)), interaction.project(unit(4, 9))
    (empty,) = reader.read(question, [packed[:0]])
    assert empty.best_span() is None
    assert np.isfinite([empty.relevance, empty.answer]).all()
    (unasked,) = reader.read(question[:0], [packed])
    assert np.isfinite(numbers(unasked)).all()
    assert reader.read(question, []) == []


@pytest.mark.parametrize("first", [0, 7, 59])
def test_the_best_span_is_the_best_of_all(first: int) -> None:
    drawn = np.random.default_rng(first)
    begins, ends = drawn.normal(size=(2, 60)).astype(np.float32)
    begins[first], ends[59] = 5.0, 5.0
    pairs = [(i, j) for i in range(first, 60) for j in range(i, min(60, i + ANSWER_TOKENS))]
    i, j = max(pairs, key=lambda pair: begins[pair[0]] + ends[pair[1]])
    found = PassageReading(0.0, 0.0, begins, ends, 2.0, 0.0, begins).best_span(first)
    assert found is not None
    assert (found.start, found.end) == (i, j + 1)
    assert found.score == pytest.approx(float(begins[i] + ends[j]) - 2.0)


def test_tokens_of_another_projection_are_not_read(
    weights: dict[str, np.ndarray], tmp_path: Path, interaction: Interaction
) -> None:
    np.savez(tmp_path / "other.npz", **(weights | {"mark": np.zeros(4, np.uint8)}))
    with pytest.raises(ConfigError, match="another projection"):
        CrossReader(tmp_path / "other.npz", interaction)
