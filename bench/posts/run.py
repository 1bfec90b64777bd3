"""The posts' tables: cleaning, the way in, what lies on the disk, search; and the slope from the sizes that were run.

Every step is a process of its own and keeps its result beside the posts, so that a run goes on where it stopped.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bench import CACHE
from bench.posts.steps import FILTERS, MODES, POSTS, SIZES
from bench.process import measured, output
from bench.report import Table, say

COUNTS = (40_000, 200_000, 400_000)
WHOLE = 5_528_298
"""Posts of the study."""
SHOWN_STAGES = ("add.read", "add.embed", "add.keep", "optimise", "add.finish")
TIMEOUT_S = 36_000
Results = dict[str, dict[str, Any]]


def run(counts: Sequence[int], embedder: str, size: int, *, keep: bool = False) -> list[Table]:
    """Take so many posts through, one size after the other. `keep`: leave the largest base where it is."""
    found = {count: steps(count, embedder, size, asked=count == max(counts), keep=keep) for count in sorted(counts)}
    tables = [cleaning(found), way_in(found, embedder, size), disk(found), asked(found)]
    return [*tables, slope(found)] if len(found) > 1 else tables


def steps(count: int, embedder: str, size: int, *, asked: bool, keep: bool) -> Results:
    """Make the posts and take every step that was not taken yet. `asked`: search them too."""
    folder = CACHE / "posts" / str(count)
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / POSTS).is_file():
        say(f"posts {count:,}: made")
        output([sys.executable, "-m", "bench.posts.make", str(count), str(folder / POSTS)], timeout_s=TIMEOUT_S)
    found = {step: _step(folder, step, embedder, size) for step in ("clean", "add", "search")[: 3 if asked else 2]}
    if not (keep and asked):
        shutil.rmtree(folder / f"kb-{embedder}-{size}", ignore_errors=True)
    return found


def _step(folder: Path, step: str, embedder: str, size: int) -> dict[str, Any]:
    kept = folder / (f"{step}.json" if step == "clean" else f"{step}-{embedder}-{size}.json")
    if not kept.is_file():
        say(f"posts {folder.name}: {step}")
        command = [sys.executable, "-m", "bench.posts.steps", step, str(folder), "--embedder", embedder]
        kept.write_text(json.dumps(measured([*command, "--size", str(size)], timeout_s=TIMEOUT_S)), "utf-8")
    return json.loads(kept.read_text("utf-8"))


def cleaning(found: dict[int, Results]) -> Table:
    """What the rules drop, and what that costs alone."""
    rows = [
        [
            count,
            one["file_mb"],
            one["kept"],
            one["cpu"],
            one["peak_mb"] - one["before_mb"],
            *(f"{one['cut'][str(size)]['chunks']:.2f}" for size in SIZES),
            one["cut"][str(SIZES[0])]["cpu_us"],
        ]
        for count, results in found.items()
        for one in [results["clean"]]
    ]
    largest = max(found)
    note = (
        "The first 39,441 posts are real; every further round is all of them again with other ids, dates and words "
        "(seeded; `bench/posts/make.py` says how): threads, kinds, lengths, scripts and repeats are those of the real "
        f"ones, what they say means nothing. Of {largest:,}: {found[largest]['clean']['said']} Chunks of a post: "
        "recursive, overlap 20 %, with the subreddit before each. µs a post: CPU, reading and cutting into "
        f"{SIZES[0]} characters, words, names and language included."
    )
    heads = ["posts", "parquet, MB", "stay", "cleaning, CPU s", "memory, MB", *(f"chunks, {size}" for size in SIZES)]
    return Table("Posts: cleaning", [*heads, "µs a post"], rows, note)


def way_in(found: dict[int, Results], embedder: str, size: int) -> Table:
    """What the whole way in costs."""
    rows: list[list[object]] = []
    for count, results in found.items():
        one = results["add"]
        chunks = one["chunks"]
        seconds = [one["wall"], one["cpu"], one["readers_cpu"], one["embed"]]
        memory = [one["own_mb"], one["mapped_mb"], one["readers_mb"], one["all_mb"]]
        stages = [one["stages"].get(name, 0.0) for name in SHOWN_STAGES]
        rows.append([count, chunks, one["duplicates"], *map(_short, [*seconds, *stages, *memory])])
    note = (
        f'`Rove.add` of the file, embedder "{embedder}", chunks of {size} characters. Seconds: by the clock, CPU of '
        "the process, CPU of the reading process; of the clock: embedding, and the stages as traced (they "
        "overlap: the next batch is read while one is embedded). Memory: peaks in MB of the process's own, of files it "
        "has mapped (the system can take these back), of the reading process, and of own and reading together."
    )
    heads = ["posts", "chunks", "duplicates", "wall s", "CPU s", "reader CPU s", "embed s", *SHOWN_STAGES]
    return Table("Posts: the way in", [*heads, "own", "mapped", "reader", "own + reader"], rows, note)


def disk(found: dict[int, Results]) -> Table:
    """What a base takes, by part."""
    parts = sorted({part for results in found.values() for part in results["add"]["gb"]})
    rows: list[list[object]] = []
    for count, results in found.items():
        gb, chunks = results["add"]["gb"], results["add"]["chunks"]
        total = sum(gb.values())
        rows.append([count, f"{total:.3f}", round(total * 1e9 / chunks), *(f"{gb.get(p, 0):.3f}" for p in parts)])
    return Table("Posts: on the disk", ["posts", "GB", "B/chunk", *parts], rows, "GB (10^9 bytes) once all is in.")


def asked(found: dict[int, Results]) -> Table:
    """What a search costs and finds."""
    rows: list[list[object]] = []
    count = max(found)
    one = found[count]["search"]
    for name in FILTERS:
        cells = [f"{t['p50']:.1f} / {t['p95']:.1f} / {t['cpu']:.1f}" for t in (one[f"{m}, {name}"] for m in MODES)]
        rows.append([count, name, *cells, f"{one['recall'][name]:.3f}", one["first_ms"], one["peak_mb"]])
    note = (
        f"{one['questions']} questions: the study's and titles of real submissions. "
        "ms of a search: p50 / p95 by the clock / CPU, the question's embedding included, no reranker. recall@10: of "
        "the search by meaning against all vectors compared. First: ms of the first search after opening."
    )
    heads = ["posts", "prefilter", *MODES, "recall@10", "first ms", "peak MB"]
    return Table("Posts: search", heads, rows, note)


def slope(found: dict[int, Results]) -> Table:
    """What a million posts more costs, by a line through the sizes, and what the study's number would come to."""
    counts = np.array(sorted(found), np.float64) / 1e6
    curves = {
        "wall, s": [found[n]["add"]["wall"] for n in sorted(found)],
        "CPU, s": [found[n]["add"]["cpu"] for n in sorted(found)],
        "reader CPU, s": [found[n]["add"]["readers_cpu"] for n in sorted(found)],
        "disk, GB": [sum(found[n]["add"]["gb"].values()) for n in sorted(found)],
        "own memory, MB": [found[n]["add"]["own_mb"] for n in sorted(found)],
        "reader memory, MB": [found[n]["add"]["readers_mb"] for n in sorted(found)],
        "own + reader, MB": [found[n]["add"]["all_mb"] for n in sorted(found)],
        "cleaning alone, MB": [found[n]["clean"]["peak_mb"] - found[n]["clean"]["before_mb"] for n in sorted(found)],
    }
    rows: list[list[object]] = []
    for name, values in curves.items():
        rise, start = np.polyfit(counts, values, 1)
        steps_ = np.diff(values) / np.diff(counts)
        rows.append([name, *map(_short, (rise, steps_[0], steps_[-1], start + rise * WHOLE / 1e6))])
    note = f"A line through {len(found)} sizes; and the rise between the two smallest, and the two largest, of them."
    heads = ["what", "for a million posts", "between the smallest", "between the largest", f"at {WHOLE:,}, by the line"]
    return Table("Posts: the slope", heads, rows, note)


def _short(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
