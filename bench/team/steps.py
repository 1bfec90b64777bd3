"""The steps of the team's base, each a process of its own: `python -m bench.team.steps STEP PLACE FILE` prints JSON.

`fill`: a base is filled in a folder. `copy`: its rows go to Postgres. `add`: a few more passages are taken in, as a
user would. `start`: the base is opened and searched once. `ask`: every question in every way; what was found is kept in
the file, to be compared.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import time
from collections.abc import Callable
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from bench.posts.meter import Meter
from bench.stores import SLOT
from bench.team.fill import copy as copy_base
from bench.team.fill import fill as fill_base
from bench.team.passages import post_passages, questions
from rove import Rove, Text
from rove.engine import AsyncRove
from rove.records import Filter, Hit
from rove.records.filter import AccessFilter
from rove.retrieve import RETRIEVERS
from rove.settings import Address

EMBEDDER = "static"
SETTINGS: dict[str, Any] = {"embedder": {"name": EMBEDDER, "threads": 1}, "question": {"log": False}}
MORE = 2_000
DEPTH = 10
STAFF = AccessFilter("access", "in", ("staff",))
FILTERED: dict[str, tuple[str, Filter]] = {
    f"{mode}, {name}": (mode, where)
    for mode in ("keyword", "semantic", "hybrid")
    for name, where in (("1 % pass", SLOT), ("a label", STAFF))
}
Found = dict[str, list[list[tuple[str, str]]]]
"""By way and question: the chunk of each hit, and a hash of the whole hit, score and places included."""


def ways() -> dict[str, tuple[str, Filter | None]]:
    """Every mode over all, then the lists and their fusion under a filter and under a label."""
    return {**{mode: (mode, None) for mode in RETRIEVERS.table}, **FILTERED}


def opened(place: str) -> Rove:
    """Open the base; questions are not kept."""
    return Rove.open(place, **SETTINGS)


def fill(place: str, file: Path, count: int) -> dict[str, Any]:
    """Fill a base in a folder; the file takes the passages that `add` adds."""

    async def filled() -> int:
        async with AsyncRove.open(place, **SETTINGS) as kb:
            return await fill_base(kb, posts, count)

    posts = post_passages(count + MORE)
    with Meter() as meter:
        chunks = asyncio.run(filled())
    lines = (json.dumps(asdict(text), ensure_ascii=False) + "\n" for text in posts)
    file.write_text("".join(lines), "utf-8")
    return {**spent(meter), "passages": chunks}


def copy(place: str, file: Path, count: int) -> dict[str, Any]:
    """Copy the rows of the base in a folder that the file is into Postgres."""
    del count
    with opened(place), Meter() as meter:
        copied = copy_base(file, Address(place))
    return {**spent(meter), "rows": sum(copied.values())}


def add(place: str, file: Path, count: int) -> dict[str, Any]:
    """Take in what is in the file, as a user would, and measure what that costs this process and its readers."""
    del count
    with file.open(encoding="utf-8") as lines, opened(place) as kb, Meter() as meter:
        kb.search("warm")
        began = time.perf_counter()
        report = kb.add(Text(**json.loads(line)) for line in lines)
        added = time.perf_counter() - began
    failed = [f"{entry.outcome}: {entry.reason}" for entry in report.failed]
    return {**spent(meter), "added_s": added, "passages": report.chunks, "failed": failed}


def start(place: str, file: Path, count: int) -> dict[str, Any]:
    """Open the base and search once."""
    del file, count
    asked = questions()[0]
    with Meter() as meter, opened(place) as kb:
        began = time.perf_counter()
        kb.search(asked)
        first = time.perf_counter() - began
    return {**spent(meter), "first_s": first}


def spent(meter: Meter) -> dict[str, Any]:
    """Seconds, and memory in MB."""
    return {**meter.spent, **{f"{name}_mb": value for name, value in meter.peaks.items()}}


def ask(place: str, file: Path, count: int) -> dict[str, Any]:
    """Ask everything, each way for `count` seconds at most; ms of a search, and what was found."""
    asked, found, times = questions(), Found(), dict[str, dict[str, float]]()
    with Meter() as meter, opened(place) as kb:
        for way, (mode, where) in ways().items():
            kb.search(asked[0], mode=mode, where=where, top_k=DEPTH)
            ms, cpu = list[float](), time.process_time()
            found[way] = []
            for question in asked:
                began = time.perf_counter()
                hits = kb.search(question, mode=mode, where=where, top_k=DEPTH)
                ms.append(1000 * (time.perf_counter() - began))
                found[way].append([told(hit) for hit in hits])
                if sum(ms) > 1000 * count:
                    break
            p50, p95 = np.percentile(ms, (50, 95)).tolist()
            times[way] = {"p50": p50, "p95": p95, "cpu": 1000 * (time.process_time() - cpu) / len(ms)}
    file.write_text(json.dumps(found), "utf-8")
    return {**spent(meter), "times": times, "questions": len(asked)}


def told(hit: Hit) -> tuple[str, str]:
    """The chunk that was found, and a hash of all that is said of it."""
    return hit.chunk.chunk_id, sha256(repr(hit).encode()).hexdigest()[:16]


STEPS: dict[str, Callable[[str, Path, int], dict[str, Any]]] = {
    "fill": fill,
    "copy": copy,
    "add": add,
    "start": start,
    "ask": ask,
}


if __name__ == "__main__":
    made = argparse.ArgumentParser()
    made.add_argument("step", choices=STEPS)
    made.add_argument("place")
    made.add_argument("file", type=Path)
    made.add_argument("--count", type=int, default=0, help="passages to fill in; seconds to ask")
    options = made.parse_args()
    print(json.dumps(STEPS[options.step](options.place, options.file, options.count)))
