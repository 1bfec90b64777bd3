"""The inverted index: what it remembers between searches never outlives what it is about."""

from __future__ import annotations

import random

import numpy as np

from rove.records import field
from rove.records.filter import Sight
from rove.store import IndexRow
from rove.store.memory import MemoryIndex
from rove.store.postings import MET, Postings

ROWS = ("red fox", "red red hen", "grey goose and hen", "fox")
MORE = ("red hen nowhere", "a long row without a word of the question")
VECTOR = np.array([1, 0], np.float32)
TERMS = ("red", "hen", "nowhere", "fox", "red")


def made(*batches: tuple[str, ...]) -> Postings:
    postings = Postings(k1=1.2, b=0.75)
    for rows in batches:
        postings.extend(rows)
    return postings


def test_rows_that_come_are_found_by_words_that_were_asked_for_before() -> None:
    postings = made(ROWS)
    postings.scores(TERMS, np.ones(4, bool))
    postings.extend(MORE)
    alive = np.ones(6, bool)
    assert np.array_equal(postings.scores(TERMS, alive), made(ROWS, MORE).scores(TERMS, alive))
    assert postings.rows("nowhere").tolist() == [4]
    assert postings.has("nowhere", 4) and not postings.has("nowhere", 0)


def test_rows_that_go_count_no_more() -> None:
    postings = made(ROWS)
    every = postings.scores(TERMS, np.ones(4, bool))
    some = postings.scores(TERMS, np.array([True, False, True, True]))
    assert some[1] == 0 and every[1] > 0
    kept = made((ROWS[0], ROWS[2], ROWS[3])).scores(TERMS, np.ones(3, bool))
    assert np.array_equal(some[[0, 2, 3]], kept)
    assert not postings.scores(TERMS, np.zeros(4, bool)).any()
    assert np.array_equal(postings.scores(TERMS, np.ones(4, bool)), every)


def test_many_words_are_asked_for_in_bounded_memory() -> None:
    postings = made(ROWS)
    for number in range(3 * MET):
        postings.rows(f"word{number}")
    assert postings.rows("fox").tolist() == [0, 3]
    assert len(postings._met) <= MET


def test_what_is_hidden_does_not_count() -> None:
    """Scores under a label are those of a base that holds nothing else: how rare a word is there stays unknown."""
    chance = random.Random(5)
    words = [" ".join(chance.choices(["owl", "elk", "fox", "bee"], k=chance.randint(1, 9))) for _ in range(60)]
    rows = [IndexRow(f"c{i}", text, VECTOR, {"access": "ab"[i % 2]}) for i, text in enumerate(words)]
    whole, own = (MemoryIndex(dimension=2) for _ in range(2))
    whole.extend(rows)
    own.extend(rows[::2])
    sight = Sight("access", "in", ("a",))
    asked = ["owl", "fox", "fox"]
    for hidden in range(2):
        alone = own.best_keyword(asked, top_k=30)
        assert whole.best_keyword(asked, top_k=30, where=sight & (field("access") == "a")) == alone
        assert whole.best_keyword(asked, top_k=30, where=field("access") == "a") != alone, "a topic is no label"
        whole.extend([IndexRow(f"more{hidden}", "owl " * 40, VECTOR, {"access": "b"})])
    whole.discard(["c0"])
    own.discard(["c0"])
    assert whole.best_keyword(asked, top_k=30, where=sight) == own.best_keyword(asked, top_k=30)
