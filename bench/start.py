"""How long a person waits for the process: `rove --help`, and a search on a small base from a new process."""

from __future__ import annotations

import os
import resource
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from bench import workload
from bench.process import ChildError, output
from bench.report import Table

RUNS = 5
DOCUMENTS = 50
QUESTION = "How are query plans chosen?"
UP_S = 180.0


def run() -> Table:
    """The least CPU time and the median of both, of so many runs each, the commands in turn."""
    rove = str(Path(sys.executable).with_name("rove"))
    with tempfile.TemporaryDirectory(prefix="rove-bench-") as folder:
        files = Path(folder) / "files"
        files.mkdir()
        for number, text in enumerate(workload.chunks(DOCUMENTS)):
            (files / f"{number}.txt").write_text(text, "utf-8")
        base = str(Path(folder) / "kb")
        output([rove, "add", "--kb", base, str(files)])
        search = [rove, "search", "--kb", base, QUESTION]
        times = timed(
            {
                "python -c pass (the floor)": [sys.executable, "-c", "pass"],
                "python -c 'import numpy, sqlalchemy, pydantic'": [
                    sys.executable,
                    "-c",
                    "import numpy, sqlalchemy, pydantic",
                ],
                "rove --help": [rove, "--help"],
                "rove completion fish": [rove, "completion", "fish"],
                "rove search --mode keyword": [*search, "--mode", "keyword"],
                "rove search (loads the model)": search,
            }
        )
        with serving(rove, base):
            times |= timed({"rove search, while rove serve has the base open": search})
    rows = [[name, min(cpu), statistics.median(cpu), statistics.median(wall)] for name, (cpu, wall) in times.items()]
    load = f"{os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    note = (
        f"A new process each time, files already in the system's cache; base of {DOCUMENTS} small documents, the "
        f"packaged embedder. CPU seconds are user and system; the machine's load at the end was {load}."
    )
    columns = ["command", f"CPU s, least of {RUNS}", "CPU s, median", "wall s, median"]
    return Table("Start of a process", columns, rows, note)


def timed(commands: Mapping[str, list[str]]) -> dict[str, tuple[list[float], list[float]]]:
    """CPU and wall seconds of each run."""
    times: dict[str, tuple[list[float], list[float]]] = {name: ([], []) for name in commands}
    for command in commands.values():
        output(command)  # what is kept on the disk once is not counted
    for _ in range(RUNS):
        for name, command in commands.items():
            before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
            output(command)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            times[name][0].append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
            times[name][1].append(time.perf_counter() - started)
    return times


@contextmanager
def serving(rove: str, base: str) -> Iterator[None]:
    """Have a server hold the base.

    Raises:
        ChildError: it does not come up.
    """
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    quiet = subprocess.DEVNULL
    process = subprocess.Popen([rove, "serve", "--kb", base, "--port", str(port)], stdout=quiet, stderr=quiet)
    try:
        end = time.monotonic() + UP_S
        while not (Path(base) / "serving.json").exists():
            if time.monotonic() > end or process.poll() is not None:
                message = "rove serve did not come up"
                raise ChildError(message)
            time.sleep(0.1)
        yield
    finally:
        process.terminate()
        process.wait()
