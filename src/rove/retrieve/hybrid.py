"""Keyword and semantic search at once, fused to one ranking."""

from __future__ import annotations

from rove.records import Hit
from rove.retrieve import Query, SearchContext
from rove.retrieve.fuse import fused
from rove.retrieve.ranked_lists import ranked_lists, to_hits
from rove.retrieve.rerank import reranked


class HybridRetriever:
    """Fuses the two lists by the rule that the settings name. See `Retriever`."""

    def __init__(self, search_context: SearchContext) -> None:
        self.search_context = search_context

    async def retrieve(self, query: Query) -> list[Hit]:
        """See `Retriever.retrieve`."""
        settings = self.search_context.settings
        depth = max(settings.candidates, query.top_k)
        lists = await ranked_lists(self.search_context, query, top_k=depth, names=["keyword", "semantic"])
        pool = max(query.top_k, settings.rerank_pool if query.rerank else 0)
        hits = await to_hits(self.search_context, fused(lists, settings)[:pool], lists, rerank=query.rerank)
        return (await reranked(self.search_context, query.text, hits) if query.rerank else hits)[: query.top_k]
