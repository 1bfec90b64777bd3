"""Each text is embedded once; a text that is refused costs no other; what was paid for is kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from rove import Rove, ServiceError, Text
from rove.enrich.vectors import embed
from rove.models import EMBEDDERS, Vectors
from rove.models.fake import FakeEmbedder
from rove.records import vector_key
from rove.store.database import Database
from rove.store.sqlite import SqliteDialect
from rove.store.vectors import VectorCache


class Picky(FakeEmbedder):
    """Refuses some texts for good; after some hundreds the line is dead."""

    dead_after = 10**9
    embedded = 0

    async def passages(self, texts: Sequence[str]) -> Vectors:
        if any("toxic" in text for text in texts):
            message = "400: this text is refused."
            raise ServiceError(message, cure="Leave it out.", retryable=False)
        if Picky.embedded + len(texts) > self.dead_after:
            message = "503: gone."
            raise ServiceError(message, cure="Wait.")
        Picky.embedded += len(texts)
        return await super().passages(texts)


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[VectorCache]:
    database = Database(SqliteDialect(tmp_path / "catalog.sqlite"))
    yield VectorCache(database)
    database.close()


@pytest.fixture(autouse=True)
def fresh() -> None:
    Picky.embedded = 0


def keyed(texts: Sequence[str]) -> dict[str, str]:
    return {vector_key("m", text): text for text in texts}


async def test_each_text_is_embedded_once(cache: VectorCache) -> None:
    texts = keyed([f"text {i}" for i in range(100)])
    told: list[int] = []
    first = await embed(texts, Picky(), cache, told.append)
    cache.put(first.vectors, first.tokens)
    again = await embed(texts, Picky(), cache, told.append)
    assert Picky.embedded == 100
    assert sum(told) == 200
    assert all(np.allclose(first.vectors[key], again.vectors[key], atol=2**-16) for key in texts)


async def test_one_refused_text_costs_no_other(cache: VectorCache) -> None:
    texts = keyed([f"text {i}" for i in range(50)] + ["toxic"])
    found = await embed(texts, Picky(), cache, lambda _: None)
    assert len(found.vectors) == 50
    assert [str(error) for error in found.refused.values()] == ["400: this text is refused. Leave it out."]


async def test_what_was_embedded_before_the_line_died_is_kept(cache: VectorCache) -> None:
    texts = keyed([f"text {i}" for i in range(2_000)])
    embedder = Picky()
    embedder.dead_after = 500
    with pytest.raises(ServiceError):
        await embed(texts, embedder, cache, lambda _: None)
    assert len(cache.get(list(texts))) == Picky.embedded > 0


def test_a_refused_document_stands_in_the_ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(EMBEDDERS.table, "picky", f"{__name__}:Picky")
    with Rove.open(tmp_path, embedder={"name": "picky"}) as kb:
        report = kb.add(Text("good", id="g"), Text("a toxic text", id="t"), Text("fine", id="f"))
        assert (report.added, len(report.failed)) == (2, 1)
        entry = report.failed[0]
        assert (entry.source, entry.state, entry.outcome) == ("t", "failed", "service")
        assert "400" in entry.reason
        assert entry.cure
        assert {info.document_id for info in kb.documents()} == {"g", "f"}
