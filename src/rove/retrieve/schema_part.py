"""The part of a schema that a question needs, as CREATE TABLE statements within a budget of tokens.

Tables first (mode "schema"); of a wide table the columns are then searched within that table, a few tables at once.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace

import numpy as np

from rove.language.identifiers import in_words
from rove.language.schema_text import column_spans
from rove.language.token_count import count_tokens
from rove.language.words import terms
from rove.records import Hit, field
from rove.records.document import Span
from rove.records.schema import Column, SchemaPart, SchemaTable
from rove.retrieve import Query, SearchContext
from rove.retrieve.create_table import create_table, within_budget
from rove.retrieve.hybrid import fused_hits
from rove.retrieve.ranked_lists import search_terms
from rove.retrieve.schema_order import standings_of
from rove.retrieve.schema_search import LOOKED_AT

WIDE_TOKENS = 512
"""A table whose statement has more tokens is searched by its columns too."""
AT_ONCE = 3
"""Wide tables that are searched at the same time."""
NEAREST = 5
"""Columns of a wide table that come nearest to a question in meaning."""
PIECES = 3
"""Passages of a wide table whose columns come first."""


async def schema_part(search_context: SearchContext, query: Query, budget_tokens: int) -> SchemaPart:
    """Find the tables that a question needs, and write down as much of them as the budget allows."""
    hits = await fused_hits(search_context, replace(query, top_k=max(LOOKED_AT, query.top_k)))
    standings = await standings_of(search_context, query, hits)
    known = standings.catalog.tables
    order = ((name, standing) for name, standing in standings.order.items() if name in known)
    found = [SchemaTable(known[name], name, standing.score, standing.why) for name, standing in order][: query.top_k]
    turns = asyncio.Semaphore(AT_ONCE)
    most = min(WIDE_TOKENS, budget_tokens)
    wide = [table for table in found if count_tokens(create_table(table.schema)) > most]
    columns = await asyncio.gather(*(_columns_for_question(search_context, query, table, turns) for table in wide))
    wanted = {table.schema.name: names for table, names in zip(wide, columns, strict=True)}
    text, shown, left = within_budget([table.schema for table in found], budget_tokens, wanted)
    kept = tuple(table for table in found if table.schema in shown)
    return SchemaPart(text, kept, tuple(table.name for table in left), count_tokens(text))


async def _columns_for_question(
    search_context: SearchContext, query: Query, table: SchemaTable, turns: asyncio.Semaphore
) -> list[str]:
    """The columns of a wide table that fit a question: by words in common in any language, by meaning, by passages."""
    only = field("document_id") == table.document_id
    where = only if query.where is None else query.where & only
    store = search_context.store
    async with turns:
        hits = (await fused_hits(search_context, replace(query, top_k=PIECES, where=where)))[:PIECES]
        text = await asyncio.to_thread(store.documents.text, table.document_id)
    languages = await store.languages(query.where)
    asked = set(search_terms(query.text, languages))
    near = await _column_nearness(search_context, query.text, table)
    scores: dict[str, float] = {}
    for column, span in _columns_with_spans(table, text):
        own = {term for language in languages for term in terms(text[slice(*span)], language)}
        within = any(_is_span_in_hit(span, hit) for hit in hits)
        scores[column.name] = 2 * len(asked & own) + 2 * near.get(column.name, 0.0) + within
    return sorted((name for name, score in scores.items() if score), key=lambda name: -scores[name])


async def _column_nearness(search_context: SearchContext, question: str, table: SchemaTable) -> dict[str, float]:
    """The columns that come nearest to a question in meaning, the nearest 1, the others less."""
    columns = table.schema.columns
    said = [column.label or in_words(column.name) for column in columns]
    vectors = await search_context.embedder.queries([question, *said])
    order = np.argsort(-(vectors[1:] @ vectors[0]), kind="stable")[:NEAREST]
    return {columns[int(at)].name: 1 - rank / NEAREST for rank, at in enumerate(order)}


def _columns_with_spans(table: SchemaTable, text: str) -> list[tuple[Column, Span]]:
    return list(zip(table.schema.columns, column_spans(text), strict=False))


def _is_span_in_hit(span: tuple[int, int], hit: Hit) -> bool:
    return hit.chunk.span[0] <= span[0] < hit.chunk.span[1]
