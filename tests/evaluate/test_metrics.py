"""Metrics of rankings: the standard ones against trec_eval, the others against values worked out by hand."""

from __future__ import annotations

import math
from collections.abc import Mapping

import ir_measures
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ir_measures import AP, RR, Bpref, Judged, P, R, Success, nDCG

from rove.errors import ConfigError
from rove.evaluate.gain import dcg
from rove.evaluate.metrics import METRICS, Coverage, measure
from rove.evaluate.relevance import extended_reciprocal_rank

DOCUMENTS = [f"d{number}" for number in range(12)]
STANDARD = {
    "rr@5": RR @ 5,
    "rr": RR,
    "ndcg_linear@4": nDCG @ 4,
    "ndcg_linear": nDCG,
    "recall@3": R @ 3,
    "precision@5": P @ 5,
    "hit@2": Success @ 2,
    "map": AP,
    "map@4": AP @ 4,
    "bpref": Bpref,
    "judged@5": Judged @ 5,
}
EXPONENTIAL = {"ndcg@4": nDCG @ 4, "ndcg": nDCG, "ndcg_condensed@4": nDCG(judged_only=True) @ 4}

Run = dict[str, tuple[list[str], dict[str, int]]]

grades = st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(0, 3), min_size=1)
rankings = st.lists(st.sampled_from(DOCUMENTS), unique=True, min_size=1)
runs = st.dictionaries(st.sampled_from(["q", "r", "s"]), st.tuples(rankings, grades), min_size=1)


@settings(deadline=None)
@given(runs)
def test_standard_metrics_are_those_of_ir_measures(run: Run) -> None:
    same(run, STANDARD, {q: g for q, (_, g) in run.items()})


@settings(deadline=None)
@given(runs)
def test_exponential_gain_is_linear_gain_of_exponential_grades(run: Run) -> None:
    same(run, EXPONENTIAL, {q: {d: 2**grade - 1 for d, grade in g.items()} for q, (_, g) in run.items()})


def same(run: Run, names: Mapping[str, ir_measures.Measure], qrels: dict[str, dict[str, int]]) -> None:
    ours = measure(names, {q: r for q, (r, _) in run.items()}, {q: g for q, (_, g) in run.items()})
    scored = {q: {d: float(-place) for place, d in enumerate(r)} for q, (r, _) in run.items()}
    theirs = {(m.query_id, m.measure): m.value for m in ir_measures.iter_calc(names.values(), qrels, scored)}
    for name, standard in names.items():
        for question, value in ours.values[name].items():
            if value is None:
                assert not any(qrels[question].values())
            else:
                assert value == pytest.approx(theirs[question, standard], abs=1e-9), name


@settings(deadline=None)
@given(
    st.lists(st.sampled_from(DOCUMENTS)), grades | st.just({}), st.integers(1, 20), st.sampled_from(["first", "each"])
)
def test_no_metric_leaves_its_range(ranking: list[str], gold: Mapping[str, int], cut: int, duplicates: str) -> None:
    names = [f"{name}@{cut}" for name in METRICS.names()] + list(METRICS.names())
    scores = measure(names, {"q": ranking}, {"q": gold}, duplicates=duplicates)
    for name in names:
        value = scores.values[name]["q"]
        assert value is None or value >= 0.0, name
        assert value is None or value <= 1.0 + 1e-12 or (duplicates == "each" and name.startswith("ext_rr"))
        assert scores.coverage(name) == Coverage(int(value is not None), 1)


@settings(deadline=None)
@given(st.lists(st.sampled_from(DOCUMENTS), unique=True, min_size=1), grades)
def test_a_better_order_is_never_worth_less(ranking: list[str], gold: dict[str, int]) -> None:
    best = sorted(ranking, key=lambda name: -gold.get(name, 0))
    for name in METRICS.names():
        scores = measure([name], {"q": ranking}, {"q": gold}).values[name]["q"]
        better = measure([name], {"q": best}, {"q": gold}).values[name]["q"]
        if scores is not None and better is not None:
            assert better >= scores - 1e-12, name


def test_extended_rr_is_that_of_the_study() -> None:
    # K = 2: places 1 and 2 are worth 1, place 3 1/(3-2), place 6 1/(6-2).
    assert extended_reciprocal_rank([1, 2], 2) == 1.0
    assert extended_reciprocal_rank([3, 6], 2) == (1 + 0.25) / 2
    assert extended_reciprocal_rank([], 2) == 0.0
    assert extended_reciprocal_rank([], 0) is None


def test_repeated_ids() -> None:
    ranking, gold = {"q": ["a", "a", "x", "b"]}, {"q": {"a": 1, "b": 1}}
    names = ["ext_rr", "recall@2", "precision@2", "rr", "ndcg@4", "map"]
    first = measure(names, ranking, gold).values
    each = measure(names, ranking, gold, duplicates="each").values
    assert first["ext_rr"]["q"] == (1 + 1 / (3 - 2)) / 2
    assert each["ext_rr"]["q"] == (1 + 1 + 1 / (4 - 2)) / 2
    assert first["recall@2"]["q"] == each["recall@2"]["q"] == 0.5
    assert each["precision@2"]["q"] == 0.5
    assert first["map"]["q"] == (1 + 2 / 3) / 2
    assert each["map"]["q"] == (1 + 2 / 4) / 2
    assert each["ndcg@4"]["q"] == pytest.approx(dcg([1, 0, 0, 1]) / dcg([1, 1]))


def test_blind_ndcg_cannot_see_recall_and_the_other_can() -> None:
    gold = {"q": {f"d{number}": 1 for number in range(100)}}
    scores = measure(["ndcg_blind@10", "ndcg@10"], {"q": ["d0", *"abcdefghi"]}, gold)
    assert scores.mean("ndcg_blind@10") == 1.0
    assert scores.mean("ndcg@10") == pytest.approx(1 / sum(1 / math.log2(i + 1) for i in range(1, 11)))


def test_coverage_says_what_the_mean_leaves_out() -> None:
    gold = {"found": {"a": 1}, "missed": {"a": 1}, "nothing relevant": {"a": 0}, "not judged": {}}
    scores = measure(["rr", "ndcg_blind"], {"found": ["a"], "without gold": ["a"]}, gold)
    assert scores.mean("rr") == 0.5
    assert scores.coverage("rr") == Coverage(2, 5)
    assert scores.mean("rr", undefined=0.0) == 1 / 5
    assert scores.coverage("ndcg_blind") == Coverage(2, 5)
    assert measure(["rr"], {}, {}).mean("rr") is None


def test_the_grade_that_is_relevant_can_be_raised() -> None:
    scores = measure(["rr", "ndcg"], {"q": ["related", "relevant"]}, {"q": {"related": 1, "relevant": 2}}, least=2)
    assert scores.mean("rr") == 0.5
    assert scores.mean("ndcg") == pytest.approx(dcg([1, 3]) / dcg([3, 1]))


def test_judged_and_bpref_pass_over_what_nobody_looked_at() -> None:
    gold = {"q": {"a": 1, "b": 1, "no": 0}}
    with_unjudged = measure(["bpref", "ndcg_condensed@2", "judged@4"], {"q": ["x", "a", "y", "b"]}, gold)
    assert with_unjudged.mean("bpref") == with_unjudged.mean("ndcg_condensed@2") == 1.0
    assert with_unjudged.mean("judged@4") == 0.5


@pytest.mark.parametrize("name", ["ndcg@0", "ndcg@", "ndcg@x", "ndcg@-1", "accuracy", "ndcg@٣"])
def test_a_wrong_name_says_what_to_write(name: str) -> None:
    with pytest.raises(ConfigError) as caught:
        measure([name], {}, {})
    assert caught.value.cure
