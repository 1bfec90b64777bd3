"""Words in Elasticsearch and OpenSearch: the query for them, and BM25 for a caller who may see a part of the base.

For such a caller the engine's own statistics would tell of what is hidden. So the engine counts how many visible chunks
hold each term; the sum of its terms' weights, idf · (k1 + 1), is a bound that no chunk's score exceeds. Chunks are read
from the highest bound on, and scored exactly, until no later one can be among the best.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from math import log1p
from typing import Protocol

from rove.records import content_hash
from rove.store import Scored
from rove.store.servers.lucene_calls import Json
from rove.store.servers.lucene_filters import Query, any_of

LONGEST_TERM = 200
"""Characters from which on a term's hash stands for it: the engine would cut it in two."""
MOST_TERMS = 900
"""Terms of one question: with the conditions of a filter the engines take 1,024."""
PAGE = 1_000
ROUNDING = 1 + 1e-5
"""What the engine's sums in 32 bits may be too low by."""


class Search(Protocol):
    """Sends a search and returns the reply."""

    def __call__(self, body: Json, **params: str) -> Awaitable[Json]:
        """See above."""
        ...


def word(term: str) -> str:
    """Return what stands for a term in the index: itself, unless it is very long."""
    return term if len(term) <= LONGEST_TERM else f"~{content_hash(term)}"


def any_term(terms: Sequence[str]) -> Query:
    """Return a query for chunks with one of the terms, by BM25; a term that is asked for twice counts twice."""
    return any_of([{"term": {"terms": {"value": term, "boost": times}}} for term, times in term_counts(terms).items()])


def term_counts(terms: Sequence[str]) -> dict[str, int]:
    """Return how often each term is asked for, as it stands in the index."""
    return dict(islice(Counter(map(word, terms)).items(), MOST_TERMS))


def best_first(scored: Iterable[Scored]) -> list[Scored]:
    """Order chunks by score, ties by id."""
    return sorted(scored, key=lambda one: (-one[1], one[0]))


@dataclass(frozen=True, slots=True)
class Statistics:
    """What is counted of visible chunks: the average length, and idf · (k1 + 1) of each term that one of them holds."""

    average: float
    weights: dict[str, float]


class VisibleWords:
    """BM25 over what an access filter lets through."""

    def __init__(self, k1: float, b: float, search: Search) -> None:
        self.k1 = k1
        self.b = b
        self._search = search

    async def keyword(self, terms: Sequence[str], *, top_k: int, where: Query, visible: Query) -> list[Scored]:
        """See `Index.keyword`; `visible` is the part of `where` that says what is counted."""
        asked = term_counts(terms)
        statistics = await self._counted(list(asked), visible)
        bounds = {term: asked[term] * weight for term, weight in statistics.weights.items()}
        if not bounds:
            return []
        parts = [{"constant_score": {"filter": {"term": {"terms": t}}, "boost": bound}} for t, bound in bounds.items()]
        body: Json = {
            "query": {"bool": {"must": [any_of(parts)], "filter": [where]}},
            "size": PAGE,
            "sort": [{"_score": "desc"}, {"chunk_id": "asc"}],
            "_source": ["terms"],
        }
        best: list[Scored] = []
        while True:
            hits: list[Json] = (await self._search(body))["hits"]["hits"]
            best += [(hit["sort"][1], self._score(hit["_source"]["terms"].split(), bounds, statistics)) for hit in hits]
            best = best_first(best)[:top_k]
            if len(hits) < PAGE or (len(best) == top_k and best[-1][1] > hits[-1]["sort"][0] * ROUNDING):
                return best
            body["search_after"] = hits[-1]["sort"]

    async def _counted(self, terms: Sequence[str], visible: Query) -> Statistics:
        holding = {f"t{n}": {"filter": {"term": {"terms": term}}} for n, term in enumerate(terms)}
        totals = {"length": {"sum": {"field": "length"}}, "chunks": {"value_count": {"field": "length"}}}
        body: Json = {"query": {"bool": {"filter": [visible]}}, "size": 0, "aggs": {**totals, **holding}}
        found = (await self._search(body))["aggregations"]
        chunks = found["chunks"]["value"]
        counts = {term: found[f"t{n}"]["doc_count"] for n, term in enumerate(terms)}
        weights = {term: self._weight(chunks, count) for term, count in counts.items() if count}
        return Statistics(found["length"]["value"] / max(chunks, 1), weights)

    def _weight(self, chunks: int, holding: int) -> float:
        return log1p((chunks - holding + 0.5) / (holding + 0.5)) * (self.k1 + 1)

    def _score(self, terms: Sequence[str], bounds: dict[str, float], statistics: Statistics) -> float:
        held = Counter(terms)
        norm = self.k1 * (1 - self.b + self.b * len(terms) / max(statistics.average, 1e-9))
        return sum(bound * held[term] / (held[term] + norm) for term, bound in bounds.items() if held[term])
