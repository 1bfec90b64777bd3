"""Spans: what was read against what answers, character by character."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rove.evaluate.spans import SpanScore, holds, join_spans, score_spans, shared_chars

spans = st.lists(st.tuples(st.integers(0, 60), st.integers(1, 20)).map(lambda pair: (pair[0], sum(pair))), max_size=6)


@settings(deadline=None)
@given(spans, spans)
def test_counting_is_that_of_sets_of_characters(read: list[tuple[int, int]], gold: list[tuple[int, int]]) -> None:
    read_set, gold_set = ({place for span in each for place in range(*span)} for each in (read, gold))
    assert shared_chars(join_spans(read, 0), join_spans(gold, 0)) == len(read_set & gold_set)


@settings(deadline=None)
@given(spans, spans)
def test_no_score_leaves_its_range(read: list[tuple[int, int]], gold: list[tuple[int, int]]) -> None:
    score = score_spans({"d": read, "e": [(0, 5)]}, {"d": gold})
    for value in (score.recall, score.whole, score.precision, score.iou):
        assert value is None or 0.0 <= value <= 1.0
    assert (score.recall is None) == (not gold)


def test_what_was_read_exactly_is_perfect_and_what_is_read_twice_costs_twice() -> None:
    assert score_spans({"d": [(5, 9)]}, {"d": [(5, 9)]}) == SpanScore(1.0, 1.0, 1.0, 1.0)
    twice = score_spans({"d": [(5, 9), (5, 9)]}, {"d": [(5, 9)]})
    assert (twice.recall, twice.precision, twice.iou) == (1.0, 0.5, 0.5)


def test_another_document_is_read_in_vain() -> None:
    score = score_spans({"e": [(0, 10)]}, {"d": [(0, 10)]})
    assert (score.recall, score.whole, score.precision, score.iou) == (0.0, 0.0, 0.0, 0.0)
    assert score_spans({}, {"d": [(0, 10)]}).precision is None


def test_two_pieces_hold_a_span_together_only_where_they_touch() -> None:
    gold = {"d": [(5, 15)]}
    assert score_spans({"d": [(0, 10), (11, 20)]}, gold).whole == 1.0
    apart = score_spans({"d": [(0, 8), (12, 20)]}, gold)
    assert (apart.whole, apart.recall) == (0.0, pytest.approx(0.6))
    assert not holds([(0, 8), (12, 20)], (5, 15))
