"""The page docs/mutation.md: how many mutants of each folder the tests have seen, and those that they have not."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from bench.report import Table

from mutate import FOLDERS
from mutate.accepted import Accepted, accepted
from mutate.mutants import Mutant
from mutate.runner import HANGS, KILLED, SURVIVED, UNTESTED, Result

INTRODUCTION = (
    "A mutant is the code with one small change; the tests should fail on it. One that they do not fail on has "
    "survived: either a test is missing, or the change is none, which `mutate/accepted.toml` then explains. How it is "
    "done: [decision 30](decisions/030-mutation.md)."
)


def page(command: str, results: Sequence[Result], of: int, seconds: float) -> str:
    """Write the whole page. `of`: how many mutants there are to choose from."""
    known = accepted()
    left = [result.mutant for result in results if result.verdict in (SURVIVED, UNTESTED)]
    reasons = {mutant.key: _reason(mutant, known) for mutant in left}
    open_ones = [mutant for mutant in left if not reasons[mutant.key]]
    share = len(open_ones) / len(results) if results else 0.0
    lines = [
        "# Mutation", "", "Made by the command below; do not edit by hand.", "", INTRODUCTION, "",
        f"- command: `{command}`",
        f"- date: {datetime.now(UTC):%Y-%m-%d %H:%M} UTC, {seconds / 60:.0f} minutes",
        f"- Python {platform.python_version()}",
        f"- **{len(results):,} of {of:,} mutants were tried; {share:.1%} survived without a reason.**", "",
        board(results, reasons).markdown(),
        *_listed("Survived without a reason", ((mutant, "") for mutant in open_ones)),
        *_listed("Survived, with the reason", ((m, reasons[m.key]) for m in left if reasons[m.key])),
    ]  # fmt: skip
    return "\n".join(lines).rstrip() + "\n"


def board(results: Sequence[Result], reasons: dict[str, str]) -> Table:
    """One line a folder, and one for all."""
    rows = [_row(f"`{folder}/`", [r for r in results if r.mutant.folder == folder], reasons) for folder in FOLDERS]
    columns = [
        "folder",
        "mutants",
        "killed",
        "of these by hanging",
        "survived with a reason",
        "without",
        "share without",
    ]
    return Table("By folder", columns, [*rows, _row("all", results, reasons)])


def _row(name: str, results: Sequence[Result], reasons: dict[str, str]) -> list[object]:
    left = [result.mutant.key for result in results if result.verdict in (SURVIVED, UNTESTED)]
    without = sum(not reasons[key] for key in left)
    killed = sum(result.verdict in (KILLED, HANGS) for result in results)
    hung = sum(result.verdict == HANGS for result in results)
    share = f"{without / len(results):.1%}" if results else ""
    return [name, len(results), killed, hung, len(left) - without, without, share]


def _reason(mutant: Mutant, known: Sequence[Accepted]) -> str:
    return next((one.reason for one in known if one.fits(mutant)), "")


def _listed(title: str, mutants: Iterable[tuple[Mutant, str]]) -> list[str]:
    lines = [
        f"- `{mutant.module.removeprefix('src/rove/')}` {mutant.function}: `{mutant.change}`"
        + (f": {reason}" if reason else "")
        for mutant, reason in sorted(mutants, key=lambda pair: pair[0].key)
    ]
    return [f"## {title}", "", *lines, ""] if lines else []
