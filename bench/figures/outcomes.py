"""How outcomes are counted and shown: right, wrong or refused, by kind and by language."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from bench.report import Table

Outcome = Literal["right", "wrong", "refused"]
MOST_WRONG = 0.02
"""The share of wrong figures that is allowed in any kind and language."""


@dataclass(frozen=True, slots=True)
class Case:
    """What became of one case."""

    kind: str
    language: str
    outcome: Outcome
    shown: str = ""


def table(title: str, cases: Iterable[Case], note: str) -> Table:
    """Return the counts by kind and by language, and of all."""
    counts: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for case in cases:
        for key in ((case.kind, "all"), ("all", case.language), ("all", "all")):
            counts[key][case.outcome] += 1
    ordered = sorted(counts, key=lambda key: (key[0] == "all", key[1] == "all", key))
    rows = [[kind, language, *_counted(counts[kind, language])] for kind, language in ordered]
    return Table(title, ("kind", "language", "right", "wrong", "refused", "wrong of all"), rows, note)


def listed(title: str, cases: Iterable[Case]) -> Table:
    """Return the cases that went wrong or were refused, each by itself."""
    rows = [[case.outcome, case.kind, case.language, case.shown] for case in cases if case.outcome != "right"]
    return Table(title, ("outcome", "kind", "language", "case"), rows)


def _counted(found: Counter[str]) -> list[object]:
    share = found["wrong"] / max(found.total(), 1)
    return [found["right"], found["wrong"], found["refused"], f"{share:.1%}"]
