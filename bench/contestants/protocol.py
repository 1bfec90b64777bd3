"""What every contestant is given and what it prints: run as `python CONTESTANT.py FOLDER`, by its own Python.

FOLDER holds documents.jsonl, vectors.npy, queries.jsonl, query_vectors.npy. A contestant imports what it needs, then
times its ingest of all documents and one search per query; the time spent in looking vectors up is taken off.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

TOP_K = 10
WARM = 5


@dataclass
class Workload:
    """Documents with an id each, queries, and their vectors (float32, unit length, 384 dimensions)."""

    ids: list[str]
    texts: list[str]
    vectors: np.ndarray
    queries: list[str]
    query_vectors: np.ndarray
    embed_seconds: float = 0.0
    rows: dict[str, np.ndarray] = field(default_factory=dict)

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """Stand in for a model: the vector that belongs to each text."""
        started = time.perf_counter()
        found = np.stack([self.rows[t] for t in texts])
        self.embed_seconds += time.perf_counter() - started
        return found

    def embed_lists(self, texts: Sequence[str]) -> list[list[float]]:
        """Give the same as lists of floats, for libraries that want them; making the lists counts as embedding."""
        started = time.perf_counter()
        found = [self.rows[t].tolist() for t in texts]
        self.embed_seconds += time.perf_counter() - started
        return found


def read(folder: Path) -> Workload:
    """Read the files of a workload."""
    documents = [json.loads(line) for line in (folder / "documents.jsonl").open(encoding="utf-8")]
    queries = [json.loads(line) for line in (folder / "queries.jsonl").open(encoding="utf-8")]
    work = Workload(
        ids=[d["id"] for d in documents],
        texts=[d["text"] for d in documents],
        vectors=np.load(folder / "vectors.npy"),
        queries=queries,
        query_vectors=np.load(folder / "query_vectors.npy"),
    )
    work.rows = dict(zip(work.texts, work.vectors, strict=True)) | dict(zip(queries, work.query_vectors, strict=True))
    return work


def few(work: Workload) -> Workload:
    """The first texts of a workload."""
    return replace(work, ids=work.ids[:20], texts=work.texts[:20], vectors=work.vectors[:20])


def compete(
    version: str,
    ingest: Callable[[Workload, Path], object],
    search: Callable[[object, str, np.ndarray], int],
    *,
    embedded: Callable[[object], float] = lambda _: 0.0,
) -> None:
    """Time both and print them as JSON.

    `ingest` returns what `search` needs; `search` returns how many hits it got; `embedded` tells the embedding
    seconds that the contestant counted itself.
    """
    work = read(Path(sys.argv[1]))
    with tempfile.TemporaryDirectory(prefix="rove-bench-") as folder:
        # Some load their libraries at the top, some when they are first used: here all have, before the clock starts.
        ingest(few(work), Path(folder, "few"))
        started = time.perf_counter()
        engine = ingest(work, Path(folder, "all"))
        ingested = time.perf_counter() - started - work.embed_seconds - embedded(engine)
        status = Path("/proc/self/status").read_text("ascii")
        peak = int(re.search(r"VmHWM:\s+(\d+) kB", status).group(1))
        times, hits = [], 0
        for number, (query, vector) in enumerate(zip(work.queries, work.query_vectors, strict=True)):
            before = work.embed_seconds
            started = time.perf_counter()
            got = search(engine, query, vector)
            if number >= WARM:
                times.append((time.perf_counter() - started - (work.embed_seconds - before)) * 1000)
                hits += got
        disk = sum(f.stat().st_size for f in Path(folder).rglob("*") if f.is_file())
    report = {
        "version": version,
        "documents": len(work.ids),
        "ingest_seconds": ingested,
        "search_ms_p50": float(np.percentile(times, 50)),
        "search_ms_p95": float(np.percentile(times, 95)),
        "hits_per_query": hits / len(times),
        "peak_mb": peak / 1024,
        "disk_bytes": disk,
    }
    print(json.dumps(report))
