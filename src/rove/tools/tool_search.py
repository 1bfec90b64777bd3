"""Mode "tools": the tools of the base by name, description and parameters, each once."""

from __future__ import annotations

from dataclasses import replace

from rove.records import Hit
from rove.records.filter import Filter, field
from rove.retrieve import Query, SearchContext
from rove.retrieve.hybrid import HybridRetriever

IS_TOOL: Filter = field("tool").exists() & field("tool_source").exists()
CHUNKS = 3
"""A tool with many parameters has several chunks: so many are looked at for each that is wanted."""


class ToolsRetriever:
    """See `Retriever`. Hybrid search among the documents that are tools; each tool's best chunk stands for it.

    In a base without tools every document counts as one, so that plain descriptions of tools can be searched too.
    """

    def __init__(self, search_context: SearchContext) -> None:
        self.search_context = search_context

    async def retrieve(self, query: Query) -> list[Hit]:
        """See `Retriever.retrieve`."""
        hybrid = HybridRetriever(self.search_context)
        where = IS_TOOL if query.where is None else query.where & IS_TOOL
        asked = replace(query, where=where, top_k=CHUNKS * query.top_k)
        found: dict[str, Hit] = {}
        for hit in await hybrid.retrieve(asked) or await hybrid.retrieve(replace(asked, where=query.where)):
            found.setdefault(hit.chunk.document_id, hit)
        return list(found.values())[: query.top_k]
