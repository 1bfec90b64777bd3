"""What is damaged in the catalog and can be embedded anew is: its text is there still."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from functools import partial

from rove.enrich.vectors import embed
from rove.errors import RoveError
from rove.models import Embedder, readable_tokens
from rove.store import Vector
from rove.store.catalog_check import damage_text, damaged_rows, unread_tokens
from rove.store.own_vectors import OwnText
from rove.store.renewing import renew, to_embed
from rove.store.store import Store

TOKENS = ("passage", "with tokens that the embedder cannot read")


async def embed_anew(store: Store, embedder: Embedder) -> list[str]:
    """Find vectors and tokens that are damaged, and let the embedder make them anew; returns what was mended, in words.

    Vectors that it refuses, or cannot be reached for, stay hidden: `Store.heal` says so. Passages without tokens are
    found, and not ordered anew.

    Raises:
        ConfigError: the catalog is torn elsewhere.
    """
    database = store.catalog.database
    vectors = await asyncio.to_thread(damaged_rows, database, store.dimension)
    can_read = partial(readable_tokens, embedder)
    tokens = [one for one in await asyncio.to_thread(unread_tokens, database, can_read) if one not in vectors]
    rows = [*vectors, *tokens]
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
        return [damage_text(tokens, *TOKENS)] if tokens else []
    left = set(await asyncio.to_thread(damaged_rows, database, store.dimension))
    mended = [row for row in vectors if row not in left]
    unread = set(await asyncio.to_thread(unread_tokens, database, can_read))
    renewed = [row for row in tokens if row not in unread]
    told = [(mended, damage_text(mended)), (renewed, damage_text(renewed, *TOKENS))]
    remain = [row for row in tokens if row in unread]
    return [f"{said}: made anew" for some, said in told if some] + [damage_text(remain, *TOKENS)] * bool(remain)


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
