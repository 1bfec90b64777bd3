"""Keyword search alone, and semantic search alone."""

from __future__ import annotations

from rove.records import Hit
from rove.retrieve import Query, SearchContext
from rove.retrieve.ranked_lists import ranked_lists, to_hits
from rove.retrieve.rerank import reranked


class KeywordRetriever:
    """BM25 over analysed words. See `Retriever`."""

    name = "keyword"

    def __init__(self, search_context: SearchContext) -> None:
        self.search_context = search_context

    async def retrieve(self, query: Query) -> list[Hit]:
        """See `Retriever.retrieve`."""
        pool = max(query.top_k, self.search_context.settings.rerank_pool if query.rerank else 0)
        lists = await ranked_lists(self.search_context, query, top_k=pool, names=[self.name])
        hits = await to_hits(self.search_context, lists.ranked[self.name], lists)
        return (await reranked(self.search_context, query.text, hits) if query.rerank else hits)[: query.top_k]


class SemanticRetriever(KeywordRetriever):
    """Cosine over vectors. See `Retriever`."""

    name = "semantic"
