"""Memory and disk of one ingest: `python -m bench.footprint FOLDER` (a workload's) prints JSON, in its own process.

The texts are streamed from the file: reading the sets here would raise the peak before the ingest begins.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from bench.process import peak_bytes
from rove import Rove, Text


def sources(folder: Path) -> Iterator[Text]:
    """Give the workload's documents one by one."""
    with (folder / "documents.jsonl").open(encoding="utf-8") as file:
        for line in file:
            document = json.loads(line)
            yield Text(document["text"], id=document["id"])


def measure(workload: Path) -> dict[str, float]:
    """Add all in one call, as a user would."""
    with tempfile.TemporaryDirectory(prefix="rove-bench-") as folder:
        kb = Rove.open(Path(folder) / "kb", embedder={"name": "fake"})
        kb.add(Text("One chunk, so that everything is loaded.", id="first"))
        before = peak_mb()
        started = time.perf_counter()
        report = kb.add(sources(workload))
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
        "text_bytes": sum(len(t.text.encode()) for t in sources(workload)) / max(report.chunks, 1),
        "disk_bytes": disk / max(report.chunks, 1),
    }


def peak_mb() -> float:
    """Most memory that this process ever held."""
    return peak_bytes() / 2**20


if __name__ == "__main__":
    print(json.dumps(measure(Path(sys.argv[1]))))
