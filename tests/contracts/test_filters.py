"""Filters × metadata, held against the reference in `rove.records.filter`, for every registered index."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rove.records import Filter, field
from rove.records.filter import All, Any, Compare, Not
from rove.records.metadata import stored_fields
from rove.store import INDEXES, IndexRow

DIMENSION = 4
EDGES = [b + d for b in (0, 2**53, -(2**53), 2**62, 2**63, -(2**63), 10**18) for d in (-2, -1, 0, 1, 2)]
NUMBERS: list[object] = [
    *EDGES, *map(float, EDGES), 0.5, -0.5, -0.0, 1e300, -1e300, 5e-324, 2.0**53 + 0.5, float("nan"), float("inf"),
    float("-inf"), 10**30, 10**400, -(10**400),
]  # fmt: skip
TEXTS: list[object] = [
    "", "1", "1.0", "2", "true", "nan", "a", "b", "'; DROP", "日本", "é", "é", "\ue000", "\U0001f600", "x\0", "x",
    "x\x01", "\ud800", "9007199254740993", "2024-05-01",
]  # fmt: skip
VALUES: list[object] = [*NUMBERS, *TEXTS, True, False]
LISTS: list[object] = [("a", "b"), ("b",), (), (1, 2), [True, None], ["日本", "x\0"], {"1"}]
OTHERS: list[object] = [None, {"deep": 1}, b"a", datetime(2024, 5, 1, tzinfo=UTC), np.int64(2**53 + 1), np.float32(0.5)]


def rows() -> list[IndexRow]:
    """A row for each value in the field `v`; one field has every kind, and one row lacks it."""
    found = [*VALUES, *LISTS, *OTHERS]
    vectors = np.eye(DIMENSION, dtype=np.float32)
    return [
        IndexRow(f"c{i:03d}", "t", vectors[i % DIMENSION], stored_fields({"v": value, "V": i, "": i % 2 == 0}))
        for i, value in enumerate(found)
    ]


def filters() -> st.SearchStrategy[Filter]:
    names = st.sampled_from(["v", "v", "v", "V", "v.deep", "", "nowhere", "x" + "0" * 32])
    scalars = st.one_of(st.sampled_from(VALUES), st.integers(), st.floats(), st.text(max_size=2))
    leaves = st.one_of(
        st.builds(Compare, names, st.sampled_from(["==", ">", ">=", "<", "<="]), scalars),
        st.builds(Compare, names, st.just("in"), st.lists(scalars, max_size=3).map(tuple)),
        st.builds(Compare, names, st.just("exists"), st.just(True)),
    )
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.builds(Not, inner),
            st.builds(All, st.lists(inner, max_size=2).map(tuple)),
            st.builds(Any, st.lists(inner, max_size=2).map(tuple)),
        ),
        max_leaves=4,
    )


def every_pair() -> list[Filter]:
    """Each operator with each value that is on an edge."""
    return [Compare("v", op, value) for op in ("==", ">", ">=", "<", "<=") for value in VALUES]


@pytest.mark.parametrize("name", INDEXES.names())
async def test_filters_mean_what_the_reference_says(name: str, tmp_path: Path) -> None:
    held = rows()
    index = INDEXES.get(name)(folder=tmp_path / "index", dimension=DIMENSION)
    await index.add(held[:30])
    await index.add(held[30:])
    drawn = SimpleNamespace(filters=every_pair())

    @settings(max_examples=120, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(where=filters())
    def draw(where: Filter) -> None:
        drawn.filters.append(where)

    draw()
    for where in drawn.filters:
        found = {chunk_id for chunk_id, _ in await index.semantic(held[0].vector, top_k=200, where=where)}
        assert found == {row.chunk_id for row in held if where.matches(row.fields)}, where
    await index.close()


@pytest.mark.parametrize("name", INDEXES.names())
async def test_one_value_is_not_answered_by_the_mask_of_another(name: str, tmp_path: Path) -> None:
    index = INDEXES.get(name)(folder=tmp_path / "index", dimension=DIMENSION)
    vector = np.eye(DIMENSION, dtype=np.float32)[0]
    await index.add([IndexRow("flag", "t", vector, {"v": True}), IndexRow("number", "t", vector, {"v": 1})])
    for value, expected in ((True, ["flag"]), (1, ["number"]), (1.0, ["number"]), (True, ["flag"])):
        assert [found for found, _ in await index.semantic(vector, top_k=5, where=field("v") == value)] == expected
        where = field("v").in_([value])
        assert [found for found, _ in await index.keyword(["t"], top_k=5, where=where)] == expected
    await index.close()
