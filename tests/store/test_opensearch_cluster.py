"""Three nodes of OpenSearch on loopback: each is killed and started again in turn, amid writes and searches."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from secrets import token_hex
from typing import Any

import pytest

import opensearch_server
import own_server
from opensearch_server import Server
from rove.errors import ServiceError
from rove.settings import StoreSettings
from rove.store import INDEXES, IndexRow
from rove.testing.index_rows import DIMENSION, make_rows

pytestmark = pytest.mark.servers
ROWS = 1_500
PART = 50
RETRIES = 7


@pytest.fixture(scope="module")
def nodes() -> Iterator[Sequence[Server]]:
    nodes = opensearch_server.cluster(3)
    with ExitStack() as ends:
        for node in nodes:
            ends.callback(own_server.ended, node)
            node.start(wait=False)
        for node in nodes:
            node.wait()
        yield nodes


def made(node: Server, name: str) -> Any:
    table = node.table(name=name, retries=RETRIES)
    return INDEXES.get("opensearch")(folder=Path(), dimension=DIMENSION, settings=StoreSettings.model_validate(table))


async def search(index: Any, written: Sequence[IndexRow], over: asyncio.Event) -> None:
    """Look for the first and the last that was written. A search may fail, if it says that it can be tried again."""
    while not over.is_set():
        for row in (written[3], written[-1]):
            try:
                found = await index.semantic(row.vector, top_k=1)
            except ServiceError as error:
                assert error.retryable, error
            else:
                assert found[0][0] == row.chunk_id
        await asyncio.sleep(0.1)


async def test_a_rolling_restart_under_load_loses_nothing(nodes: Sequence[Server]) -> None:
    """Asked by the first node's address and by the last's: where one is away, the other's calls go on."""
    rows, name = make_rows(ROWS), f"t{token_hex(8)}"
    first, last = made(nodes[0], name), made(nodes[2], name)
    await first.add(rows[:PART])
    await asyncio.to_thread(nodes[0].wait, status="green")
    over, written = asyncio.Event(), list(rows[:PART])

    async def write() -> None:
        """Each part by either address; one that is away is waited for, as `store.server.retries` say."""
        for number, start in enumerate(range(PART, ROWS, PART)):
            part = rows[start : start + PART]
            await (first, last)[number % 2].add(part)
            written.extend(part)
            await asyncio.sleep(0.5)

    async def restart() -> None:
        for node in nodes:
            await asyncio.to_thread(node.stop)
            await asyncio.to_thread(node.start)
            await asyncio.to_thread(node.wait, status="green")

    searching = [asyncio.create_task(search(index, written, over)) for index in (first, last)]
    try:
        await asyncio.gather(write(), restart())
    finally:
        over.set()
    await asyncio.gather(*searching)
    for index in (first, last):
        assert await index.chunk_ids() == [row.chunk_id for row in rows]
        assert (await index.semantic(rows[-1].vector, top_k=1))[0][0] == rows[-1].chunk_id
        await index.close()
