"""Where a walker is likely to be, by hand: what each number of the walk does to the places that it leads to."""

from __future__ import annotations

from math import exp, log, sqrt

import pytest

from rove.records import Chunk, Hit
from rove.retrieve.trail import QUESTION, Trail, Ways
from rove.settings import SearchSettings
from rove.store.search_lists import SearchLists

NEAR = {"best": 0.9, "first": 0.5, "second": 0.5, "weak": 0.1}
"""Cosines; in standard deviations from their mean, as `Trail.scores` has them: √2, 0, 0, -√2."""
PLENTY = SearchSettings()


def hit(name: str) -> Hit:
    return Hit(Chunk(name, f"doc {name}", name, (0, len(name)), 0), 0.0)


def trail(
    near: dict[str, float],
    hops: dict[str, int],
    opinions: dict[str, float] | None = None,
    told: dict[str, str] | None = None,
) -> Trail:
    """What the question found, and then what was met after so many hops; `told`: terms of the question, "a b"."""
    ranked = sorted(near.items(), key=lambda scored: (-scored[1], scored[0]))
    terms = {name: frozenset((told or {}).get(name, "").split()) for name in near}
    asked = {term for found in terms.values() for term in found} or {"a term that nothing holds"}
    made = Trail(SearchLists({"semantic": ranked}), PLENTY, 0.25, asked)
    for hop in sorted({hops.get(name, 0) for name in near}):
        names = [name for name in near if hops.get(name, 0) == hop]
        made.take(
            [hit(name) for name in names],
            [terms[name] for name in names],
            [(opinions or {}).get(name, 0.0) for name in names],
            hop,
        )
    return made


def shared(links: dict[str, dict[str, float]]) -> dict[str, Ways]:
    return {source: Ways(shared=ends) for source, ends in links.items()}


def visits(walk: Trail) -> dict[str, float]:
    return walk.visits(walk.scores())


def order(walk: Trail) -> list[str]:
    return [one.chunk.chunk_id for one in walk.ranked()]


def test_passages_are_scored_by_the_first_stage_and_the_reranker_by_its_weight() -> None:
    silent = trail(NEAR, {})
    assert silent.weight == 0.0
    assert silent.scores() == pytest.approx({"best": sqrt(2), "first": 0, "second": 0, "weak": -sqrt(2)})
    asked = trail(NEAR, {}, {"best": 0.0, "first": 1.0, "second": 1.0, "weak": 0.0})
    assert asked.scores() == pytest.approx(
        {"best": 0.75 * sqrt(2) - 0.25, "first": 0.25, "second": 0.25, "weak": -0.75 * sqrt(2) - 0.25}
    )


def test_walkers_take_links_by_what_is_news_and_by_how_well_their_ends_fit() -> None:
    walk = trail(NEAR, {"first": 1, "weak": 1}, told={"best": "a", "first": "a b"})
    walk.ways = shared({"best": {"doc first": 1.0, "doc weak": 1.0}, "second": {"doc weak": 0.5}})
    start = 1 / (1 + exp(-sqrt(2) / 0.4))  # "best" against "second", a unit of warmth being 0.4 deviations
    fit = exp(-sqrt(2) / 2)  # "weak" beside "first", a unit being two deviations
    share = 1 / (1 + 0.05 * fit)  # only "first" has the term that "best" lacks
    weak = 0.85 * (1 - share) + 0.85 * 0.5 * 0.05 * (1 - start) / start
    assert visits(walk) == pytest.approx({"first": 0.85 * share, "weak": weak})


def test_what_the_best_tells_already_is_no_news() -> None:
    told = {"best": "a", "second": "b", "first": "a", "weak": "c"}
    walk = trail(NEAR, {"first": 1, "weak": 1}, told=told)
    walk.ways = shared({"second": {"doc first": 1.0}})
    alone = visits(walk)["first"]
    walk.ways = shared({"second": {"doc weak": 1.0}})
    assert alone == pytest.approx(0.05 * visits(walk)["weak"])


def test_where_all_that_is_asked_is_told_nobody_goes_on() -> None:
    walk = trail(NEAR, {"first": 1}, told={"best": "a", "second": "b", "first": "a b"})
    walk.ways = shared({"second": {"doc first": 1.0}})
    assert visits(walk) == {}


def test_a_rare_term_is_more_news_than_a_common_one() -> None:
    told = {"best": "x", "second": "common", "first": "common", "weak": "rare"}
    walk = trail(NEAR, {"first": 1, "weak": 1}, told=told)
    found: dict[str, float] = {}
    for end in ("first", "weak"):
        walk.ways = shared({"best": {f"doc {end}": 1.0}})
        found[end] = visits(walk)[end]
    common, rare = log(5 / 2.5), log(5 / 1.5)
    assert found == pytest.approx(
        {
            "first": 0.85 * (0.05 + 0.95 * common / (common + rare)),
            "weak": 0.85 * (0.05 + 0.95 * rare / (common + rare)),
        }
    )


def test_a_link_counts_by_its_strength_beside_others_of_its_passage() -> None:
    walk = trail({"best": 0.9, "first": 0.5, "second": 0.5}, {"first": 1, "second": 1})
    walk.ways = shared({"best": {"doc first": 0.8, "doc second": 0.2, "doc unknown": 1.0}})
    going = 0.85 * 0.05 * 0.8
    assert visits(walk) == pytest.approx({"first": going * 0.8, "second": going * 0.2})
    assert walk.unseen() == {"doc unknown"}


def test_each_kind_of_links_has_half_of_the_walkers() -> None:
    """However many passages share a name with it, what a passage names by title has the same half."""
    near = {"best": 0.9, "second": 0.88, "first": 0.5, "weak": 0.5, "other": 0.5}
    walk = trail(near, {"first": 1, "weak": 1, "other": 1})
    alone = Ways(titled={"doc first": 1.0})
    crowded = Ways(titled={"doc first": 1.0}, shared={"doc first": 1.0, "doc weak": 0.5, "doc other": 0.5})
    found: list[dict[str, float]] = []
    for ways in (alone, crowded):
        walk.ways = {"second": ways}
        found.append(visits(walk))
    assert found[1]["first"] == pytest.approx(found[0]["first"] / 2)
    assert found[1]["weak"] == found[1]["other"] == pytest.approx(found[0]["first"] / 8)


def test_what_the_best_names_by_its_title_counts_whatever_its_words() -> None:
    walk = trail(NEAR, {"first": 1})
    walk.ways = {"best": Ways(titled={"doc first": 1.0})}
    assert visits(walk) == pytest.approx({"first": 0.85 * 0.3})
    walk.ways = {"second": Ways(titled={"doc first": 1.0})}
    assert visits(walk)["first"] == pytest.approx(0.85 * 0.05 * exp(-sqrt(2) / 0.4))


def test_what_is_named_by_right_names_by_right() -> None:
    walk = trail(NEAR, {"first": 1, "weak": 2})
    walk.ways = {"best": Ways(titled={"doc first": 1.0}), "first": Ways(titled={"doc weak": 1.0})}
    assert visits(walk) == pytest.approx({"first": 0.85 * 0.3, "weak": (0.85 * 0.3) ** 2})
    walk.ways |= shared({"best": {"doc first": 1.0}})
    assert visits(walk) == pytest.approx({"first": 0.85 * 0.05, "weak": (0.85 * 0.05) ** 2})


def test_due_is_what_the_strongest_name_by_title_and_of_which_nothing_is_here() -> None:
    walk = trail(NEAR, {})
    walk.ways = {
        QUESTION: Ways(titled={"doc asked": 0.5}),
        "best": Ways(titled={"doc named": 1.0, "doc first": 1.0}, shared={"doc shared": 1.0}),
        "weak": Ways(titled={"doc far": 1.0}),
    }
    assert walk.due(2) == {"doc asked", "doc named"}
    assert walk.due(4) == {"doc asked", "doc named", "doc far"}
    assert walk.unseen() == {"doc asked", "doc named", "doc shared", "doc far"}


def test_a_walker_takes_four_links_and_none_back_to_the_best() -> None:
    names = [f"p{n}" for n in range(6)]
    walk = trail({"p0": 0.9} | dict.fromkeys(names[1:], 0.1), {name: min(n, 3) for n, name in enumerate(names)})
    walk.ways = shared({one: {f"doc {other}": 1.0} for one, other in zip(names, [*names[1:], "p0"], strict=True)})
    assert visits(walk) == pytest.approx({f"p{n}": (0.85 * 0.05) ** n for n in range(1, 5)})
    assert order(walk) == names[:5]
    assert [one.sources["walk"].rank for one in walk.ranked()] == [1, 2, 3, 4, 5]
    assert [one.sources["link"].rank for one in walk.ranked() if "link" in one.sources] == [1, 2, 3, 3]


def test_of_the_walkers_one_in_ten_starts_at_what_the_question_names() -> None:
    walk = trail(NEAR, {"first": 1})
    walk.ways = shared({QUESTION: {"doc first": 1.0}})
    start = 1 / (1 + exp(-sqrt(2) / 0.4) + exp(-2 * sqrt(2) / 0.4))
    assert visits(walk) == pytest.approx({"first": 0.1 * 0.05 / (0.9 * start)})


def test_where_no_link_leads_anywhere_the_order_is_that_of_hybrid_search() -> None:
    walk = trail(NEAR, {}, {"best": 0.1, "first": 0.2, "second": 0.9, "weak": 0.3})
    walk.ways = shared({"best": {}, "first": {"doc unknown": 1.0}})
    scores = walk.scores()
    assert [(one.chunk.chunk_id, one.score) for one in walk.ranked()] == sorted(
        scores.items(), key=lambda scored: -scored[1]
    )


def test_what_links_lead_to_stands_as_far_below_the_best_as_fewer_walkers_come() -> None:
    walk = trail({"best": 0.9, "first": 0.5, "second": 0.45, "weak": 0.1}, {"weak": 1})
    walk.ways = shared({"best": {"doc weak": 1.0}})
    scores = walk.scores()
    placed = scores["best"] + 0.4 * log(0.85 * 0.05)
    assert {one.chunk.chunk_id: one.score for one in walk.ranked()} == pytest.approx({**scores, "weak": placed})
    assert scores["first"] < placed < scores["best"]
    assert order(walk) == ["best", "weak", "first", "second"]
    faint = trail({"best": 0.9, "first": 0.88, "second": 0.87, "weak": 0.1}, {"weak": 1})
    faint.ways = shared({"second": {"doc weak": 0.1}})
    assert order(faint) == ["best", "first", "second", "weak"]


def test_a_link_lifts_what_the_question_found_and_lowers_nothing() -> None:
    near = {"best": 0.9, "first": 0.6, "second": 0.5, "weak": 0.1}
    walk = trail(near, {})
    walk.ways = {"best": Ways(titled={"doc weak": 1.0})}
    assert order(walk) == ["best", "weak", "first", "second"]
    assert "link" not in walk.ranked()[1].sources
    walk.ways = shared({"second": {"doc first": 0.01}})
    assert order(walk) == list(near)
    assert {one.chunk.chunk_id: one.score for one in walk.ranked()} == pytest.approx(walk.scores(), abs=0.001)


def test_a_trail_on_which_nothing_was_found_has_no_order() -> None:
    assert order(Trail(SearchLists({}), PLENTY, 0.25)) == []


def test_the_front_is_the_likeliest_that_was_not_looked_at() -> None:
    walk = trail(NEAR, {})
    assert [one.chunk.chunk_id for one in walk.front(2)] == ["best", "first"]
    walk.ways["best"] = Ways()
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
