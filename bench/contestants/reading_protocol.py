"""What every reader is given and what it prints: `python READER.py MANIFEST OUT ROUNDS`, by its own Python.

MANIFEST is a list of {path, kind}. Every file is read once untimed, and its text written to OUT; then all are read
ROUNDS times. The last line printed says how many seconds a round took, and the peak memory of the process.
"""

from __future__ import annotations

import json
import re
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

Reading = dict[str, object]


def compete(version: str, read: Callable[[str, str], Reading]) -> None:
    """Let `read(path, kind)` read everything; it returns {text, pages, boxed, chars}, and raises where it cannot."""
    manifest, out, rounds = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
    files = json.loads(manifest.read_text("utf-8"))
    out.mkdir(parents=True, exist_ok=True)
    good = []
    for number, file in enumerate(files):
        got = attempt(read, file)
        good += [] if "error" in got else [file]
        (out / f"{number}.json").write_text(json.dumps(got), "utf-8")
    seconds = []
    for _ in range(rounds):
        began = time.perf_counter()
        for file in good:
            attempt(read, file)
        seconds.append(time.perf_counter() - began)
    size = sum(Path(file["path"]).stat().st_size for file in good)
    facts = {"version": version, "files": len(good), "bytes": size, "peak_mb": peak_mb()}
    print(json.dumps({**facts, "seconds": statistics.median(seconds) if seconds else 0.0}))


def attempt(read: Callable[[str, str], Reading], file: dict[str, str]) -> Reading:
    try:
        return read(file["path"], file["kind"])
    except Exception as error:  # noqa: BLE001 - what a reader cannot read is a result too
        return {"error": f"{type(error).__name__}: {error}"[:500]}


def peak_mb() -> float:
    status = Path("/proc/self/status").read_text("ascii")
    return int(re.search(r"VmHWM:\s+(\d+) kB", status).group(1)) / 1024
