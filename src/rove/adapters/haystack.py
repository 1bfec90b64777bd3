"""Rove as a Haystack component with Haystack's filters, and Haystack's documents as texts for Rove."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from rove.adapters import Searching, fields_of, lacking
from rove.adapters.haystack_filters import filter_of
from rove.engine import AsyncRove
from rove.records import Filter, Hit, Text
from rove.records.filter import renamed_fields
from rove.sync import Rove

try:
    from haystack import Document, component, default_from_dict, default_to_dict
except ModuleNotFoundError as error:
    raise lacking("haystack", error) from error

Filters = dict[str, Any]
"""Filters as Haystack writes them."""


@component
class HaystackRetriever:
    """A base as a component of a pipeline: `pipeline.add_component("retriever", HaystackRetriever("kb", top_k=5))`.

    Each document is a passage, its meta that of its document with `document_id`, `start`, `end`, `source` and `title`.
    """

    def __init__(
        self,
        kb: Rove | AsyncRove | str | Path,
        *,
        top_k: int | None = None,
        filters: Filters | None = None,
        mode: str = "hybrid",
        rerank: bool | None = None,
        min_score: float | None = None,
    ) -> None:
        """Take a base, and how it is searched: see `Rove.search`.

        Args:
            kb: an open base, or where one lies: that is opened when it is first asked, by its own settings. So is that
                of a pipeline that was saved and loaded. With an `AsyncRove` only `run_async` works.
            top_k: how many documents at most. None: the setting `search.top_k`.
            filters: Haystack's filters. Those of a run are put beside them: a run never finds more than they let.
            mode: see `Rove.search`.
            rerank: see `Rove.search`.
            min_score: see `Rove.search`.
        """
        self.kb = kb
        self.top_k = top_k
        self.filters = filters
        self.mode = mode
        self.rerank = rerank
        self.min_score = min_score
        self._where: Filter | None = filter_of(filters)
        self._opened: Rove | None = None

    @component.output_types(documents=list[Document])
    def run(self, query: str, filters: Filters | None = None, top_k: int | None = None) -> dict[str, list[Document]]:
        """Search. `filters` and `top_k`: for this run.

        Raises:
            ConfigError: there is no base.
            InputError: the query is blank, or a filter is none that Rove has.
        """
        return {"documents": [_haystack_document(hit) for hit in self._searching(filters).search(query, top_k)]}

    @component.output_types(documents=list[Document])
    async def run_async(
        self, query: str, filters: Filters | None = None, top_k: int | None = None
    ) -> dict[str, list[Document]]:
        """See `run`."""
        return {
            "documents": [_haystack_document(hit) for hit in await self._searching(filters).search_async(query, top_k)]
        }

    def warm_up(self) -> None:
        """Open the base, where it is not handed in open."""
        self._base()

    def close(self) -> None:
        """Close the base, if this component has opened it."""
        if self._opened is not None:
            self._opened.close()
            self._opened = None

    def to_dict(self) -> dict[str, Any]:
        """Say what makes this component again: where the base lies, and how it is searched."""
        return default_to_dict(
            self,
            kb=str(self.kb.settings.path if isinstance(self.kb, Rove | AsyncRove) else self.kb),
            top_k=self.top_k,
            filters=self.filters,
            mode=self.mode,
            rerank=self.rerank,
            min_score=self.min_score,
        )

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> HaystackRetriever:
        """Make the component of what `to_dict` said."""
        return default_from_dict(cls, data)

    def _base(self) -> Rove | AsyncRove:
        if isinstance(self.kb, Rove | AsyncRove):
            return self.kb
        if self._opened is None:
            self._opened = Rove.open(self.kb, create=False)
        return self._opened

    def _searching(self, filters: Filters | None) -> Searching:
        own = Searching(self._base(), self.top_k, self._where, self.mode, self.rerank, self.min_score)
        return own.within(filter_of(filters))


def texts_of(documents: Iterable[Document]) -> Iterator[Text]:
    """Turn documents of any Haystack converter into texts: `kb.add(texts_of(converter.run(files)["documents"]))`."""
    for document in documents:
        if document.content:
            metadata: dict[str, Any] = {**document.meta}
            yield Text(document.content, document.id, str(metadata.pop("title", "")), renamed_fields(metadata))


def _haystack_document(hit: Hit) -> Document:
    meta = fields_of(hit)
    return Document(id=hit.chunk.chunk_id, content=hit.chunk.text, meta=meta, score=float(hit.score))
