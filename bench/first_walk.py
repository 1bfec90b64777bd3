"""What the first search of a process costs, by mode: `python -m bench.first_walk CHUNKS` prints JSON.

The base is made once; each mode is asked by a fresh process, which has loaded all code before its time counts.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from bench import clusters, scale
from bench.process import measured
from rove import Rove, Text
from rove.enrich.entities import chunk_names
from rove.records import Prepared

MODES = ("hybrid", "walk")
NAMED_EVERY = 6
"""One word of so many is written as a name."""


def title(number: int) -> str:
    """Three words of real abstracts; they make few titles alike, and many that begin alike."""
    words, _ = clusters.vocabulary()
    return " ".join(words[number * step % 3_001].capitalize() for step in (7, 7_919, 104_729))


def linked(text: Text) -> Prepared:
    """One text as one chunk that has a title, holds names, and names the title of another."""
    number = int(text.id.removeprefix("n"))
    words = [word.capitalize() if at % NAMED_EVERY == 1 else word for at, word in enumerate(text.text.split())]
    written = f"{' '.join(words)} {title(number * 31 + 1)}."
    prepared = scale.prepare(replace(text, text=written, title=title(number)))
    return replace(prepared, names=[chunk_names(chunk) for chunk in prepared.chunks])


def ask(folder: Path, mode: str) -> dict[str, float]:
    """Open the base and search twice; CPU seconds, and what memory the process took for it."""
    claims, embedder = clusters.asked(), {"name": clusters.register()}
    with tempfile.TemporaryDirectory(prefix="rove-bench-") as small:
        scale.fill(Path(small), 50, linked)
        warm = Rove.open(Path(small), embedder=embedder)
        warm.search(claims[0], mode=mode)
        warm.close()
    before, started = memory(), time.process_time()
    kb = Rove.open(folder, embedder=embedder)
    kb.search(claims[1], mode=mode)
    first = time.process_time() - started
    after, started = memory(), time.process_time()
    for claim in claims[2:22]:
        kb.search(claim, mode=mode)
    later = (time.process_time() - started) / 20
    kb.close()
    return {"first_s": first, "later_ms": later * 1000} | {name: after[name] - before[name] for name in after}


def memory() -> dict[str, float]:
    """What this process holds in MB: `own_mb`, which no other can share, and all, `resident_mb`."""
    held = dict(re.findall(r"(\w+):\s+(\d+) kB", Path("/proc/self/smaps_rollup").read_text("ascii")))
    return {"own_mb": int(held["Anonymous"]) / 1024, "resident_mb": int(held["Rss"]) / 1024}


def measure(count: int) -> dict[str, object]:
    """Make the base, then let fresh processes ask it."""
    with tempfile.TemporaryDirectory(prefix="rove-bench-") as place:
        folder = Path(place)
        started = time.process_time()
        scale.fill(folder, count, linked)
        result: dict[str, object] = {"chunks": count, "fill_s": time.process_time() - started}
        kept = [file for file in (folder / "resident").rglob("*") if file.is_file()]
        result["snapshot_bytes"] = sum(file.stat().st_size for file in kept) / count
        for mode in MODES:
            result[mode] = measured([sys.executable, "-m", "bench.first_walk", str(folder), mode])
        return result


if __name__ == "__main__":
    given = sys.argv[1:]
    print(json.dumps(measure(int(given[0])) if len(given) == 1 else ask(Path(given[0]), given[1])))
