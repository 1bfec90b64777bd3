"""Rove as a LlamaIndex retriever, and LlamaIndex's documents as texts for Rove."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from rove.adapters import Searching, fields_of, lacking
from rove.engine import AsyncRove
from rove.records import Filter, Hit, Text
from rove.records.filter import renamed_fields
from rove.sync import Rove

try:
    from llama_index.core.callbacks import CallbackManager
    from llama_index.core.retrievers import BaseRetriever
    from llama_index.core.schema import (
        Document,
        NodeRelationship,
        NodeWithScore,
        QueryBundle,
        RelatedNodeInfo,
        TextNode,
    )
except ModuleNotFoundError as error:
    raise lacking("llama-index", error) from error

SHOWN = ("title", "headings", "page")
"""Fields that a model may read beside the text; the others are for programs."""


class LlamaIndexRetriever(BaseRetriever):
    """A base as a retriever: `LlamaIndexRetriever(kb, top_k=5).retrieve("Who approves it?")`.

    Each node is a passage, with where it begins and ends in its document (`start_char_idx`, `end_char_idx`), and its
    document as its source.
    """

    def __init__(
        self,
        kb: Rove | AsyncRove,
        *,
        top_k: int | None = None,
        where: Filter | None = None,
        mode: str = "hybrid",
        rerank: bool | None = None,
        min_score: float | None = None,
        callback_manager: CallbackManager | None = None,
    ) -> None:
        """Take an open base, and how it is searched: see `Rove.search`. With an `AsyncRove` only `aretrieve` works."""
        super().__init__(callback_manager=callback_manager)  # pyright: ignore[reportUnknownMemberType] - a bare Dict
        self._searching = Searching(kb, top_k, where, mode, rerank, min_score)

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return [_node(hit) for hit in self._searching.search(query_bundle.query_str)]

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return [_node(hit) for hit in await self._searching.search_async(query_bundle.query_str)]


def texts_of(documents: Iterable[Document]) -> Iterator[Text]:
    """Turn documents of any LlamaIndex reader into texts: `kb.add(texts_of(reader.load_data()))`."""
    for document in documents:
        metadata: dict[str, Any] = {**document.metadata}
        yield Text(document.text, document.doc_id, str(metadata.pop("title", "")), renamed_fields(metadata))


def _node(hit: Hit) -> NodeWithScore:
    start, end = hit.chunk.span
    fields = fields_of(hit)
    hidden = [name for name in fields if name not in SHOWN]
    node = TextNode(
        id_=hit.chunk.chunk_id,
        text=hit.chunk.text,
        metadata=fields,
        start_char_idx=start,
        end_char_idx=end,
        relationships={NodeRelationship.SOURCE: RelatedNodeInfo(node_id=hit.chunk.document_id)},
        excluded_embed_metadata_keys=hidden,
        excluded_llm_metadata_keys=hidden,
    )
    return NodeWithScore(node=node, score=hit.score)
