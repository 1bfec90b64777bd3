"""Ruled tables: where drawn lines cross, they make cells, and words belong to the cell they stand in."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from rove.load.layout.lines import at_one_height, parted
from rove.load.layout.printed import Area, PrintedCell, PrintedRule, PrintedTable, Word, around, line_of

TOLERANCE = 3.0
MAX_RULES = 1000  # a page with more is a drawing
MIN_ALIGNED = 0.6
MAX_COLUMNED = 0.2


def ruled_tables(words: Sequence[Word], rules: Sequence[PrintedRule]) -> Iterator[PrintedTable]:
    """Yield the tables of at least two rows and two columns that the rules of a page draw."""
    across = _join_collinear_rules([rule for rule in rules if rule.across])
    down = _join_collinear_rules([rule for rule in rules if not rule.across])
    if len(across) < 2 or len(down) < 2 or len(across) + len(down) > MAX_RULES:
        return
    for group in _group_touching_rules([*across, *down]):
        lefts = _positions([rule.left for rule in group if not rule.across], group, level=False)
        tops = _positions([rule.top for rule in group if rule.across], group, level=True)
        if len(lefts) >= 3 and len(tops) >= 3:
            table = _table_from_rules(words, group, lefts, tops)
            if table is not None:
                yield table


def outside(words: Iterable[Word], tables: Sequence[PrintedTable]) -> list[Word]:
    """Return the words that stand in none of the tables."""
    return [word for word in words if not any(table.holds(*_middle(word)) for table in tables)]


def _middle(word: Word) -> tuple[float, float]:
    return (word.left + word.right) / 2, (word.top + word.bottom) / 2


def _join_collinear_rules(rules: Sequence[PrintedRule]) -> list[PrintedRule]:
    """Join rules that lie on one line and touch: a table's line is often drawn cell by cell."""
    lines: dict[int, list[PrintedRule]] = defaultdict(list)
    for rule in rules:
        lines[round((rule.top if rule.across else rule.left) / TOLERANCE)].append(rule)
    joined: list[PrintedRule] = []
    for parts in lines.values():
        parts.sort(key=lambda rule: (rule.left, rule.top))
        run = parts[:1]
        for part in parts[1:]:
            gap = part.left - max(r.right for r in run[-1:]) if part.across else part.top - run[-1].bottom
            if gap <= TOLERANCE:
                area = around([run[-1], part])
                run[-1] = PrintedRule(area.left, area.top, area.right, area.bottom)
            else:
                run.append(part)
        joined += run
    return joined


def _group_touching_rules(rules: Sequence[PrintedRule]) -> Iterator[list[PrintedRule]]:
    """Yield the groups of rules that touch one another; they are met from top to bottom, so few are compared."""
    groups: list[list[PrintedRule]] = []
    for rule in sorted(rules, key=lambda rule: rule.top):
        touching = [group for group in groups if any(_touch(rule, other) for other in group)]
        merged = [rule, *(other for group in touching for other in group)]
        groups = [group for group in groups if not any(group is one for one in touching)] + [merged]
    yield from (group for group in groups if len(group) >= 4)


def _touch(one: Area, other: Area) -> bool:
    return (
        one.left <= other.right + TOLERANCE
        and other.left <= one.right + TOLERANCE
        and one.top <= other.bottom + TOLERANCE
        and other.top <= one.bottom + TOLERANCE
    )


def _positions(found: list[float], group: Sequence[PrintedRule], *, level: bool) -> list[float]:
    """Return the places of the lines between cells, the outer edges too where no line is drawn there."""
    whole = around(group)
    ends = [whole.top, whole.bottom] if level else [whole.left, whole.right]
    places: list[float] = []
    for place in sorted([*found, *ends]):
        if not places or place - places[-1] > TOLERANCE:
            places.append(place)
    return places


def _table_from_rules(
    words: Sequence[Word], group: Sequence[PrintedRule], lefts: list[float], tops: list[float]
) -> PrintedTable | None:
    area = Area(lefts[0], tops[0], lefts[-1], tops[-1])
    inside = [word for word in words if area.holds(*_middle(word))]
    cells: dict[int, list[Word]] = defaultdict(list)
    width = len(lefts) - 1
    owner = _owners(group, lefts, tops)
    for word in inside:
        x, y = _middle(word)
        row, column = (min(bisect_right(places, at), len(places) - 1) - 1 for places, at in ((tops, y), (lefts, x)))
        cells[owner[row * width + column]].append(word)
    if len(cells) < 2 or len({index % width for index in cells}) < 2 or _is_frame(list(cells.values())):
        return None
    rows: list[tuple[PrintedCell, ...]] = []
    for row in range(len(tops) - 1):
        rows += _split([cells.get(row * width + column, []) for column in range(width)])
    kept = tuple(row for row in rows if any(cell.lines for cell in row))
    return (
        PrintedTable(area.left, area.top, area.right, area.bottom, kept, tuple(lefts[:-1])) if len(kept) >= 2 else None
    )


def _is_frame(cells: list[list[Word]]) -> bool:
    """Say whether the boxes hold columns of their own: then they are frames around parts of a page."""
    columned = sum(any(_gaps(line) for line in at_one_height(cell)) for cell in cells)
    return columned > MAX_COLUMNED * len(cells)


def _gaps(words: list[Word]) -> bool:
    """A currency sign may stand apart from its amount."""
    return sum(len(line.text) > 1 for line in parted(words)) > 1


def _owners(group: Sequence[PrintedRule], lefts: list[float], tops: list[float]) -> list[int]:
    """Return, for each cell of the grid, the first cell of the merged one that it belongs to."""
    width, height = len(lefts) - 1, len(tops) - 1
    owner = list(range(width * height))
    down = [rule for rule in group if not rule.across]
    across = [rule for rule in group if rule.across]
    for row in range(height):
        for column in range(width):
            index = row * width + column
            y, x = (tops[row] + tops[row + 1]) / 2, (lefts[column] + lefts[column + 1]) / 2
            if column and not any(abs(r.left - lefts[column]) <= TOLERANCE and r.top <= y <= r.bottom for r in down):
                owner[index] = owner[index - 1]
            elif row and not any(abs(r.top - tops[row]) <= TOLERANCE and r.left <= x <= r.right for r in across):
                owner[index] = owner[index - width]
    return owner


def _split(cells: list[list[Word]]) -> Iterator[tuple[PrintedCell, ...]]:
    """Yield the rows within one row of the grid: several where its lines stand level and no line is drawn between."""
    lines = at_one_height([word for cell in cells for word in cell])
    used = sum(map(bool, cells))
    members = [{id(word) for word in line} for line in lines]
    filled = [sum(any(id(word) in line for word in cell) for cell in cells) for line in members]
    if len(lines) >= 3 and used >= 2 and sum(count >= used for count in filled) >= MIN_ALIGNED * len(lines):
        for line in members:
            yield tuple(cell_of([word for word in cell if id(word) in line]) for cell in cells)
    else:
        yield tuple(cell_of(cell) for cell in cells)


def cell_of(words: Sequence[Word]) -> PrintedCell:
    """Make a cell of the words that stand in it."""
    return PrintedCell(tuple(line_of(line) for line in at_one_height(words)))
