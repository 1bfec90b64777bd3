"""What a walk has found so far: passages, the documents that each leads to, and where a walker is likely to be."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import fsum, log

from rove.records import Hit, Place
from rove.retrieve.fuse import fused, zscores
from rove.retrieve.spread import GraphLink, chances, spread
from rove.settings import SearchSettings
from rove.store import Scored
from rove.store.search_lists import SearchLists

QUESTION = ""
"""Where the links of the question itself begin; no chunk has this id."""
WARMTH = 0.4
"""In standard deviations: how far below the best a passage stands from which e times fewer walkers start, and how far
below it one is placed to which e times fewer come."""
LINK_WARMTH = 2.0
ONWARD = 0.85
STEPS = 4
"""Links that a walker takes at most."""
NAMED = 0.1
"""The share of walkers who start at what the question names by its title, and not at what it finds."""
UNTOLD = 0.05
"""What a link is worth to a passage that says nothing more of the question than the one before it."""
BY_RIGHT = 0.3
"""The same, at least, of what the best passage names by its title, of what that names, and so on: these say where to
look, whatever their words."""


@dataclass(frozen=True, slots=True)
class Ways:
    """The documents that a passage leads to, how strongly: those it names by title, and those that share a name."""

    titled: Mapping[str, float] = field(default_factory=dict[str, float])
    shared: Mapping[str, float] = field(default_factory=dict[str, float])

    def kinds(self) -> list[Mapping[str, float]]:
        """The kinds of links that there are. A document that is named by its title is in that kind alone."""
        others = {name: strength for name, strength in self.shared.items() if name not in self.titled}
        return [kind for kind in (self.titled, others) if kind]


@dataclass(slots=True)
class Trail:
    """A walk's state. `lists` holds what was found at every hop, so that all passages have scores of one scale.

    `asked` are the question's terms, `told` which of them each passage has. `opinions` are the reranker's, `weight` is
    what they count for. `direct` are the chunks that the question found by itself, in the order of hybrid search;
    `hops` says how many links away from these any other was met. `ways`: what each chunk leads to, or the question.
    """

    lists: SearchLists
    settings: SearchSettings
    weight: float
    asked: Collection[str] = ()
    direct: list[str] = field(default_factory=list[str])
    hits: dict[str, Hit] = field(default_factory=dict[str, Hit])
    told: dict[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    opinions: dict[str, float] = field(default_factory=dict[str, float])
    hops: dict[str, int] = field(default_factory=dict[str, int])
    ways: dict[str, Ways] = field(default_factory=dict[str, Ways])

    def take(self, hits: Sequence[Hit], told: Sequence[frozenset[str]], opinions: Sequence[float], hop: int) -> None:
        """Take in passages, with what the reranker thinks of each; it counts for nothing once it has no opinion."""
        if hits and not any(opinions):
            self.weight = 0.0
        for hit, terms, opinion in zip(hits, told, opinions, strict=True):
            chunk_id = hit.chunk.chunk_id
            self.hits[chunk_id] = hit
            self.told[chunk_id] = terms
            self.opinions[chunk_id] = float(opinion)
            self.hops[chunk_id] = hop
        if not hop:
            scores = self.scores()
            self.direct = sorted(scores, key=lambda chunk_id: (-scores[chunk_id], chunk_id))

    def widen(self, found: SearchLists) -> list[Scored]:
        """Take in the lists of another hop; returns what of it is new, best first, scored like all the rest."""
        fresh = {chunk_id for scored in found.ranked.values() for chunk_id, _ in scored} - self.hits.keys()
        ranked = {
            name: sorted({**dict(found.ranked.get(name, ())), **dict(scored)}.items(), key=_score_then_id_key)
            for name, scored in self.lists.ranked.items()
        }
        self.lists = SearchLists(ranked, self.lists.coverage, {**found.nearness, **self.lists.nearness})
        return [(chunk_id, score) for chunk_id, score in fused(self.lists, self.settings) if chunk_id in fresh]

    def unseen(self) -> set[str]:
        """The documents that something leads to and of which no passage is here yet."""
        return {name for ways in self.ways.values() for kind in ways.kinds() for name in kind} - self._seen()

    def due(self, strong: int) -> set[str]:
        """Those of them that the question, or any of the `strong` best passages, names by their titles."""
        first = [QUESTION, *(chunk_id for chunk_id, _ in self._order()[:strong])]
        return {name for one in first if one in self.ways for name in self.ways[one].titled} - self._seen()

    def _seen(self) -> set[str]:
        return {hit.chunk.document_id for hit in self.hits.values()}

    def front(self, size: int) -> list[Hit]:
        """The passages where the walk goes on: of the `size` best those that were not looked at yet."""
        return [self.hits[chunk_id] for chunk_id, _ in self._order()[:size] if chunk_id not in self.ways]

    def scores(self) -> dict[str, float]:
        """How well each passage fits the question by itself: first stage and reranker, blended as in `reranked`."""
        fusion = dict(fused(self.lists, self.settings))
        first = zscores([(chunk_id, fusion[chunk_id]) for chunk_id in sorted(self.hits)])
        second = zscores(sorted(self.opinions.items()))
        return {chunk_id: (1 - self.weight) * first[chunk_id] + self.weight * second[chunk_id] for chunk_id in first}

    def visits(self, scores: Mapping[str, float]) -> dict[str, float]:
        """How often a walker comes by each passage, the best of the question's own counting 1; see `spread`.

        He starts at what the question found, as its scores are, or at what it names; of the links of a passage he
        takes one by its strength, by what its end tells of the question that the passage does not, and by how well its
        end fits the question.
        """
        start = chances({chunk_id: scores[chunk_id] for chunk_id in self.direct}, WARMTH)
        links = self._links(chances(scores, LINK_WARMTH))
        if any(link.source == QUESTION for link in links):
            start = {chunk_id: (1 - NAMED) * chance for chunk_id, chance in start.items()}
            start[QUESTION] = NAMED / ONWARD
        visits = spread(start, links, onward=ONWARD, hops=STEPS)
        ends = {link.target for link in links}
        most = max((start[chunk_id] for chunk_id in self.direct), default=1.0)
        return {chunk_id: number / most for chunk_id, number in visits.items() if chunk_id in ends}

    def _links(self, pull: Mapping[str, float]) -> list[GraphLink]:
        """Share out the walkers of each passage: as many go on as its strongest link says, to each end by its pull.

        Links compete among their kind: where a passage has both, each kind has half of its walkers.
        None goes back to the best of the question's own, or counts what that one tells already; and none goes on from a
        passage that together with it tells all that is asked.
        """
        of: dict[str, list[str]] = {}
        for chunk_id, hit in self.hits.items():
            of.setdefault(hit.chunk.document_id, []).append(chunk_id)
        rarity, asked = self._rarity(), set(self.asked)
        best = self.direct[0] if self.direct else QUESTION
        links: list[GraphLink] = []
        by_right = self._by_right(best, of)
        for source, ways in self.ways.items():
            lacking = asked if source == QUESTION else asked - self.told[source] - self.told[best]
            if not lacking:
                continue
            kinds = ways.kinds()
            for kind in kinds:
                ends = [
                    (end, way, way * self._news(lacking, end, rarity))
                    for document_id, way in sorted(kind.items())  # sums depend on the order
                    for end in of.get(document_id, ())
                    if end != best
                ]
                least = BY_RIGHT if source in by_right and kind is ways.titled else 0.0
                total = sum(weight * pull[end] for end, _, weight in ends) * len(kinds)
                going = max((max(weight, least * way) for _, way, weight in ends), default=0.0)
                links += [GraphLink(source, end, going * weight * pull[end] / total) for end, _, weight in ends]
        return links

    def _by_right(self, best: str, of: Mapping[str, Sequence[str]]) -> set[str]:
        """The best passage, those of what it names by its title, of what these name, and so on. `of`: by document."""
        found, ahead = set[str](), [best]
        while ahead:
            source = ahead.pop()
            if source not in found and source in self.ways:
                found.add(source)
                ahead += [end for name in self.ways[source].titled for end in of.get(name, ())]
        return found

    def _rarity(self) -> dict[str, float]:
        """How rare each term of the question is among the passages found: log((n + 1) / (those that have it + ½))."""
        held = list(self.told.values())
        return {term: log((len(held) + 1) / (sum(term in told for told in held) + 0.5)) for term in self.asked}

    def _news(self, lacking: Collection[str], end: str, rarity: Mapping[str, float]) -> float:
        """What share of the lacking terms, by their rarity, a passage has; from `UNTOLD`, which none is worth, to 1."""
        whole = fsum(rarity[term] for term in lacking)
        share = fsum(rarity[term] for term in lacking if term in self.told[end])
        return UNTOLD + (1 - UNTOLD) * share / whole

    def _order(self) -> list[Scored]:
        """All passages that a walker comes by, each with its score, best first.

        Those of the question's own stay in the order of hybrid search. What links lead to is placed by score(best) +
        `WARMTH` · log(visits), which lifts it above its own score where it is one of these; never before the best.
        """
        scores = self.scores()
        if not self.direct:
            return []
        best = self.direct[0]
        visits = self.visits(scores)
        lifted = {c: scores[best] + WARMTH * log(number) for c, number in visits.items() if number > 0}
        waiting = sorted(lifted, key=lambda chunk_id: (-lifted[chunk_id], -scores[chunk_id], chunk_id))
        own = [(chunk_id, scores[chunk_id]) for chunk_id in self.direct if chunk_id not in lifted]
        order = own[:1]
        for chunk_id, score in own[1:]:
            while waiting and lifted[waiting[0]] > score:
                order.append((waiting[0], lifted[waiting.pop(0)]))
            order.append((chunk_id, score))
        return [*order, *((chunk_id, lifted[chunk_id]) for chunk_id in waiting)]

    def ranked(self) -> list[Hit]:
        """The passages, best first. Source "walk" is the place among them, "link" how many links led there."""
        found: list[Hit] = []
        for rank, (chunk_id, score) in enumerate(self._order(), start=1):
            hit = self.hits[chunk_id]
            score = min(score, found[-1].score) if found else score
            sources = {**hit.sources, "walk": Place(rank, score)}
            if hop := self.hops[chunk_id]:
                sources["link"] = Place(hop, score)
            found.append(replace(hit, score=score, sources=sources))
        return found


def _score_then_id_key(scored: Scored) -> tuple[float, str]:
    return (-scored[1], scored[0])
