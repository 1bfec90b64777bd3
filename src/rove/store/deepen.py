"""What is shallow becomes deep: catalog, index, catalog. After a crash at any point `heal` finishes what was begun."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from rove.errors import RoveError
from rove.records.ledger import LostChunk
from rove.store import Vector
from rove.store.failpoints import failpoint
from rove.store.health import drop_chunks, enter, tell_deepened
from rove.store.store import Store


async def deepen(
    store: Store,
    seqs: Sequence[int],
    vectors: Mapping[str, Vector],
    tokens: Mapping[str, bytes],
    refused: Mapping[str, RoveError],
) -> list[LostChunk]:
    """Give shallow documents the embedder's vectors and tokens, by its keys. See `Catalog.deepen`.

    Returned are the chunks that it refused, which are let go; the ledger says so afterwards.
    """
    async with store.writing():
        changed, lost = await asyncio.to_thread(store.catalog.deepen, seqs, vectors, tokens, refused)
        failpoint("deepened")
        await asyncio.to_thread(enter, store.catalog, lost)
        await tell_deepened(store.catalog, store.index, changed)
        if lost:
            await drop_chunks(store.catalog, store.index, await asyncio.to_thread(store.catalog.unforgotten))
        await store.wrote(len(vectors))
    return lost
