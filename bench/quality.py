"""Does Rove find what the bare baselines find? Every set, every mode, the same documents, tokens and vectors."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from bench import baselines
from bench.metrics import CUT, Quality, measure, verdict
from bench.report import Table, say
from bench.sets import Cap, Doc, RetrievalSet, load, names
from bench.vectors import BareE5, use_remembered
from rove import Rove, Text
from rove.retrieve.same import apart

DEEP = 50
BM25, E5, RRF = "bare BM25", "bare E5", "bare RRF"
KEYWORD, SEMANTIC, HYBRID = "rove keyword", "rove semantic", "rove hybrid"
HYBRID_RRF, RERANKED = "rove hybrid, fusion rrf", "rove hybrid + rerank"
SAME_KIND = {KEYWORD: BM25, SEMANTIC: E5, HYBRID: RRF, HYBRID_RRF: RRF, RERANKED: RRF}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What every method reached on one set."""

    data: RetrievalSet
    by_method: dict[str, Quality]
    chunks: int
    seconds: float


def run(chosen: Iterable[str] | None, cap: Cap, *, threads: int, rerank: bool = True) -> list[Table]:
    """Measure the sets one after another."""
    bare, name = BareE5(threads), use_remembered()
    outcomes = []
    for set_name in chosen or names():
        data = load(set_name, cap)
        say(f"quality {set_name}: {len(data.docs)} documents, {len(data.queries)} queries, {data.kilobytes} kB")
        outcomes.append(compare(data, bare, {"name": name, "threads": threads}, rerank=rerank))
    return [summary(outcomes, cap), *(details(o) for o in outcomes)]


def compare(data: RetrievalSet, bare: BareE5, embedder: dict[str, object], *, rerank: bool) -> Outcome:
    """Run the baselines and Rove on one set."""
    started = time.perf_counter()
    keyword, semantic = baselines.bm25(data), baselines.dense(data, bare)
    runs = {BM25: keyword, E5: semantic, RRF: baselines.rrf(keyword, semantic)}
    with tempfile.TemporaryDirectory(prefix="rove-bench-") as folder:
        path = Path(folder) / "kb"
        with_default = Rove.open(path, embedder=embedder)
        chunks = add(with_default, data)
        runs[KEYWORD] = ask(with_default, data, mode="keyword", rerank=False)
        runs[SEMANTIC] = ask(with_default, data, mode="semantic", rerank=False)
        runs[HYBRID] = ask(with_default, data, mode="hybrid", rerank=False)
        if rerank:
            runs[RERANKED] = ask(with_default, data, mode="hybrid", rerank=True)
        with_default.close()
        with_rrf = Rove.open(path, embedder=embedder, search={"fusion": "rrf"})
        runs[HYBRID_RRF] = ask(with_rrf, data, mode="hybrid", rerank=False)
        with_rrf.close()
    measured = {method: measure(lists, data.gold) for method, lists in runs.items()}
    return Outcome(data, measured, chunks, time.perf_counter() - started)


def add(kb: Rove, data: RetrievalSet) -> int:
    """Put the documents in; every one must go in."""
    report = kb.add(*[Text(d.text, id=d.id, title=d.title, kind=kind(d)) for d in data.docs])
    if report.failed:
        message = f"{data.name}: {len(report.failed)} documents failed, first {report.failed[0]}"
        raise RuntimeError(message)
    return report.chunks


def kind(doc: Doc) -> str:
    """Markdown where the text has a markdown heading, else text.

    >>> kind(Doc("1", "", "# A\\nb")), kind(Doc("1", "", "A #1"))
    ('markdown', 'text')
    """
    lines = doc.text.splitlines()
    return "markdown" if any(line.startswith(("# ", "## ", "### ")) for line in lines) else "text"


def ask(kb: Rove, data: RetrievalSet, *, mode: str, rerank: bool) -> baselines.Lists:
    """Search every query; the document of each hit, first places only."""
    lists: baselines.Lists = {}
    for query, text in data.queries.items():
        hits = kb.search(text, top_k=DEEP, mode=mode, rerank=rerank)
        lists[query] = first_of_each(hit.chunk.document_id for hit in apart(hits))
    return lists


def first_of_each(documents: Iterable[str]) -> list[str]:
    """Documents in the order of their first chunk, cut at 10.

    >>> first_of_each(["a", "b", "a", "c"])
    ['a', 'b', 'c']
    """
    return list(dict.fromkeys(documents))[:CUT]


def summary(outcomes: list[Outcome], cap: Cap) -> Table:
    """One row per set: nDCG@10 of each kind beside its baseline."""
    ours = [m for m in SAME_KIND if m in outcomes[0].by_method]
    columns = ["set", "docs", "queries", "BM25", "E5", "RRF", *(m.removeprefix("rove ") for m in ours)]
    rows = []
    for o in outcomes:
        bare = [f"{o.by_method[m].ndcg:.3f}" for m in (BM25, E5, RRF)]
        rove = [marked(o, m, lambda q: q.ndcg) for m in ours]
        rows.append([o.data.name, len(o.data.docs), len(o.data.queries), *bare, *rove])
    means = [sum(o.by_method[m].ndcg for o in outcomes) / len(outcomes) for m in (BM25, E5, RRF, *ours)]
    rows.append(["mean", "", "", *(f"{m:.3f}" for m in means)])
    note = (
        f"Sets cut to {cap} (gold documents of the chosen queries kept, the rest by SHA-1 of the id), so numbers are "
        "higher than on the whole sets and compare only within this table. Mark: Rove against the bare baseline of "
        "its kind (keyword: bm25s over whole documents, Rove's tokens; semantic: the embedder over whole documents, "
        "brute force; hybrid: their RRF, k = 60): + better, = within 0.005, − worse. Rove's hits are chunks; the "
        "first chunk of a document stands for it. `a>b` are queries in one language over documents in another."
    )
    return Table("Quality: nDCG@10", columns, rows, note)


def marked(outcome: Outcome, method: str, number: Callable[[Quality], float]) -> str:
    """Rove's number and how it stands to its baseline's."""
    ours, baseline = number(outcome.by_method[method]), number(outcome.by_method[SAME_KIND[method]])
    return f"{ours:.3f} {verdict(ours, baseline)}"


def details(outcome: Outcome) -> Table:
    """All four numbers of one set."""
    rows = [
        [method, f"{q.ndcg:.3f}", f"{q.recall:.3f}", f"{q.mrr:.3f}", f"{q.all_found:.3f}"]
        for method, q in outcome.by_method.items()
    ]
    data = outcome.data
    note = (
        f"{len(data.docs)} documents ({data.language}, {data.kilobytes} kB, {outcome.chunks} chunks), "
        f"{len(data.queries)} queries ({data.query_language})."
    )
    return Table(f"Quality: {data.name}", ["method", "nDCG@10", "recall@10", "MRR@10", "all@10"], rows, note)
