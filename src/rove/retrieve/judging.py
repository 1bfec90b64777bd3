"""What is shallow stands in one list with what is deep: the best of it is embedded at once, each passage once ever.

The stand-in says which passages may be near; of the first of these the embedder itself says how near they are. So
what is found, and what reads it afterwards, compares vectors and tokens of one kind. The rest follows below.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

import numpy as np

from rove.enrich.vectors import embed
from rove.errors import ServiceError
from rove.models import Embedder, trust_of
from rove.records import Filter
from rove.retrieve import SearchContext
from rove.store import Scored, Vector
from rove.store.memory_index import DECIMALS
from rove.store.search_lists import SearchLists
from rove.store.store import Store
from rove.tracing import stage

JUDGED, WORDED = 16, 8
"""Passages of the stand-in's list that the embedder looks at: its first ones; and those in it that are among the first
by words, lest it bury what the words have found. See docs/decisions/047-two-speeds.md."""
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
    """See `judge_chunks`. Where nothing was shallow when something was last looked for, nothing is done."""
    if search_context.store.shallow:
        await judge_chunks(search_context.store, search_context.embedder, chunk_ids)


async def judge_chunks(store: Store, embedder: Embedder, chunk_ids: Sequence[str]) -> None:
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
    """Put the shallow list into the semantic one.

    `as_found`: the stand-in knows better, being the embedder before a quicker one. What is looked at then keeps its
    order, the first with the best cosine.
    """
    first = [chunk_id for chunk_id, _ in lists.shallow[:JUDGED]]
    worded = {chunk_id for chunk_id, _ in lists.ranked.get("keyword", ())[:WORDED]}
    ids = [*first, *(chunk_id for chunk_id, _ in lists.shallow[JUDGED:] if chunk_id in worded)]
    await judge_now(search_context, ids)
    vectors = await search_context.store.chunk_vectors(ids)
    cosines = np.vecdot(vectors, vector).clip(-1, 1).round(DECIMALS)
    own = {ids[at]: float(cosines[at]) for at in np.flatnonzero(vectors.any(axis=1)).tolist()}
    if as_found:
        own = dict(zip(own, sorted(own.values(), reverse=True), strict=True))
    deep = list(lists.ranked["semantic"])
    semantic = sorted(
        [*deep, *_rescale_shallow_list(lists.shallow, own, deep)], key=lambda scored: (-scored[1], scored[0])
    )[:top_k]
    return replace(lists, ranked={**lists.ranked, "semantic": semantic})


def _rescale_shallow_list(shallow: Sequence[Scored], own: Mapping[str, float], deep: Sequence[Scored]) -> list[Scored]:
    """Give the shallow list scores that compare with the embedder's cosines.

    Those that it has looked at have their `own`. The others follow below the least of the first of these in the order
    of the stand-in, by what its differences have meant for the embedder's: much where the two agree, and little where
    they do not.
    """
    first = [(score, own[name]) for name, score in shallow[:JUDGED] if name in own]
    if not first:  # the embedder could not be reached
        best = shallow[0][1]
        floor = min((score for _, score in deep), default=best)
        return [(name, own.get(name, floor - (best - score))) for name, score in shallow]
    scale = _slope([(score, own[name]) for name, score in shallow if name in own])
    last, floor = min(score for score, _ in first), min(cosine for _, cosine in first)
    return [(name, own.get(name, floor - scale * max(last - score, 0.0))) for name, score in shallow]


def _slope(pairs: Sequence[tuple[float, float]]) -> float:
    """How much the second grows with the first, by least squares, and never down; 1 where there is nothing to tell by.

    >>> _slope([(0.1, 0.5), (0.2, 0.7), (0.3, 0.9)]), _slope([(0.1, 0.5), (0.2, 0.4)]), _slope([(0.1, 0.5)])
    (2.0, 0.0, 1.0)
    """
    theirs, own = np.array(pairs).T
    spread = float(theirs.var())
    if not spread:
        return 1.0
    return round(max(float(((theirs - theirs.mean()) * (own - own.mean())).mean()) / spread, 0.0), DECIMALS)
