"""What counts as the same text, and what as nearly the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rove.records import Chunk, Hit
from rove.retrieve.same import NEAR, alike, apart, fold_text, merge_copies, runs_of

RUNS = st.frozensets(st.sampled_from("abcdefghijklmnopqrst"), min_size=1)


def hit(name: str, text: str) -> Hit:
    return Hit(Chunk(name, name, text, (0, len(text)), 0), 0.0)


def test_the_best_of_equal_hits_has_the_others_and_the_order_stays() -> None:
    hits = [hit("a", "One text."), hit("b", "Another."), hit("c", "one  TEXT."), hit("d", "One text.")]
    first, second = merge_copies(hits, "equal")
    assert (first.chunk, first.same) == (hits[0].chunk, (hits[2], hits[3]))
    assert second == hits[1]
    assert [one.chunk.chunk_id for one in apart([first, second])] == ["a", "c", "d", "b"]
    assert merge_copies(hits, "off") == hits


def test_nearly_equal_hits_go_to_the_first_that_is_near() -> None:
    long = "Remote work is approved by the head of the unit, who answers within three days."
    hits = [hit("a", long), hit("b", "Another."), hit("c", f"{long}!"), hit("d", f"{long}?"), hit("e", f"{long}!")]
    assert [[one.chunk.chunk_id for one in (kept, *kept.same)] for kept in merge_copies(hits, "near")] == [
        ["a", "c", "d", "e"],
        ["b"],
    ]
    assert len(merge_copies(hits, "equal")) == 4


def runs(count: int) -> frozenset[str]:
    return frozenset(f"run {n}" for n in range(count))


def test_nine_runs_of_ten_in_common_are_enough() -> None:
    assert NEAR == 0.9
    assert alike(runs(9), runs(10))
    assert alike(runs(10), runs(9))
    assert not alike(runs(8), runs(9))
    assert not alike(runs(17), runs(19))


def test_as_many_runs_are_not_yet_the_same_ones() -> None:
    assert not alike(frozenset("abcdefghij"), frozenset("abcdefghxy"))
    assert alike(frozenset("abcdefghijklmnopqrs"), frozenset("abcdefghijklmnopqrx")) is (18 >= 0.9 * 20)


@given(RUNS, RUNS)
def test_nearly_the_same_is_the_share_of_runs_in_common(one: frozenset[str], other: frozenset[str]) -> None:
    assert alike(one, other) == (len(one & other) >= NEAR * len(one | other)) == alike(other, one)


def test_runs_are_of_five_characters_and_a_short_text_is_its_own() -> None:
    assert runs_of("abcdefg") == {"abcde", "bcdef", "cdefg"}
    assert runs_of("abcde") == {"abcde"}
    assert runs_of("年假") == {"年假"}
    assert runs_of("") == {""}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Remote  work", "remote\nWORK"),
        ("Größe", "Gro\u0308ße"),
        ("szabadságot kap", "SZABADSÁGOT KAP"),
        ("年假 五天", "年假五天"),
        ("カ\u3099ス", "ガス"),
    ],
)
def test_blanks_case_and_ways_to_write_a_letter_make_no_other_text(one: str, other: str) -> None:
    assert fold_text(one) == fold_text(other)
