"""The best rows are found without scoring all: the same rows, the same scores to the bit, ties and all."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rove.store import bm25, maxscore, postings, segments
from rove.store.blocks import ArrayInParts
from rove.store.postings import Postings

WORDS = ["kutya", "macska", "hund", "katze", "远程", "办公", "犬", "猫", "dog", "house", "árvíz", "straße"]


@pytest.fixture(autouse=True)
def as_if_there_were_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postings, "FEW", 0)
    monkeypatch.setattr(postings, "RARE", 4)
    monkeypatch.setattr(postings, "TRIED", 2)
    monkeypatch.setattr(maxscore, "WORTH", 3)
    monkeypatch.setattr(segments, "BLOCK", 7)


def drawn(chance: random.Random, rows: int, *, long: bool = False) -> list[str]:
    """Rows of words of which some are frequent and some are rare."""
    often = [2.0**-at for at in range(len(WORDS))]
    return [" ".join(chance.choices(WORDS, often, k=chance.randint(0, 300 if long else 8))) for _ in range(rows)]


def documents(chance: random.Random, rows: int, most: int) -> list[int]:
    owners = [0]
    while len(owners) < rows:
        owners += [owners[-1] + 1] * chance.randint(1, most)
    return owners[:rows]


def unpacked(held: Postings, keep: np.ndarray, share: float) -> Postings:
    arrays = {
        name: np.concatenate([np.zeros(0, some.dtype), *some.parts()]) if isinstance(some, ArrayInParts) else some
        for name, some in held.packed(keep).items()
    }
    for array in arrays.values():
        array.flags.writeable = False
    again = Postings(k1=1.2, b=0.75, document_share=share)
    again.restore(arrays)
    return again


def same(held: Postings, asked: Sequence[str], alive: np.ndarray, top_k: int, mask: np.ndarray | None) -> None:
    scores = held.scores(asked, alive)
    if mask is not None:
        scores = np.where(mask, scores, 0)
    there = np.flatnonzero(scores > 0)
    edge = np.sort(scores[there])[-min(top_k, len(there)) :][0] if len(there) else 0
    rows, found = held.best(asked, alive, top_k, mask)
    assert len(set(rows.tolist())) == len(rows)
    assert np.array_equal(found, scores[rows])
    assert {*np.flatnonzero((scores > 0) & (scores >= edge)).tolist()} <= {*rows.tolist()}
    assert (found > 0).all()


@settings(max_examples=150, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    rows=st.integers(1, 120),
    most=st.sampled_from([1, 3, 20]),
    share=st.sampled_from([0.0, 0.5, 1.0]),
    asked=st.lists(st.sampled_from([*WORDS, "nowhere"]), max_size=6),
    top_k=st.integers(1, 12),
    dead=st.sampled_from([0.0, 0.2, 0.9]),
    seen=st.sampled_from([None, 1.0, 0.5, 0.1]),
)
def test_the_best_are_those_of_all_scores(seed, rows, most, share, asked, top_k, dead, seen) -> None:
    chance = random.Random(seed)
    held = Postings(k1=1.2, b=0.75, document_share=share)
    texts, owners = drawn(chance, rows, long=chance.random() < 0.1), documents(chance, rows, most)
    for first in range(0, rows, 50):
        held.extend(texts[first : first + 50], owners[first : first + 50])
    alive = np.array([chance.random() >= dead for _ in range(rows)])
    mask = None if seen is None else np.array([chance.random() < seen for _ in range(rows)])
    for access_filter in (alive, np.ones(rows, bool)):
        same(held, asked, access_filter, top_k, mask)
    again = unpacked(held, alive, share)
    whole = held.scores(asked, alive)[alive]
    assert np.array_equal(again.scores(asked, np.ones(int(alive.sum()), bool)), whole)
    again.extend(texts, [10_000 + owner for owner in owners])
    same(again, asked, np.ones(int(alive.sum()) + rows, bool), top_k, None)


def test_little_is_scored_where_little_can_matter() -> None:
    chance = random.Random(3)
    held = Postings(k1=1.2, b=0.75)
    rows = drawn(chance, 2_000)
    rows[77] += " rare rare"
    held.extend(rows)
    found, _ = held.best(["rare", WORDS[0], WORDS[1]], np.ones(2_000, bool), 1)
    assert found.tolist() == [77]


def test_what_is_restored_is_never_merged_nor_copied() -> None:
    chance = random.Random(4)
    held = Postings(k1=1.2, b=0.75)
    held.extend(drawn(chance, 100))
    again = unpacked(held, np.ones(100, bool), 0.0)
    before = again._held.rows([WORDS[0]])[WORDS[0]]
    for _ in range(40):
        again.extend(drawn(chance, 30))
    begun = again._held._restored[0]
    assert np.shares_memory(before, begun.rows) and len(begun.rows) < 500
    assert len(again._held._segments) < 8, "the others are merged"
    assert np.array_equal(again._held.rows([WORDS[0]])[WORDS[0]][: len(before)], before)


def test_counts_take_a_byte_until_they_need_more() -> None:
    held = Postings(k1=1.2, b=0.75)
    held.extend(["dog " * 255, "cat"])
    assert unpacked(held, np.ones(2, bool), 0)._held._restored[0].counts.dtype == np.uint8
    held.extend(["dog " * 256, "dog cat"])
    again = unpacked(held, np.ones(4, bool), 0)
    assert again._held._restored[0].counts.tolist() == [1, 1, 255, 256, 1]
    for some in (held, again):
        same(some, ["dog", "cat"], np.ones(4, bool), 1, None)


def test_access_filters_in_turn_are_counted_once() -> None:
    held = Postings(k1=1.2, b=0.75)
    held.extend(drawn(random.Random(5), 50))
    sights = [np.arange(50) % 7 != at for at in range(7)]
    first = [held._statistics(access_filter) for access_filter in sights]
    assert [held._statistics(access_filter) for access_filter in sights] == first
    for at in range(3 * postings.CACHED_FILTERS):
        held.scores(["dog"], np.arange(50) % 5 != at % 5)
    assert len(held._cached) == postings.CACHED_FILTERS


def test_where_a_term_stands_is_counted_once_until_too_many_are_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bm25, "CACHED_TERMS", 2)
    counts = np.ones(3, np.uint8)
    runs = [(np.array([0, 2, 4], np.int32), counts)]
    weights = bm25.TermWeights(1.2, 0.75, 0.0)
    kept = bm25.CollectionStatistics(weights, np.arange(5) > 0, np.ones(5, np.float32), np.arange(5, dtype=np.int32))
    first = kept.by_row("dog", runs)
    assert (first.holding, first.most) == (2, 1)
    assert kept.by_row("dog", []) is first
    kept.by_row("house", runs)
    assert kept.by_row("dog", []) is first
    kept.by_row("cat", runs)
    assert kept.by_row("dog", []).holding == 0, "what is known of the others was let go"
