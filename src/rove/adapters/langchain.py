"""Rove as a LangChain retriever, and LangChain's documents as texts for Rove."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from rove.adapters import Searching, fields_of, lacking
from rove.engine import AsyncRove
from rove.records import Filter, Hit, Text
from rove.records.filter import renamed_fields
from rove.sync import Rove

try:
    from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever
except ModuleNotFoundError as error:
    raise lacking("langchain", error) from error


class LangChainRetriever(BaseRetriever):
    """A base as a retriever: `LangChainRetriever(kb=kb, top_k=5).invoke("Who approves it?")`.

    Each document is a passage, its metadata that of its document with `document_id`, `start`, `end`, `source`, `title`
    and `score`. `invoke` takes `top_k` and `where` too; a `where` there is put beside the retriever's own.
    """

    kb: Rove | AsyncRove
    """The open base; with an `AsyncRove` only the async calls work."""
    top_k: int | None = None
    """How many documents at most. None: the setting `search.top_k`."""
    where: Filter | None = None
    """A filter, applied before the search: `field("topic") == "hr"`."""
    mode: str = "hybrid"
    """How it is searched: see `Rove.search`."""
    rerank: bool | None = None
    """See `Rove.search`."""
    min_score: float | None = None
    """See `Rove.search`."""

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,
        top_k: int | None = None,
        where: Filter | None = None,
    ) -> list[Document]:
        del run_manager
        return [_langchain_document(hit) for hit in self._searching(where).search(query, top_k)]

    async def _aget_relevant_documents(
        self,
        query: str,
        *,
        run_manager: AsyncCallbackManagerForRetrieverRun,
        top_k: int | None = None,
        where: Filter | None = None,
    ) -> list[Document]:
        del run_manager
        return [_langchain_document(hit) for hit in await self._searching(where).search_async(query, top_k)]

    def _searching(self, where: Filter | None) -> Searching:
        own = Searching(self.kb, self.top_k, self.where, self.mode, self.rerank, self.min_score)
        return own.within(where)


def texts_of(documents: Iterable[Document]) -> Iterator[Text]:
    """Turn documents of any LangChain loader into texts: `kb.add(texts_of(loader.lazy_load()))`."""
    for document in documents:
        metadata: dict[str, Any] = {**document.metadata}
        yield Text(document.page_content, document.id or "", str(metadata.pop("title", "")), renamed_fields(metadata))


def _langchain_document(hit: Hit) -> Document:
    return Document(page_content=hit.chunk.text, metadata=fields_of(hit), id=hit.chunk.chunk_id)
