"""The inverted index: what it remembers between searches never outlives what it is about."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from rove.records import field
from rove.records.filter import AccessFilter
from rove.store import IndexRow
from rove.store.inverted import CACHED_TERMS
from rove.store.memory_index import MemoryIndex
from rove.store.postings import Postings

ROWS = ("red fox", "red red hen", "grey goose and hen", "fox")
MORE = ("red hen nowhere", "a long row without a word of the question")
VECTOR = np.array([1, 0], np.float32)
TERMS = ("red", "hen", "nowhere", "fox", "red")


def made(*batches: tuple[str, ...]) -> Postings:
    postings = Postings(k1=1.2, b=0.75)
    for rows in batches:
        postings.extend(rows)
    return postings


def bm25(texts: list[list[str]], asked: tuple[str, ...]) -> list[float]:
    """The formula, term by term."""
    average = sum(map(len, texts)) / len(texts)
    scores = [0.0] * len(texts)
    for term in asked:
        holding = sum(term in text for text in texts)
        idf = math.log(1 + (len(texts) - holding + 0.5) / (holding + 0.5))
        for at, text in enumerate(texts):
            count = text.count(term)
            scores[at] += idf * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * len(text) / average))
    return scores


def test_a_document_counts_as_one_text(seed: int = 7) -> None:
    rng = random.Random(seed)
    documents = [[" ".join(rng.choices(("red", "hen", "fox", "and", "goose", "nowhere"), k=rng.randint(1, 9)))
                  for _ in range(rng.randint(1, 5))] for _ in range(40)]  # fmt: skip
    postings = Postings(k1=1.2, b=0.75, document_share=0.25)
    for first in range(0, 40, 10):
        some = [(row, f"d{first + at}") for at, rows in enumerate(documents[first : first + 10]) for row in rows]
        postings.extend([row for row, _ in some], [document for _, document in some])
    owners = [at for at, rows in enumerate(documents) for _ in rows]
    alive = np.array([owner % 7 != 3 for owner in owners])
    for dead in (set[int](), {at for at in range(40) if at % 7 == 3}, set[int]()):
        living = [at for at in range(40) if at not in dead]
        whole = dict(zip(living, bm25([" ".join(documents[at]).split() for at in living], TERMS), strict=True))
        passages = iter(bm25([row.split() for at in living for row in documents[at]], TERMS))
        found = postings.scores(TERMS, alive if dead else np.ones(len(owners), bool))
        for at, score in zip(owners, found.tolist(), strict=True):
            if at in dead:
                assert score == 0
                continue
            passage = next(passages)
            assert score == pytest.approx(0.75 * passage + 0.25 * whole[at] if passage else 0.0, rel=1e-4)


def test_documents_of_one_row_change_nothing() -> None:
    alone = Postings(k1=1.2, b=0.75, document_share=0.5)
    alone.extend(ROWS, ["a", "b", "c", "d"])
    assert np.array_equal(alone.scores(TERMS, np.ones(4, bool)), made(ROWS).scores(TERMS, np.ones(4, bool)))


def test_rows_that_come_are_found_by_words_that_were_asked_for_before() -> None:
    postings = made(ROWS)
    postings.scores(TERMS, np.ones(4, bool))
    postings.extend(MORE)
    alive = np.ones(6, bool)
    assert np.array_equal(postings.scores(TERMS, alive), made(ROWS, MORE).scores(TERMS, alive))
    assert postings._held.rows(["nowhere"])["nowhere"].tolist() == [4]
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
    for number in range(3 * CACHED_TERMS):
        postings._held.rows([f"word{number}"])[f"word{number}"]
    assert postings._held.rows(["fox"])["fox"].tolist() == [0, 3]
    assert len(postings._held._runs) <= CACHED_TERMS


def test_what_is_hidden_does_not_count() -> None:
    """Scores under a label are those of a base that holds nothing else: how rare a word is there stays unknown."""
    chance = random.Random(5)
    words = [" ".join(chance.choices(["owl", "elk", "fox", "bee"], k=chance.randint(1, 9))) for _ in range(60)]
    rows = [IndexRow(f"c{i}", text, VECTOR, {"access": "ab"[i % 2]}) for i, text in enumerate(words)]
    whole, own = (MemoryIndex(dimension=2) for _ in range(2))
    whole.extend(rows)
    own.extend(rows[::2])
    access_filter = AccessFilter("access", "in", ("a",))
    asked = ["owl", "fox", "fox"]
    for hidden in range(2):
        alone = own.best_keyword(asked, top_k=30)
        assert whole.best_keyword(asked, top_k=30, where=access_filter & (field("access") == "a")) == alone
        assert whole.best_keyword(asked, top_k=30, where=field("access") == "a") != alone, "a topic is no label"
        whole.extend([IndexRow(f"more{hidden}", "owl " * 40, VECTOR, {"access": "b"})])
    whole.discard(["c0"])
    own.discard(["c0"])
    assert whole.best_keyword(asked, top_k=30, where=access_filter) == own.best_keyword(asked, top_k=30)


def test_rows_that_are_packed_still_belong_to_their_documents() -> None:
    """What a document's other rows say counts after a restart as before it, also where rows in between are gone."""
    postings = Postings(k1=1.2, b=0.75, document_share=0.25)
    postings.extend(["red fox", "hen and goose", "gone", "red hen", "fox"], ["a", "a", "b", "c", "c"])
    keep = np.array([True, True, False, True, True])
    arrays = {
        name: part if isinstance(part, np.ndarray) else np.concatenate(list(part.parts()))
        for name, part in postings.packed(keep).items()
    }
    restored = Postings(k1=1.2, b=0.75, document_share=0.25)
    restored.restore(arrays)
    alive = np.ones(4, bool)
    for asked in (["red"], ["red", "goose"], ["fox", "hen"]):
        expected = postings.scores(asked, keep)[keep]
        assert restored.scores(asked, alive).tolist() == pytest.approx(expected.tolist())
    assert restored.owners.tolist() == [0, 0, 1, 1]
