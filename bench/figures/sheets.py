"""Questions to `ask` that all rows of a sheet answer: the databases' tables as CSV files, and the same questions."""

from __future__ import annotations

import csv
import re
import sqlite3
import tempfile
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from bench.figures.databases import SETS, rows_of
from bench.figures.outcomes import Case, Outcome
from rove import Rove
from rove.records import Answer

HEADS = frozenset({"COUNT", "SUM", "AVG", "MAX", "MIN"})
"""What makes one number of rows, which then stands in the first line."""


def run(name: str, *, forms: bool = True) -> Iterator[Case]:
    """Ask every question of a set, each of a base that holds the tables of its database. `forms`: see the settings."""
    for database in tomllib.loads(SETS[name].read_text("utf-8"))["databases"]:
        yield from asked(database, forms=forms)


def asked(database: Mapping[str, Any], *, forms: bool) -> Iterator[Case]:
    """Ask the questions of one database."""
    with (
        tempfile.TemporaryDirectory(prefix="rove-bench-") as folder,
        closing(sqlite3.connect(":memory:")) as connection,
        Rove.open(Path(folder) / "base", answer={"forms": forms}) as kb,
    ):
        connection.executescript(database["script"])
        kb.add(*written(connection, Path(folder)))
        for language, question, *ways in database["questions"]:
            answer = kb.ask(question)
            wanted = [(sql.split("(")[0].split()[-1].upper() in HEADS, rows_of(connection, sql)) for sql in ways if sql]
            kind = "answerable" if wanted else "in no sheet"
            yield Case(kind, language, judged(answer, wanted), f"{question} → {answer.text}")


def written(connection: sqlite3.Connection, folder: Path) -> list[Path]:
    """Write each table as a CSV file."""
    files: list[Path] = []
    for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
        rows = connection.execute(f'SELECT * FROM "{name}"')
        files.append(folder / f"{name}.csv")
        with files[-1].open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([[one[0] for one in rows.description], *rows])
    return files


def judged(answer: Answer, wanted: Sequence[tuple[bool, Sequence[Sequence[str]]]]) -> Outcome:
    """Say what became of a question: the number is said, or just the rows that hold what was wanted are shown."""
    if not answer.sentences:
        return "refused" if wanted else "right"
    return "right" if any(_says(answer, rows, is_number=is_number) for is_number, rows in wanted) else "wrong"


def _says(answer: Answer, rows: Sequence[Sequence[str]], *, is_number: bool) -> bool:
    worked_out = any(note.code == "from-rows" for note in answer.notes)
    if answer.short:
        return len(rows) == 1 and _plain(answer.short.quote) in rows[0]
    if is_number and len(rows) == 1 and len(rows[0]) == 1:
        words = answer.text.partition("\n")[0].replace("：", " ").split()
        return worked_out and rows[0][0] in words
    lines = [line for line in answer.text.splitlines() if line.startswith("|")][2:]
    shown = [{_plain(cell) for cell in line.split("|")} for line in lines]
    return len(shown) == len(rows) and all(any(set(row) <= cells for cells in shown) for row in rows)


def _plain(cell: str) -> str:
    """A cell without the mark behind it, a whole number as SQL gives it."""
    return re.sub(r"\s*(?:\[\d+\])+$", "", cell.strip()).removesuffix(".0")
