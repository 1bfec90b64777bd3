"""Where the tables of a sheet are: rectangles of cells, parted by blank rows and columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from rove.load.pipe_table import MAX_COLUMNS
from rove.load.sheets.header import Headed, find_header, is_number
from rove.load.sheets.sheet import MAX_CELLS, Rows

Spans = Mapping[int, Mapping[int, int]]

MAX_RECTANGLE = 4 * MAX_CELLS  # blank ones counted: a few cells far apart must not make a huge table
MAX_BESIDE = 8
MAX_GAP = 2  # blank rows within one table


@dataclass(frozen=True, slots=True)
class SheetTable:
    """A rectangle of cells that belong together, the columns from `left` on."""

    rows: list[list[str]]
    headed: Headed
    left: int
    last: int
    """The sheet's row in which it ends."""
    cut: bool = False
    """It goes on to the right of what is here."""


def find_tables(rows: Rows, spans: Spans) -> list[SheetTable]:
    """Return the tables of a sheet in reading order: blank rows part them, blank columns where both sides are whole.

    Rows without a header of their own, under a blank row and in the same columns, go on with the table above.
    """
    tables: list[SheetTable] = []
    for band in _split_at_blank_rows(rows):
        for part in _split_at_blank_columns(rows, band):
            table = _sheet_table_from_area(rows, part, spans)
            near = range(max(0, len(tables) - MAX_BESIDE), len(tables))
            index = next((i for i in near if _is_sheet_table_continuation(tables[i], table, part.first)), -1)
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


def _split_at_blank_rows(rows: Rows) -> Iterator[_Area]:
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


def _split_at_blank_columns(rows: Rows, area: _Area) -> list[_Area]:
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
    table = _sheet_table_from_area(rows, area, {})
    names = [row[0] for row in table.rows[table.headed.start :] if row and row[0]]
    return bool(table.headed.header) and 2 * sum(map(is_number, names)) <= len(names) > 0


def _sheet_table_from_area(rows: Rows, area: _Area, spans: Spans) -> SheetTable:
    widest = min(MAX_COLUMNS, MAX_RECTANGLE // (area.last - area.first + 1))
    columns = range(area.left, min(area.right + 1, area.left + widest))
    cells: list[list[str]] = []
    merged: dict[int, dict[int, int]] = {}
    for number in range(area.first, area.last + 1):
        row = rows.get(number, {})
        if spans.get(number):
            merged[len(cells)] = {c - area.left: w for c, w in spans[number].items() if area.left <= c <= area.right}
        cells.append([row.get(column, "") for column in columns])
    return SheetTable(cells, find_header(cells, merged), area.left, area.last, cut=area.right >= area.left + widest)


def _is_sheet_table_continuation(above: SheetTable, table: SheetTable, first: int) -> bool:
    if first - above.last - 1 > MAX_GAP or first <= above.last or not above.headed.header or table.headed.header:
        return False
    width, wanted = len(above.rows[0]), len(table.rows[0])
    return table.left >= above.left and table.left - above.left + wanted <= width and wanted > 1
