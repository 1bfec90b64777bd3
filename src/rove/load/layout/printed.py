"""What a printed page consists of: words, lines, cells, tables, figures, ruled lines, remarks; and the page itself.

Lengths are in points (1/72 inch), from the upper left corner of the page as it is read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import cos, radians, sin

RTL_RANGES = (("\u0590", "\u08ff"), ("\ufb1d", "\ufdff"), ("\ufe70", "\ufeff"))


@dataclass(frozen=True, slots=True)
class Area:
    """A rectangle; `top` is above `bottom` and thus the smaller."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def width(self) -> float:
        """From left to right."""
        return self.right - self.left

    @property
    def height(self) -> float:
        """From top to bottom."""
        return self.bottom - self.top

    def holds(self, x: float, y: float) -> bool:
        """Say whether a point lies within."""
        return self.left <= x <= self.right and self.top <= y <= self.bottom


def around(areas: Sequence[Area]) -> Area:
    """Return the smallest area that covers all of `areas`."""
    return Area(
        min([area.left for area in areas]),
        min([area.top for area in areas]),
        max([area.right for area in areas]),
        max([area.bottom for area in areas]),
    )


def turned_about(area: Area, degrees: float, x: float, y: float) -> Area:
    """Return what an area covers once it is turned to the right about a point.

    >>> turned_about(Area(0, 0, 4, 2), 90, 0, 0)
    Area(left=-2.0, top=0.0, right=0.0, bottom=4.0)
    """
    across, down = cos(radians(degrees)), sin(radians(degrees))
    corners = [(left - x, top - y) for left in (area.left, area.right) for top in (area.top, area.bottom)]
    lefts = [round(x + left * across - top * down, 6) for left, top in corners]
    tops = [round(y + left * down + top * across, 6) for left, top in corners]
    return Area(min(lefts), min(tops), max(lefts), max(tops))


@dataclass(frozen=True, slots=True)
class Word(Area):
    """Letters without a space in them, in the order in which they are read; `size` is that of the font.

    `note` marks a raised number that stands right after the word before it. `url` is where a link leads.
    """

    text: str
    size: float
    bold: bool = False
    mono: bool = False
    note: bool = False
    url: str = ""


@dataclass(frozen=True, slots=True)
class PrintedLine(Area):
    """Words on one line, in reading order; `text` is all of them, `size` their usual size.

    `level` is the heading level or 0, `label` the name of the footnote that the line begins or "".
    """

    words: tuple[Word, ...]
    text: str
    size: float
    level: int = 0
    label: str = ""

    @property
    def bold(self) -> bool:
        """Whether every word is bold."""
        return all(word.bold for word in self.words)

    @property
    def mono(self) -> bool:
        """Whether every word is in a typewriter's letters."""
        return all(word.mono for word in self.words)


@dataclass(frozen=True, slots=True)
class PrintedCell:
    """One cell of a table with the lines in it; one that is empty has none."""

    lines: tuple[PrintedLine, ...] = ()


@dataclass(frozen=True, slots=True)
class PrintedTable(Area):
    """Rows of cells, all of one length; `edges` are where the columns begin; `headed` if the first row names them."""

    rows: tuple[tuple[PrintedCell, ...], ...]
    edges: tuple[float, ...]
    headed: bool = True


@dataclass(frozen=True, slots=True)
class Figure(Area):
    """A picture; `name` is unique in the document, `says` what the file itself says that it shows."""

    name: str
    says: str = ""


Item = PrintedLine | PrintedTable | Figure


@dataclass(frozen=True, slots=True)
class PrintedRule(Area):
    """A straight line that is drawn, or an edge of a box."""

    @property
    def across(self) -> bool:
        """Whether it runs from left to right."""
        return self.width >= self.height


@dataclass(frozen=True, slots=True)
class Remark:
    """What somebody noted on a page that was printed before."""

    author: str
    text: str


@dataclass(frozen=True, slots=True)
class PrintedPage:
    """A page as its reader gave it, not yet put in order; `aside` are lines that run in another direction.

    `turns` is how many quarter turns to the right set the text upright, from how a viewer shows the page; `skew` the
    degrees by which lines then still fall to the right, where the places of words are those of level lines.
    """

    number: int
    width: float
    height: float
    words: tuple[Word, ...] = ()
    rules: tuple[PrintedRule, ...] = ()
    figures: tuple[Figure, ...] = ()
    remarks: tuple[Remark, ...] = ()
    aside: tuple[PrintedLine, ...] = ()
    turns: int = 0
    skew: float = 0.0


@dataclass(frozen=True, slots=True)
class OrderedPage:
    """A page whose items stand in reading order; `turns` and `skew` as in `PrintedPage`."""

    number: int
    width: float
    height: float
    items: tuple[Item, ...] = ()
    remarks: tuple[Remark, ...] = ()
    turns: int = 0
    skew: float = 0.0

    def shares(self, area: Area) -> Area:
        """Return an area of the page in shares of its width and height, as a viewer shows the page."""
        area = turned_about(area, self.skew, self.width / 2, self.height / 2) if self.skew else area
        left, right = (min(max(x / self.width, 0.0), 1.0) for x in (area.left, area.right))
        top, bottom = (min(max(y / self.height, 0.0), 1.0) for y in (area.top, area.bottom))
        if self.turns == 1:
            return Area(top, 1 - right, bottom, 1 - left)
        if self.turns == 2:
            return Area(1 - right, 1 - bottom, 1 - left, 1 - top)
        if self.turns == 3:
            return Area(1 - bottom, left, 1 - top, right)
        return Area(left, top, right, bottom)


def line_of(words: Sequence[Word]) -> PrintedLine:
    """Make a line of words that stand from left to right; words of a right-to-left script are turned about."""
    text = text_of(words)
    if not text.isascii():
        words = _reverse_rtl_words(words)
        text = text_of(words)
    area = around(words)
    sizes = sorted([word.size for word in words])
    return PrintedLine(area.left, area.top, area.right, area.bottom, tuple(words), text, sizes[len(sizes) // 2])


def text_of(words: Sequence[Word]) -> str:
    """Return words with spaces between; a note stands right after its word."""
    if True in [word.note for word in words]:
        return "".join(word.text if word.note else f" {word.text}" for word in words).strip()
    return " ".join([word.text for word in words])


def linked_text(words: Sequence[Word]) -> str:
    """Write words with their links; a link that shows where it leads is left as it is printed."""
    parts: list[str] = []
    for url, run in groupby(words, key=lambda word: word.url):
        members = list(run)
        text = "".join(word.text if word.note else f" {word.text}" for word in members)
        shown = text.strip()
        if url and shown.rstrip("/") not in url and not set("[]\n") & set(shown):
            text = f"{text[: len(text) - len(text.lstrip())]}[{shown}]({url})"
        parts.append(text)
    return "".join(parts).strip()


def all_lines(sheets: Sequence[OrderedPage]) -> Iterator[PrintedLine]:
    """Yield all lines, those in tables too."""
    for sheet in sheets:
        for item in sheet.items:
            if isinstance(item, PrintedLine):
                yield item
            elif isinstance(item, PrintedTable):
                yield from (line for row in item.rows for cell in row for line in cell.lines)


def is_rtl(text: str) -> bool:
    """Say whether the first letter is of a script that is written from right to left."""
    first = next((char for char in text if char.isalpha()), "")
    return first > RTL_RANGES[0][0] and any(low <= first <= high for low, high in RTL_RANGES)


def _reverse_rtl_words(words: Sequence[Word]) -> Sequence[Word]:
    """Turn a right-to-left line about, or the right-to-left words within another; runs of other scripts stay."""
    turned = sum(is_rtl(word.text) for word in words)
    if not turned:
        return words
    runs = [list(run) for _, run in groupby(words, key=lambda word: is_rtl(word.text))]
    if 2 * turned < sum(any(map(str.isalpha, word.text)) for word in words):
        return [word for run in runs for word in (reversed(run) if is_rtl(run[0].text) else run)]
    return [word for run in reversed(runs) for word in (run if _is_ltr(run) else reversed(run))]


def _is_ltr(run: Sequence[Word]) -> bool:
    """Numbers alone follow each other from right to left, words of another script and their numbers do not."""
    return not is_rtl(run[0].text) and any(char.isalpha() for word in run for char in word.text)
