"""Indexes of vectors at size: the study's IVF-PQ, IVF-SQ as Rove sets it, and Rove's own; recall, ms, bytes.

`python -m bench.ivf WHICH VECTORS` measures one, in a process of its own, and prints JSON.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bench import CACHE, clusters
from bench.posts.steps import SIZES, Way, questions
from bench.process import measured, peak_bytes
from bench.report import Table, say
from rove.engine import AsyncRove
from rove.settings import StoreSettings
from rove.settings.presets import PRESETS
from rove.store import IndexRow, VectorIndex
from rove.store.lance import LanceIndex
from rove.store.memory_index import MemoryIndex
from rove.store.nearest import PARTITIONED_FROM
from rove.store.snapshot import read_snapshot, write_snapshot

COUNT = 500_000
BATCH = 10_000
WARM, ASKED = 20, 200
LIMITS = (50, 10)
DEEPEST = max(LIMITS)
OTHERWISE = 4
"""Numbers to a sub-vector where 96 do not divide the dimension: as many as 96 would give vectors of 384."""
PUBLISHED = StoreSettings(**PRESETS["pawsitive"]["store"])
SETTINGS: dict[str, tuple[str, StoreSettings]] = {
    "pq": ("LanceDB, IVF-PQ by the published numbers", PUBLISHED),
    "sq": ("LanceDB, IVF-SQ, Rove's settings", StoreSettings()),
    "own": ("Rove's own", StoreSettings()),
}


def run(counts: Sequence[int] = (COUNT,), embedder: str = "static") -> list[Table]:
    """Synthetic vectors of each size, and those of the bases that `python -m bench posts --keep` has left."""
    made = {f"{count:,} synthetic ones": f"clusters/{count}" for count in counts if count}
    for base in sorted((CACHE / "posts").glob(f"*/kb-{embedder}-{SIZES[0]}")):
        made[f"the chunks of {int(base.parent.name):,} posts"] = f"{base.parent.name}/{embedder}"
    return [_table(title, vectors) for title, vectors in made.items()]


def _table(title: str, vectors: str) -> Table:
    rows: list[list[object]] = []
    for which, (name, _) in SETTINGS.items():
        say(f"ivf {vectors} {name}")
        one = _once(which, vectors)
        for limit in LIMITS:
            asked = one[str(limit)]
            recalls = [f"{asked['recall@10']:.3f}", f"{asked[f'recall@{limit}']:.3f}" if limit > 10 else ""]
            times = [f"{asked['p50']:.1f} / {asked['p95']:.1f}", f"{asked['cpu']:.1f}"]
            cost = [f"{one['build_cpu_s']:.0f}", f"{one['index_bytes']:.0f}", f"{one['bytes']:.0f}"]
            rows.append([name, limit, *recalls, *times, *(cost if limit == LIMITS[0] else [""] * 3), one["peak_mb"]])
    note = (
        f"{one['rows']:,} vectors of {one['dimension']} numbers, {ASKED} questions after {WARM} to warm up. Published: "
        "cosine, 1024 partitions, 96 sub-vectors, nprobes 20, refine factor 10, limit 50 (where 96 does not divide the "
        "dimension: sub-vectors of four numbers). Recall against all vectors compared. ms: by the clock, and CPU of "
        "all threads, which is what compares where other work holds the machine. Build: CPU seconds of the index. "
        "Bytes a vector: the index's own, and with the vectors that it refines from. Rove's own compares the upper 8 "
        f"bits of all vectors, from {PARTITIONED_FROM:,} on those of likely partitions, then 16 of the nearest."
    )
    heads = ["index", "limit", "recall@10", "recall@50", "p50 / p95 ms", "CPU ms", "build CPU s", "index B", "all B"]
    return Table(f"Indexes of vectors: {title}", [*heads, "peak MB"], rows, note)


def _once(which: str, vectors: str) -> dict[str, Any]:
    """Measure, or take what an earlier run has kept."""
    kept = CACHE / "ivf" / f"{which}-{vectors.replace('/', '-')}.json"
    kept.parent.mkdir(parents=True, exist_ok=True)
    if not kept.is_file():
        kept.write_text(json.dumps(measured([sys.executable, "-m", "bench.ivf", which, vectors])), "ascii")
    return json.loads(kept.read_text("ascii"))


def vectors_of(name: str) -> tuple[np.ndarray, np.ndarray]:
    """All vectors, (n, dimension), and those of the questions."""
    source, _, rest = name.partition("/")
    if source == "clusters":
        blocks = range(-(-int(rest) // clusters.BLOCK))
        vectors = np.concatenate([clusters.block(n) for n in blocks])[: int(rest)]
        return vectors, clusters.query_vectors()[: WARM + ASKED]
    return asyncio.run(_kept(Way(CACHE / "posts" / source, rest, SIZES[0])))


async def _kept(way: Way) -> tuple[np.ndarray, np.ndarray]:
    """The vectors of a base, and of questions: those of the search of posts, and the first of its posts' titles."""
    kb = AsyncRove.open(way.base, **way.settings())
    rows = [np.stack([row.vector for row in part]).astype(np.float32) for part in kb.store.catalog.index_rows()]
    asked = await kb.embedder.queries(questions(WARM + ASKED))
    await kb.close()
    return np.concatenate(rows), np.asarray(asked, np.float32)


def exact(vectors: np.ndarray, asked: np.ndarray) -> np.ndarray:
    """The scores of the nearest of each question, (n, DEEPEST), best first."""
    best = np.full((len(asked), DEEPEST), -1.0, np.float32)
    for start in range(0, len(vectors), BATCH):
        together = np.concatenate([best, asked @ vectors[start : start + BATCH].T], axis=1)
        best = -np.sort(-together, axis=1)[:, :DEEPEST]
    return best


def rows_of(vectors: np.ndarray) -> Iterator[list[IndexRow]]:
    """As an index takes them."""
    for start in range(0, len(vectors), BATCH):
        yield [IndexRow(f"{start + n:08d}", "", vector, {}) for n, vector in enumerate(vectors[start : start + BATCH])]


async def measure(which: str, vectors: np.ndarray, asked: np.ndarray) -> dict[str, Any]:
    """Fill one index and ask it."""
    nearest = exact(vectors, asked)
    found: dict[str, Any] = {"rows": len(vectors), "dimension": vectors.shape[1]}
    with tempfile.TemporaryDirectory(prefix="rove-bench-", dir=CACHE) as place:
        folder = Path(place)
        filling = _own(folder, vectors) if which == "own" else _lance(folder, vectors, SETTINGS[which][1])
        index, costs = await filling
        found |= costs
        for limit in LIMITS:
            found[str(limit)] = await _asked(index, vectors, asked, nearest, limit)
        await index.close()
    found["peak_mb"] = peak_bytes() / 1e6
    return found


async def _lance(folder: Path, vectors: np.ndarray, settings: StoreSettings) -> tuple[VectorIndex, dict[str, float]]:
    if settings.num_sub_vectors and vectors.shape[1] % settings.num_sub_vectors:
        settings = settings.model_copy(update={"num_sub_vectors": vectors.shape[1] // OTHERWISE})
    index = LanceIndex(folder=folder, dimension=vectors.shape[1], settings=settings)
    for rows in rows_of(vectors):
        await index.add(rows, fresh=True)
    cpu = time.process_time()
    await index.optimize()
    spent = time.process_time() - cpu
    return index, {"build_cpu_s": spent, **_sizes(folder, len(vectors))}


def _sizes(folder: Path, count: int) -> dict[str, float]:
    files = {file: file.stat().st_size for file in folder.rglob("*") if file.is_file()}
    inside = sum(size for file, size in files.items() if "_indices" in file.parts)
    return {"index_bytes": inside / count, "bytes": sum(files.values()) / count}


async def _own(folder: Path, vectors: np.ndarray) -> tuple[VectorIndex, dict[str, float]]:
    """As a base has it: a snapshot that is written, and mapped."""
    made = MemoryIndex(dimension=vectors.shape[1])
    for rows in rows_of(vectors):
        made.extend(rows)
    cpu = time.process_time()
    mark = write_snapshot(folder, made.packed(1))
    spent = time.process_time() - cpu
    kept = read_snapshot(folder, mark)
    if kept is None:
        message = "The snapshot cannot be read."
        raise RuntimeError(message)
    index = MemoryIndex(dimension=vectors.shape[1])
    index.restore(kept)
    held = ("upper", "lower", "exponents")
    sizes = {name: array.nbytes for name, array in kept.arrays.items()}
    inside = sum(sizes.get(name, 0) for name in ("centres", "starts_of_partitions", "order", "axes"))
    whole = inside + sum(sizes[name] for name in held)
    return index, {"build_cpu_s": spent, "index_bytes": inside / len(vectors), "bytes": whole / len(vectors)}


async def _asked(
    index: VectorIndex, vectors: np.ndarray, asked: np.ndarray, nearest: np.ndarray, limit: int
) -> dict[str, float]:
    times: list[float] = []
    shares: dict[str, list[float]] = {f"recall@{cut}": [] for cut in LIMITS if cut <= limit}
    cpu = 0.0
    for number, question in enumerate(asked):
        if number == WARM:
            cpu = time.process_time()
        began = time.perf_counter()
        hits = await index.semantic(question, top_k=limit)
        times.append(1000 * (time.perf_counter() - began))
        scores = vectors[[int(chunk_id) for chunk_id, _ in hits]] @ question
        for cut in LIMITS:
            if cut <= limit:
                least = nearest[number, cut - 1] - 1e-4
                shares[f"recall@{cut}"].append(float((scores[:cut] >= least).sum()) / cut)
    spent = 1000 * (time.process_time() - cpu) / (len(asked) - WARM)
    p50, p95 = np.percentile(times[WARM:], [50, 95]).tolist()
    return {"p50": p50, "p95": p95, "cpu": spent, **{name: float(np.mean(each)) for name, each in shares.items()}}


if __name__ == "__main__":
    made = argparse.ArgumentParser()
    made.add_argument("which", choices=SETTINGS)
    made.add_argument("vectors")
    options = made.parse_args()
    print(json.dumps(asyncio.run(measure(options.which, *vectors_of(options.vectors)))))
