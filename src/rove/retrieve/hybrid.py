"""Keyword and semantic search at once, fused to one ranking."""

from __future__ import annotations

from rove.records import Hit
from rove.retrieve import Means, Query
from rove.retrieve.fuse import reciprocal_rank_fusion, zscore_sum
from rove.retrieve.lists import Lists, ranked_lists, to_hits
from rove.retrieve.rerank import reranked
from rove.store import Scored


class HybridRetriever:
    """Fuses the two lists by z-score sum (the default) or reciprocal rank. See `Retriever`."""

    def __init__(self, means: Means) -> None:
        self.means = means

    async def retrieve(self, query: Query) -> list[Hit]:
        """See `Retriever.retrieve`."""
        settings = self.means.settings
        depth = max(settings.candidates, query.top_k)
        lists = await ranked_lists(self.means, query, top_k=depth, names=["keyword", "semantic"])
        pool = max(query.top_k, settings.rerank_pool if query.rerank else 0)
        hits = await to_hits(self.means, fused(lists, settings.fusion)[:pool], lists)
        return (await reranked(self.means, query.text, hits) if query.rerank else hits)[: query.top_k]


def fused(lists: Lists, fusion: str) -> list[Scored]:
    """Fuse lists by the named rule, "zscore" or "rrf"."""
    if fusion == "rrf":
        return reciprocal_rank_fusion([[chunk_id for chunk_id, _ in scored] for scored in lists.values()])
    return zscore_sum(lists)
