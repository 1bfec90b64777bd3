"""What a walk has found so far: passages, the documents that each leads to, and where a walker is likely to be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf, nextafter

from rove.records import Hit, Place
from rove.retrieve.fuse import fused, zscores
from rove.retrieve.spread import GraphLink, chances, spread
from rove.settings import SearchSettings
from rove.store import Scored
from rove.store.search_lists import SearchLists

QUESTION = ""
"""Where the links of the question itself begin; no chunk has this id."""
START_WARMTH = 0.4
"""In standard deviations: how much less a passage is that stands so far below the best."""
LINK_WARMTH = 1.0
ONWARD = 0.7
NAMED = 0.3
"""The share of walkers who start at what the question names by its title, and not at what it finds."""


@dataclass(slots=True)
class Trail:
    """A walk's state. `lists` holds what was found at every hop, so that all passages have scores of one scale.

    `opinions` are the reranker's, `weight` is what they count for. `direct` are the chunks that the question found by
    itself, `hops` says how many links away from these any other was met. `ways`: chunk → document → how strongly the
    chunk leads there.
    """

    lists: SearchLists
    settings: SearchSettings
    weight: float
    hits: dict[str, Hit] = field(default_factory=dict[str, Hit])
    opinions: dict[str, float] = field(default_factory=dict[str, float])
    hops: dict[str, int] = field(default_factory=dict[str, int])
    ways: dict[str, Mapping[str, float]] = field(default_factory=dict[str, Mapping[str, float]])

    def take(self, hits: Sequence[Hit], opinions: Sequence[float], hop: int) -> None:
        """Take in passages, with what the reranker thinks of each; it counts for nothing once it has no opinion."""
        if hits and not any(opinions):
            self.weight = 0.0
        for hit, opinion in zip(hits, opinions, strict=True):
            chunk_id = hit.chunk.chunk_id
            self.hits[chunk_id] = hit
            self.opinions[chunk_id] = float(opinion)
            self.hops[chunk_id] = hop

    def widen(self, found: SearchLists) -> list[Scored]:
        """Take in the lists of another hop; returns what of it is new, best first, scored like all the rest."""
        fresh = {chunk_id for scored in found.ranked.values() for chunk_id, _ in scored} - self.hits.keys()
        ranked = {
            name: sorted({**dict(found.ranked.get(name, ())), **dict(scored)}.items(), key=_rank)
            for name, scored in self.lists.ranked.items()
        }
        self.lists = SearchLists(ranked, self.lists.coverage, {**found.nearness, **self.lists.nearness})
        return [(chunk_id, score) for chunk_id, score in fused(self.lists, self.settings) if chunk_id in fresh]

    def unseen(self) -> set[str]:
        """The documents that something leads to and of which no passage is here yet."""
        seen = {hit.chunk.document_id for hit in self.hits.values()}
        return {document_id for ways in self.ways.values() for document_id in ways} - seen

    def front(self, size: int) -> list[Hit]:
        """The passages where the walk goes on: of the `size` likeliest those that were not looked at yet."""
        visits = self.visits()
        best = sorted(visits.items(), key=_rank)[:size]
        return [self.hits[chunk_id] for chunk_id, _ in best if chunk_id not in self.ways]

    def scores(self) -> dict[str, float]:
        """How well each passage fits the question by itself: first stage and reranker, blended as in `reranked`."""
        fusion = dict(fused(self.lists, self.settings))
        first = zscores([(chunk_id, fusion[chunk_id]) for chunk_id in sorted(self.hits)])
        second = zscores(sorted(self.opinions.items()))
        return {chunk_id: (1 - self.weight) * first[chunk_id] + self.weight * second[chunk_id] for chunk_id in first}

    def visits(self) -> dict[str, float]:
        """How often a walker comes by each passage; see `spread`.

        He starts at what the question found, as its scores are, or at what it names; of the links of a passage he
        takes one by its strength and by how well its end fits the question. No passage comes before the best of those
        that the question found by itself.
        """
        scores = self.scores()
        start = chances({chunk_id: scores[chunk_id] for chunk_id in scores if not self.hops[chunk_id]}, START_WARMTH)
        links = self._links(chances(scores, LINK_WARMTH))
        best = min(start.items(), key=_rank)[0] if start else QUESTION
        if any(link.source == QUESTION for link in links):
            start = {chunk_id: (1 - NAMED) * chance for chunk_id, chance in start.items()}
            start[QUESTION] = NAMED / ONWARD
        visits = spread(start, links, onward=ONWARD, hops=max(self.hops.values(), default=0) + 1)
        visits.pop(QUESTION, None)
        if best in visits and visits[best] < max(visits.values()):
            visits[best] = nextafter(max(visits.values()), inf)
        return visits

    def _links(self, pull: Mapping[str, float]) -> list[GraphLink]:
        """Share out the walkers of each passage: as many go on as its strongest link says, to each end by its pull."""
        of: dict[str, list[str]] = {}
        for chunk_id, hit in self.hits.items():
            of.setdefault(hit.chunk.document_id, []).append(chunk_id)
        links: list[GraphLink] = []
        for source, ways in self.ways.items():
            ends = [(end, ways[document_id]) for document_id in ways for end in of.get(document_id, ())]
            total = sum(weight * pull[end] for end, weight in ends)
            going = max((weight for _, weight in ends), default=0.0)
            links += [GraphLink(source, end, going * weight * pull[end] / total) for end, weight in ends]
        return links

    def ranked(self) -> list[Hit]:
        """The passages, likeliest first. Source "walk" is the place among them, "link" how many links led there."""
        visits = self.visits()
        scores = self.scores()
        order = sorted(visits, key=lambda chunk_id: (-visits[chunk_id], -scores[chunk_id], chunk_id))
        found: list[Hit] = []
        for rank, chunk_id in enumerate(order, start=1):
            hit = self.hits[chunk_id]
            sources = {**hit.sources, "walk": Place(rank, visits[chunk_id])}
            if hop := self.hops[chunk_id]:
                sources["link"] = Place(hop, visits[chunk_id])
            found.append(replace(hit, score=visits[chunk_id], sources=sources))
        return found


def _rank(scored: Scored) -> tuple[float, str]:
    return (-scored[1], scored[0])
