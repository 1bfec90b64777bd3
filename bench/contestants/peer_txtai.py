"""txtai: a hybrid index (faiss and its own BM25) with content in SQLite, saved to disk."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

import numpy as np
from protocol import TOP_K, Workload, compete
from txtai import Embeddings


def ingest(work: Workload, folder: Path) -> object:
    def transform(texts):
        return work.embed(texts)

    embeddings = Embeddings(method="external", transform=transform, hybrid=True, content=True)
    embeddings.index([(i, t, None) for i, t in zip(work.ids, work.texts, strict=True)])
    # A function cannot be written into the saved configuration.
    embeddings.config["transform"] = "given"
    embeddings.save(str(folder / "index"))
    return embeddings


def search(embeddings, query: str, vector: np.ndarray) -> int:
    del vector
    return len(embeddings.search(query, TOP_K))


compete(f"txtai {version('txtai')}", ingest, search)
