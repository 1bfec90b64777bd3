"""haiku.rag: documents imported in batches with one chunk each (its converter left out), hybrid search on LanceDB."""

from __future__ import annotations

import asyncio
from importlib.metadata import version
from pathlib import Path

import numpy as np
from docling_core.types.doc.document import DoclingDocument
from docling_core.types.doc.labels import DocItemLabel
from haiku.rag.client import HaikuRAG
from haiku.rag.client.documents import DocumentImport
from haiku.rag.config import AppConfig
from haiku.rag.embeddings import EmbedderWrapper
from haiku.rag.store.models.chunk import Chunk
from protocol import TOP_K, Workload, compete

BATCH = 500
LOOP = asyncio.new_event_loop()


class Given(EmbedderWrapper):
    """The vectors of the workload."""

    def __init__(self, work: Workload):
        super().__init__(None, work.vectors.shape[1])
        self.work = work

    async def _embed_query(self, text: str) -> list[float]:
        return self.work.embed_lists([text])[0]

    async def _embed_documents(self, texts: list[str]) -> list[list[float]]:
        return self.work.embed_lists(texts)


def ingest(work: Workload, folder: Path) -> object:
    return LOOP.run_until_complete(add(work, folder))


async def add(work: Workload, folder: Path) -> HaikuRAG:
    model = {"provider": "ollama", "name": "given", "vector_dim": work.vectors.shape[1]}
    config = AppConfig.model_validate({"environment": "production", "embeddings": {"model": model}})
    client = HaikuRAG(folder / "kb.lancedb", config=config, create=True)
    await client.__aenter__()
    client.store.embedder = client.chunk_repository.embedder = Given(work)
    for start in range(0, len(work.ids), BATCH):
        await client.import_documents(
            [
                imported(i, t)
                for i, t in zip(work.ids[start : start + BATCH], work.texts[start : start + BATCH], strict=True)
            ]
        )
    return client


def imported(name: str, text: str) -> DocumentImport:
    document = DoclingDocument(name=name)
    document.add_text(label=DocItemLabel.PARAGRAPH, text=text)
    return DocumentImport(docling_document=document, chunks=[Chunk(content=text, order=0)], uri=name)


def search(client, query: str, vector: np.ndarray) -> int:
    del vector
    return len(LOOP.run_until_complete(client.search(query, limit=TOP_K, search_type="hybrid")))


compete(f"haiku.rag-slim {version('haiku.rag-slim')}", ingest, search)
