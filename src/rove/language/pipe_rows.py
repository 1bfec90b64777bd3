"""Rows of pipe tables: what each says, every cell with the name of its column, and rows shown under their header."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rove.language.rendering import render, rows_of_cells
from rove.records.document import Span

_LINE = re.compile(r"^\|[^\n]*", re.MULTILINE)
_RULE = re.compile(r"\|[ \t:|]*-[ \t:|-]*")
CELL = re.compile(r"(?<!\\)\|")
"""The edge of a cell."""


@dataclass(frozen=True, slots=True)
class NamedCell:
    """A cell that is not empty: its text as it stands, its span, and the name of its column, if that is known."""

    text: str
    span: Span
    name: str = ""

    def __str__(self) -> str:
        return f"{self.name}: {self.text}" if self.name else self.text


@dataclass(frozen=True, slots=True)
class PipeRow:
    """A row of a table: its span, what it says, and the names of its table's columns, none where they are unknown.

    `cells`: as they stand in it, without blanks around them. `key`: what `said` begins with of a row that began in
    another piece: its first cells, which `names` and `cells` lack.
    """

    span: Span
    said: str
    names: tuple[str, ...] = ()
    cells: tuple[str, ...] = ()
    key: str = ""

    def named_cells(self, text: str) -> list[NamedCell]:
        """Return its cells that are not empty, with their spans in the text that the row is of."""
        found: list[NamedCell] = []
        at = self.span[0]
        for name, cell in zip((*self.names, *[""] * len(self.cells)), self.cells, strict=False):
            written = cell.replace("|", "\\|")
            if cell and (start := text.find(written, at, self.span[1])) >= 0:
                at = start + len(written)
                found.append(NamedCell(cell, (start, at), name))
        return found


def table_rows(text: str, head: str = "") -> Iterator[PipeRow]:
    r"""Yield the rows below the header of each table in `text`; `head` holds the header of one that began before.

    A shorter line below that header has the first cells of a row that began before, too.

    >>> [row.said for row in table_rows("| City | Head |\n| --- | --- |\n| Oslo | Ingrid Dahl |\n| Rome |  |")]
    ['City: Oslo; Head: Ingrid Dahl', 'City: Rome']
    >>> [row.said for row in table_rows("| 東京 | 12 |", "| 市 | 台 |")]
    ['市: 東京; 台: 12']
    >>> [(row.said, row.names) for row in table_rows("| Ann | 2026 |", "| Ticket | Owner | Closed |\n| T-7 |")]
    [('Ticket: T-7; Owner: Ann; Closed: 2026', ('Owner', 'Closed'))]
    """
    lines = [(match.span(), match[0].rstrip()) for match in _LINE.finditer(text)]
    above = [_pipe_row_cells(line) for line in head.split("\n") if line.startswith("|")]
    names = above[0] if above else [""]
    key = above[-1] if len(above[-1:]) and len(above[-1]) < len(names) else []
    for number, (span, line) in enumerate(lines):
        below = lines[number + 1][1] if number + 1 < len(lines) else ""
        if below and _RULE.fullmatch(below):
            names, key = _pipe_row_cells(line), []
        elif key and not _RULE.fullmatch(line):
            own, cells, began = names[len(key) :], _pipe_row_cells(line), f"{_pipe_row_text(names[: len(key)], key)}; "
            yield PipeRow(
                (span[0], span[0] + len(line)), began + _pipe_row_text(own, cells), tuple(own), tuple(cells), began
            )
            key = []
        elif not _RULE.fullmatch(line) and (said := _pipe_row_text(names, cells := _pipe_row_cells(line))):
            yield PipeRow((span[0], span[0] + len(line)), said, tuple(names), tuple(cells))


def as_table(names: Sequence[str], rows: Mapping[str, str]) -> str:
    r"""Show rows as a markdown table of rendered cells. `rows`: the row, as its source has it → what follows its end.

    >>> print(as_table(("City", "Head"), {"| [Oslo](/wiki/Oslo) | Ingrid Dahl |": "[1]"}))
    | City | Head |
    | --- | --- |
    | Oslo | Ingrid Dahl [1] |
    """
    cells = [[*_pipe_row_cells(row)[:-1], f"{_pipe_row_cells(row)[-1]} {mark}".strip()] for row, mark in rows.items()]
    width = max(len(names), *map(len, cells))
    written = "\n".join(_pipe_row_markdown([*line, *[""] * (width - len(line))]) for line in (names, *cells))
    header, *shown = (_pipe_row_markdown(line) for line in rows_of_cells(render(written).text))
    return "\n".join((header, _pipe_row_markdown(["---"] * width), *shown))


def _pipe_row_markdown(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _pipe_row_cells(line: str) -> list[str]:
    return [cell.strip().replace("\\|", "|") for cell in CELL.split(line.strip().removeprefix("|").removesuffix("|"))]


def _pipe_row_text(names: list[str], cells: list[str]) -> str:
    named = [*names, *[""] * len(cells)]
    pairs = [(name, cell) for name, cell in zip(named, cells, strict=False) if cell]
    return "; ".join(f"{name}: {cell}" if name else cell for name, cell in pairs)
