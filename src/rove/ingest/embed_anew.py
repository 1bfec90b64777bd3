"""What is damaged in the catalog and can be embedded anew is: its text is there still."""

from __future__ import annotations

import asyncio
from collections.abc import Collection

from rove.enrich.vectors import embed
from rove.errors import RoveError
from rove.models import Embedder
from rove.store import Vector
from rove.store.catalog_check import damaged_rows, said_of
from rove.store.own_vectors import OwnText
from rove.store.renewing import renew, to_embed
from rove.store.store import Store


async def embed_anew(store: Store, embedder: Embedder) -> list[str]:
    """Find the vectors that are damaged, and let the embedder make them anew; returns what was mended, in words.

    What it refuses, or cannot be reached for, stays hidden: `Store.heal` says so.

    Raises:
        ConfigError: the catalog is torn elsewhere.
    """
    database = store.catalog.database
    rows = await asyncio.to_thread(damaged_rows, database, store.dimension)
    if not rows:
        return []
    wanted = await asyncio.to_thread(to_embed, database, rows)
    try:
        found = await embed(wanted.chunks, embedder)
        own = await embed_own(wanted.own, embedder)
        async with store.writing():
            changed = await asyncio.to_thread(renew, database, rows, found.vectors, found.tokens, own)
            await store.renewed(changed)
    except RoveError:
        return []
    left = set(await asyncio.to_thread(damaged_rows, database, store.dimension))
    mended = [row for row in rows if row not in left]
    return [f"{said_of(mended)}: made anew"] if mended else []


async def embed_own(texts: Collection[OwnText], embedder: Embedder) -> dict[OwnText, Vector]:
    """Embed what hangs on no chunk; what the embedder refuses is absent.

    Raises:
        ServiceError: the embedder cannot be reached.
    """
    made: dict[OwnText, Vector] = {}
    for asks in (False, True):
        own = {one.text: one for one in texts if one.asks == asks}
        found = await embed({text: text for text in own}, embedder, queries=asks)
        made |= {own[text]: vector for text, vector in found.vectors.items()}
    return made
