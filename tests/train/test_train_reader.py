"""The reader is trained on what inference computes, and on windows that hold what they are said to hold."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rove.models.e5.interaction import Interaction
from rove.models.e5.reader import CrossReader

torch = pytest.importorskip("torch", reason="needs requirements/train.txt")

from train.reader_examples import PASSAGE_TOKENS, padded, window, wrong_ones  # noqa: E402
from train.reader_model import Pairs, ReaderModel, Shape  # noqa: E402


def unit(count: int, seed: int) -> np.ndarray:
    drawn = np.random.default_rng(seed).normal(size=(count, 384)).astype(np.float32)
    return drawn / np.linalg.norm(drawn, axis=1, keepdims=True)


@pytest.mark.parametrize("cosines", [True, False])
def test_inference_computes_what_was_trained(tmp_path: Path, cosines: bool) -> None:
    torch.manual_seed(1)
    interaction = Interaction()
    model = ReaderModel(Shape(cosines=cosines)).eval()
    for parameter in model.parameters():
        parameter.data = (parameter.data + 0.05 * torch.randn_like(parameter)).half().float()
    model.save(tmp_path / "reader.npz")
    question = interaction.project_query(unit(11, 3))
    passages = [interaction.project(unit(size, size)) for size in (150, 3, 70)]
    read = CrossReader(tmp_path / "reader.npz", interaction, exact=True).read(question, passages)
    asked, there = padded([question, question, np.vstack([question, question])])
    there[2, 11:] = False
    with torch.no_grad():
        start, tokens = model(Pairs(asked, there, *padded([interaction.unpack(p) for p in passages])))
    for n, reading in enumerate(read):
        own = tokens[n, : len(passages[n])].numpy()
        assert [reading.relevance, reading.answer] == pytest.approx(start[n, :2].tolist(), abs=1e-4)
        assert reading.no_span == pytest.approx(float(start[n, 2:].sum()), abs=1e-4)
        assert reading.begins == pytest.approx(own[:, 2], abs=1e-4)
        assert reading.ends == pytest.approx(own[:, 3], abs=1e-4)


@pytest.mark.parametrize("seed", range(20))
def test_a_window_holds_its_answer(seed: int) -> None:
    drawn = np.random.default_rng(seed)
    tokens = np.arange(400, dtype=np.float32)[:, None]
    starts = drawn.integers(0, 390, 2)
    spans = [(int(a), int(a + drawn.integers(0, 10))) for a in starts]
    cut, held = window(tokens, spans, drawn)
    assert len(cut) == PASSAGE_TOKENS
    assert held
    assert {(int(cut[a, 0]), int(cut[b, 0])) for a, b in held} <= set(spans)
    assert len(window(tokens, [], drawn)[0]) == PASSAGE_TOKENS
    assert window(tokens[:50], spans[:1], drawn)[1] == spans[:1]


def test_wrong_passages_are_of_the_best_and_of_all() -> None:
    drawn = np.random.default_rng(0)
    found = np.arange(100, 119)
    for _ in range(20):
        chosen = wrong_ones(found, 7, drawn)
        assert len(set(chosen)) == 7
        assert sum(c < 106 for c in chosen) >= 3
    assert set(wrong_ones(found[:2], 7, drawn)) == {100, 101}
    assert len(wrong_ones(found[:1], 7, drawn)) == 7
