"""What a step costs: wall and CPU seconds and memory, of this process and of the reading processes that it starts.

It is written down every few seconds, so that a step that was interrupted goes on counting where it stopped.
"""

from __future__ import annotations

import json
import os
import time
from collections import Counter
from pathlib import Path
from threading import Event, Thread
from types import TracebackType
from typing import Self

EVERY_S = 0.5
KEPT_EVERY = 10
TICK = os.sysconf("SC_CLK_TCK")
KB = 1_000 / 1_024
"""The system's "kB" are KiB; megabytes of 1,000,000 bytes are what is shown."""


class Meter:
    """Measures until its block ends. `file`: where it is kept, and begun from where an earlier run has stopped, if so.

    `own`: memory that is this process's alone (anonymous), `mapped`: files that are mapped beside it, which the system
    can take back; `readers`: of its child processes. All are peaks, in MB.
    """

    def __init__(self, file: Path | None = None) -> None:
        self.file = file
        held = json.loads(file.read_text("ascii")) if file and file.is_file() else {}
        self._before = Counter(held.get("spent", {}))
        self.peaks = Counter(held.get("peaks", {}))
        self._began, self._cpu = time.perf_counter(), time.process_time()
        self._readers: dict[int, float] = {}
        self._stop = Event()
        self._thread = Thread(target=self._sample, daemon=True)

    def __enter__(self) -> Self:
        """Begin."""
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """End, and keep what was measured."""
        self._stop.set()
        self._thread.join()
        self._look()
        self.keep()

    @property
    def spent(self) -> dict[str, float]:
        """Seconds: `wall`, `cpu` of this process, `readers_cpu`."""
        now = {
            "wall": time.perf_counter() - self._began,
            "cpu": time.process_time() - self._cpu,
            "readers_cpu": sum(self._readers.values()),
        }
        return {name: seconds + self._before[name] for name, seconds in now.items()}

    def keep(self) -> None:
        """Write down what was measured so far."""
        if self.file:
            self.file.write_text(json.dumps({"spent": self.spent, "peaks": self.peaks}), "ascii")

    def _sample(self) -> None:
        number = 0
        while not self._stop.wait(EVERY_S):
            number += 1
            self._look()
            if number % KEPT_EVERY == 0:
                self.keep()

    def _look(self) -> None:
        own = status(os.getpid())
        readers = 0.0
        for child in children():
            readers += status(child).get("RssAnon", 0)
            self._readers[child] = max(self._readers.get(child, 0), cpu_seconds(child))
        now = {
            "own": own.get("RssAnon", 0),
            "mapped": own.get("RssFile", 0),
            "rss": own.get("VmRSS", 0),
            "readers": readers,
            "all": own.get("RssAnon", 0) + readers,
        }
        for name, value in now.items():
            self.peaks[name] = max(self.peaks[name], value)


def status(process: int) -> dict[str, float]:
    """The memory of a process, in MB by the system's names; {} where it has ended."""
    try:
        lines = Path(f"/proc/{process}/status").read_text("utf-8").splitlines()
    except OSError:
        return {}
    sizes = (line.split() for line in lines if line.endswith(" kB"))
    return {name.rstrip(":"): int(size) / KB / 1_000 for name, size, _ in sizes}


def children() -> list[int]:
    """The processes that this one has started."""
    found: list[int] = []
    for task in Path("/proc/self/task").iterdir():
        try:
            found += map(int, (task / "children").read_text("ascii").split())
        except OSError:
            continue
    return found


def cpu_seconds(process: int) -> float:
    """What a process has computed so far; 0 where it has ended."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text("utf-8").rpartition(") ")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / TICK
