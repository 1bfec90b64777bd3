"""Which rows of a table say what the others hold: titles above it, the header, and a row of units under that."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

Row = Sequence[str]

NUMBER = re.compile(
    r"[-+−(~≈<>≤≥]?\s*(?:[A-Z]{3}\s|[$€£¥₹]\s?)?[-+−]?\d[\d.,'’\s\u00a0\u202f]*(?:[eE][-+]?\d+)?\)?[^\d]{0,6}"
)
DATE = re.compile(
    r"(?:19|20)\d\d(?:[-./]\d\d|年(?:\d{1,2}月(?:\d{1,2}日)?)?)?|\d{1,2}:\d\d.*|\d\d?[-./](?:19|20)\d\d"
    r"|\d{1,4}([-./])\d{1,2}\1\d{1,4}(?:[ T]\d{1,2}:\d\d.*)?"
)
BRACKETED = re.compile(r"[(\[（]([^()\[\]（）]{1,24})[)\]）]")
UNITS = re.compile(
    r"(?:%|‰|[€$£¥]|eur|usd|gbp|chf|huf|jpy|cny|ft|t€|teur|tsd|mio|mrd|ezer|millió|[万億亿千百]*(?:元|円)"
    r"|db|fő|stück|stk|pcs|[µmckdh]?(?:g|l|m|m²|m³)|t|km²|h|min|m?s|d|°[cf]|k|[kmh]?pa|bar|[kmg]?hz|[kmg]?wh?|k?v|m?a"
    r"|k?j|kcal|m?mol|ppm|px|pt|[kmg]b|in|days|years|tage|jahre|év|nap|[年月日人个件台]|kg/m³|km/h|m/s|m?g/l)"
)
LONGEST_UNIT = 16
LOOK_ROWS = 12


@dataclass(frozen=True, slots=True)
class Headed:
    """A table's rows, sorted out: `header` is empty where no row is one."""

    titles: list[str] = field(default_factory=list[str])
    header: list[str] = field(default_factory=list[str])
    start: int = 0
    """Index of the first row of data."""


def find_header(rows: Sequence[Row], spans: Mapping[int, Mapping[int, int]] | None = None) -> Headed:
    """Return where the data of a table begins and what its columns are called; only the first 12 rows are looked at.

    Rows above it with a single cell are titles. `spans` gives, by row and column, over how many columns a merged cell
    goes: a group's name is put before the names under it. A row of units is put in brackets after the names.

    >>> find_header([["Bericht"], ["Jahr", "Umsatz"], ["", "Mio. €"], ["2023", "1.5"]])
    Headed(titles=['Bericht'], header=['Jahr', 'Umsatz (Mio. €)'], start=3)
    >>> find_header([["1", "x"], ["2", "y"]])
    Headed(titles=[], header=[], start=0)
    """
    looked = [list(row) for row in rows[:LOOK_ROWS]]
    width = max(map(len, looked), default=0)
    looked = [row + [""] * (width - len(row)) for row in looked]
    first, titles = 0, list[str]()
    while width > 1 and first < len(looked) - 1 and sum(map(bool, looked[first])) <= 1:
        titles += [cell for cell in looked[first] if cell]
        first += 1
    body = looked[first:]
    if not body or not is_header(body):
        return Headed(titles, [], first)
    header, start = body[0], 1
    group = _group_names(header, (spans or {}).get(first, {}))
    if group and len(body) > 2 and is_header(body[1:]):
        header, start = [" ".join(filter(None, pair)) for pair in zip(group, body[1], strict=True)], 2
    if len(body) > start + 1 and _is_units(body[start], body[start + 1]):
        header, start = [_with_unit(*pair) for pair in zip(header, body[start], strict=True)], start + 1
    return Headed(titles, header, first + start)


def is_header(rows: Sequence[Row]) -> bool:
    """Say whether the first row names the columns: at least half of its cells are filled, none with a number.

    Years and dates name columns too, where the cells under them are something else; and so does a series of numbers
    with one word, where the cells under them lack that.

    >>> is_header([["Part", "1号機", "2号機"], ["Blade", "CT-1", "CT-2"]]), is_header([["A", "3 kg"], ["B", "4 kg"]])
    (True, False)
    """
    first, below = rows[0], rows[1:]
    filled = [(index, cell) for index, cell in enumerate(first) if cell]
    if not filled or 2 * len(filled) < max(len(first), 1) or not below:
        return False
    series = _series(filled, below)
    for index, cell in filled:
        if DATE.fullmatch(cell):
            if any(index < len(row) and DATE.fullmatch(row[index]) for row in below):
                return False
        elif is_number(cell) and index not in series:
            return False
    return True


def _series(filled: Sequence[tuple[int, str]], below: Sequence[Row]) -> set[int]:
    """Return the columns whose first cells are different numbers with one word that no cell below has."""
    by_word: dict[str, list[tuple[int, str]]] = {}
    for index, cell in filled:
        word = "".join(filter(str.isalpha, cell))
        if word and any(map(str.isdigit, cell)):
            by_word.setdefault(word, []).append((index, cell))
    return {
        index
        for word, cells in by_word.items()
        if len({cell for _, cell in cells}) == len(cells) > 1
        and not any(word in row[index] for row in below for index, _ in cells if index < len(row))
        for index, _ in cells
    }


def is_number(cell: str) -> bool:
    """Say whether a cell holds an amount: digits with signs, marks, and a short unit before or after."""
    return len(cell) < 40 and NUMBER.fullmatch(cell) is not None


def _group_names(header: Row, spans: Mapping[int, int]) -> list[str]:
    """The names of a row of groups, one for each column; [] where none goes over several columns."""
    if not any(width > 1 for width in spans.values()):
        return []
    names = list(header)
    for column, width in spans.items():
        names[column : column + width] = [header[column]] * len(names[column : column + width])
    return names


def _is_units(row: Row, below: Row) -> bool:
    cells = [cell for cell in row if cell]
    numbers = any(is_number(cell) for cell in below)
    return numbers and bool(cells) and all(_is_unit(cell) for cell in cells)


def _is_unit(cell: str) -> bool:
    if BRACKETED.fullmatch(cell) and not is_number(cell[1:-1]):
        return True
    words = cell.lower().removeprefix("in ").replace(".", " ").split()
    return len(cell) <= LONGEST_UNIT and bool(words) and all(UNITS.fullmatch(word) for word in words)


def _with_unit(name: str, unit: str) -> str:
    found = BRACKETED.fullmatch(unit)
    unit = found[1] if found else unit
    return f"{name} ({unit})" if name and unit else name or unit
