"""LlamaIndex: VectorStoreIndex in memory, its BM25 retriever, fused by reciprocal rank."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

import numpy as np
from llama_index.core import Document, VectorStoreIndex
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.llms import MockLLM
from llama_index.core.node_parser import SentenceSplitter
from llama_index.core.retrievers import QueryFusionRetriever
from llama_index.retrievers.bm25 import BM25Retriever
from protocol import TOP_K, Workload, compete
from pydantic import PrivateAttr


class Given(BaseEmbedding):
    """The vectors of the workload."""

    _work: Workload = PrivateAttr()

    def __init__(self, work: Workload):
        super().__init__(model_name="given", embed_batch_size=256)
        self._work = work

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._work.embed_lists([text])[0]

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        return self._work.embed_lists(texts)

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._work.embed_lists([query])[0]

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_query_embedding(query)


def ingest(work: Workload, folder: Path) -> object:
    del folder
    documents = [Document(text=t, id_=i) for i, t in zip(work.ids, work.texts, strict=True)]
    index = VectorStoreIndex.from_documents(
        documents, embed_model=Given(work), transformations=[SentenceSplitter(chunk_size=2048)]
    )
    keyword = BM25Retriever.from_defaults(docstore=index.docstore, similarity_top_k=TOP_K)
    return QueryFusionRetriever(
        [index.as_retriever(similarity_top_k=TOP_K), keyword],
        llm=MockLLM(),
        similarity_top_k=TOP_K,
        num_queries=1,
        mode="reciprocal_rerank",
        use_async=False,
    )


def search(retriever, query: str, vector: np.ndarray) -> int:
    del vector
    return len(retriever.retrieve(query))


compete(f"llama-index-core {version('llama-index-core')}", ingest, search)
