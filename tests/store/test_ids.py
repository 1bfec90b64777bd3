"""Ids of rows and numbers of terms: found the same whether they were mapped or came later, whatever text they are."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rove.store.blocks import ArrayInParts
from rove.store.ids import Ids
from rove.store.languages import Languages
from rove.store.packed_texts import Directory, PackedTexts, packed
from rove.store.term_numbers import TermNumbers

WORDS = [
    "kutya",
    "macska",
    "Hund",
    "straße",
    "árvíztűrő",
    "日本語",
    "远程办公",
    "dog",
    "犬",
    "a",
    "a\0",
    "ab",
    "",
    "\udc80",
]
TEXT = st.one_of(
    st.text(max_size=12),
    st.sampled_from(WORDS),
    st.integers(0, 40).map(lambda n: f"document-of-a-long-name-{n}"),
    st.integers(0, 40).map(lambda n: "日本語の文書" + str(n)),
)


def written(packed: Mapping[str, np.ndarray | ArrayInParts]) -> dict[str, np.ndarray]:
    """What was packed, put together."""
    parts = {
        name: array if isinstance(array, ArrayInParts) else ArrayInParts.of(array) for name, array in packed.items()
    }
    return {name: np.concatenate([np.zeros(0, array.dtype), *array.parts()]) for name, array in parts.items()}


def held(ids: Ids, names: list[str]) -> dict[str, int]:
    rows = zip(names, ids.rows(names), strict=True)
    return {name: row for name, row in rows if row is not None}


@given(first=st.lists(TEXT, unique=True), gone=st.sets(TEXT), then=st.lists(TEXT, unique=True), lost=st.sets(TEXT))
def test_ids_are_those_of_a_dictionary(first: list[str], gone: set[str], then: list[str], lost: set[str]) -> None:
    names = [*WORDS, *first, *then, *gone, *lost]
    ids = Ids()
    rows: list[str] = []
    plain: dict[str, int] = {}

    def discard(some: set[str]) -> None:
        assert sorted(ids.discard(some)) == sorted(plain.pop(name) for name in some if name in plain)

    def extend(some: list[str]) -> None:
        discard(set(some))
        plain.update((name, len(rows) + at) for at, name in enumerate(some))
        rows.extend(some)
        ids.extend(some)

    extend(first)
    discard(gone)
    for restored in (False, True):
        if restored:
            keep = np.zeros(len(ids), bool)
            keep[list(plain.values())] = True
            arrays = written(ids.packed(keep))
            ids = Ids()
            ids.restore(arrays)
            rows[:] = [name for at, name in enumerate(rows) if keep[at]]
            plain = {name: at for at, name in enumerate(rows)}
        extend(then)
        discard(lost)
        assert held(ids, names) == plain
        assert [ids.row(name) for name in names] == [plain.get(name) for name in names]
        assert (ids.live, len(ids)) == (len(plain), len(rows))
        assert ids.of(np.arange(len(rows))[::-1]) == rows[::-1]


@given(first=st.sets(TEXT), kept=st.sets(TEXT), then=st.sets(TEXT), missing=st.sets(TEXT))
def test_terms_keep_one_number_each(first: set[str], kept: set[str], then: set[str], missing: set[str]) -> None:
    numbers = TermNumbers()
    before = numbers.take(first | kept)
    assert sorted(before.values()) == list(range(len(first | kept)))
    used = np.zeros(len(numbers), bool)
    used[[before[term] for term in kept]] = True
    arrays, order = numbers.packed(used)
    again = TermNumbers()
    again.restore(arrays)
    assert len(again) == len(kept)
    now = dict(zip(kept, again.find(list(kept)), strict=True))
    assert [before[term] for term in sorted(now, key=now.__getitem__)] == order.tolist()
    assert sorted(now, key=now.__getitem__) == sorted(kept, key=lambda term: term.encode("utf-8", "surrogatepass"))
    later = again.take(then)
    assert {term: later[term] for term in then & kept} == {term: now[term] for term in then & kept}
    assert sorted({*now.values(), *later.values()}) == list(range(len(kept | then)))
    asked = list(missing - then - kept)
    assert again.find(asked) == [-1] * len(asked)


@given(texts=st.lists(TEXT), asked=st.lists(TEXT))
def test_texts_are_found_by_bisection(texts: list[str], asked: list[str]) -> None:
    raw = [text.encode("utf-8", "surrogatepass") for text in texts]
    held = packed(raw)
    heads = held.heads()
    order = held.order(heads)
    assert [raw[at] for at in order] == sorted(raw)
    found = Directory(held, heads[order], order).find([*texts, *asked])
    assert [at >= 0 and texts[at] for at in found] == [text in texts and text for text in [*texts, *asked]]


def test_what_is_mapped_is_looked_up_where_it_lies(tmp_path: Path) -> None:
    ids = Ids()
    ids.extend([f"id{n}" for n in range(1000)])
    for name, array in written(ids.packed(np.ones(1000, bool))).items():
        np.save(tmp_path / name, array)
    arrays = {file.stem: np.load(file, mmap_mode="r") for file in tmp_path.iterdir()}
    again = Ids()
    again.restore(arrays)
    assert isinstance(again._begun.texts, PackedTexts) and again._begun.texts.letters is arrays["ids"]
    assert again.rows(["id7", "id999", "id1000"]) == [7, 999, None]


def test_languages_are_counted_among_what_is_seen() -> None:
    languages = Languages()
    languages.extend(["en", "de", "hu"])
    languages.extend(["zh", "ja", "en", "de"])
    assert languages.counts(np.ones(7, bool)) == {"en": 2, "de": 2, "hu": 1, "zh": 1, "ja": 1}
    keep = np.array([1, 0, 0, 1, 1, 1, 0], bool)
    assert languages.counts(keep) == {"en": 2, "zh": 1, "ja": 1}
    names, codes = languages.packed(keep)
    assert sorted(names) == ["en", "ja", "zh"]
    codes.flags.writeable = False
    again = Languages()
    again.restore(names, codes)
    again.extend(["hu", "en"])
    assert again.counts(np.ones(6, bool)) == {"en": 3, "zh": 1, "ja": 1, "hu": 1}
