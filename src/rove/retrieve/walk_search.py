"""Mode "walk": search without a chat model, from what the question finds to what those passages name, hop by hop.

A passage leads to the documents whose titles it names, and to those that name its own title. Passages are ranked by
how often a walker on these links comes by. What each part is worth: docs/decisions/018-walking-without-a-model.md.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from rove.enrich.entities import name_keys
from rove.language.detect import detect
from rove.records import Filter, Hit, field
from rove.records.filter import access_filter_of
from rove.retrieve import Query, SearchContext
from rove.retrieve.fuse import fused
from rove.retrieve.ranked_lists import asked_terms, to_hits
from rove.retrieve.trail import QUESTION, Trail
from rove.store import Vector
from rove.store.search_lists import SearchLists
from rove.tracing import stage

NAMERS = 0.5
"""How strongly a passage leads to the documents that name its title, together, beside one that it names itself."""
MOST_NAMERS = 12
"""Chunks that name a title, up to which it leads there; a name that stands everywhere links nothing."""


@dataclass(frozen=True, slots=True)
class _WalkQuery:
    """What is searched for, once analysed, and what its caller may see."""

    text: str
    language: str
    terms: Sequence[str]
    vector: Vector
    access_filter: Filter | None


@dataclass(frozen=True, slots=True)
class WalkTuning:
    """How a walk goes; what is 0 or False is left out.

    `pool` passages are looked at again by the reranker, and `reach` more at each of `hops`; links are followed from
    the `front` best. `asked`: those of the question itself.
    """

    hops: int = 3
    pool: int = 20
    front: int = 8
    reach: int = 24
    asked: bool = True
    titles: bool = True
    namers: bool = True


class WalkRetriever:
    """See `Retriever`. The reranker always has its say."""

    def __init__(self, search_context: SearchContext, tuning: WalkTuning | None = None) -> None:
        self.search_context = search_context
        self.tuning = tuning or WalkTuning()

    async def retrieve(self, query: Query) -> list[Hit]:
        """See `Retriever.retrieve`; scores are visits (`Trail.visits`), those of the rest below 0."""
        settings = self.search_context.settings
        asked = await self._asked(query)
        lists = await self._search(asked, max(settings.candidates, query.top_k), query.where)
        first = fused(lists, settings)
        weight = self.search_context.reranker.weight if settings.rerank_weight is None else settings.rerank_weight
        trail = Trail(lists, settings, weight)
        await self._take(
            trail, asked, await to_hits(self.search_context, first[: self.tuning.pool], lists, rerank=True), hop=0
        )
        if self.tuning.asked:
            trail.ways[QUESTION] = await asyncio.to_thread(self._named, asked)
        sought: set[str] = set()
        for hop in range(1, self.tuning.hops + 1):
            with stage("hop", number=hop):
                documents = await self._beyond(trail, sought, asked.access_filter)
                if not documents:
                    break
                sought |= documents
                within = field("document_id").in_(sorted(documents))
                where = within if query.where is None else query.where & within
                reached = trail.widen(await self._search(asked, 2 * self.tuning.reach, where))[: self.tuning.reach]
                await self._take(
                    trail, asked, await to_hits(self.search_context, reached, SearchLists({}), rerank=True), hop=hop
                )
        walked = trail.ranked()
        rest = [(chunk_id, -float(n)) for n, (chunk_id, _) in enumerate(first) if chunk_id not in trail.hits]
        missing = rest[: max(query.top_k - len(walked), 0)]
        return [*walked, *await to_hits(self.search_context, missing, lists)][: query.top_k]

    async def _beyond(self, trail: Trail, sought: set[str], access_filter: Filter | None) -> set[str]:
        """Return the documents that the front of a trail leads to, without those that were searched before."""
        await asyncio.to_thread(self._look, trail, trail.front(self.tuning.front), access_filter)
        return trail.unseen() - sought

    async def _asked(self, query: Query) -> _WalkQuery:
        text, languages = query.text, await self.search_context.store.languages(query.where)
        vector = (await self.search_context.embedder.queries([text]))[0]
        return _WalkQuery(
            text, detect(text, languages), asked_terms(text, languages), vector, access_filter_of(query.where)
        )

    async def _search(self, asked: _WalkQuery, top_k: int, where: Filter | None) -> SearchLists:
        return await self.search_context.store.search(terms=asked.terms, vector=asked.vector, top_k=top_k, where=where)

    async def _take(self, trail: Trail, asked: _WalkQuery, hits: Sequence[Hit], *, hop: int) -> None:
        with stage("rerank", hits=len(hits)):
            opinions = await self.search_context.reranker.scores(asked.text, hits)
        trail.take(hits, [float(opinion) for opinion in opinions], hop)

    def _named(self, asked: _WalkQuery) -> dict[str, float]:
        names = name_keys(asked.text, asked.language)
        return self.search_context.store.names.titled(asked.text, asked.language, names, asked.access_filter)

    def _look(self, trail: Trail, front: Sequence[Hit], access_filter: Filter | None) -> None:
        """Find what these passages lead to by names."""
        names = self.search_context.store.names
        for hit in front:
            chunk = hit.chunk
            held = names.names(chunk.chunk_id) or name_keys(chunk.text, chunk.language)
            ways = names.titled(chunk.text, chunk.language, held, access_filter) if self.tuning.titles else {}
            for key in names.titles(chunk.document_id) if self.tuning.namers else ():
                documents = names.holding(key, MOST_NAMERS, access_filter)
                for document_id in documents:
                    ways.setdefault(document_id, NAMERS / len(documents))
            ways.pop(chunk.document_id, None)
            trail.ways[chunk.chunk_id] = ways
