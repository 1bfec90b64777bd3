"""The steps of the posts, each a process of its own: `python -m bench.posts.steps STEP FOLDER …` prints JSON.

`clean`: the file is read and cleaned, and its posts made documents and chunks, here and alone. `add`: the whole way in,
as a user would. `search`: the questions, in every mode and under every prefilter.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import resource
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from bench.posts import REAL
from bench.posts.meter import Meter, status
from rove import Rove, field
from rove.chunk import CutSettings
from rove.engine import AsyncRove
from rove.language.words import terms
from rove.load.posts.clean import clean_posts
from rove.load.posts.loader import Trouble, parquet_batches, post_documents
from rove.prepare import Preparer, Recipe
from rove.records import Filter, Source
from rove.settings.presets import PRESETS
from rove.tracing import watched

POSTS, BASE = "posts.parquet", "kb"
Timed = tuple[list[float], float, list[list[str]]]
SIZES = (512, 256, 128)
DEPTH = 10
ASKED, ROUNDS = 100, 2
TITLE_CHARS = 30
PREPARED = 5_000
MB = 1_000_000
NO_SHORT = field("is_short_question") == False  # noqa: E712 - a word of the query language
NO_SUBMISSION = field("is_submission") == False  # noqa: E712
FILTERS: dict[str, Filter | None] = {
    "all posts": None,
    "no short questions": NO_SHORT,
    "no submissions": NO_SUBMISSION,
    "neither": NO_SHORT & NO_SUBMISSION,
}
MODES = ("keyword", "semantic", "hybrid")


@dataclass(frozen=True, slots=True)
class Way:
    """How the posts are taken in: the folder of the step's files, the embedder's name, the chunks' size."""

    folder: Path
    embedder: str
    size: int

    @property
    def base(self) -> Path:
        """The folder of the base."""
        return self.folder / f"{BASE}-{self.embedder}-{self.size}"

    def settings(self) -> dict[str, Any]:
        """What the base is opened with: recursive cutting with an overlap of 20 %, as in the study."""
        chunk = {"strategy": {"posts": "recursive"}, "size_chars": self.size, "overlap_chars": self.size // 5}
        chunk["prefix"] = "subreddit"
        return {
            "embedder": {"name": self.embedder},
            "chunk": chunk,
            "load": PRESETS["pawsitive"]["load"],
            "search": {"deduplicate": "off"},
        }


def clean(way: Way) -> dict[str, Any]:
    """Clean the whole file; make documents of it, and chunks of each size of the first of them."""
    source = Source("posts", POSTS, (way.folder / POSTS).read_bytes(), "posts")
    read = parquet_batches(source)
    before, began, cpu = status_mb(), time.perf_counter(), time.process_time()
    cleaned = clean_posts(read(Trouble()))
    found: dict[str, Any] = {
        "wall": time.perf_counter() - began,
        "cpu": time.process_time() - cpu,
        "posts": len(cleaned.fates),
        "kept": int(cleaned.kept.sum()),
        "said": cleaned.summary(),
        "file_mb": len(source.data) / MB,
        "peak_mb": peak_mb(),
        "before_mb": before,
    }
    del cleaned
    return found | {"cut": {str(size): _cut(source, read, size) for size in SIZES}}


def _cut(source: Source, read: Callable[[Trouble], Iterator[Any]], size: int) -> dict[str, float]:
    """Prepare the first documents: what the reading process does for each, but for cleaning."""
    recipe = Recipe("fake", "", cut=CutSettings(size, size // 5), prefix="subreddit", strategy={"posts": "recursive"})
    preparer = Preparer(recipe)
    documents = list(islice(post_documents(source, read), PREPARED))
    cpu = time.process_time()
    chunks = sum(len(preparer.prepare(document, "posts").chunks) for document in documents)
    return {"cpu_us": (time.process_time() - cpu) / len(documents) * 1e6, "chunks": chunks / len(documents)}


def add(way: Way) -> dict[str, Any]:
    """Take them in."""
    meter = Meter(way.folder / f"{way.base.name}.meter.json")
    stages = Counter[str]()

    def note(name: str, seconds: float) -> None:
        stages[name] += seconds

    with Rove.open(way.base, **way.settings()) as kb, meter, watched(note):
        report = kb.add(way.folder / POSTS)
    failed = [f"{entry.outcome}: {entry.reason} {entry.cure}" for entry in report.failed]
    return {
        **meter.spent,
        **{f"{name}_mb": value for name, value in meter.peaks.items()},
        "rss_at_the_end_mb": status_mb(),
        "documents": report.documents,
        "chunks": report.chunks,
        "duplicates": len(report.duplicates),
        "embed": report.embed_seconds,
        "stages": dict(stages),
        "failed": failed,
        "gb": parts_of(way.base),
    }


def parts_of(base: Path) -> dict[str, float]:
    """GB by part of a base."""
    parts = Counter[str]()
    for file in base.rglob("*"):
        if file.is_file():
            parts[file.relative_to(base).parts[0]] += file.stat().st_size
    return {name: size / 1e9 for name, size in parts.items()}


def search(way: Way) -> dict[str, Any]:
    """Ask everything; ms of a search, and recall@10 of the search by meaning against all vectors compared."""
    asked = questions()
    found: dict[str, Any] = {"questions": len(asked)}
    ids: dict[str, list[list[str]]] = {}
    with Rove.open(way.base, **way.settings()) as kb:
        began = time.perf_counter()
        kb.search(asked[0], mode="hybrid")
        found["first_ms"] = 1000 * (time.perf_counter() - began)
        for mode in MODES:
            for name, where in FILTERS.items():
                times, cpu, ids_of = timed(kb, asked, mode, where)
                found[f"{mode}, {name}"] = {
                    "p50": float(np.percentile(times, 50)),
                    "p95": float(np.percentile(times, 95)),
                    "cpu": cpu,
                }
                if mode == "semantic":
                    ids[name] = ids_of
        found["rss_mb"], found["own_mb"] = status_mb(), status_mb("RssAnon")
    found["peak_mb"] = peak_mb()
    found["recall"] = asyncio.run(recalls(way, asked, ids))
    return found


def timed(kb: Rove, asked: Sequence[str], mode: str, where: Filter | None) -> Timed:
    """Ask all, twice; the milliseconds of each the second time, the CPU milliseconds of one, and the chunks found."""
    times: list[float] = []
    ids: list[list[str]] = []
    for turn in range(ROUNDS):
        times, ids, cpu = [], [], time.process_time()
        for question in asked:
            began = time.perf_counter()
            hits = kb.search(question, top_k=DEPTH, mode=mode, where=where, rerank=False)
            times.append(1000 * (time.perf_counter() - began))
            ids.append([hit.chunk.chunk_id for hit in hits])
        spent = 1000 * (time.process_time() - cpu) / len(asked)
        del turn
    return times, spent, ids


async def recalls(way: Way, asked: Sequence[str], ids: dict[str, list[list[str]]]) -> dict[str, float]:
    """The share of the hits that are as near as the tenth nearest of all, by every prefilter.

    Many posts say the same, so that which of equally near ones are found does not matter.
    """
    kb = AsyncRove.open(way.base, **way.settings())
    vectors = np.asarray(await kb.embedder.queries(list(asked)), np.float32)
    wanted = {chunk_id for lists in ids.values() for found in lists for chunk_id in found}
    best = {name: np.full((len(asked), DEPTH), -1.0, np.float32) for name in FILTERS}
    near: dict[str, Any] = {}
    for rows in kb.store.catalog.index_rows():
        scores = vectors @ np.stack([row.vector for row in rows]).T
        near |= {row.chunk_id: scores[:, at] for at, row in enumerate(rows) if row.chunk_id in wanted}
        short = np.array([bool(row.fields["is_short_question"]) for row in rows])
        submission = np.array([bool(row.fields["is_submission"]) for row in rows])
        passing = dict(zip(FILTERS, (~np.zeros_like(short), ~short, ~submission, ~short & ~submission), strict=True))
        for name, passes in passing.items():
            together = np.concatenate([best[name], scores[:, passes]], axis=1)
            best[name] = -np.sort(-together, axis=1)[:, :DEPTH]
    await kb.close()
    return {name: fmean(_recall(ids[name], near, best[name])) for name in FILTERS}


def _recall(ids: Sequence[Sequence[str]], near: dict[str, Any], best: np.ndarray) -> Iterator[float]:
    for number, found in enumerate(ids):
        least = best[number, -1] - 1e-4  # vectors are kept in 16 bits
        yield sum(float(near[chunk_id][number]) >= least for chunk_id in found) / DEPTH


def questions(count: int = ASKED) -> list[str]:
    """The study's questions, and titles of real submissions that have some words: so many in all."""
    asked = sorted(set(pq.read_table(REAL / "published_scores.parquet")["query"].to_pylist()))
    titles = pq.read_table(REAL / "posts.parquet")["reddit_title"].to_pylist()
    long = sorted({title for title in titles if title and len(title) > TITLE_CHARS and terms(title, "en")})
    left = count - len(asked)
    return asked + long[:: max(1, len(long) // left)][:left]


def status_mb(name: str = "VmRSS") -> float:
    """What this process holds now."""
    return status(os.getpid())[name]


def peak_mb() -> float:
    """The most that this process ever held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1_024 / MB


STEPS: dict[str, Callable[[Way], dict[str, Any]]] = {"clean": clean, "add": add, "search": search}


if __name__ == "__main__":
    made = argparse.ArgumentParser()
    made.add_argument("step", choices=STEPS)
    made.add_argument("folder", type=Path)
    made.add_argument("--embedder", default="static")
    made.add_argument("--size", type=int, default=SIZES[0])
    options = made.parse_args()
    print(json.dumps(STEPS[options.step](Way(options.folder, options.embedder, options.size))))
