"""Keyword search alone, and semantic search alone."""

from __future__ import annotations

from rove.records import Hit
from rove.retrieve import Means, Query
from rove.retrieve.lists import ranked_lists, to_hits
from rove.retrieve.rerank import reranked


class KeywordRetriever:
    """BM25 over analysed words. See `Retriever`."""

    name = "keyword"

    def __init__(self, means: Means) -> None:
        self.means = means

    async def retrieve(self, query: Query) -> list[Hit]:
        """See `Retriever.retrieve`."""
        pool = max(query.top_k, self.means.settings.rerank_pool if query.rerank else 0)
        lists = await ranked_lists(self.means, query, top_k=pool, names=[self.name])
        hits = await to_hits(self.means, lists.ranked[self.name], lists)
        return (await reranked(self.means, query.text, hits) if query.rerank else hits)[: query.top_k]


class SemanticRetriever(KeywordRetriever):
    """Cosine over vectors. See `Retriever`."""

    name = "semantic"
