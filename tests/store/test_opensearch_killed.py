"""A node of OpenSearch that is killed (-9) at moments of a seed, amid adds, removals and searches, and started again.

ROVE_KILLS says how many kills there are (50, say); ROVE_KILLS_SEED which.
"""

from __future__ import annotations

import asyncio
import os
import random
from pathlib import Path
from secrets import token_hex
from typing import Any

import pytest

import opensearch_server
import own_server
from rove.errors import ServiceError
from rove.settings import StoreSettings
from rove.store import INDEXES, IndexRow
from rove.testing.index_rows import DIMENSION, make_rows

pytestmark = pytest.mark.servers
KILLS, SEED = int(os.environ.get("ROVE_KILLS", "3")), os.environ.get("ROVE_KILLS_SEED", "1")
STAY = 50


class Writer:
    """Adds and removes rows by chance. `there`: what the node has said yes to; `doubtful`: what it was asked last."""

    def __init__(self, index: Any, rows: list[IndexRow], chance: random.Random) -> None:
        self.index, self.rows, self.chance = index, rows, chance
        self.there, self.doubtful = set[str](), set[str]()

    async def add(self, rows: list[IndexRow]) -> None:
        await self.index.add(rows)
        self.there |= {row.chunk_id for row in rows}

    async def go_on(self) -> None:
        """Until it fails."""
        while True:
            part = self.chance.sample(self.rows[STAY:], 60)
            self.doubtful = {row.chunk_id for row in part}
            if self.chance.random() < 0.3:
                await self.index.remove(self.doubtful)
                self.there -= self.doubtful
            else:
                await self.add(part)

    async def search(self) -> None:
        """Until it fails: what stays is found each time."""
        while True:
            for row in self.rows[:STAY]:
                assert (await self.index.semantic(row.vector, top_k=1))[0][0] == row.chunk_id


async def test_what_the_node_said_yes_to_survives_each_kill() -> None:
    server = opensearch_server.new()
    chance, rows = random.Random(SEED), make_rows(1_500)
    table = server.table(name=f"t{token_hex(8)}", retries=0, bulk_rows=20, timeout_s=30)
    index = INDEXES.get("opensearch")(folder=Path(), dimension=DIMENSION, settings=StoreSettings.model_validate(table))
    writer = Writer(index, rows, chance)
    try:
        await writer.add(rows[:STAY])
        for kill in range(KILLS):
            working = [asyncio.create_task(one) for one in (writer.go_on(), writer.search(), writer.search())]
            await asyncio.sleep(chance.uniform(0.05, 1.5))
            await asyncio.to_thread(server.stop)
            for error in await asyncio.gather(*working, return_exceptions=True):
                assert isinstance(error, ServiceError) and error.retryable, (SEED, kill, error)
            await asyncio.to_thread(server.start)
            found = set(await index.chunk_ids())
            assert found ^ writer.there <= writer.doubtful, (SEED, kill)
            writer.there = found
        await index.add(rows)
        assert await index.chunk_ids() == [row.chunk_id for row in rows]
        await index.close()
    finally:
        own_server.ended(server)
