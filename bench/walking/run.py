"""Walks over the corpora of a half: did each arrive, cited, in how many rounds, with how much work?"""

from __future__ import annotations

import re
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.report import Table, say
from bench.walking.files import HALVES, Corpus, corpora
from rove import Rove

NOTES = {
    "held": "Not looked at until the third and fourth set were there.",
    "late": "Of other languages, fields and layouts than the halves before; seen since the fourth was written.",
    "fourth": "By one who had not seen the walker, of longer documents; every second corpus was looked at since.",
    "fifth": "By one who had not seen the walker either; only counted, but the counts chose between two variants.",
}


@dataclass(frozen=True, slots=True)
class Arrival:
    """How a walk went. `cited`: a citation holds the gold. `misled`: its short answer does not."""

    corpus: Corpus
    right: bool
    cited: bool
    refused: bool
    misled: bool
    rounds: int
    calls: int
    cpu_s: float


def run(halves: Iterable[str] = HALVES) -> list[Table]:
    """Walk each half twice: every corpus by itself, and all in one base."""
    tables: list[Table] = []
    for half in halves:
        for together in (False, True):
            say(f"walking {half}{' together' if together else ''}")
            tables.append(_table(half, list(walked(corpora(half), together=together)), together=together))
    return tables


def walked(chosen: Sequence[Corpus], *, together: bool) -> Iterable[Arrival]:
    """Yield how each walk went, without a chat model."""
    with tempfile.TemporaryDirectory(prefix="rove-bench-") as folder:
        for corpus in chosen:
            base, files = (Path(folder) / f"{name}-{'all' if together else corpus.name}" for name in ("base", "files"))
            new = not base.exists()
            with Rove.open(base, walk={"memory": False}) as kb:
                if new:
                    for one in chosen if together else [corpus]:
                        one.write(files / one.name)
                    kb.add(str(files))
                yield _arrival(kb, corpus)


def _arrival(kb: Rove, corpus: Corpus) -> Arrival:
    gold, started = re.compile(corpus.gold), time.process_time()
    walk = kb.walk(corpus.question)
    answer = walk.answered()
    spent = walk.state.spent
    return Arrival(
        corpus,
        bool(gold.search(answer.text)),
        any(gold.search(citation.quote) for citation in answer.citations),
        answer.refused,
        answer.short is not None and not gold.search(answer.short.quote),
        walk.state.round,
        spent.calls,
        time.process_time() - started,
    )


def _table(half: str, arrivals: Sequence[Arrival], *, together: bool) -> Table:
    groups: list[tuple[str, Callable[[Arrival], bool]]] = [("all", lambda _: True)]
    for language in dict.fromkeys(one.corpus.language for one in arrivals):
        groups.append((language, lambda one, language=language: one.corpus.language == language))
    for kind in dict.fromkeys(one.corpus.kind for one in arrivals):
        groups.append((kind, lambda one, kind=kind: one.corpus.kind == kind))
    rows = [_row(name, [one for one in arrivals if belongs(one)]) for name, belongs in groups]
    where = "all corpora in one base" if together else "each corpus in a base of its own"
    head = ["", "questions", "right", "cited", "refused", "wrong short answer", "rounds", "calls", "CPU s"]
    return Table(f"Walks of two to four steps, the {half} set, {where}", head, rows, NOTES.get(half, ""))


def _row(name: str, own: Sequence[Arrival]) -> list[str]:
    many = max(len(own), 1)
    counts = [sum(one.right for one in own), sum(one.cited for one in own), sum(one.refused for one in own)]
    counts.append(sum(one.misled for one in own))
    rounds, calls = sum(one.rounds for one in own) / many, sum(one.calls for one in own) / many
    seconds = sum(one.cpu_s for one in own) / many
    return [name, str(len(own)), *map(str, counts), f"{rounds:.1f}", f"{calls:.1f}", f"{seconds:.2f}"]
