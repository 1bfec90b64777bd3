"""Words into lines: what stands at one height is a row, and a row is parted where a wide gap is."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import groupby, pairwise

from rove.load.layout.gutters import ALIGNED, Gutter
from rove.load.layout.printed import Area, Figure, Item, PrintedLine, PrintedTable, Word, line_of

OVERLAP = 0.6  # of the lower of two words' heights: with more they stand on one line
GAP = 0.9  # of the letters' size: a wider gap parts two columns, a narrower one two words
MIN_FILLED = 0.5  # of a line in a column: what holds fewer letters is a row of a table
DOTS = ".·…_‥"
MIN_LEADER = 4
MAX_TAB = 4.0  # sizes of the letters
LIST_MARK = re.compile(r"[-•◦▪–*·‣●○■□➢✓]|\(?(?:\d{1,3}|[a-zA-Z]|[ivx]{1,4})[.)]")

Row = list[Item]
"""What stands side by side, from left to right."""


def page_rows(
    heights: Sequence[Sequence[Word]], placed: Iterable[PrintedTable | Figure] = (), gutters: Sequence[Gutter] = ()
) -> list[Row]:
    """Return the rows of a page from top to bottom. Tables and figures that are known are rows by themselves.

    `heights`: the words at each height, which are parted at `gutters`, else at their gaps.
    """
    rows: list[Row] = [[item] for item in placed]
    for index, words in enumerate(heights):
        places = sorted(gutter.at for gutter in gutters if gutter.first <= index < gutter.last)
        rows.append([*(_in_columns(words, places) if places else parted(words))])
    return sorted(rows, key=lambda row: row[0].top)


def _in_columns(words: Sequence[Word], places: Sequence[float]) -> Iterable[PrintedLine]:
    """Yield the lines of a row of columns; one that is mostly gaps is a table's, and parted at them."""
    for _, run in groupby(words, key=lambda word: bisect_right(places, word.left + ALIGNED)):
        side = list(run)
        filled = sum(word.width for word in side)
        if filled >= MIN_FILLED * (side[-1].right - side[0].left):
            yield line_of(side)
        else:
            yield from parted(side)


def at_one_height(words: Sequence[Word]) -> list[list[Word]]:
    """Group words by height, from top to bottom, each group from left to right."""
    groups: list[list[Word]] = []
    tallest: Area | None = None
    for word in sorted(words, key=lambda word: word.top + word.bottom):
        if tallest is not None and _is_on_same_row(tallest, word):
            groups[-1].append(word)
            tallest = word if word.bottom - word.top > tallest.bottom - tallest.top else tallest
        else:
            groups.append([word])
            tallest = word
    return [_drop_overprints(sorted(group, key=lambda word: word.left)) for group in groups]


def parted(words: Sequence[Word]) -> Iterable[PrintedLine]:
    """Yield the lines of a row: it is parted at its gaps, save after the mark of a list item and at leader dots."""
    if _has_leader(words):
        yield line_of(words)
        return
    part = [words[0]]
    for before, word in pairwise(words):
        gap = word.left - before.right
        if gap > GAP * word.size and gap > GAP * before.size and not (len(part) == 1 and _is_list_mark(before, gap)):
            yield line_of(part)
            part = []
        part.append(word)
    yield line_of(part)


def _has_leader(words: Sequence[Word]) -> bool:
    dots = [word.text for word in words if word.text[0] in DOTS and not word.text.strip(DOTS)]
    return len(dots) >= MIN_LEADER or any(len(text) >= MIN_LEADER for text in dots)


def merge_row(row: Row) -> PrintedLine:
    """Make one line of a row that turned out to hold no columns."""
    if len(row) == 1 and isinstance(row[0], PrintedLine):
        return row[0]
    words = [word for line in row if isinstance(line, PrintedLine) for word in line.words]
    return line_of(sorted(words, key=lambda word: word.left))


def _is_list_mark(word: Word, gap: float) -> bool:
    """A list item's text stands a tab at most from its mark."""
    return gap < MAX_TAB * word.size and LIST_MARK.fullmatch(word.text) is not None


def _is_on_same_row(area: Area, word: Word) -> bool:
    top, bottom = area.top, area.bottom
    shared = min(bottom, word.bottom) - max(top, word.top)
    return shared >= OVERLAP * min(bottom - top, word.bottom - word.top)


def _drop_overprints(words: list[Word]) -> list[Word]:
    """Drop what is printed twice in one place, which is how some programs make letters bold."""
    kept = words[:1]
    for word in words[1:]:
        if word.text != kept[-1].text or word.left - kept[-1].left > 0.2 * word.size:
            kept.append(word)
    return kept
