"""Haystack: InMemoryDocumentStore, its BM25 and its embedding retriever in a pipeline, joined by reciprocal rank."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

import numpy as np
from haystack import Document, Pipeline, component
from haystack.components.joiners import DocumentJoiner
from haystack.components.preprocessors import DocumentSplitter
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever, InMemoryEmbeddingRetriever
from haystack.components.writers import DocumentWriter
from haystack.document_stores.in_memory import InMemoryDocumentStore
from protocol import TOP_K, Workload, compete


@component
class GivenEmbedder:
    """The vectors of the workload."""

    def __init__(self, work: Workload):
        self.work = work

    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document]):
        vectors = self.work.embed_lists([d.content for d in documents])
        return {
            "documents": [
                Document(id=d.id, content=d.content, meta=d.meta, embedding=v)
                for d, v in zip(documents, vectors, strict=True)
            ]
        }


def ingest(work: Workload, folder: Path) -> object:
    del folder
    store = InMemoryDocumentStore()
    adding = Pipeline()
    adding.add_component("split", DocumentSplitter(split_by="word", split_length=100_000))
    adding.add_component("embed", GivenEmbedder(work))
    adding.add_component("write", DocumentWriter(store))
    adding.connect("split.documents", "embed.documents")
    adding.connect("embed.documents", "write.documents")
    adding.run({"split": {"documents": [Document(id=i, content=t) for i, t in zip(work.ids, work.texts, strict=True)]}})
    asking = Pipeline()
    asking.add_component("keyword", InMemoryBM25Retriever(store, top_k=TOP_K))
    asking.add_component("semantic", InMemoryEmbeddingRetriever(store, top_k=TOP_K))
    asking.add_component("join", DocumentJoiner(join_mode="reciprocal_rank_fusion", top_k=TOP_K))
    asking.connect("keyword.documents", "join.documents")
    asking.connect("semantic.documents", "join.documents")
    return asking


def search(asking, query: str, vector: np.ndarray) -> int:
    found = asking.run({"keyword": {"query": query}, "semantic": {"query_embedding": vector.tolist()}})
    return len(found["join"]["documents"])


compete(f"haystack-ai {version('haystack-ai')}", ingest, search)
