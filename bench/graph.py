"""The graph of knowledge: what it finds in prose, and what mode "graph" finds beside "hybrid" and "walk"."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from bench.chains import chained
from bench.metrics import measure
from bench.prose import prose
from bench.quality import first_of_each
from bench.report import Table, say
from bench.sets import RetrievalSet, load
from bench.vectors import use_remembered
from bench.walk import CHAINS, MULTI, WHOLE, opened
from rove import Rove
from rove.retrieve.same import apart

MODES = ("hybrid", "walk", "graph")


def run() -> list[Table]:
    """Measure both."""
    return [prose(), found()]


def found() -> Table:
    """Questions of several hops in each mode."""
    data = load(MULTI, WHOLE)
    sets = {data.name: data}
    for titled, hops in CHAINS:
        name = f"{hops} hops, {'by title' if titled else 'by other names'}"
        sets[name] = chained(data, hops, titled=titled)
    rows: list[list[object]] = []
    with tempfile.TemporaryDirectory(prefix="rove-bench-") as folder:
        kb = opened(Path(folder) / "kb", data, use_remembered())
        started = time.process_time()
        kb.enrich("graph")
        spent, (triplets, documents) = time.process_time() - started, kb.graph_size()
        for name, one in sets.items():
            say(f"graph {name}")
            rows += [[name, len(one.queries), mode, *measured(kb, one, mode)] for mode in MODES]
        kb.close()
    note = (
        f"{triplets:,} triplets of {documents:,} of {len(data.docs):,} documents, in {spent:.1f} s of processor time. "
        "Chains: made by `bench.chains`; recall@5 and all@10 count every document of a chain. "
        "CPU ms: of a question, its embedding by the packaged model included."
    )
    columns = ["set", "questions", "mode", "recall@5", "all@10", "nDCG@10", "CPU ms"]
    return Table("Questions of several hops", columns, rows, note)


def measured(kb: Rove, data: RetrievalSet, mode: str) -> list[object]:
    """Recall@5, all@10, nDCG@10 and the CPU ms of a question of a mode, as they are shown."""
    kb.search("warm", mode=mode)
    lists: dict[str, list[str]] = {}
    started = time.process_time()
    for query, text in data.queries.items():
        lists[query] = first_of_each(hit.chunk.document_id for hit in apart(kb.search(text, top_k=10, mode=mode)))
    spent = (time.process_time() - started) / len(lists) * 1_000
    recall = sum(len({*lists[q][:5]} & {*gold}) / len(gold) for q, gold in data.gold.items()) / len(data.gold)
    quality = measure(lists, data.gold)
    return [f"{recall:.3f}", f"{quality.all_found:.2f}", f"{quality.ndcg:.3f}", f"{spent:.0f}"]
