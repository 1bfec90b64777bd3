"""Every registered index, held against a few lines of Python that say what it must find."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rove.records import Filter, field
from rove.records.filter import All, Any, Compare, Not
from rove.store import INDEXES, Index, IndexRow

DIMENSION = 16
TEXTS = [
    "kutya macska ház", "hund katze haus", "远程 程办 办公", "犬 猫 家 家", "dog cat house",
    "dog dog dog", "cat and dog in the house of the dog", "house", "katze", "policy remote work hr",
]  # fmt: skip


def make_rows(count: int, *, seed: int = 0) -> list[IndexRow]:
    random = np.random.default_rng(seed)
    vectors = random.standard_normal((count, DIMENSION)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return [
        IndexRow(
            f"c{i:04d}",
            TEXTS[i % len(TEXTS)] + f" n{i}",
            vectors[i],
            {
                "n": i,
                "topic": ("hr", "it", "日本語", "árvíz'tűrő")[i % 4],
                "tags": ("a", f"t{i % 3}"),
                "draft": i % 2 == 0,
            }
            | ({"year": 2000 + i % 20 + 0.5} if i % 5 else {})
            | ({"mixed": i} if i % 3 == 0 else {"mixed": f"v{i}"} if i % 3 == 1 else {}),
        )
        for i in range(count)
    ]


@pytest.fixture(params=INDEXES.names())
async def index(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Index]:
    made = INDEXES.get(request.param)(folder=tmp_path / "index", dimension=DIMENSION)
    yield made
    await made.close()


def bm25(rows: Sequence[IndexRow], terms: Sequence[str]) -> dict[str, float]:
    bags = {row.chunk_id: Counter(row.terms.split()) for row in rows}
    average = sum(bag.total() for bag in bags.values()) / len(bags)
    scores: dict[str, float] = {}
    for name, bag in bags.items():
        for term in terms:
            df = sum(term in other for other in bags.values())
            if bag[term]:
                idf = math.log(1 + (len(bags) - df + 0.5) / (df + 0.5))
                norm = 1.2 * (0.25 + 0.75 * bag.total() / average)
                scores[name] = scores.get(name, 0.0) + idf * bag[term] * 2.2 / (bag[term] + norm)
    return scores


def cosines(rows: Sequence[IndexRow], vector: np.ndarray) -> dict[str, float]:
    return {row.chunk_id: float(row.vector @ vector) for row in rows}


def best(scores: dict[str, float], top_k: int) -> list[str]:
    return [name for name, _ in sorted(scores.items(), key=lambda s: (-s[1], s[0]))[:top_k]]


@pytest.mark.parametrize(
    "terms", [["dog"], ["dog", "house"], ["办公"], ["猫", "家"], ["kutya", "n30"], ["nowhere"], []]
)
async def test_keyword_finds_what_bm25_finds(index: Index, terms: list[str]) -> None:
    rows = make_rows(60)
    await index.add(rows)
    await index.optimize()
    expected = bm25(rows, terms)
    found = await index.keyword(terms, top_k=100)
    assert {name for name, _ in found} == set(expected)
    assert all(score == pytest.approx(expected[name], rel=0.02) for name, score in found)
    assert [s for _, s in found] == sorted((s for _, s in found), reverse=True)


async def test_rows_are_found_before_they_are_optimized(index: Index) -> None:
    rows = make_rows(30)
    await index.add(rows[:20])
    await index.optimize()
    await index.add(rows[20:])
    assert [name for name, _ in await index.keyword(["n25"], top_k=5)] == ["c0025"]
    assert (await index.semantic(rows[25].vector, top_k=1))[0][0] == "c0025"


async def test_semantic_is_exact_on_a_small_index(index: Index) -> None:
    rows = make_rows(200)
    await index.add(rows)
    await index.optimize()
    for query in make_rows(5, seed=9):
        found = await index.semantic(query.vector, top_k=10)
        expected = cosines(rows, query.vector)
        assert [name for name, _ in found] == best(expected, 10)
        assert all(score == pytest.approx(expected[name], abs=1e-4) for name, score in found)


async def test_a_filter_comes_before_the_search(index: Index) -> None:
    rows = make_rows(200)
    await index.add(rows)
    await index.optimize()
    where = field("n") == 117
    assert [name for name, _ in await index.semantic(rows[3].vector, top_k=10, where=where)] == ["c0117"]
    assert [
        name for name, _ in await index.keyword(["dog", "house", "cat", "家", "haus", "n117"], top_k=3, where=where)
    ]


async def test_adding_again_replaces_and_removing_forgets(index: Index) -> None:
    rows = make_rows(20)
    await index.add(rows)
    await index.add([*rows[:5], *rows[:5]])
    assert sorted(await index.chunk_ids()) == [row.chunk_id for row in rows]
    changed = IndexRow("c0000", "unicorn", rows[1].vector, {"topic": "new"})
    await index.add([changed])
    assert [name for name, _ in await index.keyword(["unicorn"], top_k=5)] == ["c0000"]
    assert not await index.keyword(["n0"], top_k=5)
    await index.remove(["c0000", "c0001", "unknown"])
    assert await index.count() == 18
    assert not await index.keyword(["unicorn", "n1"], top_k=5)
    assert not {"c0000", "c0001"} & {name for name, _ in await index.semantic(rows[1].vector, top_k=20)}
    await index.erase()
    assert await index.count() == 18
    assert [name for name, _ in await index.keyword(["n7"], top_k=5)] == ["c0007"]


async def test_an_empty_index_finds_nothing(index: Index) -> None:
    assert await index.keyword(["dog"], top_k=3) == []
    assert await index.semantic(make_rows(1)[0].vector, top_k=3) == []
    assert await index.chunk_ids() == []
    await index.remove(["x"])
    await index.optimize()
    await index.erase()
    assert await index.count() == 0


async def test_rebuild_starts_again(index: Index) -> None:
    await index.add(make_rows(10))

    async def batches() -> AsyncIterator[Sequence[IndexRow]]:
        yield make_rows(30)[10:20]
        yield make_rows(30)[20:]

    await index.rebuild(batches())
    assert sorted(await index.chunk_ids()) == [f"c{i:04d}" for i in range(10, 30)]


def _filters() -> st.SearchStrategy[Filter]:
    names = st.sampled_from(["n", "topic", "tags", "draft", "year", "mixed", "nowhere", "Wei{rd} näme`'"])
    scalars = st.one_of(
        st.integers(-3, 60), st.sampled_from([2003.5, 2010.5, -0.25, 1e300]), st.booleans(),
        st.sampled_from(["hr", "it", "日本語", "árvíz'tűrő", "a", "t1", "v4", "", "'; DROP", "%", "\\"]),
    )  # fmt: skip
    compare = st.builds(Compare, names, st.sampled_from(["==", ">", ">=", "<", "<="]), scalars)
    within = st.builds(Compare, names, st.just("in"), st.lists(scalars, max_size=4).map(tuple))
    exists = st.builds(Compare, names, st.just("exists"), st.just(True))
    leaves = st.one_of(compare, within, exists)
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.builds(Not, inner),
            st.builds(All, st.lists(inner, max_size=3).map(tuple)),
            st.builds(Any, st.lists(inner, max_size=3).map(tuple)),
        ),
        max_leaves=6,
    )


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(where=_filters())
def test_memory_filters_mean_what_the_reference_says(where: Filter) -> None:
    rows = make_rows(40)
    made = INDEXES.get("memory")(dimension=DIMENSION)
    made.extend(rows)
    found = {name for name, _ in made.best_semantic(rows[0].vector, top_k=100, where=where)}
    assert found == {row.chunk_id for row in rows if where.matches(row.fields)}


async def test_lance_filters_mean_what_the_reference_says(tmp_path: Path) -> None:
    rows = make_rows(40)
    made = INDEXES.get("lancedb")(folder=tmp_path, dimension=DIMENSION)
    await made.add(rows)
    checked: list[Filter] = []

    @settings(max_examples=150, deadline=None, database=None)
    @given(where=_filters())
    def collect(where: Filter) -> None:
        checked.append(where)

    collect()
    for where in checked:
        found = {name for name, _ in await made.semantic(rows[0].vector, top_k=100, where=where)}
        assert found == {row.chunk_id for row in rows if where.matches(row.fields)}, where
    await made.close()
