"""Several ways to search as one: "chain" asks one after the other, "together" all at once (mission B.12)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import inf

from rove.records import Hit, Place
from rove.retrieve import RETRIEVERS, Query, Retriever, SearchContext, reranks
from rove.retrieve.fuse import reciprocal_rank_fusion


class ChainRetriever:
    """Mode "chain", see `Retriever`: those of `search.chain` in their order; the first that finds anything wins.

    What scores less than its entry in `search.chain_scores` counts as not found.
    """

    def __init__(self, search_context: SearchContext) -> None:
        self.least = search_context.settings.chain_scores
        self.retrievers = made(search_context, search_context.settings.chain)

    async def retrieve(self, query: Query) -> list[Hit]:
        """See `Retriever.retrieve`."""
        for name, retriever in self.retrievers.items():
            found = await retriever.retrieve(replace(own(query, name), falls_back=False))
            if hits := [hit for hit in found if hit.score >= self.least.get(name, -inf)]:
                return hits
        return []


class TogetherRetriever:
    """Mode "together", see `Retriever`: those of `search.together` at once, by the places that they give.

    score = Σ weight / (`search.rrf_k` + rank), the weights those of `search.together`: scores of different ways to
    search say different things, places the same. A hit keeps where each way had it as a source of that name.
    """

    def __init__(self, search_context: SearchContext) -> None:
        self.k = search_context.settings.rrf_k
        self.weights = search_context.settings.together
        self.retrievers = made(search_context, self.weights)

    async def retrieve(self, query: Query) -> list[Hit]:
        """See `Retriever.retrieve`."""
        lists = await asyncio.gather(
            *(retriever.retrieve(own(query, name)) for name, retriever in self.retrievers.items())
        )
        found = dict(zip(self.retrievers, lists, strict=True))
        return fused_by_rank(found, self.weights, self.k)[: query.top_k]


def fused_by_rank(lists: Mapping[str, Sequence[Hit]], weights: Mapping[str, float], k: int) -> list[Hit]:
    """Fuse lists of hits by `reciprocal_rank_fusion`; each hit has its place in each list under the list's name."""
    best: dict[str, Hit] = {}
    for name, found in lists.items():
        for rank, hit in enumerate(found, start=1):
            before = best.get(hit.chunk.chunk_id, hit)
            sources = {**hit.sources, **before.sources, name: Place(rank, hit.score)}
            best[hit.chunk.chunk_id] = replace(before, sources=sources)
    rankings = [[hit.chunk.chunk_id for hit in found] for found in lists.values()]
    ranked = reciprocal_rank_fusion(rankings, k=k, weights=[weights[name] for name in lists])
    return [replace(best[chunk_id], score=score) for chunk_id, score in ranked]


def made(search_context: SearchContext, names: Mapping[str, float] | tuple[str, ...]) -> dict[str, Retriever]:
    """Make the retrievers of these names, in their order."""
    return {name: RETRIEVERS.get(name)(search_context) for name in names}


def own(query: Query, name: str) -> Query:
    """Return the query as a retriever is asked it: reranked only where it is so by itself, too."""
    return replace(query, rerank=query.rerank and reranks(name))
