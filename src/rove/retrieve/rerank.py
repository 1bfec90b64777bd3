"""Blending a reranker with the first stage: alone, rerankers fail outside what they were trained on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rove.records import Hit, Place
from rove.retrieve import SearchContext
from rove.retrieve.fuse import zscores
from rove.retrieve.judging import judge_now
from rove.retrieve.other_languages import raised
from rove.tracing import stage


async def reranked(
    search_context: SearchContext,
    question: str,
    hits: Sequence[Hit],
    *,
    pool: int | None = None,
    others: int = 0,
    spoken: str = "",
) -> list[Hit]:
    """Rank the first `pool` hits anew (None: the setting `rerank_pool`) and `others`, the rest after them as they were.

    score = (1 - w) · z(first stage) + w · z(reranker), both standardised over the pool, w = `rerank_weight`. Each hit
    of the pool gets its place in the reranker's own list as source "rerank". Hits stay as they are where the reranker
    has no opinion. `others`: how many behind the pool are there for their language, which is not `spoken`, the
    question's; what is in other languages is `raised`.
    """
    settings = search_context.settings
    usual = settings.rerank_pool if pool is None else pool
    size = usual + others
    seen, rest = list(hits[:size]), list(hits[size:])
    await judge_now(search_context, [hit.chunk.chunk_id for hit in seen])
    with stage("rerank", hits=len(seen)):
        opinions = [float(score) for score in await search_context.reranker.scores(question, seen)]
    if not any(opinions):
        return sorted(hits, key=lambda hit: (-hit.score, hit.chunk.chunk_id)) if others else list(hits)
    ids = [hit.chunk.chunk_id for hit in seen]
    said = list(zip(ids, opinions, strict=True))
    own = sorted(said, key=lambda scored: (-scored[1], scored[0]))
    places = {chunk_id: Place(rank, score) for rank, (chunk_id, score) in enumerate(own, start=1)}
    found = [(hit.chunk.chunk_id, hit.score) for hit in seen]
    first, second = (zscores(scored, scored[:usual]) for scored in (found, said))
    if spoken:
        first = raised(first, second, seen, spoken)
    weight = search_context.reranker.weight if settings.rerank_weight is None else settings.rerank_weight
    blended = [
        replace(
            hit,
            score=(1 - weight) * first[chunk_id] + weight * second[chunk_id],
            sources={**hit.sources, "rerank": places[chunk_id]},
        )
        for chunk_id, hit in zip(ids, seen, strict=True)
    ]
    blended.sort(key=lambda hit: (-hit.score, hit.chunk.chunk_id))
    lowest = blended[-1].score if blended else 0.0
    return blended + [replace(hit, score=lowest - rank) for rank, hit in enumerate(rest, start=1)]
