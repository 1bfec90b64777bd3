"""Finds what a lead names: a place in a document is read as it is, anything else is searched for in the base."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import replace

from rove.records import Filter, Hit
from rove.records.document import Span
from rove.records.walk_events import ChunkSeen, Lead
from rove.retrieve import RETRIEVERS, Query, retrieve_passages
from rove.retrieve.judging import judge_now
from rove.walk import EXTRACTIVE, WalkContext
from rove.walk.json_format import filter_of
from rove.walk.state import State
from rove.walk.whole_places import fits_budget, within_budget

DEEPER = 40  # seen chunks that a search for a lead looks past at most
MOST_REPLACED = 100  # chunks of a document from which on a walk no longer runs after its newest version
FIRST_MODE = "walk"
"""How the first round of a walk without a model searches, where there is such a retriever."""


class Finder:
    """Finds chunks within the walk's filter. What a lead says is only ever looked for in the base."""

    def __init__(self, context: WalkContext) -> None:
        self._search_context = context.search_context
        self._settings, self._answer = context.settings, context.answer
        self._mode = FIRST_MODE if context.chat is None and FIRST_MODE in RETRIEVERS.names() else "hybrid"

    async def chunks(self, lead: Lead | None, state: State) -> list[Hit]:
        """Return chunks that were not seen yet, best first; a lead of None is the question itself.

        Raises:
            ServiceError: the embedder failed.
        """
        seen = {one.chunk_id for one in state.seen}
        where = filter_of(state.where)
        if lead is None:
            top_k = self._settings.first_chunks
            mode = self._mode if state.mode == EXTRACTIVE else "hybrid"
            return await self._search(state.question, top_k, seen, where, mode, deeper=len(seen))
        top_k = self._settings.lead_chunks
        if lead.document_id:
            return await self._whole(await self._at(lead, seen, where), lead, state)
        text = f"{lead.text} {state.question}" if lead.kind == "name" else lead.text
        return await self._search(text, top_k, seen, where, "hybrid")

    async def asked(self, state: State, most: int = 0) -> list[Hit]:
        """Return what `ask` answers from: what the question itself finds, with its place in each list.

        `most`: how many hits; 0: as many as `ask` answers from.

        Raises:
            ServiceError: the embedder failed.
        """
        query = Query(
            state.question, most or self._answer.references, filter_of(state.where), rerank=True, counted=False
        )
        return await retrieve_passages(self._answer.mode, self._search_context, query)

    async def within(self, chunk_ids: Sequence[str], state: State) -> list[str]:
        """Return those of the live chunks that the walk's filter lets through."""
        hits = await self.hits(chunk_ids)
        where = filter_of(state.where)
        if where is None:
            return [hit.chunk.chunk_id for hit in hits]
        held = list({hit.chunk.document_id for hit in hits})
        passing = await asyncio.to_thread(self._search_context.store.documents.passing, held, where)
        return [hit.chunk.chunk_id for hit in hits if hit.chunk.chunk_id in passing]

    async def hits(self, chunk_ids: Sequence[str]) -> list[Hit]:
        """Return live chunks by id, in this order; one that is gone is absent."""
        found = await self._search_context.store.find(chunk_ids)
        return [
            Hit(found[name].chunk, 0.0, {}, found[name].uri, found[name].title) for name in chunk_ids if name in found
        ]

    async def instead(self, gone: Collection[str], state: State) -> list[ChunkSeen]:
        """Return what takes the place of chunks that were replaced between being found and being read.

        Of each one's document as it is now, as many chunks as are gone, those nearest to the question.

        Raises:
            ServiceError: the embedder failed.
        """
        seen, where = {one.chunk_id for one in state.seen}, filter_of(state.where)
        lost: dict[str, list[ChunkSeen]] = {}
        for one in state.seen:
            if one.chunk_id in gone:
                lost.setdefault(one.document_id, []).append(one)
        found: list[ChunkSeen] = []
        for document_id, were in lost.items():
            if sum(one.document_id == document_id for one in state.seen) > MOST_REPLACED:
                continue
            hits = await self._in(document_id, None, were[0].score, seen, where)
            for hit in await self._nearest(hits, state.question, len(were)):
                found.append(replace(were[0], chunk_id=hit.chunk.chunk_id, title=hit.title, uri=hit.uri))
        return found

    async def _search(
        self, text: str, top_k: int, seen: Collection[str], where: Filter | None, mode: str, deeper: int = DEEPER
    ) -> list[Hit]:
        query = Query(text, top_k + min(len(seen), deeper), where, rerank=mode == "hybrid", counted=False)
        hits = await retrieve_passages(mode, self._search_context, query)
        return [hit for hit in hits if hit.chunk.chunk_id not in seen][:top_k]

    async def _nearest(self, hits: list[Hit], question: str, top_k: int) -> list[Hit]:
        """Of a long section, keep the chunks nearest to the question, in the order of the text."""
        if len(hits) <= top_k:
            return hits
        near = await self._nearness(hits, question)
        best = sorted(range(len(hits)), key=lambda place: -near[place])[:top_k]
        return [hits[place] for place in sorted(best)]

    async def _nearness(self, hits: Sequence[Hit], question: str) -> list[float]:
        asked = (await self._search_context.embedder.queries([question]))[0]
        ids = [hit.chunk.chunk_id for hit in hits]
        await judge_now(self._search_context, ids)
        return [float(cosine) for cosine in (await self._search_context.store.chunk_vectors(ids)) @ asked]

    async def _whole(self, hits: list[Hit], lead: Lead, state: State) -> list[Hit]:
        """Of the place that a lead names, return all, or what `within_budget` chooses of a long one."""
        if fits_budget(hits):
            return hits
        near = await self._nearness(hits, state.question)
        return within_budget(hits, near, f"{lead.text} {state.question}", state.language)

    async def _at(self, lead: Lead, seen: Collection[str], where: Filter | None) -> list[Hit]:
        return await self._in(lead.document_id, lead.span, lead.score, seen, where)

    async def _in(
        self, document_id: str, span: Span | None, score: float, seen: Collection[str], where: Filter | None
    ) -> list[Hit]:
        found = await asyncio.to_thread(self._search_context.store.documents.find_chunks, document_id, where)
        return [
            Hit(one.chunk, score, {}, one.uri, one.title)
            for one in found
            if one.chunk.chunk_id not in seen
            and (span is None or (one.chunk.span[0] < span[1] and span[0] < one.chunk.span[1]))
        ]
