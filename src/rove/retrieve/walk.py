"""A walk without a chat model: what the question finds, and what the passages found name, hop by hop."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from rove.language.detect import detect
from rove.language.words import query_terms
from rove.records import Hit, Place
from rove.records.filter import field as where_field
from rove.retrieve import Means, Query
from rove.retrieve.fuse import fused, zscores
from rove.retrieve.lists import to_hits
from rove.retrieve.spread import Link, chances, spread
from rove.store.lists import Lists

HOPS = 3
FRONT = 8
POOL = 20
REACHED = 24
ONWARD = 0.7
WARMTH = 1.0
LINK_WARMTH = 1.0
OWN = 0.3
RARE = 12
INCOMING = 0.5


@dataclass(slots=True)
class Trail:
    """What a walk has seen so far."""

    lists: Lists
    hits: dict[str, Hit] = field(default_factory=dict[str, Hit])
    opinions: dict[str, float] = field(default_factory=dict[str, float])
    direct: set[str] = field(default_factory=set[str])
    ways: dict[str, dict[str, float]] = field(default_factory=dict[str, dict[str, float]])
    """Chunk (or "" for the question) → document → weight."""


class WalkRetriever:
    """See `Retriever`."""

    def __init__(self, means: Means) -> None:
        self.means = means

    async def retrieve(self, query: Query) -> list[Hit]:
        """See `Retriever.retrieve`."""
        language = detect(query.text, await self.means.store.languages())
        terms = query_terms(query.text, language)
        vector = (await self.means.embedder.queries([query.text]))[0]
        settings = self.means.settings
        depth = max(settings.candidates, query.top_k)
        lists = await self.means.store.search(terms=terms, vector=vector, top_k=depth, where=query.where)
        trail = Trail(lists)
        first = fused(lists, settings.fusion)
        pool = max(POOL, query.top_k)
        await self._take(trail, query, first[:pool])
        trail.direct = set(trail.hits)
        names = self.means.store.names
        asked = await asyncio.to_thread(names.titled, query.text, language)
        trail.ways[""] = {d: 1 / len(ds) for ds in asked.values() for d in ds}
        visits, scores, links = self._visits(trail)
        for _ in range(HOPS):
            front = [c for c in sorted(visits, key=lambda c: (-visits[c], c)) if c in trail.hits][:FRONT]
            fresh = [c for c in front if c not in trail.ways]
            if not fresh and not trail.ways[""]:
                break
            await asyncio.to_thread(self._look, trail, fresh)
            seen = {hit.chunk.document_id for hit in trail.hits.values()}
            wanted = {d for ways in trail.ways.values() for d in ways} - seen
            if wanted:
                where = where_field("document_id").in_(sorted(wanted))
                where = where if query.where is None else query.where & where
                found = await self.means.store.search(terms=terms, vector=vector, top_k=REACHED * 2, where=where)
                trail.lists = merged(trail.lists, found)
                ranked = [(c, s) for c, s in fused(trail.lists, settings.fusion) if c not in trail.hits]
                inside = {c for scored in found.ranked.values() for c, _ in scored}
                await self._take(trail, query, [(c, s) for c, s in ranked if c in inside][:REACHED])
            visits, scores, links = self._visits(trail)
        order = sorted(visits, key=lambda c: (-visits[c], c))
        places = {c: Place(rank, visits[c]) for rank, c in enumerate(order, start=1)}
        hits = [trail.hits[c] for c in order[: query.top_k]]
        return [
            replace(h, score=visits[h.chunk.chunk_id], sources={**h.sources, "walk": places[h.chunk.chunk_id]})
            for h in hits
        ]

    async def _take(self, trail: Trail, query: Query, ranked: Sequence[tuple[str, float]]) -> None:
        hits = await to_hits(self.means, ranked, trail.lists)
        opinions = await self.means.reranker.scores(query.text, hits)
        for hit, opinion in zip(hits, opinions, strict=True):
            trail.hits[hit.chunk.chunk_id] = hit
            trail.opinions[hit.chunk.chunk_id] = float(opinion)

    def _look(self, trail: Trail, chunk_ids: Iterable[str]) -> None:
        names = self.means.store.names
        for chunk_id in chunk_ids:
            hit = trail.hits[chunk_id]
            ways: dict[str, float] = {}
            found = names.titled(hit.chunk.text, hit.chunk.language, names.names(chunk_id))
            for documents in found.values():
                for d in documents:
                    ways[d] = max(ways.get(d, 0), 1 / len(documents))
            if INCOMING:
                for key in names.titles(hit.chunk.document_id):
                    documents = names.holding(key, RARE)
                    for d in documents:
                        ways.setdefault(d, INCOMING / len(documents))
            ways.pop(hit.chunk.document_id, None)
            trail.ways[chunk_id] = ways

    def _visits(self, trail: Trail):
        means = self.means
        first = dict(fused(trail.lists, means.settings.fusion))
        ids = sorted(trail.hits)
        one = zscores([(c, first[c]) for c in ids])
        two = zscores([(c, trail.opinions[c]) for c in ids])
        weight = means.reranker.weight if any(trail.opinions.values()) else 0.0
        scores = {c: (1 - weight) * one[c] + weight * two[c] for c in ids}
        start = {c: p for c, p in chances({c: scores[c] for c in trail.direct}, WARMTH).items()}
        if trail.ways[""] and OWN:
            start = {c: (1 - OWN) * p for c, p in start.items()}
            start[""] = OWN / ONWARD
        of: dict[str, list[str]] = {}
        for c in ids:
            of.setdefault(trail.hits[c].chunk.document_id, []).append(c)
        raised = chances(scores, LINK_WARMTH)
        links = [
            Link(source, target, weight * raised[target])
            for source, ways in trail.ways.items()
            for document, weight in ways.items()
            for target in of.get(document, ())
        ]
        visits = spread(start, links, onward=ONWARD, hops=HOPS)
        visits.pop("", None)
        return visits, scores, links


def merged(lists: Lists, more: Lists) -> Lists:
    ranked = {}
    for name, scored in lists.ranked.items():
        both = dict(more.ranked.get(name, ())) | dict(scored)
        ranked[name] = sorted(both.items(), key=lambda s: (-s[1], s[0]))
    return Lists(ranked, lists.coverage)
