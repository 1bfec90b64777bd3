"""Mode "summaries": a question is compared with what documents and sections say as a whole, and these are opened.

For questions that a whole section answers and no single passage does (RAPTOR, Sarthi et al., ICLR 2024, over the
documents' own sections). `rove enrich summaries` makes them; without, nothing is found.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from rove.models import Vectors
from rove.records import Filter, Hit, Place
from rove.records.filter import access_filter_of
from rove.records.summary import Summary
from rove.retrieve import Query, SearchContext
from rove.store.live_chunks import Found

PASSAGES = 3
"""Passages that are given of what one summary sums up: those nearest to the question."""


class SummariesRetriever:
    """See `Retriever`. A hit's `summary` is what was found, its score the cosine to the question.

    The passages beneath a summary come in the order of their nearness; each passage once, under the nearest summary.
    """

    def __init__(self, search_context: SearchContext) -> None:
        self.search_context = search_context

    async def retrieve(self, query: Query) -> list[Hit]:
        """See `Retriever.retrieve`."""
        (vector,) = await self.search_context.embedder.queries([query.text])
        summaries = self.search_context.store.catalog.summaries
        nearest = await asyncio.to_thread(summaries.nearest, vector, query.where, query.top_k)
        hits: dict[str, Hit] = {}
        for rank, (summary, cosine) in enumerate(nearest, start=1):
            for one in await self._beneath(summary, vector, query.where):
                place = Place(rank, cosine)
                hit = Hit(one.chunk, cosine, {"summaries": place}, one.uri, one.title, summary=summary.text)
                hits.setdefault(one.chunk.chunk_id, hit)
            if len(hits) >= query.top_k:
                break
        return list(hits.values())[: query.top_k]

    async def _beneath(self, summary: Summary, question: Vectors, where: Filter | None) -> list[Found]:
        """Fetch the passages that a summary is made from; none where a label hides any of them."""
        store = self.search_context.store
        every = await asyncio.to_thread(store.catalog.find_chunks, summary.document_id, access_filter_of(where))
        whole = await asyncio.to_thread(store.catalog.find_chunks, summary.document_id, None)
        seen = await asyncio.to_thread(store.catalog.find_chunks, summary.document_id, where)
        if len(_within(every, summary)) < len(_within(whole, summary)):
            return []
        found = _within(seen, summary)
        if len(found) <= 1:
            return found
        cosines = (await store.chunk_vectors([one.chunk.chunk_id for one in found])) @ question
        order = sorted(range(len(found)), key=lambda place: (-float(cosines[place]), place))
        return [found[place] for place in order[:PASSAGES]]


def _within(found: Sequence[Found], summary: Summary) -> list[Found]:
    start, end = summary.span
    return [one for one in found if one.chunk.span[0] < end and start < one.chunk.span[1]]
