"""Sets that are made for walking: every chain holds, and what links it is not told by the question."""

from __future__ import annotations

import pytest
from bench.chains import chained, entitled
from bench.sets import Doc, RetrievalSet

TEXTS = {
    "Silent Harbour": "Silent Harbour was printed by Marlow Press. It was a success.",
    "Marlow Press": "The house Marlow Press belongs to Edith Crane. It began in a barn.",
    "Edith Crane": "Bees are kept by Edith Crane. Her barn was sold to Tom Hale.",
    "Oak Street": "In this street Tom Hale paints boats. It was paved with stones.",
}
DOCS = tuple(Doc(f"d{n}", title, text) for n, (title, text) in enumerate(TEXTS.items()))
DATA = RetrievalSet("small", "en", "en", DOCS, {"q": "Who sold the barn?"}, {"q": {"d2": 1}})


@pytest.mark.parametrize(("titled", "hops", "chains"), [(True, 2, {"d0 d1", "d1 d2"}), (True, 3, {"d0 d1 d2"})])
def test_a_chain_goes_from_title_to_title(titled: bool, hops: int, chains: set[str]) -> None:
    made = chained(DATA, hops, titled=titled)
    assert {" ".join(gold) for gold in made.gold.values()} == chains
    titles = {doc.id: doc.title for doc in DOCS}
    for query, text in made.queries.items():
        first, *others = made.gold[query]
        assert text.startswith(f"{titles[first]}: ")
        assert not any(titles[other] in text for other in others)


def test_or_by_names_that_are_no_titles() -> None:
    made = chained(DATA, 2, titled=False)
    assert {frozenset(gold) for gold in made.gold.values()} == {frozenset({"d2", "d3"})}
    assert all("Hale" not in text for text in made.queries.values())


def test_the_words_are_those_of_the_sentences_that_lead_on_and_of_the_end() -> None:
    (text,) = chained(DATA, 3).queries.values()
    assert text == "Silent Harbour: printed house belongs barn sold?"


def test_no_more_questions_are_made_than_wanted() -> None:
    assert len(chained(DATA, 2, most=1).queries) == 1


def test_an_entitled_page_has_a_word_of_its_own_that_others_say() -> None:
    words = [("bees", "barn"), ("bees", "coal"), ("coal", "barn"), ("coal", "bees"), ("barn", "salt")]
    docs = tuple(Doc(f"d{n}", "", f"It has {one} and {other}.") for n, (one, other) in enumerate(words))
    made = entitled(RetrievalSet("faq", "en", "en", docs, {"q": "Are bees and salt there?"}, {"q": {"d0": 1}}))
    assert all(doc.title in doc.text for doc in made.docs)
    assert {doc.title for doc in made.docs} <= {"bees", "barn", "coal"}
    assert all(doc.title for doc in made.docs)
    assert made.queries == {"q": "Are bees and  there?"}
