"""What is shallow stands in one list with what is deep: the best of it is embedded at once, each passage once ever.

The stand-in says which passages may be near; of the first of these the embedder itself says how near they are. So
what is found, and what reads it afterwards, compares vectors and tokens of one kind. The rest follows below.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

import numpy as np

from rove.enrich.vectors import embed
from rove.errors import ServiceError
from rove.models import Embedder, Vectors, trust_of
from rove.records import Filter
from rove.retrieve import SearchContext
from rove.store import Scored, Vector
from rove.store.memory_index import DECIMALS
from rove.store.search_lists import SearchLists
from rove.store.store import Store
from rove.tracing import stage

JUDGED = 16
"""Passages of the stand-in's list that the embedder looks at: docs/decisions/047-two-speeds.md."""
NOBODY: tuple[Vector | None, float] = None, 0.0


async def searched(
    search_context: SearchContext,
    text: str,
    *,
    terms: Sequence[str] | None = None,
    vector: Vector | None = None,
    top_k: int,
    where: Filter | None = None,
) -> SearchLists:
    """See `Store.search`. Where nothing is shallow that is all, without a query more.

    `text`: what `vector` was made of.
    """
    store, trust = search_context.store, trust_of(search_context.embedder)
    first, theirs = await _by_stand_in(search_context, text) if vector is not None and store.shallow else NOBODY
    lists = await store.search(terms=terms, vector=vector, top_k=top_k, where=where, first=first)
    if vector is not None and lists.shallow_chunks and first is None:
        first, theirs = await _by_stand_in(search_context, text)
        if first is not None:
            lists = await store.search(terms=terms, vector=vector, top_k=top_k, where=where, first=first)
    if vector is not None and lists.shallow:
        lists = await _as_one(search_context, lists, vector, top_k, as_found=theirs > trust)
    return replace(lists, trust=trust)


async def judge_now(search_context: SearchContext, chunk_ids: Sequence[str]) -> None:
    """See `judge`. Where nothing was shallow when something was last looked for, nothing is done."""
    if search_context.store.shallow:
        await judge(search_context.store, search_context.embedder, chunk_ids)


async def judge(store: Store, embedder: Embedder, chunk_ids: Sequence[str]) -> None:
    """Let the embedder look at those of these chunks that it has not reached, before somebody reads what it kept.

    Where it cannot be reached, they stay as they are.
    """
    judged = store.judged
    shallow = await asyncio.to_thread(judged.shallow_of, chunk_ids)
    known = await asyncio.to_thread(judged.vectors, shallow)
    new = {name: one for name, one in shallow.items() if name not in known}
    if not new:
        return
    with stage("judge", chunks=len(new)), suppress(ServiceError):
        found = await embed({one.key: one.text for one in new.values()}, embedder)
        judged.hold(found.vectors, found.tokens)
        await judged.keep_soon(new)


async def _by_stand_in(search_context: SearchContext, text: str) -> tuple[Vector | None, float]:
    """Return the stand-in's vector of a text, and how far it is trusted; None where it cannot be had."""
    held = await search_context.stand_in.held(search_context.store) if search_context.stand_in else None
    if held is None:
        return NOBODY
    try:
        return (await held.queries([text]))[0], trust_of(held)
    except ServiceError:  # an embedder that is being replaced may be gone
        return NOBODY


async def _as_one(
    search_context: SearchContext, lists: SearchLists, vector: Vector, top_k: int, *, as_found: bool
) -> SearchLists:
    """Put the shallow list into the semantic one; `as_found`: what is judged keeps the order that it was found in."""
    ids = [chunk_id for chunk_id, _ in lists.shallow[:JUDGED]]
    await judge_now(search_context, ids)
    deep = list(lists.ranked["semantic"])
    vectors = await search_context.store.chunk_vectors(ids)
    placed = _placed(lists.shallow, vectors, vector, deep, as_found=as_found)
    semantic = sorted([*deep, *placed], key=lambda scored: (-scored[1], scored[0]))[:top_k]
    return replace(lists, ranked={**lists.ranked, "semantic": semantic})


def _placed(
    shallow: Sequence[Scored], vectors: Vectors, vector: Vector, deep: Sequence[Scored], *, as_found: bool
) -> list[Scored]:
    """Give the shallow list scores that compare with the embedder's cosines.

    Those that it has looked at, (n, dimension) of the first n, have theirs. The others follow below the least of these
    in their own order, by the stand-in's differences times the ratio of the two spreads.

    `as_found`: the stand-in knows better, being the embedder before a quicker one; its first has the best cosine.
    """
    cosines = np.vecdot(vectors, vector).clip(-1, 1).round(DECIMALS)
    seen = vectors.any(axis=1)
    by_first = np.array([score for _, score in shallow])
    own, theirs = cosines[seen], by_first[: len(cosines)][seen]
    if as_found:
        own = cosines[seen] = np.sort(own)[::-1]
    if not len(own):  # the embedder could not be reached
        floor = min((score for _, score in deep), default=float(by_first[0]))
        return [(name, floor - float(by_first[0] - score)) for name, score in shallow]
    spread = float(theirs.std())
    scale = float(own.std()) / spread if spread > 0 else 1.0
    floor, last = float(own.min()), float(theirs.min())
    names = [name for name, _ in shallow]
    placed = {name: floor - scale * max(last - score, 0.0) for name, score in shallow}
    placed |= {names[at]: float(cosines[at]) for at in np.flatnonzero(seen).tolist()}
    return list(placed.items())
