"""Mode "schema": which tables a question needs, each once: by its words, by its database, and by what joins them.

Tables first: a table scores as the best of its passages does. Tables of one database support each other, and what lies
on the way between two that were found is found too. Documents that describe no table are found as in "hybrid".
"""

from __future__ import annotations

from dataclasses import replace

from rove.records import Hit
from rove.retrieve import Query, SearchContext
from rove.retrieve.hybrid import fused_hits
from rove.retrieve.schema_order import by_tables

LOOKED_AT = 100
"""Passages of hybrid search whose tables are looked at."""


class SchemaRetriever:
    """See `Retriever`. A hit is a table's best passage; a table that only joins others comes with its first one."""

    def __init__(self, search_context: SearchContext) -> None:
        self.search_context = search_context

    async def retrieve(self, query: Query) -> list[Hit]:
        """See `Retriever.retrieve`."""
        found = await fused_hits(self.search_context, replace(query, top_k=max(LOOKED_AT, query.top_k)))
        return await by_tables(self.search_context, query, found)
