"""Where a walker is likely to be, by hand: what each number of the walk does to the places that it leads to."""

from __future__ import annotations

from math import exp, sqrt

import pytest

from rove.records import Chunk, Hit
from rove.retrieve.trail import QUESTION, Trail
from rove.settings import SearchSettings
from rove.store.search_lists import SearchLists

NEAR = {"best": 0.9, "first": 0.5, "second": 0.5, "weak": 0.1}
"""Cosines; in standard deviations from their mean, as `Trail.scores` has them: √2, 0, 0, -√2."""
PLENTY = SearchSettings()


def hit(name: str) -> Hit:
    return Hit(Chunk(name, f"doc {name}", name, (0, len(name)), 0), 0.0)


def trail(near: dict[str, float], hops: dict[str, int], opinions: dict[str, float] | None = None) -> Trail:
    ranked = sorted(near.items(), key=lambda scored: (-scored[1], scored[0]))
    made = Trail(SearchLists({"semantic": ranked}), PLENTY, 0.25)
    for name in near:
        made.take([hit(name)], [(opinions or {}).get(name, 0.0)], hops.get(name, 0))
    if opinions:
        made.weight = 0.25
    return made


def test_passages_are_scored_by_the_first_stage_and_the_reranker_by_its_weight() -> None:
    silent = trail(NEAR, {})
    assert silent.weight == 0.0
    assert silent.scores() == pytest.approx({"best": sqrt(2), "first": 0, "second": 0, "weak": -sqrt(2)})
    asked = trail(NEAR, {}, {"best": 0.0, "first": 1.0, "second": 1.0, "weak": 0.0})
    assert asked.scores() == pytest.approx(
        {"best": 0.75 * sqrt(2) - 0.25, "first": 0.25, "second": 0.25, "weak": -0.75 * sqrt(2) - 0.25}
    )


def test_walkers_start_at_what_was_found_and_take_links_by_how_well_their_ends_fit() -> None:
    walk = trail(NEAR, {"first": 1, "weak": 1})
    walk.ways = {"best": {"doc first": 1.0, "doc weak": 1.0}, "second": {"doc weak": 0.5}}
    start = 1 / (1 + exp(-sqrt(2) / 0.4))  # "best" against "second", a unit of warmth being 0.4 deviations
    share = 1 / (1 + exp(-sqrt(2)))  # "first" against "weak", a unit being one deviation
    assert walk.visits() == pytest.approx(
        {
            "best": start,
            "second": 1 - start,
            "first": 0.7 * start * share,
            "weak": 0.7 * start * (1 - share) + 0.7 * 0.5 * (1 - start),
        }
    )


def test_a_link_counts_by_its_strength_beside_others_of_its_passage() -> None:
    walk = trail({"best": 0.9, "first": 0.5, "second": 0.5}, {"first": 1, "second": 1})
    walk.ways = {"best": {"doc first": 0.8, "doc second": 0.2, "doc unknown": 1.0}}
    assert walk.visits() == pytest.approx({"best": 1.0, "first": 0.7 * 0.8 * 0.8, "second": 0.7 * 0.8 * 0.2})
    assert walk.unseen() == {"doc unknown"}


def test_a_walker_goes_one_link_further_than_passages_were_looked_for() -> None:
    names = [f"p{n}" for n in range(6)]
    walk = trail({"p0": 0.9} | dict.fromkeys(names[1:], 0.1), {name: min(n, 2) for n, name in enumerate(names)})
    walk.ways = {one: {f"doc {other}": 1.0} for one, other in zip(names, names[1:], strict=False)}
    visits = walk.visits()
    assert visits == pytest.approx({"p0": 1.0, "p1": 0.7, "p2": 0.7**2, "p3": 0.7**3})  # two hops, and one
    assert [one.chunk.chunk_id for one in walk.ranked()] == names[:4]
    assert [one.sources["walk"].rank for one in walk.ranked()] == [1, 2, 3, 4]
    assert [one.sources["link"].rank for one in walk.ranked() if "link" in one.sources] == [1, 2, 2]


def test_of_the_walkers_three_in_ten_start_at_what_the_question_names() -> None:
    walk = trail(NEAR, {"first": 1})
    before = walk.visits()
    walk.ways = {QUESTION: {"doc first": 1.0}}
    named = walk.visits()
    assert named == pytest.approx({name: 0.7 * chance for name, chance in before.items()} | {"first": 0.3})


def test_nothing_comes_before_the_best_of_what_the_question_found() -> None:
    walk = trail({"best": 0.52, "first": 0.51, "second": 0.5, "hub": 0.1}, {"hub": 1})
    walk.ways = {name: {"doc hub": 1.0} for name in ("best", "first", "second")}
    visits = walk.visits()
    assert visits["hub"] == pytest.approx(0.7)
    assert visits["best"] > visits["hub"] > visits["first"]
    assert [one.chunk.chunk_id for one in walk.ranked()] == ["best", "hub", "first", "second"]
    alone = trail({"hub": 0.1}, {"hub": 1})
    assert alone.visits() == {}


def test_the_front_is_the_likeliest_that_was_not_looked_at() -> None:
    walk = trail(NEAR, {})
    assert [one.chunk.chunk_id for one in walk.front(2)] == ["best", "first"]
    walk.ways["best"] = {}
    assert [one.chunk.chunk_id for one in walk.front(2)] == ["first"]
    assert [one.chunk.chunk_id for one in walk.front(3)] == ["first", "second"]


def test_another_hop_brings_what_is_new_in_one_scale_with_the_rest() -> None:
    walk = trail(NEAR, {})
    found = SearchLists({"semantic": [("new", 0.7), ("best", 0.9), ("late", 0.3)]}, 0.1, {"new": 0.0})
    fresh = walk.widen(found)
    assert [name for name, _ in fresh] == ["new", "late"]
    assert fresh[0][1] / fresh[1][1] == pytest.approx((0.7 - 0.1) / (0.3 - 0.1))
    assert walk.lists.ranked["semantic"][:2] == [("best", 0.9), ("new", 0.7)]
    assert walk.lists.coverage == 1.0
    assert walk.widen(SearchLists({"semantic": [("best", 0.9)]})) == []
