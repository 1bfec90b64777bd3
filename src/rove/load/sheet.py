"""Sheets of a workbook as canonical text: a section for each, its tables apart, captions and comments with them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache

from rove.errors import InputError
from rove.load.header import Headed, find_header, is_number
from rove.load.limits import OutOfTime
from rove.load.markdown import markdown_sections
from rove.load.table import MAX_COLUMNS, pipe_table
from rove.load.text import clean, identify, require_text, stem
from rove.records import Block, Document, Source
from rove.records.source import MetaValue

Row = dict[int, str]
Rows = dict[int, Row]
"""The cells that hold something: row → column → text, both counted from 0 and in order."""

MAX_CELLS = 5_000_000
MAX_RECTANGLE = 4 * MAX_CELLS  # blank ones counted: a few cells far apart must not make a huge table
CELL_NAME = re.compile(r"\$?([A-Z]{1,3})\$?([1-9]\d{0,6})")
MAX_BESIDE = 8
MAX_GAP = 2  # blank rows within one table


@dataclass(frozen=True, slots=True)
class Comment:
    """What somebody wrote about a cell."""

    row: int
    column: int
    text: str
    author: str = ""


@dataclass(slots=True)
class Sheet:
    """One sheet, filled while it is read. `spans`: over how many columns a merged cell goes, by row and column."""

    name: str
    rows: Rows = field(default_factory=dict[int, Row])
    spans: dict[int, dict[int, int]] = field(default_factory=dict[int, dict[int, int]])
    comments: list[Comment] = field(default_factory=list[Comment])
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A rectangle of cells that belong together, the columns from `left` on."""

    rows: list[list[str]]
    headed: Headed
    left: int
    last: int
    """The sheet's row in which it ends."""
    cut: bool = False
    """It goes on to the right of what is here."""


@dataclass(slots=True)
class Budget:
    """Counts the cells of a workbook; `spent` where there may be no more."""

    left: int = MAX_CELLS

    def take(self, cells: int) -> bool:
        """Count `cells` more, and say whether they were still within the limit."""
        self.left -= cells
        return self.left >= 0


def workbook_document(
    source: Source, sheets: Iterator[Sheet], budget: Budget, *, title: str = "", facts: Mapping[str, MetaValue]
) -> Iterator[Document]:
    """Yield the one document of a workbook.

    `sheets` yields each sheet before it is filled and fills it when the next is asked for, so that what was read
    before the time was up is kept.

    Raises:
        InputError: "empty", or "partial" after the document.
    """
    found: list[Sheet] = []
    missing = ""
    try:
        for sheet in sheets:
            found.append(sheet)  # noqa: PERF402 - what was found before the time was up is kept
    except OutOfTime:
        missing = f"there was no time to read more than {len(found)} of its sheets, the last in part"
    writer = _Writer()
    for sheet in found:
        writer.write(sheet)
    text = require_text(clean("".join(writer.out)).rstrip() + "\n" if writer.filled else "", source)
    hidden = tuple(clean(sheet.name) for sheet in found if sheet.hidden)
    yield Document(
        document_id=identify(source),
        source=source.uri,
        kind=source.kind,
        text=text,
        title=clean(title).strip() or stem(source),
        metadata={**facts, **({"hidden_sheets": hidden} if hidden else {})},
        sections=markdown_sections(text, setext=False),
        blocks=tuple(writer.blocks),
    )
    if budget.left < 0:
        missing = f"it has more than {MAX_CELLS} cells, and only those are read"
    elif not missing and writer.too_wide:
        missing = f"a table of the sheet {writer.too_wide!r} goes on beyond its first {MAX_COLUMNS} columns"
    if missing:
        message = f"{source.name!r} was read in part: {missing}."
        raise InputError(message, cure="Split the workbook into several files.", outcome="partial")


def find_tables(rows: Rows, spans: Mapping[int, Mapping[int, int]]) -> list[Table]:
    """Return the tables of a sheet in reading order: blank rows part them, blank columns where both sides are whole.

    Rows without a header of their own, under a blank row and in the same columns, go on with the table above.
    """
    tables: list[Table] = []
    for band in _bands(rows):
        for part in _beside(rows, band):
            table = _table(rows, part, spans)
            near = range(max(0, len(tables) - MAX_BESIDE), len(tables))
            index = next((i for i in near if _goes_on(tables[i], table, part.first)), -1)
            if index < 0:
                tables.append(table)
            else:
                above = tables[index]
                above.rows.extend([""] * (table.left - above.left) + row for row in table.rows)
                tables[index] = replace(above, last=table.last)
    return tables


@dataclass(frozen=True, slots=True)
class _Area:
    first: int
    last: int
    left: int
    right: int


def _bands(rows: Rows) -> Iterator[_Area]:
    """Yield the runs of rows without a blank one."""
    first = last = -1
    left = right = 0
    for number, row in rows.items():
        if first >= 0 and number > last + 1:
            yield _Area(first, last, left, right)
            first = -1
        if first < 0:
            first, left, right = number, min(row), max(row)
        last, left, right = number, min(left, min(row)), max(right, max(row))
    if first >= 0:
        yield _Area(first, last, left, right)


def _beside(rows: Rows, area: _Area) -> list[_Area]:
    """Part an area at blank columns, where each part has a header and names for its rows; else leave it whole."""
    used: set[int] = set()
    for number in range(area.first, area.last + 1):
        used.update(rows[number])
    columns = sorted(used)
    starts = [c for c in columns if c - 1 not in used]
    ends = [c for c in columns if c + 1 not in used]
    if len(starts) < 2:
        return [area]
    parts = [_shrunk(rows, _Area(area.first, area.last, a, b)) for a, b in zip(starts, ends, strict=True)]
    return parts if all(_stands_alone(rows, part) for part in parts) else [area]


def _shrunk(rows: Rows, area: _Area) -> _Area:
    filled = [n for n in range(area.first, area.last + 1) if any(area.left <= c <= area.right for c in rows[n])]
    return _Area(filled[0], filled[-1], area.left, area.right)


def _stands_alone(rows: Rows, area: _Area) -> bool:
    if area.right == area.left or area.last == area.first:
        return False
    table = _table(rows, area, {})
    names = [row[0] for row in table.rows[table.headed.start :] if row and row[0]]
    return bool(table.headed.header) and 2 * sum(map(is_number, names)) <= len(names) > 0


def _table(rows: Rows, area: _Area, spans: Mapping[int, Mapping[int, int]]) -> Table:
    widest = min(MAX_COLUMNS, MAX_RECTANGLE // (area.last - area.first + 1))
    columns = range(area.left, min(area.right + 1, area.left + widest))
    cells: list[list[str]] = []
    merged: dict[int, dict[int, int]] = {}
    for number in range(area.first, area.last + 1):
        row = rows.get(number, {})
        if spans.get(number):
            merged[len(cells)] = {c - area.left: w for c, w in spans[number].items() if area.left <= c <= area.right}
        cells.append([row.get(column, "") for column in columns])
    return Table(cells, find_header(cells, merged), area.left, area.last, cut=area.right >= area.left + widest)


def _goes_on(above: Table, table: Table, first: int) -> bool:
    if first - above.last - 1 > MAX_GAP or first <= above.last or not above.headed.header or table.headed.header:
        return False
    width, wanted = len(above.rows[0]), len(table.rows[0])
    return table.left >= above.left and table.left - above.left + wanted <= width and wanted > 1


class _Writer:
    """Writes sheets one after the other, and notes where the tables stand."""

    def __init__(self) -> None:
        self.out: list[str] = []
        self.length = 0
        self.blocks: list[Block] = []
        self.filled = False
        self.too_wide = ""

    def write(self, sheet: Sheet) -> None:
        self.add("# " + (" ".join(clean(sheet.name).split()) or "Sheet"))
        caption = ""
        for table in find_tables(sheet.rows, sheet.spans):
            caption = self.table(table, caption)
            if table.cut:
                self.too_wide = sheet.name
        for comment in sheet.comments:
            cell = " ".join(sheet.rows.get(comment.row, {}).get(comment.column, "").split())
            place = cell_name(comment.row, comment.column) + (f" “{cell}”" if cell else "")
            by = f" ({comment.author})" if comment.author else ""
            self.add(f"> Comment{by}: {place}: {' '.join(comment.text.split())}")
            self.filled = True
        sheet.rows, sheet.comments = {}, []  # it may be large, and is written

    def table(self, table: Table, caption: str) -> str:
        """Write one table with its titles; return what may be the caption of the next."""
        self.filled = True
        headed = table.headed
        for line in headed.titles:
            self.add(caption := _line(line))
        rows = table.rows[headed.start :]
        if len(table.rows[0]) == 1 or (len(rows) == 1 and not headed.header and sum(map(bool, rows[0])) == 1):
            for line in (cell for row in table.rows[len(headed.titles) :] for cell in row if cell):
                self.add(caption := _line(line))
            return caption
        text = clean(pipe_table([headed.header or [""] * len(table.rows[0]), *rows]))
        start = self.add(text)
        self.blocks.append(Block("table", (start, start + len(text)), caption))
        return ""

    def add(self, text: str) -> int:
        """Add a paragraph; return where it begins."""
        start = self.length
        self.out += (text, "\n\n")
        self.length += len(text) + 2
        return start


def cell_name(row: int, column: int) -> str:
    """Return a cell's name as spreadsheets write it.

    >>> cell_name(0, 0), cell_name(9, 27)
    ('A1', 'AB10')
    """
    letters = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return f"{letters}{row + 1}"


def cell_place(name: str) -> tuple[int, int]:
    """Return row and column, counted from 0, of a cell's name.

    Raises:
        ValueError: it is no cell's name.

    >>> cell_place("AB10")
    (9, 27)
    """
    found = CELL_NAME.fullmatch(name)
    if found is None:
        message = f"{name[:40]!r} is no cell"
        raise ValueError(message)
    return int(found[2]) - 1, column_index(found[1])


@lru_cache(maxsize=MAX_COLUMNS)
def column_index(letters: str) -> int:
    """Return a column's index, counted from 0, by its letters.

    >>> column_index("AB")
    27
    """
    column = 0
    for letter in letters[:4]:
        column = column * 26 + ord(letter) - ord("A") + 1
    return column - 1


def linked(text: str, target: str) -> str:
    """Return a cell's text as a link; one that only repeats its target stays as it is."""
    target = target.strip().replace(" ", "%20")
    if not target or text.strip() in {target, target.removeprefix("mailto:")}:
        return text
    return f"[{text}]({target})"


def _line(text: str) -> str:
    """A cell as a paragraph, which must not look like a heading or a fence."""
    text = " ".join(clean(text).split())
    return "\\" + text if text.startswith(("#", "```", "~~~")) else text


def fill(sheet: Sheet, cells: Iterable[tuple[int, Row]], budget: Budget) -> None:
    """Put the rows into the sheet, until the budget is spent."""
    for number, row in cells:
        if not budget.take(len(row)):
            return
        if row:
            sheet.rows[number] = row
