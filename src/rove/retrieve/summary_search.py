"""Mode "summaries": a question is compared with what documents and sections say as a whole, and these are opened.

For questions that a whole section answers and no single passage does (RAPTOR, Sarthi et al., ICLR 2024, over the
documents' own sections). `rove enrich summaries` makes them; without, nothing is found.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from rove.models import Vectors
from rove.records import Filter, Hit, Place
from rove.records.filter import access_filter_of
from rove.records.summary import Summary
from rove.retrieve import Query, SearchContext
from rove.retrieve.judging import judge_now
from rove.store.live_chunks import Found

PASSAGES = 3
"""Passages that are given of what one summary sums up: those nearest to the question."""


@dataclass(frozen=True, slots=True)
class _Opened:
    """The passages of a document: those that may be given, and those that a label hides."""

    seen: Sequence[Found]
    hidden: Sequence[Found]


class SummariesRetriever:
    """See `Retriever`. A hit's `summary` is what was found, its score the cosine to the question.

    The passages beneath a summary come in the order of their nearness; each passage once, under the nearest summary.
    """

    def __init__(self, search_context: SearchContext) -> None:
        self.search_context = search_context

    async def retrieve(self, query: Query) -> list[Hit]:
        """See `Retriever.retrieve`."""
        (vector,) = await self.search_context.embedder.queries([query.text])
        summaries = self.search_context.store.documents.summaries
        nearest = await asyncio.to_thread(summaries.nearest, vector, query.where, query.top_k)
        hits: dict[str, Hit] = {}
        opened: dict[str, _Opened] = {}
        for rank, (summary, cosine) in enumerate(nearest, start=1):
            if (document := summary.document_id) not in opened:
                opened[document] = await asyncio.to_thread(self._open, document, query.where)
            for one in await self._beneath(summary, opened[document], vector):
                place = Place(rank, cosine)
                hit = Hit(one.chunk, cosine, {"summaries": place}, one.uri, one.title, summary=summary.text)
                hits.setdefault(one.chunk.chunk_id, hit)
            if len(hits) >= query.top_k:
                break
        return list(hits.values())[: query.top_k]

    def _open(self, document_id: str, where: Filter | None) -> _Opened:
        """Fetch the passages of a document that pass a filter, and find those that a label hides."""
        find = self.search_context.store.documents.find_chunks
        seen = find(document_id, where)
        access_filter = access_filter_of(where)
        if access_filter is None:
            return _Opened(seen, [])
        allowed = {one.chunk.chunk_id for one in find(document_id, access_filter)}
        return _Opened(seen, [one for one in find(document_id, None) if one.chunk.chunk_id not in allowed])

    async def _beneath(self, summary: Summary, opened: _Opened, question: Vectors) -> list[Found]:
        """Choose among the passages that a summary is made from; none where a label hides any of them."""
        found = [] if _chunks_in_summary_span(opened.hidden, summary) else _chunks_in_summary_span(opened.seen, summary)
        if len(found) <= 1:
            return found
        ids = [one.chunk.chunk_id for one in found]
        await judge_now(self.search_context, ids)
        vectors = await self.search_context.store.chunk_vectors(ids)
        cosines = vectors @ question
        order = sorted(range(len(found)), key=lambda place: (-float(cosines[place]), place))
        return [found[place] for place in order[:PASSAGES]]


def _chunks_in_summary_span(found: Sequence[Found], summary: Summary) -> list[Found]:
    start, end = summary.span
    return [one for one in found if one.chunk.span[0] < end and start < one.chunk.span[1]]
