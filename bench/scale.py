"""Search time and recall at one size: `python -m bench.scale CHUNKS` prints JSON. A process of its own."""

from __future__ import annotations

import asyncio
import hashlib
import json
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from bench import CACHE, ROOT, clusters
from bench.process import peak_bytes
from rove import Rove, Text, field
from rove.language.words import terms
from rove.records import Chunk, Document
from rove.records.chunk import chunk_id
from rove.settings import Address, EmbedderSettings, StoreSettings
from rove.store.catalog import Prepared
from rove.store.store import Store

TOP_K = 10
WARM, MEASURED = 20, 200
BATCH = 10_000
KEPT_FROM = 100_001
ONE_PERCENT = 7


def fill(place: Path | Address, count: int) -> None:
    """Put `count` synthetic chunks in: straight into the store, since reading and cutting are not what is timed."""

    async def load() -> None:
        embedder = clusters.ClusterEmbedder(EmbedderSettings())
        fingerprint = embedder.fingerprint
        store = Store(place, model=str(fingerprint), dimension=fingerprint.dimension, settings=StoreSettings())
        for start in range(0, count, BATCH):
            texts = list(clusters.texts(start, min(BATCH, count - start)))
            vectors = await embedder.passages([text.text for text in texts])
            prepared = [prepare(text) for text in texts]
            await store.keep(prepared, dict(zip((t.id for t in texts), vectors, strict=True)), {})
        await store.optimize()
        await store.close()

    asyncio.run(load())


def prepare(text: Text) -> Prepared:
    """One text as one chunk; its vector goes by its id."""
    document = Document(text.id, text.id, "text", text.text, language="en", metadata=text.metadata)
    span = (0, len(text.text))
    chunk = Chunk(
        chunk_id(text.id, document.version, span, "text"), text.id, text.text, span, 0, language="en",
        metadata=document.metadata,
    )  # fmt: skip
    return Prepared(text.id, document.version, document, [chunk], [" ".join(terms(text.text, "en"))], [text.id])


def exact(count: int, queries: np.ndarray, *, filtered: bool) -> list[set[str]]:
    """Return the ids of the true top 10 of each query, block by block."""
    best = np.zeros((len(queries), 0), np.float32)
    ids = np.zeros((len(queries), 0), np.int64)
    for start in range(0, count, clusters.BLOCK):
        numbers = np.arange(start, min(start + clusters.BLOCK, count))
        if filtered:
            numbers = numbers[numbers % clusters.SLOTS == ONE_PERCENT]
        scores = queries @ clusters.block(start // clusters.BLOCK)[numbers % clusters.BLOCK].T
        best = np.concatenate([best, scores], axis=1)
        ids = np.concatenate([ids, np.broadcast_to(numbers, scores.shape)], axis=1)
        top = np.argsort(-best, axis=1, kind="stable")[:, :TOP_K]
        best, ids = np.take_along_axis(best, top, 1), np.take_along_axis(ids, top, 1)
    return [{f"n{n}" for n in row} for row in ids]


def timed(kb: Rove, claims: list[str], **options: object) -> tuple[dict[str, float], list[set[str]]]:
    """Search all claims; the milliseconds of each without its embedding, and what was found."""
    times, found = [], []
    for number, claim in enumerate(claims):
        embedding = clusters.ClusterEmbedder.seconds
        started = time.perf_counter()
        hits = kb.search(claim, top_k=TOP_K, rerank=False, **options)
        spent = time.perf_counter() - started - (clusters.ClusterEmbedder.seconds - embedding)
        found.append({hit.chunk.document_id for hit in hits})
        if number >= WARM:
            times.append(spent * 1000)
    return {"p50": float(np.percentile(times, 50)), "p95": float(np.percentile(times, 95))}, found


def recall(found: list[set[str]], true: list[set[str]]) -> float:
    """Share of the true neighbours that were found.

    >>> recall([{"a", "x"}], [{"a", "b"}])
    0.5
    """
    return sum(len(f & t) for f, t in zip(found, true, strict=True)) / sum(map(len, true))


def measure(count: int) -> dict[str, object]:
    """Open or make the knowledge base and measure every mode."""
    folder = place(count)
    ready = folder / "filled"
    kept = ready.is_file()
    if not kept:
        shutil.rmtree(folder, ignore_errors=True)
    started = time.perf_counter()
    if not kept:
        fill(folder / "kb", count)
    kb = Rove.open(folder / "kb", embedder={"name": clusters.register()})
    filled = time.perf_counter() - started - clusters.ClusterEmbedder.seconds
    fill_peak = peak_mb()
    claims = list(clusters.asked()[: WARM + MEASURED])
    vectors = clusters.query_vectors()[: len(claims)]
    result: dict[str, object] = {"chunks": count, "fill_seconds": None if kept else filled, "fill_peak_mb": fill_peak}
    few = field("slot") == ONE_PERCENT
    started = time.perf_counter()
    kb.search(claims[0], top_k=TOP_K, rerank=False)
    result["first_ms"] = (time.perf_counter() - started) * 1000
    result["keyword"], _ = timed(kb, claims, mode="keyword")
    result["hybrid"], _ = timed(kb, claims, mode="hybrid")
    result["hybrid 1 %"], _ = timed(kb, claims, mode="hybrid", where=few)
    result["semantic"], found = timed(kb, claims, mode="semantic")
    result["recall"] = recall(found, exact(count, vectors, filtered=False))
    result["semantic 1 %"], found = timed(kb, claims, mode="semantic", where=few)
    result["recall 1 %"] = recall(found, exact(count, vectors, filtered=True))
    result["peak_mb"] = peak_mb()
    kb.close()
    result["disk_bytes"] = sum(f.stat().st_size for f in folder.rglob("*") if f.is_file())
    finish(folder, ready, keep=count >= KEPT_FROM)
    return result


def place(count: int) -> Path:
    """Where the knowledge base lies; its name changes with Rove's code, so that an old one is never measured."""
    code = hashlib.sha1(usedforsecurity=False)
    for file in sorted((ROOT / "src" / "rove").rglob("*.py")):
        if file.parent.name in {"store", "records", "chunk", "language"}:
            code.update(file.read_bytes())
    return CACHE / f"scale-{count}-{code.hexdigest()[:10]}"


def finish(folder: Path, ready: Path, *, keep: bool) -> None:
    """Keep what was long in the making, and only the newest of it."""
    if not keep:
        shutil.rmtree(folder)
        return
    ready.touch()
    for old in folder.parent.glob(f"{folder.name.rpartition('-')[0]}-*"):
        if old != folder:
            shutil.rmtree(old)


def peak_mb() -> float:
    """Most memory that this process ever held."""
    return peak_bytes() / 2**20


def run_quietly(job: Callable[[], dict[str, object]]) -> None:
    """Print the result as the last line."""
    print(json.dumps(job()))


if __name__ == "__main__":
    run_quietly(lambda: measure(int(sys.argv[1])))
