"""The graph of knowledge: how often its triplets are right, and what mode "graph" finds beside "hybrid" and "walk"."""

from __future__ import annotations

import json
import tempfile
import time
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path
from typing import Any

from bench.chains import chained
from bench.metrics import measure
from bench.quality import first_of_each
from bench.report import Table, say
from bench.sets import Cap, RetrievalSet, load
from bench.vectors import use_remembered
from bench.walk import CHAINS, MULTI, WHOLE, opened
from rove import Rove
from rove.enrich.triplets import triplets_in
from rove.records.chunk import Chunk
from rove.retrieve.same import apart

MODES = ("hybrid", "walk", "graph")
EVERYTHING = Cap(1_000_000, 1, 1_000_000)
JUDGED = Path(__file__).with_name("triplets.jsonl")
"""Triplets that a person has judged: the set, the document, the triplet, and whether the document says so."""


def run() -> list[Table]:
    """Measure both."""
    return [exactness(), found()]


def exactness() -> Table:
    """Of the judged triplets, those that today's rules still find: how many are right."""
    judged = [json.loads(line) for line in JUDGED.read_text("utf-8").splitlines()]
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for one in judged:
        today = _triplets(one["set"], one["id"])
        state = "gone" if (one["subject"], one["predicate"], one["object"]) not in today else "found"
        counts[one["language"]][f"{state} {'right' if one['right'] else 'wrong'}"] += 1
    rows: list[list[object]] = []
    for language, count in counts.items():
        drawn = sum(count.values())
        right, wrong = count["found right"], count["found wrong"]
        first = f"{(right + count['gone right']) / drawn:.2f}"
        rows.append([language, drawn, first, right + wrong, f"{right / max(right + wrong, 1):.2f}"])
    note = (
        f"{len(judged)} triplets, drawn at random and judged by hand: right is one of which the document says just "
        "this, of this subject, with a whole phrase as its object. A draw before this one told what to mend, and so "
        "did this one afterwards: `right as drawn` is the figure; what is still found is no longer unseen."
    )
    columns = ["language", "judged", "right as drawn", "still found", "of these right"]
    return Table("Triplets: are they right?", columns, rows, note)


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


@cache
def _documents(name: str) -> dict[str, Any]:
    return {doc.id: doc for doc in load(name, EVERYTHING).docs}


@cache
def _triplets(name: str, document_id: str) -> frozenset[tuple[str, str, str]]:
    """What today's rules find in a document as a whole."""
    document = _documents(name)[document_id]
    language = load(name, EVERYTHING).language
    chunk = Chunk(document_id, document_id, document.text, (0, len(document.text)), 0, language=language)
    return frozenset((one.subject, one.predicate, one.object) for one in triplets_in(chunk, document.title))
