"""One sheet of a workbook: its cells by their place, what is merged, what somebody wrote about them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache

from rove.load.pipe_table import is_amount

Row = dict[int, str]
Rows = dict[int, Row]
"""The cells that hold something: row → column → text, both counted from 0 and in order."""

MAX_CELLS = 5_000_000
CELL_NAME = re.compile(r"\$?([A-Z]{1,3})\$?([1-9]\d{0,6})")


@dataclass(frozen=True, slots=True)
class Comment:
    """What somebody wrote about a cell."""

    row: int
    column: int
    text: str
    author: str = ""


@dataclass(slots=True)
class Sheet:
    """One sheet, filled while it is read. `spans`: over how many columns a merged cell goes, by row and column.

    `above` and `below` hold what stands outside of the cells: its printed head; its foot, and what text boxes say.
    """

    name: str
    rows: Rows = field(default_factory=dict[int, Row])
    spans: dict[int, dict[int, int]] = field(default_factory=dict[int, dict[int, int]])
    comments: list[Comment] = field(default_factory=list[Comment])
    above: list[str] = field(default_factory=list[str])
    below: list[str] = field(default_factory=list[str])
    hidden: bool = False


@dataclass(slots=True)
class CellBudget:
    """Counts the cells of a workbook; `spent` where there may be no more."""

    left: int = MAX_CELLS

    def take(self, cells: int) -> bool:
        """Count `cells` more, and say whether they were still within the limit."""
        self.left -= cells
        return self.left >= 0


def fill(sheet: Sheet, cells: Iterable[tuple[int, Row]], budget: CellBudget) -> None:
    """Put the rows into the sheet, until the budget is spent."""
    for number, row in cells:
        if not budget.take(len(row)):
            return
        if row:
            sheet.rows[number] = row


def fill_down(sheet: Sheet, row: int, last_row: int, column: int) -> None:
    """Put the name of a group, which is merged down to `last_row`, into each row; an amount beside it stands once."""
    text = sheet.rows.get(row, {}).get(column, "")
    if text and (column == min(sheet.rows[row]) or not is_amount(text)):
        for number in range(row + 1, last_row + 1):
            if cells := sheet.rows.get(number):
                cells.setdefault(column, text)


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
        message = f"{name[:40]!r} is not a cell"
        raise ValueError(message)
    return int(found[2]) - 1, column_index(found[1])


@lru_cache(maxsize=1024)
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
