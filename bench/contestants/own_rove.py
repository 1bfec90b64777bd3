"""Rove with its hash embedder, whose time it reports; the query's embedding is in the search time (about 0.1 ms)."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

import numpy as np
from protocol import TOP_K, Workload, compete

import rove.store.store  # noqa: F401 - as every contestant imports what it needs before its time counts
from rove import Rove, Text


def ingest(work: Workload, folder: Path) -> object:
    kb = Rove.open(folder / "kb", embedder={"name": "fake"})
    report = kb.add(*[Text(text, id=i) for i, text in zip(work.ids, work.texts, strict=True)])
    if report.failed or report.chunks != len(work.ids):
        message = f"{len(report.failed)} failed, {report.chunks} chunks of {len(work.ids)} texts"
        raise RuntimeError(message)
    return kb, report


def search(engine, query: str, vector: np.ndarray) -> int:
    del vector
    return len(engine[0].search(query, top_k=TOP_K, mode="hybrid", rerank=False))


compete(f"rove {version('rove')}", ingest, search, embedded=lambda engine: engine[1].embed_seconds)
