"""What filters mean: the reference that every index is held against."""

from __future__ import annotations

from functools import reduce
from operator import and_, or_
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rove import Rove, Text, field
from rove.errors import InputError
from rove.records.filter import DEEPEST, MOST_CONDITIONS, All, Any, Compare, Filter, Not, Where, fault_of, implies

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


def nested(levels: int, leaf: Filter) -> Filter:
    for _ in range(levels - 1):
        leaf = ~leaf
    return leaf


def test_conditions_that_are_joined_one_by_one_stand_side_by_side() -> None:
    conditions = [field("year") != year for year in range(1_900)]
    joined = reduce(and_, conditions)
    assert joined == All(tuple(conditions))
    assert fault_of(joined) == ""
    assert joined.matches({"year": 3_000})
    assert reduce(or_, conditions) == Any(tuple(conditions))
    assert (conditions[0] & (conditions[1] | conditions[2])) == All((conditions[0], Any(tuple(conditions[1:3]))))


@pytest.mark.parametrize(
    ("where", "said"),
    [
        (nested(DEEPEST, field("year") == 1), ""),
        (nested(DEEPEST + 1, field("year") == 1), "nested more"),
        (nested(30_000, field("year") == 1), "nested more"),
        (All((field("year") == 1,) * (MOST_CONDITIONS - 1)), ""),
        (Any((field("year") == 1,) * 100_000), "more than 2,000"),
        (reduce(and_, (field("year") != year for year in range(10_000))), "more than 2,000"),
        (reduce(lambda inner, _: All((inner, inner)), range(60), field("year") == 1), "more than 2,000"),
        (field("year").in_(range(100_000)), ""),
        (All(("year",)), "'year', which is no condition"),
        (Not(None), "None, which is no condition"),
        (Filter(), "no condition"),
        (Compare("year", "=~", 1), "operator"),
        (Compare(3, "==", 1), "field 3"),
        (Compare("year", "in", "2020"), "no list"),
        (field("topic") == "\ud800", "not Unicode"),
        (field("\udfff").exists(), "not Unicode"),
        (field("topic").in_(["hr", "\ud800"]), "not Unicode"),
    ],
)
def test_a_filter_past_the_bounds_or_of_wrong_parts_says_so(where: Filter, said: str) -> None:
    assert said in fault_of(where)
    assert bool(said) == bool(fault_of(where))


def test_a_mapping_is_a_filter_of_its_fields(tmp_path: Path) -> None:
    """An empty one lets all through, and erases nothing."""
    texts = [Text(f"Rule {n}", id=f"{n}", metadata={"topic": "hr" if n else "it", "year": 2020 + n}) for n in range(3)]
    with Rove.open(tmp_path / "kb", embedder={"name": "fake"}) as kb:
        kb.add(texts)

        def found(where: Where) -> list[str]:
            return sorted(hit.chunk.document_id for hit in kb.search("rule", where=where))

        assert found({"topic": "hr"}) == ["1", "2"]
        assert found({"topic": "hr", "year": [2020, 2021]}) == ["1"]
        assert found({"year": []}) == []
        assert found({}) == ["0", "1", "2"]
        with pytest.raises(InputError, match="not Unicode"):
            found({"topic\ud800": "hr"})
        assert kb.delete(where={}) == 0
        assert kb.delete(where={"topic": "it"}) == 1
        assert found({}) == ["1", "2"]
