"""Memory and disk of one ingest: `python -m bench.footprint CHUNKS` prints JSON. A process of its own."""

from __future__ import annotations

import json
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from bench import workload
from rove import Rove, Text


def sources(texts: list[str]) -> Iterator[Text]:
    """Give each text an id."""
    return (Text(text, id=f"doc-{n}") for n, text in enumerate(texts))


def measure(count: int) -> dict[str, float]:
    """Add all in one call, as a user would."""
    texts = workload.chunks(count)
    with tempfile.TemporaryDirectory(prefix="rove-bench-") as folder:
        kb = Rove.open(Path(folder) / "kb", embedder={"name": "fake"})
        kb.add(Text("One chunk, so that everything is loaded.", id="first"))
        before = peak_mb()
        started = time.perf_counter()
        report = kb.add(sources(texts))
        seconds = time.perf_counter() - started
        after = peak_mb()
        kb.close()
        disk = sum(f.stat().st_size for f in Path(folder).rglob("*") if f.is_file())
    return {
        "chunks": report.chunks,
        "failed": len(report.failed),
        "seconds": seconds,
        "embed_seconds": report.embed_seconds,
        "before_mb": before,
        "peak_mb": after,
        "text_bytes": sum(len(t.encode()) for t in texts) / len(texts),
        "disk_bytes": disk / max(report.chunks, 1),
    }


def peak_mb() -> float:
    """Most memory that this process ever held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    print(json.dumps(measure(int(sys.argv[1]))))
