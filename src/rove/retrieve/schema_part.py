"""The part of a schema that a question needs, as CREATE TABLE statements within a budget of tokens.

Tables first (mode "schema"); of a wide table the columns are then searched within that table, a few tables at once.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace

from rove.language.schema_text import column_spans
from rove.language.token_count import count_tokens
from rove.records import Hit, field
from rove.records.filter import access_filter_of
from rove.records.schema import SchemaPart, SchemaTable
from rove.retrieve import Query, SearchContext
from rove.retrieve.create_table import within_budget
from rove.retrieve.hybrid import HybridRetriever
from rove.retrieve.schema_search import SchemaRetriever
from rove.retrieve.table_catalog import tables_of

WIDE_COLUMNS = 24
"""A table with more columns is searched by its columns too."""
AT_ONCE = 3
"""Wide tables that are searched at the same time."""
PIECES = 3
"""Passages of a wide table whose columns come first."""


async def schema_part(search_context: SearchContext, query: Query, budget_tokens: int) -> SchemaPart:
    """Find the tables that a question needs, and write down as much of them as the budget allows."""
    _, standings = await SchemaRetriever(search_context).standings(query)
    catalog = await asyncio.to_thread(tables_of, search_context.store, access_filter_of(query.where))
    found = [
        SchemaTable(catalog.tables[name], name, standing.score, standing.why)
        for name, standing in standings.items()
        if name in catalog.tables
    ][: query.top_k]
    turns = asyncio.Semaphore(AT_ONCE)
    wide = [table for table in found if len(table.schema.columns) > WIDE_COLUMNS]
    columns = await asyncio.gather(*(_columns(search_context, query, table, turns) for table in wide))
    wanted = {(table.schema.name, name) for table, names in zip(wide, columns, strict=True) for name in names}
    text, shown, left = within_budget([table.schema for table in found], budget_tokens, wanted)
    kept = tuple(table for table in found if table.schema in shown)
    return SchemaPart(text, kept, tuple(table.name for table in left), count_tokens(text))


async def _columns(
    search_context: SearchContext, query: Query, table: SchemaTable, turns: asyncio.Semaphore
) -> list[str]:
    """The columns of a wide table that stand in its passages nearest to the question."""
    only = field("document_id") == table.document_id
    where = only if query.where is None else query.where & only
    async with turns:
        hits = await HybridRetriever(search_context).retrieve(replace(query, top_k=PIECES, where=where))
        text = await asyncio.to_thread(search_context.store.documents.text, table.document_id)
    spans = column_spans(text)
    return [
        column.name
        for column, span in zip(table.schema.columns, spans, strict=False)
        if any(_within(span, hit) for hit in hits)
    ]


def _within(span: tuple[int, int], hit: Hit) -> bool:
    return hit.chunk.span[0] <= span[0] < hit.chunk.span[1]
