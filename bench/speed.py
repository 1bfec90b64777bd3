"""What Rove costs beside its models: ingest, search at several sizes, start, memory, disk."""

from __future__ import annotations

import sys
from functools import cache

from bench import peers, start, workload
from bench.process import ChildError, measured
from bench.report import Table, say

SIZES = (5_000, 10_000, 100_000)
LARGE = 1_000_000
CHUNKS = 5_000
EMBEDDED = 150
ROUNDS = 3
FOOTPRINTS = (5_000, 20_000)
MODES = ("keyword", "semantic", "hybrid", "semantic 1 %", "hybrid 1 %")


def run(*, large: bool, with_peers: bool, sizes: tuple[int, ...] = SIZES) -> list[Table]:
    """Measure everything, each in its own process; what fails says so in its table and does not stop the rest."""
    parts = [
        lambda: peers.run(CHUNKS, ROUNDS, with_peers=with_peers),
        embedding,
        ingest,
        lambda: search((*sizes, LARGE) if large else sizes),
        footprint,
        start.run,
    ]
    return [part_or_reason(part) for part in parts]


def part_or_reason(part) -> Table:
    """Run one part; its failure is a table too."""
    try:
        return part()
    except ChildError as error:
        return Table("Not measured", ["why"], [[str(error)]])


@cache
def embedded() -> dict[str, float]:
    """What `bench.embedding` measured; once."""
    say(f"embedding {EMBEDDED} chunks, {ROUNDS} rounds")
    return measured([sys.executable, "-m", "bench.embedding", str(EMBEDDED), str(ROUNDS)])


def embedding() -> Table:
    """The fast runtime beside the package's own engine."""
    got = embedded()
    times = [f"{got[name] * 1000:.0f}" for name in ("engine_cpu", "fast_cpu")]
    cosines = [f"{got[name]:.4f}" for name in ("cosine_mean", "cosine_least")]
    rows = [[*times, got["engine_cpu"] / got["fast_cpu"], *cosines, f"{got['query_ms']:.1f}"]]
    columns = ["engine, CPU ms a passage", "fast, CPU ms a passage", "×", "cosine, mean", "least", "question, ms p50"]
    note = "multilingual-e5-small on one thread: its package's engine and Rove's runtime, the same texts in one run."
    return Table("The packaged embedder", columns, rows, note)


def ingest() -> Table:
    """Ingest with the packaged embedder over the embedder alone."""
    got = embedded()
    rows = [[got["chunks"], got["bare_seconds"], got["rove_seconds"], got["rove_embed_seconds"], got["ratio"]]]
    columns = ["chunks per round", "bare E5 s", "Rove.add s", "of which embedding s", "Rove ÷ bare"]
    note = f"The fast runtime on one thread, the same texts, in turn, {ROUNDS} rounds of other texts; medians."
    return Table("Ingest with the packaged embedder", columns, rows, note)


def search(sizes: tuple[int, ...]) -> Table:
    """Search time without the query's embedding, and recall against exact search."""
    rows = []
    for size in sizes:
        say(f"search at {size} chunks")
        try:
            got = measured([sys.executable, "-m", "bench.scale", str(size)], timeout_s=7200)
        except ChildError as error:
            rows.append([size, f"failed: {error}", *[""] * (len(MODES) + 6)])
            continue
        times = [f"{got[mode]['p50']:.1f} / {got[mode]['p95']:.1f}" for mode in MODES]
        recalls = [f"{got['recall']:.3f}", f"{got['recall 1 %']:.3f}"]
        fill = "kept" if got["fill_seconds"] is None else f"{got['fill_seconds']:.1f}"
        disk = round(got["disk_bytes"] / size)
        rows.append([size, fill, *times, *recalls, got["first_ms"], round(got["peak_mb"]), disk])
    modes = [f"{mode} p50 / p95 ms" for mode in MODES]
    columns = ["chunks", "fill s", *modes, "recall@10", "recall@10, 1 %", "first ms", "peak MB", "disk B/chunk"]
    note = (
        "Synthetic chunks: vectors in 2,000 clusters of uneven size, words as frequent as in real abstracts, queries "
        "are real claims; one search after another through the blocking face, the query's embedding taken off, top 10, "
        "200 queries after 20 to warm up. “1 %”: under a filter that keeps one chunk in a hundred. Recall is "
        "that of semantic search against all vectors compared. First: the first search after opening or filling. "
        "Fill: own time of Rove.add. Peak memory is of the process that filled and searched, the synthetic data's own "
        "about 80 MB included."
    )
    return Table("Search", columns, rows, note)


def footprint() -> Table:
    """Peak memory and disk of an ingest."""
    rows = []
    for size in FOOTPRINTS:
        say(f"footprint of {size} chunks")
        got = measured([sys.executable, "-m", "bench.footprint", str(workload.write(size))])
        own = got["seconds"] - got["embed_seconds"]
        rows.append(
            [
                got["chunks"],
                got["failed"],
                own,
                round(got["before_mb"]),
                round(got["peak_mb"]),
                round(got["disk_bytes"]),
                round(got["text_bytes"]),
            ]
        )
    columns = ["chunks", "failed", "own ingest s", "before MB", "peak MB", "disk B/chunk", "text B/chunk"]
    note = "Hash embedder (1,536 bytes a vector), real texts, one call of add; before: all loaded, one chunk in."
    return Table("Memory and disk of an ingest", columns, rows, note)
