"""Tables without a grid: rows that are parted at the same places, one under the other."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from rove.load.layout.lines import Row, merge_row
from rove.load.layout.printed import Item, PrintedCell, PrintedLine, PrintedRule, PrintedTable, around

MAX_PITCH = 3.7  # rows of one table follow each other within so many sizes of their letters
GUTTER = 0.45  # of the letters' size: columns stand at least so far apart
MIN_FILLED = 0.5  # of the columns: a row that has as many cells is one of the table's
MAX_HEADS = 2  # rows over a table's first that may hold heads spanning its columns
EVEN = 1.4  # times the narrowest: gaps of a justified line differ by no more
MAX_GAPS, MIN_JUSTIFIED = 0.6, 2  # of a justified line, and the lines of a column that are as long as it
MAX_ROWS = 400
MIN_ROWS, MIN_ROWS_OF_TWO = 2, 3
MAX_WORDS = 14  # the usual cell holds no more
TIGHT = 0.8  # of the usual pitch: a line that follows closer goes on with the cell over it
NUMERIC = re.compile(r"[-+−–(]?[^\w\s]{0,2}\s?\d[\d.,:/\s%-]*\W{0,3}(?:[A-Za-z%€]{1,3})?\)?")


Interval = tuple[float, float]


@dataclass(frozen=True, slots=True)
class _RowRun:
    """Rows that could be one table, and its columns."""

    rows: list[Row]
    columns: list[Interval]


def with_tables(rows: list[Row], rules: Sequence[PrintedRule]) -> Iterator[Item]:
    """Yield the items of one column of a page: its tables, and its other rows as one line each."""
    across = [rule for rule in rules if rule.across]
    rows = _without_stretched(rows)
    start = 0
    while start < len(rows):
        run = _table_row_run(rows, start)
        table = _table_from_row_run(run, across) if len(run.rows) >= MIN_ROWS else None
        if table is None:
            yield rows[start][0] if not _is_text_row(rows[start]) else merge_row(rows[start])
            start += 1
        else:
            yield table
            start += len(run.rows)


def _without_stretched(rows: list[Row]) -> list[Row]:
    """Join the rows that are lines of a justified paragraph: as long as its others, with one and the same wide gap."""
    whole = [row[0] for row in rows if len(row) == 1 and isinstance(row[0], PrintedLine) and len(row[0].words) > 1]
    edges = Counter((round(line.left), round(line.right)) for line in whole)
    return [[merge_row(row)] if len(row) > 1 and _is_stretched(row, edges) else row for row in rows]


def _is_stretched(row: Row, edges: Counter[tuple[int, int]]) -> bool:
    if not _is_text_row(row):
        return False
    line = merge_row(row)
    near = [(round(line.left) + x, round(line.right) + y) for x in (-1, 0, 1) for y in (-1, 0, 1)]
    gaps = [after.left - before.right for before, after in pairwise(sorted(line.words, key=lambda word: word.left))]
    even = max(gaps) <= EVEN * min(gaps)
    return even and sum(gaps) < MAX_GAPS * line.width and sum(edges[place] for place in near) >= MIN_JUSTIFIED


def _is_text_row(row: Row) -> bool:
    return isinstance(row[0], PrintedLine)


def _table_row_run(rows: list[Row], start: int) -> _RowRun:
    """Return the rows from `start` that could be one table; the first must be parted itself."""
    if len(rows[start]) < 2 or not _is_text_row(rows[start]):
        return _RowRun([], [])
    columns = _intervals(rows[start])
    end, pitch = start + 1, 0.0
    while end < min(len(rows), start + MAX_ROWS) and _is_text_row(rows[end]):
        row, before = rows[end], rows[end - 1]
        step = row[0].top - before[0].top
        if step > max(MAX_PITCH * max(_row_font_size(before), _row_font_size(row)), 1.2 * pitch) or _is_title_row(
            row, before
        ):
            break
        widened = _with_row(rows, end, columns, heads=end - start)
        if widened is None:
            break
        columns, pitch, end = widened, max(pitch, step), end + 1
    while end > start + 1 and len(rows[end - 1]) == 1 and _is_trailing_paragraph(rows[start:end], columns[0]):
        end -= 1
    return _RowRun(rows[start:end], columns)


def _with_row(rows: list[Row], index: int, columns: list[Interval], *, heads: int) -> list[Interval] | None:
    """Return the columns once a row is added to a table of `heads` rows so far; None where it does not fit."""
    row = rows[index]
    joined = _merge_near_intervals([*columns, *_intervals(row)], GUTTER * _row_font_size(row))
    if len(joined) >= max(len(columns), len(row)):
        return joined
    if heads <= MAX_HEADS and len(row) > len(columns):  # what is over it are heads that span its columns
        return _intervals(row)
    after = rows[index + 1] if index + 1 < len(rows) else []
    goes_on = len(after) >= max(3, MIN_FILLED * len(columns)) and all(
        _count_column_overlaps(item, columns) < 2 for item in after
    )
    inside = columns[0][0] <= row[0].left and row[-1].right <= columns[-1][1]
    return columns if goes_on and inside else None  # a cell that spans columns, and the table goes on after it


def _is_title_row(row: Row, before: Row) -> bool:
    """A bold line by itself under one that is not all bold is a title, and what follows another table."""
    bold = [all(item.bold for item in one if isinstance(item, PrintedLine)) for one in (row, before)]
    return len(row) == 1 and bold[0] and not bold[1]


def _row_font_size(row: Row) -> float:
    return max(item.size for item in row if isinstance(item, PrintedLine))


def _intervals(row: Row) -> list[Interval]:
    return [(item.left, item.right) for item in row]


def _count_column_overlaps(item: Item, columns: list[Interval]) -> int:
    return sum(item.left < right and left < item.right for left, right in columns)


def _is_trailing_paragraph(rows: list[Row], first: Interval) -> bool:
    """A last row of one cell at the left is a paragraph after the table, unless it follows as close as lines do."""
    steps = [below[0].top - row[0].top for row, below in pairwise(rows)]
    close = len(steps) > 1 and steps[-1] < TIGHT * median(steps[:-1])
    return rows[-1][0].left < first[1] and not close


def _merge_near_intervals(intervals: list[Interval], gap: float) -> list[Interval]:
    """Join the intervals that overlap or stand closer than `gap`."""
    joined: list[Interval] = []
    for left, right in sorted(intervals):
        if joined and left < joined[-1][1] + gap:
            joined[-1] = (joined[-1][0], max(joined[-1][1], right))
        else:
            joined.append((left, right))
    return joined


def _table_from_row_run(run: _RowRun, across: list[PrintedRule]) -> PrintedTable | None:
    rows, columns = run.rows, run.columns
    parted = sum(len(row) > 1 for row in rows)
    if parted < (MIN_ROWS if len(columns) > 2 else MIN_ROWS_OF_TWO):
        return None
    if median(len(item.words) for row in rows for item in row if isinstance(item, PrintedLine)) > MAX_WORDS:
        return None
    cells = [_cells_by_column(row, columns) for row in _lines_by_row(rows, columns, across)]
    if len(cells) < MIN_ROWS:
        return None
    area = around([item for row in rows for item in row])
    headed = not all(row[0].lines and row[0].lines[-1].text.endswith((":", "：")) for row in cells)
    edges = tuple(left for left, _ in columns)
    return PrintedTable(area.left, area.top, area.right, area.bottom, tuple(cells), edges, headed)


def _cells_by_column(lines: list[PrintedLine], columns: list[Interval]) -> tuple[PrintedCell, ...]:
    held: list[list[PrintedLine]] = [[] for _ in columns]
    for line in lines:
        held[_nearest_column(line, columns)].append(line)
    return tuple(PrintedCell(tuple(cell)) for cell in held)


def _nearest_column(item: Item, columns: list[Interval]) -> int:
    """The first column that an item overlaps, else the nearest."""
    for index, (left, right) in enumerate(columns):
        if item.left < right and left < item.right:
            return index
    return min(range(len(columns)), key=lambda index: abs(columns[index][0] - item.left))


def _lines_by_row(rows: list[Row], columns: list[Interval], across: list[PrintedRule]) -> Iterator[list[PrintedLine]]:
    """Yield the lines of each row: printed rows that go on with the cells of the one over them are joined."""
    steps = sorted(b[0].top - a[0].top for a, b in pairwise(rows))
    usual = steps[int(len(steps) * 0.75)]
    group: list[PrintedLine] = []
    for number, row in enumerate(rows):
        lines = [item for item in row if isinstance(item, PrintedLine)]
        if group and not _is_row_continued(rows[number - 1], row, columns, usual, across):
            yield group
            group = []
        group += lines
    yield group


def _is_row_continued(above: Row, row: Row, columns: list[Interval], usual: float, across: list[PrintedRule]) -> bool:
    """Say whether a row only holds what did not fit on the one above: it follows close, or its cells are wrapped."""
    top, bottom = above[0].top, row[0].top
    if any(top < rule.top < bottom + 1 and rule.left < row[0].right and row[0].left < rule.right for rule in across):
        return False
    if _nearest_column(row[0], columns) == 0 and len(row) > 1:
        return False
    filled = {_nearest_column(item, columns) for item in above}
    if not all(_nearest_column(item, columns) in filled for item in row):
        return False
    if bottom - top < TIGHT * usual:
        return True
    return len(row) == 1 and _is_cell_wrapped(above, row[0], columns)


def _is_cell_wrapped(above: Row, item: Item, columns: list[Interval]) -> bool:
    """A cell was wrapped where its next word had no room in the column."""
    if not isinstance(item, PrintedLine):
        return False
    index = _nearest_column(item, columns)
    over = next(line for line in above if _nearest_column(line, columns) == index)
    word = item.words[0]
    no_room = over.right + word.width + GUTTER * item.size > columns[index][1]
    return no_room and isinstance(over, PrintedLine) and len(over.words) > 1 and not NUMERIC.fullmatch(item.text)
