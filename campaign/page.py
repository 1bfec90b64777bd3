"""The scoreboard: docs/campaign.md, the same as JSON, and what is shown while a campaign runs."""

from __future__ import annotations

import os
import platform
import re
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import UTC, datetime
from time import monotonic

from bench.report import Table, cpu, installed, memory_gib
from rich.live import Live
from rich.table import Table as Drawn

from campaign.kinds import KINDS
from campaign.runner import Score

SHOWN = ("rove", "lancedb", "numpy", "sqlalchemy", "fastapi", "mcp")
TELL_S = 20.0
PLACES = re.compile(r"(?:[\w.@+-]*/){2,}")
"""Folders of a path."""
INTRODUCTION = (
    "Rove under attack, by seed. A trial is what one seed makes; it holds, or it diverges from what is written beside "
    "it. “Asked” is the quota of a campaign of 60 minutes, in proportion to the time that this one had."
)


def page(command: str, scores: Sequence[Score], seconds: float) -> str:
    """Write the whole page."""
    failed = sum(score.failed for score in scores)
    skipped = [score for score in scores if score.skipped]
    verdict = f"**{failed} trials diverged.**" if failed else "**Nothing diverged.**"
    lines = [
        "# Campaign", "", "Made by the command below; do not edit by hand.", "", INTRODUCTION, "",
        f"- command: `{command}`",
        f"- date: {datetime.now(UTC):%Y-%m-%d %H:%M} UTC, {seconds / 60:.1f} minutes",
        f"- machine: {cpu()}, {os.cpu_count()} cores, {memory_gib()} GiB, {platform.system()} {platform.machine()}",
        f"- Python {platform.python_version()}; {', '.join(f'{name} {installed(name)}' for name in SHOWN)}",
        f"- {verdict}", *(f"- not tried: {score.kind} ({score.skipped})" for score in skipped), "",
        board(scores).markdown(), outcomes(scores).markdown(), *divergences(scores),
    ]  # fmt: skip
    return "\n".join(lines).rstrip() + "\n"


def board(scores: Sequence[Score]) -> Table:
    """One line a kind."""
    rows = [
        [
            f"`{one.kind}`: {KINDS[one.kind].what}",
            one.tries,
            one.wanted,
            one.trials,
            one.failed,
            f"{one.seconds:.0f}",
            f"{one.first} +{one.trials}",
        ]
        for one in scores
        if not one.skipped
    ]
    return Table("Scoreboard", ["kind", "tries", "asked", "trials", "diverged", "seconds", "seeds"], rows)


def outcomes(scores: Sequence[Score]) -> Table:
    """What came of the tries."""
    rows = [
        [f"`{one.kind}`", ", ".join(f"{name} {count:,}" for name, count in one.outcomes.most_common())]
        for one in scores
        if one.trials
    ]
    return Table("What came of them", ["kind", "tries"], rows)


def divergences(scores: Sequence[Score]) -> list[str]:
    """Each trial that diverged, with the line that repeats it."""
    lines: list[str] = []
    for one in scores:
        for seed, faults in one.faults:
            lines += ["", f"`{repeat(one.kind, seed)}`", "", *(f"- {_plain(fault)}" for fault in faults[:8])]
        if one.failed > len(one.faults):
            lines += ["", f"`{one.kind}`: {one.failed - len(one.faults)} more."]
    return ["## What diverged", *lines] if lines else []


def repeat(kind: str, seed: int) -> str:
    """The command that repeats one trial.

    >>> repeat("kills", 1000007)
    'python -m campaign --only kills --trial 1000007'
    """
    return f"python -m campaign --only {kind} --trial {seed}"


def tree(scores: Sequence[Score]) -> list[dict[str, object]]:
    """The scores as JSON has them."""
    return [
        {
            "kind": one.kind, "skipped": one.skipped, "tries": one.tries, "asked": one.wanted, "trials": one.trials,
            "diverged": one.failed, "seconds": round(one.seconds, 1), "first_seed": one.first,
            "outcomes": dict(one.outcomes),
            "faults": [{"seed": s, "faults": faults, "repeat": repeat(one.kind, s)} for s, faults in one.faults],
        }
        for one in scores
    ]  # fmt: skip


def _plain(fault: str) -> str:
    """One line that markdown takes as it is, with no folder of the machine that it was found on.

    >>> _plain("KeyError at /a/b/c/rove.py:3, `x`")
    "`KeyError at …/rove.py:3, 'x'`"
    """
    return "`" + PLACES.sub("…/", fault).replace("`", "'").replace("\n", " ")[:400] + "`"


class Progress:
    """What is shown while it runs: a table that lives in a terminal, a line a kind now and then in a pipe."""

    def __init__(self) -> None:
        self._live = Live(refresh_per_second=2, transient=True) if sys.stderr.isatty() else None
        self._told: dict[str, float] = {}

    def shown(self) -> AbstractContextManager[object]:
        """Show it while the block runs."""
        return self._live or nullcontext()

    def watch(self, scores: Sequence[Score]) -> None:
        """Take the scores as they are now."""
        if self._live:
            self._live.update(_drawn(scores))
            return
        for one in scores:
            since = monotonic() - self._told.setdefault(one.kind, monotonic())
            if one.trials and since > TELL_S:
                self._told[one.kind] = monotonic()
                _say(one)


def _drawn(scores: Sequence[Score]) -> Drawn:
    table = Drawn("kind", "tries", "asked", "diverged", "seconds")
    for one in scores:
        told = [f"{one.tries:,}", f"{one.wanted:,}", f"{one.failed:,}", f"{one.seconds:.0f}"]
        table.add_row(one.kind, *(["", "", "", one.skipped] if one.skipped else told))
    return table


def _say(one: Score) -> None:
    said = f"{one.kind}: {one.tries:,} of {one.wanted:,}, {one.failed} diverged, {one.seconds:.0f} s"
    print(f"[{datetime.now(UTC):%H:%M:%S}] {said}", file=sys.stderr, flush=True)
