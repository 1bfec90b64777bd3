"""Comparisons: intervals that hold what they should, p-values against scipy, corrections and ranks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import permutation_test, rankdata

from rove.evaluate.compare import bootstrap, compare, differences, holm, mean_ranks, ranks, sign_flip
from rove.evaluate.cost import Price, summarize
from rove.evaluate.similarity import best_similarity, cosines, retrieval_similarity
from rove.models.fake import hash_vectors
from rove.models.usage import Usage

floats = st.floats(-1, 1).map(lambda value: round(value, 3))


def test_the_interval_holds_the_true_mean_about_as_often_as_it_says() -> None:
    generator = np.random.default_rng(7)
    inside = 0
    for trial in range(200):
        found = bootstrap(generator.normal(0.3, 1.0, 40), resamples=1_000, seed=trial)
        assert found is not None
        inside += found.low <= 0.3 <= found.high
    assert 0.88 <= inside / 200 <= 0.99


def test_the_same_seed_gives_the_same_interval_and_a_wider_one_for_more_confidence() -> None:
    values = [0.1, 0.9, 0.4, 0.7, 0.2]
    narrow, again, wide = (bootstrap(values, confidence=share) for share in (0.8, 0.8, 0.99))
    assert narrow == again
    assert wide.low < narrow.low < narrow.mean < narrow.high < wide.high


@settings(deadline=None, max_examples=40)
@given(st.lists(floats, min_size=1, max_size=9))
def test_the_exact_p_value_is_that_of_scipy(values: list[float]) -> None:
    assert sign_flip(values) == pytest.approx(_by_scipy(values), abs=1e-9)


def _by_scipy(values: list[float]) -> float:
    if len(values) < 2:
        return 1.0  # scipy wants two; either sign of one value is as far from 0
    found = permutation_test(
        (np.array(values),), lambda x, axis: np.sum(x, axis=axis), permutation_type="samples", n_resamples=np.inf
    )
    return float(found.pvalue)


def test_the_sampled_p_value_is_near_the_exact_one() -> None:
    values = np.random.default_rng(3).normal(0.15, 0.4, 20)
    flips = (np.arange(2**20)[:, None] >> np.arange(20)) & 1
    exact = float((np.abs((1 - 2 * flips) @ values) >= abs(values.sum()) - 1e-12).mean())
    assert sign_flip(values) == pytest.approx(exact, abs=0.02)


def test_only_questions_with_both_values_are_compared() -> None:
    ours, baseline = {"q": 1.0, "r": None, "s": 0.5, "t": 0.2}, {"q": 0.5, "r": 0.5, "s": None}
    assert differences(ours, baseline).tolist() == [0.5]
    found = compare(ours, baseline)
    assert found is not None
    assert (found.difference.questions, found.p_value) == (1, 1.0)
    assert compare({"q": None}, {"q": 0.5}) is None
    assert bootstrap([]) is sign_flip([]) is None


@settings(deadline=None)
@given(st.dictionaries(st.text(max_size=3), st.floats(0, 1), max_size=6))
def test_holm_only_raises_and_keeps_the_order(p_values: dict[str, float]) -> None:
    adjusted = holm(p_values)
    assert list(adjusted) == list(p_values)
    assert all(p_values[name] <= adjusted[name] <= 1.0 for name in p_values)
    by_value = sorted(p_values, key=lambda name: p_values[name])
    assert [adjusted[name] for name in by_value] == sorted(adjusted.values())


@settings(deadline=None)
@given(st.lists(st.sampled_from([0.1, 0.2, 0.3, 0.4]), min_size=1, max_size=8))
def test_ranks_share_ties_as_scipy_does(values: list[float]) -> None:
    assert list(ranks({str(i): v for i, v in enumerate(values)}).values()) == rankdata([-v for v in values]).tolist()


def test_mean_ranks_leave_out_metrics_that_do_not_know_a_configuration() -> None:
    found = mean_ranks({"rr": {"a": 1.0, "b": 0.5, "c": 0.2}, "ndcg": {"a": 0.1, "b": 0.9}})
    assert found == {"a": 1.5, "b": 1.5, "c": 3.0}


def test_similarity_is_one_for_the_same_and_falls_with_what_else_was_found() -> None:
    expected = hash_vectors(["the red lighthouse at night"], 64)
    found = hash_vectors(["the red lighthouse at night", "annual tax return"], 64)
    assert best_similarity(cosines(expected, found)) == pytest.approx(1.0, abs=1e-6)
    mean = retrieval_similarity(cosines(expected, found))
    assert mean == pytest.approx((1.0 + float(found[1] @ expected[0])) / 2, abs=1e-6)
    assert mean < 0.9
    assert retrieval_similarity(cosines(expected, found[:0])) is best_similarity(cosines(expected[:0], found)) is None


def test_costs_are_summed_up() -> None:
    found = summarize([float(value) for value in range(1, 101)])
    assert found is not None
    assert (found.p50, found.p95, found.worst, found.total) == (50.5, pytest.approx(95.05), 100.0, 5050.0)
    assert summarize([]) is None
    assert Price(0.5, 2.0).of(Usage(3, 2_000_000, 100_000)) == pytest.approx(1.2)
