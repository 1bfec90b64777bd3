"""A retriever: what the keywords find, if it holds the question to the letter."""

from __future__ import annotations

from rove.records import Hit
from rove.retrieve import Query, SearchContext
from rove.retrieve.single import KeywordRetriever


class ExactRetriever:
    """See `rove.retrieve.Retriever`."""

    def __init__(self, search_context: SearchContext) -> None:
        self._keyword = KeywordRetriever(search_context)

    async def retrieve(self, query: Query) -> list[Hit]:
        """See `Retriever.retrieve`."""
        found = await self._keyword.retrieve(query)
        return [hit for hit in found if query.text.casefold() in hit.chunk.text.casefold()]
