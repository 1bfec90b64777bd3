"""What filters mean: the reference that every index is held against."""

from __future__ import annotations

import pytest

from rove import field
from rove.records.filter import All, Any

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
