"""How long a person waits for the process: `rove --help`, and a search on a small base from a new process."""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from pathlib import Path

from bench import workload
from bench.process import output
from bench.report import Table

RUNS = 5
DOCUMENTS = 50


def run() -> Table:
    """Median of five each, the commands in turn."""
    rove = str(Path(sys.executable).with_name("rove"))
    with tempfile.TemporaryDirectory(prefix="rove-bench-") as folder:
        files = Path(folder) / "files"
        files.mkdir()
        for number, text in enumerate(workload.chunks(DOCUMENTS)):
            (files / f"{number}.txt").write_text(text, "utf-8")
        base = str(Path(folder) / "kb")
        output([rove, "add", "--kb", base, str(files)])
        commands = {
            "python -c pass (the floor)": [sys.executable, "-c", "pass"],
            "rove --help": [rove, "--help"],
            "rove search, keyword": [rove, "search", "--kb", base, "--mode", "keyword", "How are query plans chosen?"],
            "rove search, hybrid (loads the model)": [rove, "search", "--kb", base, "How are query plans chosen?"],
        }
        times: dict[str, list[float]] = {name: [] for name in commands}
        for _ in range(RUNS):
            for name, command in commands.items():
                started = time.perf_counter()
                output(command)
                times[name].append(time.perf_counter() - started)
    rows = [[name, statistics.median(t), max(t)] for name, t in times.items()]
    note = f"Wall time of a new process, files already in the system's cache; base of {DOCUMENTS} small documents."
    return Table("Start of a process", ["command", f"median s of {RUNS}", "worst s"], rows, note)
