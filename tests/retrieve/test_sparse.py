"""Sparse search: keywords and synonyms in the texts, and in the metadata that holds keywords."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rove import AsyncRove, Text, field
from rove.retrieve import Query
from rove.retrieve.sparse import MOST_VALUES, SparseRetriever, field_values


@pytest.fixture
async def kb(tmp_path: Path) -> AsyncIterator[AsyncRove]:
    async with AsyncRove.open(tmp_path, embedder={"name": "fake"}) as base:
        await base.add(
            Text("Lunch costs six euros.", id="canteen", metadata={"keywords": ("饭堂", "Mensa"), "year": 2020}),
            Text("Trips are paid back.", id="travel", metadata={"tags": ("expense report",), "year": 2021}),
            Text("Remote work is approved by the head.", id="remote"),
            Text("Working from home needs an approval.", id="home"),
        )
        yield base


async def found(kb: AsyncRove, question: str, **more: object) -> dict[str, set[str]]:
    query = Query(question, 10, **more)  # type: ignore[arg-type]
    hits = await SparseRetriever(kb.search_context).retrieve(query)
    return {hit.chunk.document_id: set(hit.sources) for hit in hits}


@pytest.mark.parametrize(
    ("question", "wanted"),
    [("去饭堂吃什么", "canteen"), ("Was gibt es in der Mensa?", "canteen"), ("my Expense Report is late", "travel")],
)
async def test_keywords_of_the_metadata_are_found(kb: AsyncRove, question: str, wanted: str) -> None:
    assert (await found(kb, question))[wanted] == {"metadata"}


async def test_synonyms_are_found_beside_keywords_and_count_less(kb: AsyncRove) -> None:
    both = await found(kb, "Who okays WFH?", keywords=("remote work",), synonyms=("working from home",))
    assert list(both) == ["remote", "home"]
    assert both["remote"] >= {"keyword"}
    assert "synonyms" in both["home"]
    assert "home" not in await found(kb, "remote head")


async def test_a_filter_holds_for_metadata_too(kb: AsyncRove) -> None:
    assert await found(kb, "Mensa lunch", where=field("year") == 2021) == {}
    assert list(await found(kb, "Mensa", where=field("year") == 2020)) == ["canteen"]


async def test_other_fields_can_be_named(kb: AsyncRove) -> None:
    settings = kb.settings.search.model_copy(update={"keyword_fields": ()})
    kb.search_context = type(kb.search_context)(
        kb.search_context.store, kb.search_context.embedder, kb.search_context.reranker, settings
    )
    assert await found(kb, "饭堂") == {}


@given(st.lists(st.text(max_size=300), max_size=5))
def test_values_are_bounded_and_stand_in_the_texts(texts: list[str]) -> None:
    values = field_values(texts)
    assert len(values) <= MOST_VALUES
    assert all(value.strip() for value in values)


def test_values_are_up_to_three_words_or_six_characters_in_a_row() -> None:
    words = field_values(["one two three four"])
    assert "one two three" in words
    assert "two three four" in words
    assert "one two three four" not in words
    unspaced = field_values(["港口主任办公室在"])
    assert max(map(len, unspaced)) == 6
    assert {"港口", "港口主任办公", "任办公室在", "公室在"} <= set(unspaced)


def test_runs_of_two_to_six_characters_are_looked_up_in_texts_without_spaces() -> None:
    """A name of six characters is a whole word of the metadata; one of seven is not looked for."""
    found = field_values(["北京交通大学院"])
    assert {"北京", "北京交通大学", "大学院"} <= set(found)
    assert "北京交通大学院" not in found
    assert "北" not in found
