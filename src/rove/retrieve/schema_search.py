"""Mode "schema": which tables a question needs, each once: by its words, by its database, and by what joins them.

Tables first: a table scores as the best of its passages does. Tables of one database support each other, and what lies
on the way between two that were found is found too. Documents that describe no table are found as in "hybrid".
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import nlargest
from itertools import combinations

from rove.records import Hit, Place
from rove.records.filter import access_filter_of
from rove.records.schema import TableSchema
from rove.retrieve import Query, SearchContext
from rove.retrieve.hybrid import HybridRetriever
from rove.retrieve.table_catalog import TableCatalog, tables_of

LOOKED_AT = 100
"""Passages of hybrid search whose tables are looked at."""
SUPPORT, SUPPORTERS = 0.5, 3
"""What the mean of the best so many tables of a database counts beside a table's own score."""
SEEDS = 3
"""The first so many tables, whose ways to each other are looked for."""
ON_THE_WAY, BESIDE = 0.9, 0.6
"""Share of the lower seed's standing that a table on the way between two seeds has, and one that a seed refers to."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A table and its score; `why`: "found", "joins" or "neighbour", see `SchemaTable`."""

    score: float
    why: str = "found"


class SchemaRetriever:
    """See `Retriever`. A hit is a table's best passage; a table that only joins others comes with its first one."""

    def __init__(self, search_context: SearchContext) -> None:
        self.search_context = search_context

    async def retrieve(self, query: Query) -> list[Hit]:
        """See `Retriever.retrieve`."""
        hits, standings = await self.standings(query)
        given: list[Hit] = []
        for rank, (document_id, standing) in enumerate(standings.items(), start=1):
            if len(given) == query.top_k:
                break
            hit = hits.get(document_id) or await self._first(document_id, query)
            if hit is not None:
                given.append(
                    replace(hit, score=standing.score, sources={**hit.sources, "schema": Place(rank, standing.score)})
                )
        return given

    async def standings(self, query: Query) -> tuple[dict[str, Hit], dict[str, Standing]]:
        """Return the best passage of each document that was found, and the standing of each, best first."""
        hybrid = HybridRetriever(self.search_context)
        found = await hybrid.retrieve(replace(query, top_k=max(LOOKED_AT, query.top_k)))
        catalog = await asyncio.to_thread(tables_of, self.search_context.store, access_filter_of(query.where))
        best: dict[str, Hit] = {}
        for hit in found:
            best.setdefault(hit.chunk.document_id, hit)
        pool = [hit.score for hit in found if "rerank" in hit.sources]
        # behind the pool scores only say the order
        floor = min(pool, default=min((hit.score for hit in found), default=0.0))
        return best, ranked({name: max(hit.score, floor) for name, hit in best.items()}, catalog)

    async def _first(self, document_id: str, query: Query) -> Hit | None:
        """The first passage of a document, where the filter lets it through."""
        find = self.search_context.store.documents.find_chunks
        one = next(iter(await asyncio.to_thread(find, document_id, query.where)), None)
        return Hit(one.chunk, 0.0, {}, one.uri, one.title) if one else None


def ranked(scores: Mapping[str, float], catalog: TableCatalog) -> dict[str, Standing]:
    """Order documents by their scores, the support of their databases, and what joins the first; best first.

    Scores are brought to 0 (the lowest) … 1 first. Ties by id.
    """
    lowest, highest = min(scores.values(), default=0.0), max(scores.values(), default=0.0)
    width = highest - lowest or 1.0
    own = {name: (score - lowest) / width for name, score in scores.items()}
    support = _support(own, catalog.tables)
    standings = {name: Standing(score + SUPPORT * support.get(name, 0.0)) for name, score in own.items()}
    seeds = [name for name in _sorted(standings) if name in catalog.tables][:SEEDS]
    for one, other in combinations(seeds, 2):
        for name in catalog.path(one, other):
            _raise(standings, name, ON_THE_WAY * min(standings[one].score, standings[other].score), "joins")
    for seed in seeds:
        for name in catalog.neighbours.get(seed, ()):
            _raise(standings, name, BESIDE * standings[seed].score, "neighbour")
    return {name: standings[name] for name in _sorted(standings)}


def _support(own: Mapping[str, float], tables: Mapping[str, TableSchema]) -> dict[str, float]:
    """What the best tables of its database lend to each table."""
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for name in own:
        if name in tables:
            groups[tables[name].database.casefold()].append(name)
    means = {group: sum(nlargest(SUPPORTERS, (own[n] for n in names))) / SUPPORTERS for group, names in groups.items()}
    return {name: means[group] for group, names in groups.items() for name in names}


def _raise(standings: dict[str, Standing], name: str, score: float, why: str) -> None:
    known = standings.get(name)
    if known is None or known.score < score:
        standings[name] = Standing(score, why if known is None else known.why)


def _sorted(standings: Mapping[str, Standing]) -> Sequence[str]:
    return sorted(standings, key=lambda name: (-standings[name].score, name))
