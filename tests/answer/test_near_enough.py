"""When something near enough was found: the distance, and how far a hit must stand above its list."""

from __future__ import annotations

import pytest

from rove.answer.refusal import is_refusal, near_enough, refusal
from rove.records import Chunk, Hit, Place

LIMIT, LEAD = 0.4, 0.1


def hit(name: str, distance: float | None, lead: float | None = None) -> Hit:
    sources = {} if distance is None else {"semantic": Place(1, 1.0 - distance, lead)}
    return Hit(Chunk(name, "d", "text", (0, 4), 0), 1.0, sources)


@pytest.mark.parametrize(("distance", "near"), [(0.39, True), (0.41, False), (-0.01, True), (1.0, False)])
def test_without_a_lead_the_distance_decides(distance: float, near: bool) -> None:
    assert near_enough([hit("a", distance)], LIMIT) is near
    assert near_enough([hit("a", distance, 0.9)], LIMIT) is near
    assert near_enough([hit("a", distance)], LIMIT, LEAD) is near  # a list too short to tell
    assert near_enough([hit("far", 0.9), hit("a", distance)], LIMIT) is near


def test_with_a_lead_a_hit_is_well_within_or_stands_out() -> None:
    sure, perhaps = 0.8 * LIMIT, 1.2 * LIMIT
    assert near_enough([hit("a", sure - 0.01, 0.0)], LIMIT, LEAD)
    assert not near_enough([hit("a", sure + 0.01, 0.09)], LIMIT, LEAD)
    assert near_enough([hit("a", sure + 0.01, 0.11)], LIMIT, LEAD)
    assert near_enough([hit("a", perhaps - 0.01, 0.11)], LIMIT, LEAD)
    assert not near_enough([hit("a", perhaps + 0.01, 0.9)], LIMIT, LEAD)


def test_hits_of_which_nothing_is_known_pass_and_no_hit_does_not() -> None:
    unknown = hit("a", None)
    assert near_enough([unknown], LIMIT)
    assert not near_enough([], LIMIT)
    assert near_enough([unknown], LIMIT, distances={"a": 0.4})
    assert not near_enough([unknown], LIMIT, distances={"a": 0.41})
    assert near_enough([unknown], LIMIT, distances={"b": 0.9})  # of another chunk
    assert not near_enough([unknown, hit("b", 0.9)], LIMIT)
    assert not near_enough([hit("b", 0.9)], LIMIT, distances={"b": 0.1})  # its list knows better


@pytest.mark.parametrize("language", ["en", "de", "hu", "zh", "ja", "pt-BR", "xx"])
def test_a_refusal_is_known_in_every_language(language: str) -> None:
    assert is_refusal(f"“{refusal(language).upper()}”")
    assert not is_refusal(refusal(language)[:-3])


def test_a_lead_of_just_the_least_stands_out() -> None:
    assert near_enough([hit("a", 0.8 * LIMIT + 0.01, LEAD)], LIMIT, LEAD)
