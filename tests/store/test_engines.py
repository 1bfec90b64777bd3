"""One ranking whichever index compares the vectors: what an engine finds is what the embedded index finds."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import pytest

import engines
from rove import Rove, Text, field
from rove.records import Hit
from rove.records.filter import Filter
from rove.retrieve import RETRIEVERS
from rove.store import INDEXES
from rove.store.guarded import GuardedIndex
from store.test_joined import QUESTIONS, STAFF, WORDS, text

DOCUMENTS = 160
TOP_K = 10
FAKE = {"name": "fake"}
FILTERS: dict[str, Filter | None] = {
    "all": None,
    "few": field("slot") == 3,
    "half": field("slot") < 20,
    "far": field("near") == False,  # noqa: E712 - a filter
    "labels": STAFF,
    "labels and half": STAFF & (field("slot") < 20),
    "without": ~(field("near").exists() & (field("slot") > 4)),
}


def documents() -> list[Text]:
    """Some in five languages; `near` is true where one speaks of what the questions ask, so that it may be left out."""
    chance = random.Random(5)
    asked = {word for words in WORDS.values() for word in words[5:7]}
    made: list[Text] = []
    for number in range(DOCUMENTS):
        plain = text(f"d{number}")
        near = any(word in plain.text for word in asked)
        fields = {**plain.metadata, "slot": chance.randrange(40), "near": near}
        made.append(Text(plain.text, id=plain.id, title=plain.title, kind="markdown", metadata=fields))
    return made


def opened(place: Path, **store: object) -> Rove:
    return Rove.open(place, embedder=FAKE, store=store, question={"log": False})


def filled(place: Path, **store: object) -> Rove:
    kb = opened(place, **store)
    assert kb.add(documents()).ok
    kb.enrich("graph")
    kb.enrich("summaries")
    return kb


@pytest.fixture(scope="module")
def embedded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rove]:
    with filled(tmp_path_factory.mktemp("embedded") / "kb") as kb:
        yield kb


@cache
def wanted(embedded: Rove, mode: str, name: str) -> list[list[Hit]]:
    """What the embedded index finds for each question, in a mode and under a filter; asked once for all engines."""
    return [embedded.search(asked, mode=mode, where=FILTERS[name], top_k=TOP_K) for asked in QUESTIONS]


def shares(expected: Sequence[Hit], found: Sequence[Hit]) -> float:
    """Overlap@10: the share of the hits that are wanted among those found."""
    ids = {hit.chunk.chunk_id for hit in expected}
    there = {hit.chunk.chunk_id for hit in found}
    return len(ids & there) / len(ids) if ids else float(not there)


def test_each_engine_is_tried() -> None:
    assert {*engines.QUICK, *engines.SLOW} == {*INDEXES.table} - {"memory"}


@pytest.mark.parametrize("engine", engines.named())
def test_what_an_engine_finds_is_what_the_embedded_index_finds(
    engine: str, embedded: Rove, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In each mode, under each filter: overlap@10 of .98 at least, and mostly all hits, scores and places."""
    asked_for: list[str] = []
    search = GuardedIndex.semantic
    monkeypatch.setattr(
        GuardedIndex, "semantic", lambda self, *some, **more: (asked_for.append(engine), search(self, *some, **more))[1]
    )
    with filled(tmp_path / "kb", **engines.store_of(engine)) as kb:
        assert kb.doctor().ok
        for mode in RETRIEVERS.table:
            for name, where in FILTERS.items():
                found = [kb.search(asked, mode=mode, where=where, top_k=TOP_K) for asked in QUESTIONS]
                pairs = list(zip(wanted(embedded, mode, name), found, strict=True))
                overlap = sum(shares(*pair) for pair in pairs) / len(pairs)
                assert overlap >= 0.98, (mode, name, overlap)
        assert len(asked_for) > len(QUESTIONS) * len(FILTERS), "the embedded index has answered in its place"
        changed = [Text(f"{one.text} Again.", id=one.id, title=one.title, kind="markdown", metadata=one.metadata)
                   for one in documents()[:20]]  # fmt: skip
        kb.add(changed)
        kb.delete(*(one.id or "" for one in documents()[20:40]))
        hits = [hit for asked in QUESTIONS for hit in kb.search(asked, mode="semantic", top_k=200)]
        assert len({hit.chunk.document_id for hit in hits}) == DOCUMENTS - 20
        assert not {hit.chunk.document_id for hit in hits} & {f"d{number}" for number in range(20, 40)}
        kb.delete(*(info.document_id for info in kb.documents()))
        assert not kb.search(QUESTIONS[0], mode="semantic")
        assert kb.doctor().ok
