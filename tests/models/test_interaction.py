"""Late interaction: packing loses little, and MaxSim is what its formula says, however passages are put together."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rove.models.e5.interaction import MODEL, Interaction
from rove.models.e5.runtime import E5Runtime


def tokens(count: int, seed: int = 0) -> np.ndarray:
    drawn = np.random.default_rng(seed).normal(size=(count, 384)).astype(np.float32)
    return drawn / np.linalg.norm(drawn, axis=1, keepdims=True)


@pytest.fixture(scope="module")
def interaction() -> Interaction:
    return Interaction()


def exact(query: np.ndarray, passage: np.ndarray) -> float:
    """MaxSim by its formula, without packing."""
    with np.load(MODEL) as file:
        projection, of_passages, of_queries = (
            file[name].astype(np.float32) for name in ("projection", "passage_mean", "query_mean")
        )
    q, p = (query - of_queries) @ projection.T, (passage - of_passages) @ projection.T
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    p /= np.linalg.norm(p, axis=1, keepdims=True)
    cubes = [[max(float(a @ b), 0.0) ** 3 for b in p] for a in q]
    forth = np.mean([max(row) for row in cubes])
    back = np.mean([max(column) for column in zip(*cubes, strict=True)])
    return float(forth + 0.5 * back)


def test_packed_scores_are_all_but_the_exact_ones(interaction: Interaction) -> None:
    query, passages = tokens(9), [tokens(n, seed=n) for n in (1, 2, 40, 130)]
    scores = interaction.maxsim(query, [interaction.project(p) for p in passages])
    assert scores.dtype == np.float32
    assert scores == pytest.approx([exact(query, p) for p in passages], abs=0.03)


def test_a_token_takes_half_a_byte_a_dimension(interaction: Interaction) -> None:
    packed = interaction.project(tokens(7))
    assert packed.dtype == np.int8
    assert packed.shape == (7, interaction.dimension // 2)
    assert interaction.project(tokens(0)).shape == (0, interaction.dimension // 2)
    assert MODEL.stat().st_size < 1_000_000


def test_a_score_does_not_depend_on_the_neighbours(interaction: Interaction) -> None:
    query, passages = tokens(5), [interaction.project(tokens(n, seed=n)) for n in (3, 60, 17)]
    together = interaction.maxsim(query, passages)
    alone = [float(interaction.maxsim(query, [p])[0]) for p in passages]
    assert together == pytest.approx(alone, abs=1e-5)
    assert interaction.maxsim(query, passages[::-1]) == pytest.approx(together[::-1], abs=1e-5)


def test_what_has_no_tokens_has_the_worst_score(interaction: Interaction) -> None:
    query, none = tokens(5), interaction.project(tokens(0))
    some = [interaction.project(tokens(n, seed=n)) for n in (30, 4)]
    scores = interaction.maxsim(query, [none, *some, none])
    assert scores[0] == scores[3] == scores.min()
    assert scores[1:3] == pytest.approx(interaction.maxsim(query, some), abs=1e-5)
    assert interaction.maxsim(query, [none]).tolist() == [0.0]
    assert interaction.maxsim(tokens(0), some).tolist() == [0.0, 0.0]
    assert interaction.maxsim(query, []).shape == (0,)


@pytest.mark.model
def test_a_passage_that_answers_stands_above_one_that_does_not(
    interaction: Interaction, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROVE_CACHE", str(tmp_path))
    runtime = E5Runtime(threads=1)
    texts = [
        "Die Hauptstadt von Australien ist Canberra.",
        "Canberra wurde als Sitz der Regierung gegründet.",
        "Kängurus sind Beuteltiere und leben in Australien.",
    ]
    passages = [interaction.project(p) for p in runtime.embed_with_tokens(texts, is_query=False)[1]]
    for question in ("What is the capital of Australia?", "澳大利亚的首都是哪里？"):
        (query,) = runtime.embed_with_tokens([question], is_query=True)[1]
        scores = interaction.maxsim(query, passages)
        assert scores.argmax() == 0
