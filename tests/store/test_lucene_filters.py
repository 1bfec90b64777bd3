"""Values as tokens of one keyword field: equal where the values are, and ordered as they are."""

from __future__ import annotations

from itertools import combinations
from typing import Any

from hypothesis import given
from hypothesis import strategies as some

from rove.records import field
from rove.store.servers.lucene_filters import LONGEST_BYTES, compile_filter, token_of, tokens_of
from rove.testing.index_rows import NUMBERS, STRINGS

LARGEST_FLOAT = 1.7976931348623157e308
Numbers = some.one_of(some.integers(-(2**70), 2**70), some.floats(allow_nan=False))


def agree(one: Any, other: Any) -> bool:
    first, second = token_of("f", one), token_of("f", other)
    return (one < other) == (first < second) and (one == other) == (first == second)


def test_values_on_the_edges() -> None:
    numbers = [one for one in NUMBERS if one == one and (isinstance(one, float) or abs(one) <= LARGEST_FLOAT)]  # noqa: PLR0124
    assert [pair for values in (numbers, STRINGS) for pair in combinations(values, 2) if not agree(*pair)] == []
    for above in (10**400, 10**5_000):
        assert token_of("f", LARGEST_FLOAT) < token_of("f", above) < token_of("f", float("inf"))
        assert token_of("f", float("-inf")) < token_of("f", -above) < token_of("f", -LARGEST_FLOAT)
    assert token_of("f", float("nan")) == ""


@given(Numbers, Numbers)
def test_numbers(one: float, other: float) -> None:
    assert agree(one, other)


@given(some.text(), some.text())
def test_texts(one: str, other: str) -> None:
    assert agree(one, other)


def test_a_text_that_no_token_holds_is_told_from_another_by_its_hash() -> None:
    long = "x" * 40_000
    tokens = tokens_of({"f": (f"{long}a", f"{long}b", "x" * LONGEST_BYTES), "空": ()})
    assert len(tokens) == 5
    assert max(map(len, tokens)) < 32_766
    assert token_of("f", f"{long}a") in tokens
    assert token_of("f", f"{long}c") not in tokens
    assert token_of("f", "x" * LONGEST_BYTES) < token_of("f", f"{long}a") < token_of("f", "y")


def test_more_values_than_one_query_takes() -> None:
    parts = compile_filter(field("n").in_(range(130_000)))["bool"]["should"]
    assert [len(part["terms"]["facts"]) for part in parts] == [60_000, 60_000, 10_000]
