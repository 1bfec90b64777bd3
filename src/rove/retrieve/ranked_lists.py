"""From a question to ranked lists of chunk ids, and from ids back to hits."""

from __future__ import annotations

import asyncio
from collections.abc import Container, Sequence
from itertools import chain

from rove.language.detect import UNKNOWN, detect
from rove.language.words import foreign_terms, query_terms
from rove.records import Hit, Place
from rove.retrieve import Query, SearchContext
from rove.retrieve.judging import searched
from rove.store import Scored
from rove.store.search_lists import SearchLists
from rove.tracing import stage

COMMON_FROM, COMMON_TO, COMMON_LEAST = 10, 100, 30


async def ranked_lists(search_context: SearchContext, query: Query, *, top_k: int, names: Sequence[str]) -> SearchLists:
    """Ask the store for the named lists ("keyword", "semantic"), each up to `top_k` long."""
    terms = vector = None
    languages = await search_context.store.languages(query.where) if "keyword" in names else ()
    if "keyword" in names:
        terms = search_terms(query.text, languages) + await entry_terms(search_context, query.text)
    if "semantic" in names:
        vector = (await search_context.embedder.queries([query.text]))[0]
    lists = await searched(search_context, query.text, terms=terms, vector=vector, top_k=top_k, where=query.where)
    if terms and len(languages) > 1 and not lists.ranked["keyword"]:
        terms = every_languages_terms(query.text, languages)
        return await searched(search_context, query.text, terms=terms, vector=vector, top_k=top_k, where=query.where)
    return lists


async def entry_terms(search_context: SearchContext, question: str) -> list[str]:
    """Return the terms of the entries of the user's dictionary that a question holds."""
    return (await asyncio.to_thread(search_context.store.words.current)).terms_in(question)


def search_terms(question: str, languages: Sequence[str]) -> list[str]:
    """Return the terms to search a base of these languages for; of a question in none of them, read both ways."""
    spoken = detect(question)
    if spoken in languages:
        return query_terms(question, spoken)
    language = detect(question, languages)
    return query_terms(question, language) if spoken == UNKNOWN else foreign_terms(question, language, spoken)


def every_languages_terms(question: str, languages: Sequence[str]) -> list[str]:
    """Return the terms of a question as each of the languages reads it: "Groesse" beside English texts is "gross" too.

    For a question of which nothing is found in the language that it seems to be in, as may be with a single word.
    """
    spoken = detect(question)
    return list(dict.fromkeys(chain.from_iterable(foreign_terms(question, one, spoken) for one in languages)))


async def to_hits(
    search_context: SearchContext, ranked: Sequence[Scored], lists: SearchLists, *, rerank: bool = False
) -> list[Hit]:
    """Fetch the chunks of a ranking, in its order; what is no longer live is left out.

    `rerank`: they are for the reranker, and what it reads of them is fetched with them.
    """
    with stage("fetch", chunks=len(ranked)):
        found = await search_context.store.find(
            [chunk_id for chunk_id, _ in ranked], search_context.along if rerank else ""
        )
    places = {name: _chunk_places_in_list(scored, found) for name, scored in lists.ranked.items()}
    return [
        Hit(
            chunk=found[chunk_id].chunk,
            score=score,
            sources={name: where[chunk_id] for name, where in places.items() if chunk_id in where},
            uri=found[chunk_id].uri,
            title=found[chunk_id].title,
        )
        for chunk_id, score in ranked
        if chunk_id in found
    ]


def _chunk_places_in_list(scored: Sequence[Scored], wanted: Container[str]) -> dict[str, Place]:
    """Say where a list has the wanted chunks, and how far each stands above the list's common run."""
    common = [score for _, score in scored[COMMON_FROM:COMMON_TO]]
    mean = sum(common) / len(common) if len(scored) >= COMMON_LEAST else None
    return {
        chunk_id: Place(rank, score, None if mean is None else score - mean)
        for rank, (chunk_id, score) in enumerate(scored, start=1)
        if chunk_id in wanted
    }
