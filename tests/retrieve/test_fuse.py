"""Fusion is pure: what it must do with lists of any kind."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rove import ConfigError
from rove.retrieve.fuse import DOCUMENT_WEIGHT, FUSIONS, adaptive, fused, reciprocal_rank_fusion, zscore_sum, zscores
from rove.settings import SearchSettings, read_settings
from rove.store.search_lists import SearchLists

SCORED = st.dictionaries(st.sampled_from("abcdefgh"), st.floats(-5, 50, allow_nan=False), max_size=8).map(
    lambda d: sorted(d.items(), key=lambda s: (-s[1], s[0]))
)


@given(SCORED, SCORED)
def test_every_chunk_comes_once_in_falling_order(
    keyword: list[tuple[str, float]], semantic: list[tuple[str, float]]
) -> None:
    lists = SearchLists({"keyword": keyword, "semantic": semantic}, coverage=0.5)
    for name in FUSIONS:
        ranked = fused(lists, SearchSettings.model_validate({"fusion": name}))
        assert sorted(n for n, _ in ranked) == sorted({n for n, _ in keyword} | {n for n, _ in semantic})
        assert [s for _, s in ranked] == sorted((s for _, s in ranked), reverse=True)


@given(SCORED)
def test_an_empty_list_leaves_the_other_order_alone(semantic: list[tuple[str, float]]) -> None:
    ranked = zscore_sum(SearchLists({"keyword": [], "semantic": semantic}))
    spread = {round(s, 6) for _, s in semantic}
    if len(spread) == len(semantic):
        assert [n for n, _ in ranked] == [n for n, _ in semantic]


@given(st.lists(st.integers(-50, 500), max_size=8), st.integers(1, 9), st.integers(-9, 9))
def test_the_scale_of_a_list_does_not_matter(scores: list[int], stretch: int, shift: int) -> None:
    before = zscores([(f"c{i}", float(score)) for i, score in enumerate(scores)])
    after = zscores([(f"c{i}", float(score * stretch + shift)) for i, score in enumerate(scores)])
    assert after == pytest.approx(before, abs=1e-6)


def test_a_chunk_that_both_lists_know_beats_one_that_a_single_list_knows() -> None:
    ranked = {
        "keyword": [("both", 8.0), ("words", 7.9), ("x", 1.0)],
        "semantic": [("meaning", 0.9), ("both", 0.89), ("y", 0.1)],
    }
    assert zscore_sum(SearchLists(ranked))[0][0] == adaptive(SearchLists(ranked))[0][0] == "both"
    assert reciprocal_rank_fusion([["both", "words"], ["meaning", "both"]])[0][0] == "both"


def test_keywords_without_a_word_in_common_do_not_shift_the_meaning() -> None:
    semantic = [("a", 0.9), ("b", 0.8), ("c", 0.3)]
    assert [n for n, _ in zscore_sum(SearchLists({"keyword": [], "semantic": semantic}))] == ["a", "b", "c"]


@given(SCORED, st.floats(0, 1))
def test_adaptive_fusion_keeps_the_order_of_a_lone_list(scored: list[tuple[str, float]], coverage: float) -> None:
    positive = [(n, score + 6) for n, score in scored]  # as BM25 is
    for name in ("keyword", "semantic"):
        order = [n for n, _ in adaptive(SearchLists({"keyword": [], "semantic": [], name: positive}, coverage))]
        scores = dict(positive)
        assert sorted(order) == sorted(scores)
        if name == "semantic" or coverage > 1e-6:
            assert all(scores[a] >= scores[b] - 1e-6 for a, b in zip(order, order[1:], strict=False))
    assert adaptive(SearchLists({})) == []


def test_the_words_count_by_what_they_cover() -> None:
    ranked = {
        "keyword": [("words", 4.0), ("x", 1.0)],
        "semantic": [("meaning", 0.9), ("y", 0.86), ("x", 0.85), ("z", 0.84)],
    }
    assert adaptive(SearchLists(ranked, coverage=1.0))[0][0] == "words"
    assert adaptive(SearchLists(ranked, coverage=0.01))[0][0] == "meaning"
    assert adaptive(SearchLists(ranked, coverage=0.0))[0][0] == "meaning"


def test_a_near_document_lifts_its_passage_by_its_weight() -> None:
    near = [("a", 0.84), ("b", 0.82), ("c", 0.80)]
    nearness = {"a": 0.0, "b": 0.0, "c": 0.2}
    alone = [name for name, _ in adaptive(SearchLists({"semantic": near}))]
    assert alone == ["a", "b", "c"]
    lifted = adaptive(SearchLists({"semantic": near}, nearness=nearness))
    assert [name for name, _ in lifted] == ["c", "a", "b"]
    level = [(name, score + DOCUMENT_WEIGHT * nearness[name]) for name, score in near]
    assert lifted == adaptive(SearchLists({"semantic": level}))


TWO = SearchLists({"keyword": [("a", 9.0), ("b", 5.0), ("c", 1.0)], "semantic": [("c", 0.9), ("a", 0.5)]})


def test_k_of_reciprocal_ranks_is_60_and_a_setting() -> None:
    assert SearchSettings().rrf_k == 60
    usual = dict(fused(TWO, SearchSettings(fusion="rrf")))
    assert usual == {"a": 1 / 61 + 1 / 62, "c": 1 / 63 + 1 / 61, "b": 1 / 62}
    assert dict(fused(TWO, SearchSettings(fusion="rrf", rrf_k=0)))["a"] == 1 / 1 + 1 / 2


def test_weights_are_settings_of_both_rules_that_have_them() -> None:
    weights = {"keyword_weight": 0.75, "semantic_weight": 0.25}
    by_score = fused(TWO, SearchSettings.model_validate({"fusion": "weighted", **weights}))
    assert by_score == [("a", 0.75), ("b", 0.375), ("c", 0.25)]
    by_rank = dict(fused(TWO, SearchSettings.model_validate({"fusion": "rrf", **weights})))
    assert by_rank["a"] == pytest.approx(0.75 / 61 + 0.25 / 62, abs=1e-15)
    alone = fused(TWO, SearchSettings(fusion="weighted", keyword_weight=0.0))
    assert [name for name, score in alone if score] == ["c"]


def test_two_weights_of_nought_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="keyword_weight and semantic_weight are both 0"):
        read_settings(tmp_path, search={"keyword_weight": 0, "semantic_weight": 0})


def test_words_weigh_by_the_root_of_their_coverage_in_deviations_of_the_meaning() -> None:
    ranked = {"keyword": [("a", 4.0), ("b", 1.0)], "semantic": [("b", 0.9), ("c", 0.7)]}
    quarter = adaptive(SearchLists(ranked, coverage=0.25))  # 8 · √0.25 = 4; b stands 0.2 above the lowest, σ is 0.1
    assert quarter == [("a", pytest.approx(4.0)), ("b", pytest.approx(3.0)), ("c", pytest.approx(0.0))]
    little = adaptive(SearchLists(ranked, coverage=0.04))
    assert little == [("b", pytest.approx(2.4)), ("a", pytest.approx(1.6)), ("c", pytest.approx(0.0))]


def test_a_list_of_equal_scores_says_nothing() -> None:
    level = [("a", 0.5), ("b", 0.5)]
    assert adaptive(SearchLists({"semantic": level})) == [("a", 0.0), ("b", 0.0)]
    assert zscores(level) == {"a": 0.0, "b": 0.0}
    assert adaptive(SearchLists({"keyword": [("a", 0.0)], "semantic": []})) == [("a", 0.0)]


def test_a_list_that_has_no_weight_counts_once() -> None:
    lists = SearchLists({"keyword": [("a", 2.0), ("b", 1.0)], "other": [("b", 2.0), ("a", 1.0)]})
    for fusion in ("rrf", "weighted"):
        (_, one), (_, other) = fused(lists, SearchSettings(fusion=fusion))
        assert one == other


def test_where_the_best_of_the_keywords_stands_out_they_count_for_more() -> None:
    """A long question is covered by no chunk, and may still be sure of one by its words."""
    semantic = [(f"s{n:02}", 0.9 - n / 100) for n in range(40)]
    tail = [(f"k{n:02}", 1.0 - n / 100) for n in range(30)]

    def first(best: float) -> str:
        return adaptive(SearchLists({"keyword": [("right", best), *tail], "semantic": semantic}, coverage=0.1))[0][0]

    assert (first(1.1), first(20.0)) == ("s00", "right")
