"""Reading order: a page is cut where a gutter runs between two columns of prose."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from rove.load.layout.lines import Row, merge_row
from rove.load.layout.printed import PrintedLine, around

BINS = 120
MAX_CROSSING = 0.5  # of the rows: where more run across each place, there is no gutter
MARGIN = 0.15  # of the width: nearer to the edge than this no gutter is looked for
MIN_LINES = 3
MIN_WORDS, MIN_CHARS = 3, 9  # the usual line of prose holds so many words, or so many characters without spaces
MIN_FILL = 0.5  # and takes up so much of its column
MAX_DEPTH = 3


@dataclass(frozen=True, slots=True)
class _Band:
    """Rows that follow each other; `split` if all stand clear of the gutter."""

    rows: list[Row]
    split: bool


def reading_order(
    rows: list[Row], known: Sequence[float] = (), *, rtl: bool = False, depth: int = 0
) -> Iterator[list[Row]]:
    """Yield the columns of a page, each as its rows, in the order in which they are read: the right one first if `rtl`.

    `known`: where columns begin, as their words say; where that parts nothing, the widest gutter is looked for.
    """
    if depth >= MAX_DEPTH:
        yield rows
        return
    for place, gutter in enumerate((*known, _gutter(rows))):
        if gutter is None:
            continue
        bands = [*_bands_around_gutter(rows, gutter, sure=place < len(known))]
        if not any(band.split for band in bands):
            continue
        for band in bands:
            if not band.split:
                yield from (
                    reading_order(band.rows, known[place + 1 :], rtl=rtl, depth=depth + 1) if known else [band.rows]
                )
                continue
            for left in (not rtl, rtl):
                side = _side(band.rows, gutter, left=left)
                yield from reading_order(side, known[place + 1 :], rtl=rtl, depth=depth + 1)
        return
    yield rows


def _gutter(rows: list[Row]) -> float | None:
    """Find the place between the margins that the fewest rows run across; the widest such, by its middle."""
    if len(rows) < 2 * MIN_LINES:
        return None
    whole = around([item for row in rows for item in row])
    if whole.width <= 0:
        return None
    steps = [0] * (BINS + 2)
    for row in rows:
        for item in row:
            first, last = (int(BINS * (x - whole.left) / whole.width) for x in (item.left, item.right))
            steps[first] += 1
            steps[last + 1] -= 1
    crossing: list[int] = []
    for step in steps[:BINS]:
        crossing.append(step + (crossing[-1] if crossing else 0))
    inner = range(int(BINS * MARGIN), int(BINS * (1 - MARGIN)))
    fewest = min(crossing[place] for place in inner)
    if fewest > MAX_CROSSING * len(rows):
        return None
    best = max(_consecutive_runs([place for place in inner if crossing[place] == fewest]), key=len)
    return whole.left + (best[0] + best[-1] + 1) / 2 / BINS * whole.width


def _consecutive_runs(places: list[int]) -> Iterator[list[int]]:
    run: list[int] = []
    for place in places:
        if run and place != run[-1] + 1:
            yield run
            run = []
        run.append(place)
    if run:
        yield run


def _bands_around_gutter(rows: list[Row], gutter: float, *, sure: bool) -> Iterator[_Band]:
    """Part the rows into those that run across the gutter and those that stand clear of it, as they follow.

    Of a gutter that is `sure`, the sides may hold columns themselves, side by side.
    """
    crossed: list[Row] = []
    clear: list[Row] = []
    for row in [*rows, []]:
        if row and not any(item.left < gutter < item.right for item in row):
            clear.append(row)
            continue
        if clear and all(_is_prose_column(_side(clear, gutter, left=left), joined=sure) for left in (True, False)):
            if crossed:
                yield _Band(crossed, split=False)
            yield _Band(clear, split=True)
            crossed = []
        else:
            crossed += clear
        clear = []
        crossed += [row] if row else []
    if crossed:
        yield _Band(crossed, split=False)


def _side(rows: list[Row], gutter: float, *, left: bool) -> list[Row]:
    sides = ([item for item in row if (item.left < gutter) == left] for row in rows)
    return [side for side in sides if side]


def _is_prose_column(rows: list[Row], *, joined: bool) -> bool:
    """Say whether a column reads as running text: lines of several words that fill it. A column of a table does not.

    `joined`: what stands at one height counts as one line.
    """
    if joined:
        rows = [[merge_row(row)] for row in rows if isinstance(row[0], PrintedLine)]
    lines = [item for row in rows for item in row if isinstance(item, PrintedLine)]
    if len(lines) < MIN_LINES:
        return False
    column = around(lines)
    words = median(len(line.words) for line in lines)
    chars = median(sum(len(word.text) for word in line.words) for line in lines)
    spaceless = words < MIN_WORDS and any(word.text[0] >= "\u2e80" for line in lines for word in line.words[:1])
    enough = chars >= MIN_CHARS if spaceless else words >= MIN_WORDS
    return enough and median(line.width for line in lines) >= MIN_FILL * column.width
