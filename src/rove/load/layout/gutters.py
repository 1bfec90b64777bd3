"""Gutters between columns of running text: where words begin one under the other, and nothing runs across.

Lines that are justified have gaps as wide as a narrow gutter, at another place on each line; a gutter stands at one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from rove.load.layout.printed import Word

STRIP = 0.45  # of the letters' size: a gutter is at least so wide
ALIGNED = 2.0  # points: words that begin one under the other do so this exactly
MIN_ALIGNED = 0.6  # of a column's lines begin at its edge, those set in do not
MIN_SURE = 6  # lines at both sides, somewhere on the page, make a gutter sure
MIN_LINES = 3
MIN_WORDS = 3  # of the usual line
MIN_FILL = 0.5  # of the column: so much of it the usual line takes up
MAX_CANDIDATES = 12

WordRow = list[Word]


@dataclass(frozen=True, slots=True)
class Gutter:
    """The place `at` which a column begins, for the rows from `first` up to, not including, `last`."""

    at: float
    first: int
    last: int


def find_gutters(rows: Sequence[WordRow]) -> list[Gutter]:
    """Return the gutters of a page, of which each row holds the words of one height from left to right."""
    starts = Counter[int]()
    for row in rows:
        starts[round(row[0].left / ALIGNED)] += 1
        for before, word in pairwise(row):
            if word.left - before.right >= STRIP * word.size:
                starts[round(word.left / ALIGNED)] += 1
    places = [
        place * ALIGNED
        for place, _ in starts.most_common(MAX_CANDIDATES)
        if starts[place - 1] + starts[place] + starts[place + 1] >= MIN_SURE
    ]
    found: list[Gutter] = []
    for at in (*places, *places):  # a column between two others is seen once both of its edges are
        if any(abs(gutter.at - at) < 4 * ALIGNED for gutter in found):
            continue
        bands = [band for band in _gutter_candidates(rows, at) if _has_columns(rows, band, found)]
        if any(_shorter_side(rows[band.first : band.last], at) >= MIN_SURE for band in bands):
            found += bands
    return found


def _gutter_candidates(rows: Sequence[WordRow], at: float) -> Iterator[Gutter]:
    """Yield the runs of rows in which no word stands in the strip before `at`, or runs across it."""
    start = 0
    for index, row in enumerate([*rows, None]):
        if row is None or any(w.left < at - ALIGNED and w.right > at - STRIP * w.size for w in row):
            if index - start >= MIN_LINES:
                yield Gutter(at, start, index)
            start = index + 1


def _shorter_side(rows: Sequence[WordRow], at: float) -> int:
    edge = at - ALIGNED
    return min(sum(row[0].left < edge for row in rows), sum(row[-1].left >= edge for row in rows))


def _has_columns(rows: Sequence[WordRow], band: Gutter, found: Sequence[Gutter]) -> bool:
    """Say whether running text stands at both sides, up to the nearest gutter that was found before."""
    at, edge = band.at, band.at - ALIGNED
    least = max((gutter.at - ALIGNED for gutter in found if gutter.at < at), default=float("-inf"))
    most = min((gutter.at - ALIGNED for gutter in found if gutter.at > at), default=float("inf"))
    beside = rows[band.first : band.last]
    left = [side for row in beside if (side := [word for word in row if least <= word.left < edge])]
    right = [side for row in beside if (side := [word for word in row if edge <= word.left < most])]
    aligned = sum(abs(side[0].left - at) <= ALIGNED for side in right)
    return _is_running(left) and _is_running(right) and aligned >= MIN_ALIGNED * len(right)


def _is_running(lines: Sequence[WordRow]) -> bool:
    """Say whether lines are of running text: several words each, which take up most of the column."""
    if len(lines) < MIN_LINES or median(len(line) for line in lines) < MIN_WORDS:
        return False
    width = max(line[-1].right for line in lines) - min(line[0].left for line in lines)
    return median(sum(word.width for word in line) for line in lines) >= MIN_FILL * width
