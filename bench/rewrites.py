"""Mode "rewrite" beside "hybrid": questions as they are, and each with one slip of the fingers in its longest word."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from hashlib import sha1
from pathlib import Path

import regex

from bench.metrics import CUT, measure
from bench.quality import add, ask
from bench.report import Table, say
from bench.sets import Cap, load
from bench.vectors import use_remembered
from rove import Rove

SETS = ("xquad_en", "xquad_de", "xquad_es", "pgdocs", "lohelp_de", "jsquad", "cmrc2018_dev")
CAP = Cap(docs=1000, queries=200, kilobytes=500)
LEAST_LETTERS = 6
_WORD = regex.compile(r"\p{Latin}+")


def run() -> list[Table]:
    """Measure every set."""
    rows: list[list[object]] = []
    for name in SETS:
        data = load(name, CAP)
        say(f"rewrites {name}")
        slipped = {key: with_slip(text) for key, text in data.queries.items()}
        with_slips = replace(data, queries=slipped)
        with (
            tempfile.TemporaryDirectory(prefix="rove-bench-") as folder,
            Rove.open(Path(folder) / "kb", embedder={"name": use_remembered()}) as kb,
        ):
            add(kb, data)
            figures = [
                measure(ask(kb, asked, mode=mode, rerank=True), asked.gold).ndcg
                for asked in (data, with_slips)
                for mode in ("hybrid", "rewrite")
            ]
        count = sum(slipped[key] != text for key, text in data.queries.items())
        rows.append([name, len(data.queries), *figures[:2], count, *figures[2:]])
    columns = ["set", "questions", "hybrid", "rewrite", "with a slip", "hybrid", "rewrite"]
    return [Table(f"nDCG@{CUT}, without a chat model", columns, rows, "Two letters of the longest word are swapped.")]


def with_slip(question: str) -> str:
    """Swap two neighbouring letters within the longest word of Latin letters, if it has `LEAST_LETTERS`.

    >>> with_slip("Who approves it?")
    'Who aprpoves it?'
    """
    words = [match for match in _WORD.finditer(question) if len(match[0]) >= LEAST_LETTERS]
    if not words:
        return question
    longest = max(words, key=lambda match: len(match[0]))
    places = [n for n in range(longest.start() + 1, longest.end() - 2) if question[n] != question[n + 1]]
    if not places:
        return question
    at = places[sha1(question.encode(), usedforsecurity=False).digest()[0] % len(places)]
    return question[:at] + question[at + 1] + question[at] + question[at + 2 :]
