"""Own cost of Rove, of bare LanceDB and of other libraries: same documents, same vectors, each in its own venv."""

from __future__ import annotations

import hashlib
import re
import shutil
import statistics
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench import CACHE, ROOT, workload
from bench.process import ChildError, measured, output
from bench.report import Table, say

PINS = ROOT / "requirements" / "bench.txt"
SCRIPTS = ROOT / "bench" / "contestants"
HEADER = re.compile(r"^# venv: (?P<name>\w+)(?: python>=3\.(?P<minor>\d+))?$")
NEWEST_MINOR = 14
LANCEDB, ROVE = "bare_lancedb", "own_rove"
NOTES = {
    LANCEDB: "table, rows, full-text index; nothing else",
    ROVE: "durable catalog included",
    "peer_llamaindex": "in memory only",
    "peer_haystack": "in memory only",
    "peer_txtai": "saved to disk at the end",
    "peer_haiku": "on disk; documents cut beforehand; on Python 3.12 or newer",
}


@dataclass(frozen=True, slots=True)
class Peer:
    """A library's venv: its pins, and the lowest Python 3 minor that it runs on (0: any)."""

    name: str
    pins: tuple[str, ...]
    minor: int = 0


def read_pins(text: str) -> list[Peer]:
    """Read the groups of the requirements file, each opened by a line `# venv: NAME [python>=3.N]`.

    >>> read_pins("# venv: a python>=3.12\\nx==1\\n# venv: b\\ny==2")
    [Peer(name='a', pins=('x==1',), minor=12), Peer(name='b', pins=('y==2',), minor=0)]
    """
    peers: list[Peer] = []
    for line in (raw.strip() for raw in text.splitlines()):
        if header := HEADER.match(line):
            peers.append(Peer(header["name"], (), int(header["minor"] or 0)))
        elif line and not line.startswith("#"):
            last = peers.pop()
            peers.append(Peer(last.name, (*last.pins, line), last.minor))
    return peers


def python_for(peer: Peer) -> str:
    """Find a Python that the peer runs on.

    Raises:
        ChildError: there is none.
    """
    if sys.version_info.minor >= peer.minor:
        return sys.executable
    names = [f"python3.{minor}" for minor in range(peer.minor, NEWEST_MINOR + 1)]
    managed = [str(p) for n in names for p in sorted((Path.home() / ".pyenv" / "versions").glob(f"*/bin/{n}"))]
    for candidate in [*filter(None, map(shutil.which, names)), *managed]:
        try:
            output([candidate, "-c", "import ensurepip"], timeout_s=20)
        except ChildError:
            continue
        return candidate
    message = f"needs Python ≥ 3.{peer.minor}, none was found"
    raise ChildError(message)


def prepare(peer: Peer) -> str:
    """Make the peer's venv once per set of pins and return its Python.

    The pins are installed one after another: torch's first, so that the CPU build stays.

    Raises:
        ChildError: it cannot be installed.
    """
    key = hashlib.sha1("\n".join(peer.pins).encode(), usedforsecurity=False).hexdigest()[:10]
    folder = CACHE / "venvs" / f"{peer.name}-{key}"
    python, done = folder / "bin" / "python", folder / "done"
    if not done.is_file():
        say(f"installing {peer.name}: {' '.join(peer.pins)}")
        output([python_for(peer), "-m", "venv", "--clear", str(folder)], timeout_s=120)
        for pin in peer.pins:
            output([str(python), "-m", "pip", "install", "--quiet", pin], timeout_s=1200)
        done.touch()
    return str(python)


def contestants(*, with_peers: bool) -> tuple[dict[str, str], dict[str, str]]:
    """Return script → Python of all that can run, and script → reason of those that cannot."""
    ready, refused = {LANCEDB: sys.executable, ROVE: sys.executable}, {}
    for peer in read_pins(PINS.read_text("utf-8")) if with_peers else []:
        if not (SCRIPTS / f"peer_{peer.name}.py").is_file():  # it competes in another discipline
            continue
        try:
            ready[f"peer_{peer.name}"] = prepare(peer)
        except ChildError as error:
            refused[f"peer_{peer.name}"] = str(error)
    return ready, refused


def run(count: int, rounds: int, *, with_peers: bool, only: Sequence[str] = ()) -> Table:
    """Let every contestant ingest and search in every round, in turn, so that noise falls on all alike."""
    folder = workload.write(count)
    ready, refused = contestants(with_peers=with_peers)
    results: dict[str, list[dict]] = {name: [] for name in ready if not only or name in only}
    for number in range(rounds):
        for name in [n for n in results if n not in refused]:
            say(f"round {number + 1} of {rounds}: {name}")
            try:
                results[name].append(measured([ready[name], str(SCRIPTS / f"{name}.py"), str(folder)], timeout_s=900))
            except ChildError as error:
                refused[name] = str(error)
    return tabulate(results, refused, count, rounds)


def tabulate(results: Mapping[str, list[dict]], refused: Mapping[str, str], count: int, rounds: int) -> Table:
    """One row each: medians, and the median of the rounds' ratios to bare LanceDB."""
    base = results.get(LANCEDB, [])
    rows: list[list[object]] = [row(name, got, base) for name, got in results.items() if name not in refused]
    rows += [[name, "could not run", "", "", "", "", "", reason] for name, reason in refused.items()]
    note = (
        f"{count} real texts of at most {workload.SIZE_CHARS} characters in 5 languages, one chunk each; the vectors "
        f"are made beforehand and handed over through each library's own embedder interface, and that time is taken "
        f"off. Median of {rounds} rounds; × is the median of each round's ratio. Search: hybrid (keyword and vector), "
        "top 10. Peak memory is that of the whole process, the workload of about 30 MB included."
    )
    columns = [
        "who",
        "ingest s",
        "× bare LanceDB",
        "search p50 ms",
        "p95 ms",
        "peak MB",
        "disk B/chunk",
        "what it does",
    ]
    return Table(f"Own cost: ingest and search of {count:,} chunks", columns, rows, note)


def row(name: str, got: Sequence[Mapping[str, float]], base: Sequence[Mapping[str, float]]) -> list[object]:
    """Medians of one contestant."""

    def middle(key: str) -> float:
        return statistics.median(g[key] for g in got)

    ratios = [g["ingest_seconds"] / b["ingest_seconds"] for g, b in zip(got, base, strict=False)]
    return [
        got[0]["version"],
        middle("ingest_seconds"),
        statistics.median(ratios) if ratios else "",
        middle("search_ms_p50"),
        middle("search_ms_p95"),
        round(middle("peak_mb")),
        round(middle("disk_bytes") / got[0]["documents"]) or "none",
        NOTES.get(name, ""),
    ]
