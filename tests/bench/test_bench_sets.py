"""The cut of a set: deterministic, never without its gold, never over the cap where the gold allows it."""

from __future__ import annotations

import hashlib

import pytest
from bench.sets import CROSS, Cap, Doc, by_hash, choose_docs, choose_queries, language, load, names, read_gold
from hypothesis import given
from hypothesis import strategies as st

SIZES = st.dictionaries(st.text(min_size=1, max_size=3), st.integers(1, 500), min_size=1, max_size=20)


@given(SIZES, st.data())
def test_every_gold_document_of_a_chosen_query_is_kept_and_the_cap_holds(sizes, data):
    cap = Cap(data.draw(st.integers(1, 20)), data.draw(st.integers(1, 10)), data.draw(st.integers(1, 4)))
    docs = st.lists(st.sampled_from(sorted(sizes)), max_size=3)
    gold = data.draw(st.dictionaries(st.text(min_size=1, max_size=3), docs, max_size=10))
    chosen = choose_queries(gold, sizes, cap)
    wanted = {d for q in chosen for d in gold[q]}
    kept = choose_docs(wanted, sizes, cap)
    assert wanted <= kept <= sizes.keys()
    assert len(chosen) <= cap.queries
    assert len(kept) <= cap.docs
    assert sum(sizes[d] for d in kept) <= cap.room
    assert all(gold[q] for q in chosen)


def test_order_is_that_of_the_sha1_and_does_not_depend_on_the_input():
    ids = ["b", "ß", "日本", "a"]
    assert by_hash(ids) == by_hash(reversed(ids))
    assert by_hash(ids) == sorted(ids, key=lambda i: hashlib.sha1(i.encode()).digest())


def test_a_query_whose_gold_is_not_in_the_corpus_is_left_out():
    assert choose_queries({"q": ["there", "gone"], "r": ["there"]}, {"there": 1}, Cap(10, 10, 10)) == ["r"]


def test_size_is_in_bytes_so_that_chinese_is_not_cheap():
    assert Doc("1", "", "数据库").size == 9
    assert Doc("1", "t", "x").whole == "t\nx"
    assert Doc("1", "", "x").whole == "x"


@pytest.mark.data
def test_every_set_can_be_cut_and_has_gold(shared_data):
    for name in names():
        data = load(name, Cap(60, 5, 200))
        ids = {d.id for d in data.docs}
        assert data.queries, name
        assert set(data.queries) == set(data.gold), name
        assert all(set(docs) <= ids for docs in data.gold.values()), name
        assert len(data.language) == len(data.query_language) == 2, name


@pytest.mark.data
def test_cross_lingual_pairs_ask_in_one_language_and_answer_in_another(shared_data):
    for name, (asked, answered) in CROSS.items():
        data = load(name, Cap(60, 5, 200))
        assert data.query_language == language(shared_data / "retrieval" / asked) != data.language
        assert data.language == language(shared_data / "retrieval" / answered)


@pytest.mark.data
def test_gold_is_read_whole(shared_data):
    gold = read_gold(shared_data / "retrieval" / "scifact_train")
    assert len(gold) == 809
    assert sum(map(len, gold.values())) == 919
