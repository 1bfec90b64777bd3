"""The hybrid search of the "Guru" assistant: the best of both lists, and of a reranked pool, merged."""

from __future__ import annotations

from collections.abc import Container, Sequence

from rove.records import Hit
from rove.retrieve import Query, SearchContext
from rove.retrieve.fuse import fused
from rove.retrieve.ranked_lists import ranked_lists, to_hits
from rove.retrieve.rerank import reranked


class GatherRetriever:
    """See `Retriever`. Five settings rule it: `k_keyword`, `k_semantic`, `k_rerank`, `pool_keyword`, `pool_semantic`.

    The first `k_keyword` and `k_semantic` hits go straight into the output; the first `pool_keyword` and
    `pool_semantic` are all that the reranker sees, and the `k_rerank` that it alone ranks highest join. Without
    duplicates: at most the sum of the three (`usual_top_k`), at least their maximum where the corpus holds that many.
    """

    def __init__(self, search_context: SearchContext) -> None:
        self.search_context = search_context

    async def retrieve(self, query: Query) -> list[Hit]:
        """See `Retriever.retrieve`; ordered by the blended score of the reranking."""
        s = self.search_context.settings
        depth = max(s.k_keyword, s.k_semantic, s.pool_keyword, s.pool_semantic, 1)
        lists = await ranked_lists(self.search_context, query, top_k=depth, names=["keyword", "semantic"])
        keyword, semantic = ([chunk_id for chunk_id, _ in lists.ranked[name]] for name in ("keyword", "semantic"))
        straight = {*keyword[: s.k_keyword], *semantic[: s.k_semantic]}
        pool = {*keyword[: s.pool_keyword], *semantic[: s.pool_semantic]}
        ranked = [(chunk_id, score) for chunk_id, score in fused(lists, s) if chunk_id in straight | pool]
        ranked.sort(key=lambda scored: scored[0] not in pool)  # the pool first: the reranker sees no others
        hits = await to_hits(self.search_context, ranked, lists, rerank=True)
        pooled = sum(hit.chunk.chunk_id in pool for hit in hits)
        everything = await reranked(self.search_context, query.text, hits, pool=pooled)
        everything.sort(key=lambda hit: -hit.score)  # where the reranker had no opinion they stand as they were given
        best = {hit.chunk.chunk_id for hit in _own_best(everything, pool)[: s.k_rerank]}
        return [hit for hit in everything if hit.chunk.chunk_id in straight | best][: query.top_k]


def _own_best(hits: Sequence[Hit], pool: Container[str]) -> list[Hit]:
    """Return the pool as the reranker alone ranks it; as it stands where the reranker had no opinion."""
    pooled = [hit for hit in hits if hit.chunk.chunk_id in pool]
    return sorted(pooled, key=lambda hit: hit.sources["rerank"].rank if "rerank" in hit.sources else 0)
