"""A chunk's terms: its own in order, then what only its neighbours say."""

from __future__ import annotations

from rove.enrich.terms import terms_of
from rove.records import Chunk


def chunks(*texts: str, language: str = "en") -> list[Chunk]:
    return [Chunk(f"c{i}", "d", text, (0, len(text)), i, language=language) for i, text in enumerate(texts)]


def test_a_single_chunk_has_its_own_terms() -> None:
    assert terms_of(chunks("Cats chase mice, cats!")) == ["cat chase mice cat"]
    assert terms_of([]) == []


def test_a_neighbours_word_counts_once_and_reaches_one_chunk_far() -> None:
    first, second, third = (row.split() for row in terms_of(chunks("apple apple", "banana", "cherry cherry")))
    assert first == ["appl", "appl", "banana"]
    assert second == ["banana", "appl", "cherri"]
    assert third == ["cherri", "cherri", "banana"]


def test_it_holds_without_spaces_between_words() -> None:
    first, second = (set(row.split()) for row in terms_of(chunks("远程办公", "部门主管", language="zh")))
    assert {"远程", "办公", "部门", "主管"} <= first & second
