"""Keyword and semantic search at once, fused to one ranking."""

from __future__ import annotations

from rove.records import Hit
from rove.registry import load
from rove.retrieve import Query, SearchContext
from rove.retrieve.fuse import fused
from rove.retrieve.ranked_lists import ranked_lists, to_hits
from rove.retrieve.rerank import reranked

DATABASE = "database"
ARE_TABLES, BY_TABLES = "rove.retrieve.schema_order:are_tables", "rove.retrieve.schema_order:by_tables"


class HybridRetriever:
    """Fuses the two lists by the settings' rule; tables of databases come in the order of mode "schema"."""

    def __init__(self, search_context: SearchContext) -> None:
        self.search_context = search_context

    async def retrieve(self, query: Query) -> list[Hit]:
        """See `Retriever.retrieve`."""
        found = await fused_hits(self.search_context, query)
        if found and DATABASE in found[0].chunk.metadata and await load(ARE_TABLES)(self.search_context, query, found):
            found = await load(BY_TABLES)(self.search_context, query, found)
        return found[: query.top_k]


async def fused_hits(search_context: SearchContext, query: Query) -> list[Hit]:
    """Search both lists and fuse them; the first `query.top_k`, or the pool of the reranker where that is larger."""
    settings = search_context.settings
    depth = max(settings.candidates, query.top_k)
    lists = await ranked_lists(search_context, query, top_k=depth, names=["keyword", "semantic"])
    pool = max(query.top_k, settings.rerank_pool if query.rerank else 0)
    hits = await to_hits(search_context, fused(lists, settings)[:pool], lists, rerank=query.rerank)
    return await reranked(search_context, query.text, hits) if query.rerank else hits
