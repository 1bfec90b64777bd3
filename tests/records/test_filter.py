"""What filters mean: the reference that every index is held against."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rove import field
from rove.records.filter import All, Any, Compare, Filter, Not, implies

CHUNK = {"topic": "hr", "year": 2020, "draft": True, "tags": ("a", "b"), "日付": "2024-03-01"}


@pytest.mark.parametrize(
    ("where", "passes"),
    [
        (field("topic") == "hr", True),
        (field("topic") != "hr", False),
        (field("nowhere") != "hr", True),
        (field("nowhere") == "hr", False),
        (field("year") >= 2020, True),
        (field("year") < 2020.5, True),
        (field("year") > "2019", False),
        (field("draft") == True, True),  # noqa: E712
        (field("draft") == 1, False),
        (field("year") == True, False),  # noqa: E712
        (field("tags") == "b", True),
        (field("tags").in_(["x", "a"]), True),
        (field("tags").not_in(["a"]), False),
        (field("topic").in_([]), False),
        (field("tags").exists(), True),
        (field("nowhere").exists(), False),
        (field("日付") > "2024-01-31", True),
        ((field("topic") == "hr") & ~(field("year") < 2000), True),
        ((field("topic") == "it") | (field("year") == 2020), True),
        (All(()), True),
        (Any(()), False),
    ],
)
def test_a_filter_says_who_passes(where: object, passes: bool) -> None:
    assert where.matches(CHUNK) is passes


VALUES = st.sampled_from(["a", "b", 1, 1.0, True, 2])
CONDITIONS = st.one_of(
    st.builds(Compare, st.sampled_from(["x", "y"]), st.sampled_from(["==", ">", "exists"]), VALUES),
    st.builds(
        lambda name, values: Compare(name, "in", tuple(values)),
        st.sampled_from(["x", "y"]),
        st.lists(VALUES, max_size=3),
    ),
)
FILTERS = st.recursive(
    CONDITIONS,
    lambda inner: st.one_of(
        st.builds(lambda parts: All(tuple(parts)), st.lists(inner, max_size=3)),
        st.builds(lambda parts: Any(tuple(parts)), st.lists(inner, max_size=2)),
        st.builds(Not, inner),
    ),
    max_leaves=5,
)
FIELDS = st.dictionaries(st.sampled_from(["x", "y"]), st.one_of(VALUES, st.just(("a", "b")), st.just(("a",))))


@given(FILTERS, FILTERS, FIELDS)
def test_what_passes_a_filter_passes_those_that_it_implies(narrow: Filter, other: Filter, fields: dict) -> None:
    for own, wide in ((narrow, other), (narrow & other, other), (narrow, narrow | other)):
        if implies(own, wide) and own.matches(fields):
            assert wide.matches(fields)
    assert implies(narrow & other, other)


@pytest.mark.parametrize(
    ("narrow", "wide", "does"),
    [
        (field("access").in_(["a"]), field("access").in_(["a", "b"]), True),
        (field("access") == "a", field("access").in_(["a", "b"]), True),
        (field("access").in_(["a", "c"]), field("access").in_(["a", "b"]), False),
        (field("other").in_(["a"]), field("access").in_(["a", "b"]), False),
        (field("x").in_([True]), field("x").in_([1]), False),
        (~field("x").exists(), ~field("x").exists(), True),
        (None, None, True),
        (field("x") == 1, None, True),
        (None, field("x") == 1, False),
        (None, All(()), True),
    ],
)
def test_a_filter_implies_another_where_its_form_says_so(narrow: Filter, wide: Filter, does: bool) -> None:
    assert implies(narrow, wide) is does
