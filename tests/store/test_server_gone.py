"""Servers of indexes that are killed amid an add and amid searches: it is said, nothing is lost, and all goes on."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from secrets import token_hex
from types import ModuleType
from typing import Any

import pytest

import chroma_server
import milvus_server
import oceanbase_server
import opensearch_server
import own_server
from rove import Rove, Text
from rove.errors import ServiceError
from rove.store import IndexRow, VectorIndex
from rove.testing.index_rows import make_rows
from store.test_index_servers import made

pytestmark = pytest.mark.servers
MODULES = [milvus_server, oceanbase_server, chroma_server, opensearch_server]


@pytest.fixture(scope="module", params=MODULES, ids=lambda module: module.__name__)
def own(request: pytest.FixtureRequest) -> Iterator[Any]:
    module: ModuleType = request.param
    server = module.new()
    yield server
    own_server.ended(server)


async def ask(held: VectorIndex, rows: list[IndexRow]) -> None:
    """Search until it fails, or finds what it should not."""
    while True:
        for row in rows:
            assert (await held.semantic(row.vector, top_k=1))[0][0] == row.chunk_id


async def test_killed_amid_an_add_and_searches(own: Any) -> None:
    rows, name = make_rows(3_000), f"t{token_hex(8)}"
    held = made(own.table, name=name, bulk_rows=20, timeout_s=5)
    await held.add(rows[:100])
    under_way = [asyncio.create_task(held.add(rows)), *(asyncio.create_task(ask(held, rows[:50])) for _ in range(3))]
    watching = made(own.table, name=name, retries=6)
    while await watching.count() < 200:
        assert not any(task.done() for task in under_way)
    assert await watching.count() < len(rows)
    await asyncio.to_thread(own.stop)
    try:
        for error in await asyncio.gather(*under_way, return_exceptions=True):
            assert isinstance(error, ServiceError) and error.retryable, error
            assert "store.server.url" in str(error)
    finally:
        await asyncio.to_thread(own.start)
    await held.add(rows[:40])
    await watching.add(rows)
    for index in (held, watching):
        assert sorted(await index.chunk_ids()) == [row.chunk_id for row in rows]
        assert (await index.semantic(rows[2_500].vector, top_k=1))[0][0] == "c02500"
        await index.close()


def test_what_was_on_its_way_goes_in_when_it_is_back(own: Any, tmp_path: Path) -> None:
    texts = [Text(f"The number of this text is {number}.", id=str(number)) for number in range(60)]
    table = own.table()
    table["server"] |= {"timeout_s": 5}
    with Rove.open(tmp_path / "kb", embedder={"name": "fake"}, store=table) as kb:
        kb.add(texts[:20])
        own.stop()
        try:
            with pytest.raises(ServiceError, match=r"store\.server\.url") as told:
                kb.add(texts[20:40])
            assert told.value.retryable
            with pytest.raises(ServiceError, match=r"store\.server\.url"):
                kb.search(texts[0].text, mode="semantic")
            assert kb.search(texts[7].text, mode="keyword", top_k=1)[0].chunk.document_id == "7"
        finally:
            own.start()
        kb.add(texts[40:])
        hits = kb.search(texts[30].text, mode="semantic", top_k=100)
        assert {hit.chunk.text for hit in hits} == {text.text for text in texts}
        assert kb.doctor().ok
