"""An `add` at two speeds: passages can be found at once by a quick embedder; the embedder itself follows.

What the first pass has kept stays whatever happens: the next writer goes on with the second.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from rove.enrich.vectors import embed
from rove.events import ChunksDeepened, Listener, ignore
from rove.models import Embedder
from rove.records import Prepared, vector_key
from rove.records.ledger import LostChunk
from rove.store.deepen import deepen
from rove.store.shallow import StandInNote
from rove.store.store import Store


async def keep_first(
    store: Store, fresh: Sequence[Prepared], stand_in: Embedder, note: StandInNote, made: Collection[str] = ()
) -> tuple[list[Prepared], list[LostChunk], list[Prepared]]:
    """Make documents live with the stand-in's vectors.

    Returns these, chunks that were lost, and the documents that are left to the embedder itself: it has all their
    vectors already, of which workers have just `made` those of these keys, or the stand-in refuses something of them.
    """
    keys = {key for item in fresh for key in item.vector_keys}
    known = await asyncio.to_thread(store.vectors.known, sorted(keys)) | keys.intersection(made)
    new = [item for item in fresh if not known.issuperset(item.vector_keys)]
    texts = {vector_key(note.model, chunk.indexed_text): chunk.indexed_text for item in new for chunk in item.chunks}
    found = await embed(texts, stand_in)
    quick = [replace(item, vector_keys=[vector_key(note.model, c.indexed_text) for c in item.chunks]) for item in new]
    quick = [item for item in quick if found.refused.keys().isdisjoint(item.vector_keys)]
    lost = await store.keep(quick, found.vectors, {}, note) if quick else []
    ids = {item.document.document_id for item in quick}
    return quick, lost, [item for item in fresh if item.document.document_id not in ids]


async def deepen_all(
    store: Store, embedder: Embedder, listener: Listener = ignore, *, until: Callable[[], bool] = lambda: False
) -> list[LostChunk]:
    """Let the embedder reach what is shallow, group by group; returns the chunks that it refuses, which are let go.

    The base is held for writing only while a group is kept. In one process only one does this at a time.

    `until`: asked before each group, whether to stop there.

    Raises:
        ServiceError: the embedder cannot be reached; what it has done is kept.
    """
    lost: list[LostChunk] = []
    async with store.deepening:
        while not until():
            group = await asyncio.to_thread(store.catalog.next_shallow)
            if not group.seqs:
                await asyncio.to_thread(store.catalog.end_switch)
                break
            found = await embed(group.texts, embedder, store.vectors)
            lost += await deepen(store, group.seqs, found.vectors, found.tokens, found.refused)
            left = await asyncio.to_thread(store.catalog.shallow_count)
            listener(ChunksDeepened(len(group.texts), left))
    return lost
