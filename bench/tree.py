"""What mode "tree" finds beside "hybrid": all below a heading that is asked for; and questions that name none."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from bench.metrics import CUT, measure
from bench.quality import add, ask
from bench.report import Table, say
from bench.sets import Cap, load
from bench.vectors import use_remembered
from rove import Rove

SETS = ("pgdocs", "lohelp_en", "lohelp_de", "xquad_en", "jsquad")
CAP = Cap(docs=1500, queries=300, kilobytes=600)
BELOW = (3, CUT)
"""Sections of so many chunks, from and to, are asked for."""
MODES = ("hybrid", "tree")


def run() -> list[Table]:
    """Measure every set."""
    sections: list[list[object]] = []
    questions: list[list[object]] = []
    for name in SETS:
        data = load(name, CAP)
        say(f"tree {name}")
        with (
            tempfile.TemporaryDirectory(prefix="rove-bench-") as folder,
            Rove.open(Path(folder) / "kb", embedder={"name": use_remembered()}) as kb,
        ):
            add(kb, data)
            asked = list(_sections(kb))
            if asked:
                sections.append([name, len(asked), *(_share_found(kb, asked, mode) for mode in MODES)])
            runs = [measure(ask(kb, data, mode=mode, rerank=True), data.gold).ndcg for mode in MODES]
            questions.append([name, len(data.queries), *runs])
    return [
        Table(
            f"Sections: share of the chunks below a heading among the first {CUT} hits",
            ["set", "sections", *MODES],
            sections,
            f"Asked is the heading, with the one above it; sections of {BELOW[0]} to {BELOW[1]} chunks.",
        ),
        Table(
            f"Questions of the sets: nDCG@{CUT}",
            ["set", "questions", *MODES],
            questions,
            'Few of these name a heading: there "tree" is to be "hybrid".',
        ),
    ]


def _sections(kb: Rove) -> Iterator[tuple[str, set[str]]]:
    """Yield what is asked for each section, and the chunks below it."""
    below: defaultdict[tuple[str, tuple[str, ...]], set[str]] = defaultdict(set)
    for document in kb.documents():
        for chunk in kb.document(document.document_id)[1]:
            for depth in range(1, len(chunk.headings) + 1):
                below[document.document_id, chunk.headings[:depth]].add(chunk.chunk_id)
    for (_, path), chunks in below.items():
        if BELOW[0] <= len(chunks) <= BELOW[1]:
            yield " ".join(path[-2:]), chunks


def _share_found(kb: Rove, asked: list[tuple[str, set[str]]], mode: str) -> float:
    shares = []
    for question, chunks in asked:
        hits = kb.search(question, top_k=CUT, mode=mode, rerank=True)
        shares.append(len(chunks & {hit.chunk.chunk_id for hit in hits}) / len(chunks))
    return sum(shares) / len(shares)
