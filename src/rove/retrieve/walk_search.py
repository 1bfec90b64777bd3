"""Mode "walk": search without a chat model, from what the question finds to what those passages name, hop by hop.

A passage leads to the documents whose titles it names, and to those that share a rare name with it, its own title
included. What the best passages name by its title is taken in by right; all else that is linked competes for the rest.
The order is that of hybrid search; what links lead to is let in by how often a walker on them comes by. What each part
is worth: docs/decisions/018-walking-without-a-model.md.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from rove.enrich.entities import name_keys
from rove.language.detect import detect
from rove.language.words import terms
from rove.records import Filter, Hit, field
from rove.records.filter import access_filter_of
from rove.retrieve import Query, SearchContext
from rove.retrieve.fuse import fused
from rove.retrieve.judging import judge_now, searched
from rove.retrieve.ranked_lists import entry_terms, search_terms, to_hits
from rove.retrieve.trail import QUESTION, Trail, Ways
from rove.store import Scored, Vector
from rove.store.live_chunks import ChunkNames
from rove.store.name_graph import NamingText
from rove.store.search_lists import SearchLists
from rove.tracing import stage

MOST_SHARERS = 8
"""Chunks that hold a name, up to which it leads to them; a name that stands everywhere links nothing."""

WIDER = 8
"""How many times as many passages as have room are looked at of documents of which each is to have one."""

NAMELESS = ChunkNames((), ())


@dataclass(frozen=True, slots=True)
class WalkQuery:
    """What is searched for, once analysed, and what its caller may see."""

    text: str
    language: str
    terms: Sequence[str]
    vector: Vector
    access_filter: Filter | None


@dataclass(frozen=True, slots=True)
class WalkTuning:
    """How a walk goes; what is 0 or False is left out.

    Links are followed from the `front` best passages. At each of `hops` the reranker looks at `reach` passages more of
    what the `strong` best name by its title, each document's best first, and at as many of all else that is linked.
    `asked`: links of the question itself. `titles`: those to documents by their titles. `shared`: those by names in
    both texts.
    """

    hops: int = 4
    front: int = 16
    reach: int = 16
    strong: int = 4
    asked: bool = True
    titles: bool = True
    shared: bool = True


class WalkRetriever:
    """See `Retriever`. The reranker always has its say."""

    def __init__(self, search_context: SearchContext, tuning: WalkTuning | None = None) -> None:
        self.search_context = search_context
        self.tuning = tuning or WalkTuning()

    async def retrieve(self, query: Query) -> list[Hit]:
        """See `Retriever.retrieve`. Where no link leads anywhere, it is the order of "hybrid" with its reranker."""
        settings = self.search_context.settings
        asked = await self._asked(query)
        lists = await self._search(asked, max(settings.candidates, query.top_k), query.where)
        first = fused(lists, settings)
        weight = self.search_context.reranker.weight if settings.rerank_weight is None else settings.rerank_weight
        trail = Trail(lists, settings, weight, set(asked.terms))
        pool = first[: settings.rerank_pool]
        await self._take(trail, asked, await to_hits(self.search_context, pool, lists, rerank=True), hop=0)
        if self.tuning.asked:
            trail.ways[QUESTION] = Ways(titled=await self.named(asked))
        sought: set[str] = set()
        for hop in range(1, self.tuning.hops + 1):
            with stage("hop", number=hop):
                front = trail.front(self.tuning.front)
                trail.ways.update(await self.ways(front, asked.access_filter))
                due = trail.due(self.tuning.strong) - sought
                others = trail.unseen() - sought - due
                sought |= due | others
                if due:
                    await self._reach_each(trail, asked, due, query.where, hop=hop)
                if others:
                    await self._reach(trail, asked, others, query.where, hop=hop)
                if not (due or others or front):
                    break
        walked = trail.ranked()
        lowest = walked[-1].score if walked else 0.0
        rest = [chunk_id for chunk_id, _ in first if chunk_id not in trail.hits]
        missing = [(name, lowest - n) for n, name in enumerate(rest[: max(query.top_k - len(walked), 0)], start=1)]
        return [*walked, *await to_hits(self.search_context, missing, lists)][: query.top_k]

    async def _reach(
        self, trail: Trail, asked: WalkQuery, documents: set[str], where: Filter | None, *, hop: int
    ) -> None:
        """Take in what of these documents fits the question best."""
        found = await self._within(asked, documents, 2 * self.tuning.reach, where)
        await self._take_first(trail, asked, trail.widen(found), hop=hop)

    async def _reach_each(
        self, trail: Trail, asked: WalkQuery, documents: set[str], where: Filter | None, *, hop: int
    ) -> None:
        """Take in of each of these documents what fits the question best, and then the next best of any."""
        found = await self._within(asked, documents, WIDER * self.tuning.reach, where)
        fresh = [chunk_id for chunk_id, _ in fused(found, self.search_context.settings) if chunk_id not in trail.hits]
        chunks = await self.search_context.store.find(fresh)
        first: dict[str, str] = {}
        for chunk_id in fresh:
            if chunk_id in chunks:
                first.setdefault(chunks[chunk_id].chunk.document_id, chunk_id)
        wanted = set([*first.values(), *(one for one in fresh if one not in first.values())][: self.tuning.reach])
        ranked = {name: [one for one in scored if one[0] in wanted] for name, scored in found.ranked.items()}
        await self._take_first(trail, asked, trail.widen(replace(found, ranked=ranked)), hop=hop)

    async def _take_first(self, trail: Trail, asked: WalkQuery, ranked: Sequence[Scored], *, hop: int) -> None:
        hits = await to_hits(self.search_context, ranked[: self.tuning.reach], SearchLists({}), rerank=True)
        await self._take(trail, asked, hits, hop=hop)

    async def _within(self, asked: WalkQuery, documents: set[str], top_k: int, where: Filter | None) -> SearchLists:
        within = field("document_id").in_(sorted(documents))
        return await self._search(asked, top_k, within if where is None else where & within)

    async def _asked(self, query: Query) -> WalkQuery:
        text, languages = query.text, await self.search_context.store.languages(query.where)
        vector = (await self.search_context.embedder.queries([text]))[0]
        told = [*search_terms(text, languages), *await entry_terms(self.search_context, text)]
        return WalkQuery(text, detect(text, languages), told, vector, access_filter_of(query.where))

    async def _search(self, asked: WalkQuery, top_k: int, where: Filter | None) -> SearchLists:
        return await searched(
            self.search_context, asked.text, terms=asked.terms, vector=asked.vector, top_k=top_k, where=where
        )

    async def _take(self, trail: Trail, asked: WalkQuery, hits: Sequence[Hit], *, hop: int) -> None:
        await judge_now(self.search_context, [hit.chunk.chunk_id for hit in hits])
        with stage("rerank", hits=len(hits)):
            opinions = await self.search_context.reranker.scores(asked.text, hits)
        told = await asyncio.to_thread(_question_terms_per_hit, asked, hits)
        trail.take(hits, told, [float(opinion) for opinion in opinions], hop)

    async def named(self, asked: WalkQuery) -> dict[str, float]:
        """Return the documents that the question names by their titles, each with how surely."""
        names, own = self.search_context.store.names, name_keys(asked.text, asked.language)
        text = NamingText(asked.text, asked.language, own)
        return (await asyncio.to_thread(names.titled, [text], asked.access_filter))[0]

    async def ways(self, front: Sequence[Hit], access_filter: Filter | None) -> dict[str, Ways]:
        """Return what passages lead to, by their chunk ids: other documents, each with how strongly."""
        return await asyncio.to_thread(self._ways, front, access_filter)

    def _ways(self, front: Sequence[Hit], access_filter: Filter | None) -> dict[str, Ways]:
        store, chunks = self.search_context.store, [hit.chunk for hit in front]
        known = store.documents.names_of([chunk.chunk_id for chunk in chunks])
        named = [known.get(chunk.chunk_id, NAMELESS) for chunk in chunks]
        held = [own.names or name_keys(chunk.text, chunk.language) for chunk, own in zip(chunks, named, strict=True)]
        titled: list[dict[str, float]] = [{} for _ in chunks]
        shared: list[dict[str, float]] = [{} for _ in chunks]
        if self.tuning.titles:
            texts = [NamingText(chunk.text, chunk.language, names) for chunk, names in zip(chunks, held, strict=True)]
            titled = store.names.titled(texts, access_filter)
        if self.tuning.shared:
            names = [[*some, *own.titles] for some, own in zip(held, named, strict=True)]
            shared = store.names.sharing(names, MOST_SHARERS, access_filter)
        return {
            chunk.chunk_id: Ways(*(_links_to_other_documents(kind, chunk.document_id) for kind in kinds))
            for chunk, *kinds in zip(chunks, titled, shared, strict=True)
        }


def _links_to_other_documents(ways: Mapping[str, float], own: str) -> dict[str, float]:
    """The links but for those to the passage's own document."""
    return {document_id: strength for document_id, strength in ways.items() if document_id != own}


def _question_terms_per_hit(asked: WalkQuery, hits: Sequence[Hit]) -> list[frozenset[str]]:
    """Return which of the question's terms each passage has, its title included."""
    wanted = set(asked.terms)
    return [frozenset(wanted.intersection(terms(f"{hit.title}\n{hit.chunk.text}", asked.language))) for hit in hits]
