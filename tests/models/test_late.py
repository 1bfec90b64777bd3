"""Late interaction through the whole engine, with an embedder whose tokens are hashed words."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from rove import Rove, ServiceError, Text
from rove.models import EMBEDDERS, Vectors
from rove.models.cache import LateQueryCache, QueryCache, remembering
from rove.models.fake import FakeEmbedder, hash_vectors
from rove.settings import EmbedderSettings

DIMENSION = 32


def words(text: str) -> Vectors:
    return hash_vectors(text.lower().split() or [""], DIMENSION)


class WordyEmbedder(FakeEmbedder):
    """Every text has the same vector, so that only the words tell passages apart."""

    has_tokens = True

    def __init__(self, settings: EmbedderSettings) -> None:
        super().__init__(settings)

    async def passages(self, texts: Sequence[str]) -> Vectors:
        return hash_vectors(["same"] * len(texts), 384)

    async def passages_with_tokens(self, texts: Sequence[str]) -> tuple[Vectors, list[bytes]]:
        tokens = [words(text).tobytes() for text in texts] if self.has_tokens else []
        return await self.passages(texts), tokens

    async def interactions(self, question: str, passages: Sequence[bytes]) -> Vectors | None:
        asked = words(question)
        found = [np.frombuffer(blob, np.float32).reshape(-1, DIMENSION) for blob in passages]
        return np.array([(asked @ tokens.T).max(axis=1).mean() for tokens in found], np.float32)


@pytest.fixture
def wordy(monkeypatch: pytest.MonkeyPatch) -> type[WordyEmbedder]:
    monkeypatch.setitem(EMBEDDERS.table, "wordy", f"{__name__}:WordyEmbedder")
    monkeypatch.setattr(EMBEDDERS, "get", lambda name: WordyEmbedder if name == "wordy" else FakeEmbedder)
    return WordyEmbedder


TEXTS = ["red apples in autumn", "the harbour at night", "Nachts am Hafen", "夜の港", "éjszaka a kikötőben"]


def base(folder: Path) -> Rove:
    return Rove.open(folder / "kb", embedder={"name": "wordy"})


def test_hybrid_search_is_reranked_by_the_tokens(tmp_path: Path, wordy: type[WordyEmbedder]) -> None:
    with base(tmp_path) as kb:
        kb.add(*[Text(text, id=text) for text in TEXTS])
        hits = kb.search("harbour night autumn")
        assert hits[0].chunk.text == "the harbour at night"
        assert hits[0].sources["rerank"].rank == 1
        assert hits[0].sources["rerank"].score > hits[1].sources["rerank"].score
        assert all("rerank" not in hit.sources for hit in kb.search("harbour night", rerank=False))
        assert all("rerank" not in hit.sources for hit in kb.search("harbour night", mode="keyword"))


def test_chunks_without_tokens_leave_the_order_alone(
    tmp_path: Path, wordy: type[WordyEmbedder], monkeypatch: pytest.MonkeyPatch
) -> None:
    with base(tmp_path) as kb:
        kb.add(*[Text(text, id=text) for text in TEXTS[1:]])
        monkeypatch.setattr(wordy, "has_tokens", False)
        kb.add(Text(TEXTS[0], id=TEXTS[0]))
        plain = kb.search("harbour autumn", rerank=False)
        assert kb.search("harbour autumn") == plain


def test_tokens_are_erased_with_their_document_and_travel_with_an_export(
    tmp_path: Path, wordy: type[WordyEmbedder]
) -> None:
    def kept(folder: Path) -> set[bytes]:
        with sqlite3.connect(folder / "kb" / "catalog.sqlite") as connection:
            return {row[0] for row in connection.execute("SELECT tokens FROM tokens")}

    with base(tmp_path) as kb:
        kb.add(*[Text(text, id=text) for text in TEXTS])
        indexed = {text: words(f"{text}\n{text}").tobytes() for text in TEXTS}  # the id is the title
        assert kept(tmp_path) == set(indexed.values())
        kb.delete(TEXTS[1])
        assert kept(tmp_path) == set(indexed.values()) - {indexed[TEXTS[1]]}
        lines = list(kb.export())
    other = tmp_path / "other"
    with base(other) as kb:
        kb.import_(lines)
        assert kept(other) == kept(tmp_path)
        assert "rerank" in kb.search("Hafen")[0].sources


def test_no_byte_of_an_erased_documents_tokens_is_left(tmp_path: Path, wordy: type[WordyEmbedder]) -> None:
    with base(tmp_path) as kb:
        kb.add(*[Text(text, id=text) for text in TEXTS])
        gone, left = (words(f"{text}\n{text}").tobytes() for text in TEXTS[1:3])
        kb.delete(TEXTS[1])
    held = b"".join(file.read_bytes() for file in (tmp_path / "kb").rglob("*") if file.is_file())
    assert left in held
    assert gone not in held


def test_a_run_that_broke_off_leaves_no_chunk_without_tokens(
    tmp_path: Path, wordy: type[WordyEmbedder], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rove.enrich.vectors.FIRST_BATCH", 2)
    monkeypatch.setattr("rove.enrich.vectors.LARGEST_BATCH", 2)
    monkeypatch.setattr("rove.enrich.vectors.SAVE_EVERY_S", 0.0)
    texts = [Text(f"harbour number {n}", id=f"t{n}") for n in range(9)]
    whole = wordy.passages_with_tokens
    calls: list[int] = []

    async def breaks(self: WordyEmbedder, given: Sequence[str]) -> tuple[Vectors, list[bytes]]:
        calls.append(len(given))
        if len(calls) == 3:
            message = "The power is gone."
            raise ServiceError(message, cure="Try again.")
        return await whole(self, given)

    with base(tmp_path) as kb:
        monkeypatch.setattr(wordy, "passages_with_tokens", breaks)
        with pytest.raises(ServiceError):
            kb.add(*texts)
        kb.add(*texts)
        assert sum(calls) == 2 + 2 + 2 + 5  # what was embedded before the break is not embedded again
        hits = kb.search("harbour number 5", top_k=9)
    assert len(hits) == 9
    assert all("rerank" in hit.sources for hit in hits)


def test_a_repeated_question_keeps_its_tokens(wordy: type[WordyEmbedder]) -> None:
    assert type(remembering(FakeEmbedder())) is QueryCache
    late = remembering(WordyEmbedder(EmbedderSettings()))
    assert isinstance(late, LateQueryCache)
    scores = asyncio.run(late.interactions("harbour", [words("the harbour").tobytes(), words("apples").tobytes()]))
    assert scores is not None
    assert scores[0] > scores[1]
