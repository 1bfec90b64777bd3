"""Keyword and semantic search at once, fused to one ranking."""

from __future__ import annotations

from rove.language.detect import detect
from rove.records import Hit
from rove.registry import load
from rove.retrieve import Query, SearchContext
from rove.retrieve.fuse import fused
from rove.retrieve.other_languages import others_near
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
    ranked = fused(lists, settings)
    if not query.rerank:
        return await to_hits(search_context, ranked[: query.top_k], lists)
    spoken = detect(query.text) if lists.languages else ""
    others = others_near(ranked, lists.ranked["semantic"], lists.languages, spoken, settings.rerank_pool)
    usual = max(settings.rerank_pool - len(others), 0)
    scores, names = dict(ranked), [name for name, _ in ranked if name not in others]
    order = [*names[:usual], *others, *names[usual : max(query.top_k - len(others), usual)]]
    hits = await to_hits(search_context, [(name, scores[name]) for name in order], lists, rerank=True)
    return await reranked(search_context, query.text, hits, pool=usual, others=len(others), spoken=spoken)
