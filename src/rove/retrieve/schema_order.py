"""The order of tables by what speaks for each: its passages, its database, and what joins it to others."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import nlargest
from itertools import combinations

from rove.language.detect import detect
from rove.records import Hit, Place
from rove.records.filter import access_filter_of
from rove.records.schema import TableSchema
from rove.retrieve import Query, SearchContext
from rove.retrieve.table_catalog import TableCatalog, tables_of

SUPPORT, SUPPORTERS = 0.5, 3
"""What the mean of the best so many tables of a database counts beside a table's own score."""
SEEDS = 3
"""The first so many tables, whose ways to each other are looked for."""
ON_THE_WAY, BESIDE = 0.9, 0.6
"""Share of the lower seed's standing that a table on the way between two seeds has, and one that a seed refers to."""
NO_NAMES: Mapping[str, float] = {}
FIRST = 10
"""Hits that must all be descriptions of tables, for a search to order tables."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A table and its score; `why`: "found", "joins" or "neighbour", see `SchemaTable`."""

    score: float
    why: str = "found"


@dataclass(frozen=True, slots=True)
class Standings:
    """The best passage of each document that was found, and the standing of each document, best first."""

    best: Mapping[str, Hit]
    order: Mapping[str, Standing]
    catalog: TableCatalog


async def standings_of(search_context: SearchContext, query: Query, found: Sequence[Hit]) -> Standings:
    """Work out the standing of each document of these hits, which are the first of a search, best first."""
    catalog = await asyncio.to_thread(tables_of, search_context.store, access_filter_of(query.where))
    best: dict[str, Hit] = {}
    for hit in found:
        best.setdefault(hit.chunk.document_id, hit)
    # behind the pool of the reranker scores only say the order
    pool = [hit.score for hit in found if "rerank" in hit.sources] or [hit.score for hit in found]
    floor = min(pool, default=0.0)
    scores = {name: max(hit.score, floor) for name, hit in best.items()}
    named = await asyncio.to_thread(_table_name_scores, query.text, best.values(), catalog)
    return Standings(best, ranked(scores, catalog, named), catalog)


async def by_tables(search_context: SearchContext, query: Query, found: Sequence[Hit]) -> list[Hit]:
    """Order hits by the standing of their tables, each table once.

    A table that only joins others comes with its first passage.
    """
    standings = await standings_of(search_context, query, found)
    given: list[Hit] = []
    for rank, (document_id, standing) in enumerate(standings.order.items(), start=1):
        if len(given) == query.top_k:
            break
        hit = standings.best.get(document_id) or await _first_passage_hit(search_context, document_id, query)
        if hit is not None:
            place = Place(rank, standing.score)
            given.append(replace(hit, score=standing.score, sources={**hit.sources, "schema": place}))
    return given


async def are_tables(search_context: SearchContext, query: Query, found: Sequence[Hit]) -> bool:
    """Say whether the first hits of a search are descriptions of tables, all of them."""
    first = found[:FIRST]
    if not first or not all("table" in hit.chunk.metadata and "database" in hit.chunk.metadata for hit in first):
        return False
    catalog = await asyncio.to_thread(tables_of, search_context.store, access_filter_of(query.where))
    return all(hit.chunk.document_id in catalog.tables for hit in first)


async def _first_passage_hit(search_context: SearchContext, document_id: str, query: Query) -> Hit | None:
    """The first passage of a document, where the filter lets it through."""
    find = search_context.store.documents.find_chunks
    one = next(iter(await asyncio.to_thread(find, document_id, query.where)), None)
    return Hit(one.chunk, 0.0, {}, one.uri, one.title) if one else None


def _table_name_scores(question: str, hits: Iterable[Hit], catalog: TableCatalog) -> Mapping[str, float]:
    """What the names of tables say for a question; definitions are read in hits that are no tables."""
    passages = [hit.chunk.text for hit in hits if hit.chunk.document_id not in catalog.tables]
    return catalog.names.for_question(question, detect(question), passages)


def ranked(
    scores: Mapping[str, float], catalog: TableCatalog, named: Mapping[str, float] = NO_NAMES
) -> dict[str, Standing]:
    """Order documents by their scores, the support of their databases, and what joins the first; best first.

    Scores are brought to 0 (the lowest) … 1 first; `named` is added to them: see `NameEvidence`. Ties by id.
    """
    lowest, highest = min(scores.values(), default=0.0), max(scores.values(), default=0.0)
    width = highest - lowest or 1.0
    own = {name: (score - lowest) / width for name, score in scores.items()}
    for name, evidence in named.items():
        own[name] = own.get(name, 0.0) + evidence
    support = _support(own, catalog.tables)
    standings = {name: Standing(score + SUPPORT * support.get(name, 0.0)) for name, score in own.items()}
    seeds = [name for name in _sort_by_standing(standings) if name in catalog.tables][:SEEDS]
    for one, other in combinations(seeds, 2):
        for name in catalog.path(one, other):
            _raise(standings, name, ON_THE_WAY * min(standings[one].score, standings[other].score), "joins")
    for seed in seeds:
        for name in catalog.neighbours.get(seed, ()):
            _raise(standings, name, BESIDE * standings[seed].score, "neighbour")
    return {name: standings[name] for name in _sort_by_standing(standings)}


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


def _sort_by_standing(standings: Mapping[str, Standing]) -> Sequence[str]:
    return sorted(standings, key=lambda name: (-standings[name].score, name))
