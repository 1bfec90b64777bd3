"""Questions to one row of a table that has its own code, among rows that differ in their figures alone."""

from __future__ import annotations

import csv
import random
import re
import tempfile
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.figures.outcomes import Case, Outcome
from rove import Rove
from rove.records import Answer

FOLDER = Path(__file__).parent
SETS = {"seen": FOLDER / "rows_seen.toml", "unseen": FOLDER / "rows_unseen.toml"}
OTHERS, PLACE = 9, 4
"""Rows beside the one that is asked for, and how many of them stand above it."""


def run(name: str) -> Iterator[Case]:
    """Ask every question of a set, of a base that holds all its tables, every other one as CSV."""
    tables = tomllib.loads(SETS[name].read_text("utf-8"))["tables"]
    chance = random.Random(3)
    with tempfile.TemporaryDirectory(prefix="rove-bench-") as folder:
        files = Path(folder) / "files"
        files.mkdir()
        for number, table in enumerate(tables):
            write(files, table, chance, as_csv=number % 2 == 1)
        with Rove.open(Path(folder) / "base") as kb:
            kb.add(files)
            for table in tables:
                for question, wanted in table["questions"]:
                    answer = kb.ask(question)
                    kind = "a cell of a row" if wanted else "in no column"
                    short = answer.short.quote if answer.short else ""
                    shown = f"{question} → {short or answer.text}"
                    yield Case(kind, table["language"], judged(answer, wanted), shown)


def write(folder: Path, table: Mapping[str, Any], chance: random.Random, *, as_csv: bool) -> None:
    """Write a table: its row among others, whose figures are made up."""
    rows = [[re.sub(r"\d", lambda _: str(chance.randint(1, 9)), cell) for cell in table["row"]] for _ in range(OTHERS)]
    rows.insert(PLACE, table["row"])
    if as_csv:
        with (folder / f"{table['name']}.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([table["head"], *rows])
        return
    lines = [_line(table["head"]), _line(["---"] * len(table["head"])), *map(_line, rows)]
    (folder / f"{table['name']}.md").write_text(f"# {table['name']}\n\n" + "\n".join(lines) + "\n", "utf-8")


def judged(answer: Answer, wanted: str) -> Outcome:
    """Say what became of a question: the cell is set off or quoted, or nothing is, where no column tells."""
    if not answer.sentences:
        return "refused" if wanted else "right"
    said = answer.short.quote if answer.short else answer.text
    return "right" if wanted and (wanted in said or said in wanted) else "wrong"


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
