"""Workers: what an `add` costs in one process, by two worker processes and on Ray, and what 10⁷ and 10⁹ chunks come to.

`python -m bench.workers WORKERS SHARE` is one add, in a process of its own, whose last line says what it took.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from bench.process import measured
from bench.report import Table, say
from bench.sets import Cap, load
from bench.walk import as_text
from rove import Rove, Text
from rove.sandbox.watchdog import tree

SETS = ("scifact_train", "pgdocs", "lohelp_de", "xquad_zh")
CAP = Cap(400, 1, 120)
COMMITTED = (2_000, 12_000)
"""Notes with which the committer is measured alone, by the fake embedder, whose chunks have no tokens."""
WAYS = {"one process, 2 threads": "", "--workers 2": "2", "--workers ray?workers=2": "ray?workers=2"}
ROUNDS, SHARES = 1, (0.4, 1.0)
TICKS = os.sysconf("SC_CLK_TCK")
CORE_HOUR, TERABYTE_MONTH = 0.04, 80.0
"""Dollars, rounded: a core with 4 GB at the large clouds on demand, and a terabyte of SSD there."""
CORES_A_NODE = 32


def run() -> list[Table]:
    """Each way in turn, so that what else the machine does falls on all."""
    took: dict[tuple[str, float], list[dict[str, Any]]] = {}
    for number in range(ROUNDS):
        for name, workers in WAYS.items():
            for share in SHARES if number == 0 else SHARES[1:]:
                say(f"workers: {name}, {share:.0%}, round {number + 1}")
                command = [sys.executable, "-m", "bench.workers", workers or "none", str(share)]
                took.setdefault((name, share), []).append(measured(command))
    few, many = (measured([sys.executable, "-m", "bench.workers", "notes", str(count)]) for count in COMMITTED)
    return [throughput(took), on_paper(took["--workers 2", 1.0], took["--workers 2", SHARES[0]], few, many)]


def throughput(took: dict[tuple[str, float], list[dict[str, Any]]]) -> Table:
    """CPU seconds and wall seconds of the whole load, and the slope between the two loads."""
    rows: list[list[object]] = []
    alone = took[next(iter(WAYS)), 1.0]
    for name in WAYS:
        runs, (small,) = took[name, 1.0], took[name, SHARES[0]]
        cpu = statistics.median(one["cpu_s"] for one in runs)
        slope = (runs[0]["cpu_s"] - small["cpu_s"]) / (runs[0]["chunks"] - small["chunks"])
        ratio = statistics.median(a["cpu_s"] / b["cpu_s"] for a, b in zip(alone, runs, strict=True))
        wall = statistics.median(a["add_s"] / b["add_s"] for a, b in zip(alone, runs, strict=True))
        middle = statistics.median(run["add_s"] for run in runs)
        memory = runs[0]["peak_mb"]
        rows.append([name, runs[0]["chunks"], cpu, 1_000 * slope, ratio, middle, wall, sum(memory), max(memory)])
    note = (
        f"Real documents of {', '.join(SETS)}, the packaged embedder, two cores for each way. CPU seconds are those "
        "of all processes of the add (Ray's own among them), start and loading of models included; the slope is "
        f"between two loads ({SHARES[0]:.0%} and all), without them. Wall times were taken on a machine "
        "that other work held too: the ratio pairs runs that followed each other, and is "
        "worth little. 1 is one process."
    )
    columns = ["way", "chunks", "CPU s", "CPU s per 1,000 chunks more", "throughput by CPU", "wall s (busy)",
               "throughput by wall", "memory, MB, all", "largest process"]  # fmt: skip
    return Table("Throughput at equal cores", columns, rows, note)


def on_paper(
    runs: Sequence[dict[str, Any]], small: Sequence[dict[str, Any]], few: dict[str, Any], many: dict[str, Any]
) -> Table:
    """What many chunks would take, by the measured slope."""
    more = runs[0]["chunks"] - small[0]["chunks"]
    work = (runs[0]["cpu_s"] - runs[0]["driver_s"] - small[0]["cpu_s"] + small[0]["driver_s"]) / more
    commit = (many["driver_s"] - few["driver_s"]) / (many["chunks"] - few["chunks"])
    kept = runs[0]["base_bytes"] / runs[0]["chunks"]
    rows: list[list[object]] = []
    for count in (10**7, 10**9):
        for nodes in (4, 32):
            working = count * work / (nodes * CORES_A_NODE) / 3_600
            committing = count * commit / 3_600
            hours = max(working, committing)
            money = CORE_HOUR * (working * nodes * CORES_A_NODE + hours * 2)
            rows.append([f"{count:.0e}", nodes, working, committing, hours, count * kept / 1e12, money,
                         TERABYTE_MONTH * count * kept / 1e12])  # fmt: skip
    note = (
        f"Nothing here was run: it is the slope above ({1_000 * work:.1f} CPU seconds of workers and "
        f"{1_000 * commit:.2f} of the one committer for 1,000 chunks, the latter of {many['chunks']:,} without tokens; "
        f"{kept:,.0f} bytes of catalog and snapshot a chunk, at a base of {runs[0]['chunks']:,}), nodes of "
        f"{CORES_A_NODE} cores, ${CORE_HOUR} a core-hour, ${TERABYTE_MONTH:.0f} a terabyte-month. Nodes that have "
        "nothing to do because the committer is behind are counted as given back."
    )
    columns = ["chunks", "nodes", "hours of workers", "hours of the committer", "hours in all", "disk, TB",
               "money, $", "disk, $ a month"]  # fmt: skip
    return Table("On paper", columns, rows, note)


def one(workers: str, share: float) -> dict[str, Any]:
    """One add: all its processes are still there when it is done, and are looked at then."""
    if workers == "notes":
        texts = [
            Text(" ".join(f"Note {n} says {n * part} of {part}." for part in range(60))) for n in range(int(share))
        ]
        settings = {"embedder": {"name": "fake"}, "load": {"workers": "2", "duplicates": "off"}}
    else:
        docs = list(chain.from_iterable(load(name, CAP).docs for name in SETS))
        texts = [as_text(doc) for n, doc in enumerate(docs) if n % 10 < 10 * share]
        settings = {"load": {"workers": "" if workers == "none" else workers, "processes": 2}}
    with tempfile.TemporaryDirectory(prefix="rove-bench-") as folder:
        base, began = Path(folder) / "kb", _cpu_s(os.getpid())
        with Rove.open(base, **settings) as kb:
            started = time.perf_counter()
            report = kb.add(texts)
            took = time.perf_counter() - started
            pids = list(tree(os.getpid()))
            cpu = sum(_cpu_s(pid) for pid in pids) - began
            peaks = [peak for pid in pids if (peak := _peak_mb(pid)) > 0]
            driver = _cpu_s(os.getpid()) - began
        size = sum(path.stat().st_size for path in base.rglob("*") if path.is_file())
    return {"chunks": report.chunks, "add_s": took, "cpu_s": cpu, "driver_s": driver, "peak_mb": peaks,
            "base_bytes": size, "failed": len(report.failed)}  # fmt: skip


def _cpu_s(pid: int) -> float:
    """CPU seconds of a process, without those of what it has waited for."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text("ascii", "replace").rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / TICKS


def _peak_mb(pid: int) -> float:
    try:
        status = Path(f"/proc/{pid}/status").read_text("ascii", "replace")
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1_000 for line in status.splitlines() if line.startswith("VmHWM:")), 0.0)


if __name__ == "__main__":
    print(json.dumps(one(sys.argv[1], float(sys.argv[2]))))
