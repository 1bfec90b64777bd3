"""Headings: those that the outline names, else those in larger or bolder letters, their numbers telling the depth."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from rove.load.layout.furniture import body_size
from rove.load.layout.printed import Item, OrderedPage, PrintedLine, all_lines

RATIO = 1.15  # a heading's letters are at least this much higher than the body's
BOLD_RATIO = 0.93  # a bold heading's at least this much: fonts of one size differ a little in height
SAME = 0.95  # two sizes count as one where the smaller is at least this share of the larger
MAX_CHARS = 120
MAX_SHARE = 0.25  # where more of the text is "large" or bold than this, that says nothing
MAX_LEVEL = 6
MAX_LINES = 3
MIN_FOUND = 0.5  # of the outline's entries: with fewer found in the text it is no guide to it
GAP_ABOVE = 1.25  # of the usual pitch: a bold heading stands apart from the text over it
NUMBERED = re.compile(r"(\d{1,2}(?:\.\d{1,2}){0,4})\.?\s+\S")
FIELD = re.compile(r"[:：]\s*\S")
MIN_LETTERS = 0.4  # of the characters
UNFINISHED = (".", ",", ";", "。", "，")
BULLET = re.compile(r"[-+*•◦▪‣●○■□➢✓·–]\s")
NOT_LETTERS = re.compile(r"\W+")


@dataclass(frozen=True, slots=True)
class Bookmark:
    """An entry of the document's own outline: level from 1, page as counted from 0."""

    title: str
    level: int
    page: int


@dataclass(frozen=True, slots=True, order=True)
class _Style:
    """How a heading looks: the higher the letters, then bold before plain, the higher it stands."""

    size: float
    bold: bool


def with_headings(sheets: Sequence[OrderedPage], outline: Sequence[Bookmark]) -> list[OrderedPage]:
    """Mark the lines that are headings with their level."""
    marked = [list(sheet.items) for sheet in sheets]
    found = sum(_mark_bookmark_title(marked[entry.page], entry) for entry in outline if 0 <= entry.page < len(marked))
    if not found or found < MIN_FOUND * len(outline):
        return _by_style(sheets)
    return [replace(sheet, items=tuple(items)) for sheet, items in zip(sheets, marked, strict=True)]


def _mark_bookmark_title(items: list[Item], entry: Bookmark) -> bool:
    """Mark the lines that print the title of `entry`: one, or several where it is wrapped."""
    wanted = _title_letters(entry.title)
    for start, first in enumerate(items) if wanted else ():
        so_far = ""
        for end in range(start, min(start + MAX_LINES, len(items))):
            item = items[end]
            if not isinstance(item, PrintedLine) or item.level or not isinstance(first, PrintedLine):
                break
            so_far += _title_letters(item.text)
            if _is_bookmark_title(so_far, wanted):
                level = min(entry.level, MAX_LEVEL)
                items[start : end + 1] = [replace(line, level=level) for line in _item_lines(items[start : end + 1])]
                return True
            if len(so_far) > len(wanted) + 8:
                break
    return False


def _item_lines(items: Sequence[Item]) -> list[PrintedLine]:
    return [item for item in items if isinstance(item, PrintedLine)]


def _title_letters(text: str) -> str:
    return NOT_LETTERS.sub("", text).casefold()


def _is_bookmark_title(line: str, wanted: str) -> bool:
    """A heading may carry a number before the outline's words."""
    return line == wanted or (line.endswith(wanted) and line[: -len(wanted)].isdigit())


def _by_style(sheets: Sequence[OrderedPage]) -> list[OrderedPage]:
    body = body_size(sheets)
    if body <= 0:
        return list(sheets)
    lines = list(all_lines(sheets))
    total = sum(len(line.text) for line in lines)
    bold = sum(len(line.text) for line in lines if line.bold)
    bold_tells = bold <= MAX_SHARE * total
    styles = [
        [_item_heading_style(sheet, index, body, bold_tells) for index in range(len(sheet.items))] for sheet in sheets
    ]
    levels = _levels_by_style(sheets, styles, total)
    top = min(
        (levels[s] for line, s in _lines_with_style(sheets, styles) if s in levels and _depth(line.text) == 1),
        default=0,
    )
    return [
        replace(
            sheet,
            items=tuple(_with_heading_level(i, levels.get(s), top) for i, s in zip(sheet.items, row, strict=True)),
        )
        for sheet, row in zip(sheets, styles, strict=True)
    ]


def _lines_with_style(
    sheets: Sequence[OrderedPage], styles: Sequence[Sequence[_Style | None]]
) -> Iterator[tuple[PrintedLine, _Style]]:
    for sheet, row in zip(sheets, styles, strict=True):
        for item, style in zip(sheet.items, row, strict=True):
            if style and isinstance(item, PrintedLine):
                yield item, style


def _levels_by_style(
    sheets: Sequence[OrderedPage], styles: Sequence[Sequence[_Style | None]], total: int
) -> dict[_Style | None, int]:
    """Rank the styles that headings have; where they hold too much of the text, they say nothing."""
    chars = Counter[_Style]()
    for line, style in _lines_with_style(sheets, styles):
        chars[style] += len(line.text)
    if chars.total() > MAX_SHARE * total:
        return {}
    levels: dict[_Style | None, int] = {}
    rank, over = 0, _Style(float("inf"), bold=True)
    for style in sorted(chars, reverse=True):
        if style.size < SAME * over.size or style.bold != over.bold:
            rank, over = rank + 1, style
        levels[style] = min(rank, MAX_LEVEL)
    return levels


def _with_heading_level(item: Item, level: int | None, top: int) -> Item:
    """Set a heading's level: by its number from `top`, the level of those with one number, else by its style."""
    if level is None or not isinstance(item, PrintedLine):
        return item
    depth = _depth(item.text)
    return replace(item, level=min(top + depth - 1, MAX_LEVEL) if top and depth else level)


def _item_heading_style(sheet: OrderedPage, index: int, body: float, bold_tells: bool) -> _Style | None:
    """Return how the item looks if it looks like a heading."""
    line = sheet.items[index]
    if not isinstance(line, PrintedLine) or line.label or not _could_be(line.text):
        return None
    if _half_point_size(line) >= RATIO * body:
        return _Style(_half_point_size(line), line.bold)
    if bold_tells and line.bold and line.size >= BOLD_RATIO * body and _is_isolated_bold_line(sheet.items, index):
        return _Style(body, bold=True)
    return None


def _could_be(text: str) -> bool:
    letters = sum(map(str.isalpha, text))
    long_enough = letters >= max(2, MIN_LETTERS * len(text))
    return len(text) <= MAX_CHARS and long_enough and not text.endswith(UNFINISHED) and not BULLET.match(text)


def _is_isolated_bold_line(items: Sequence[Item], index: int) -> bool:
    """A bold heading has space above it, something under it, and is no line of a bold paragraph or of a form."""
    line = items[index]
    before = items[index - 1] if index else None
    after = items[index + 1] if index + 1 < len(items) else None
    if after is None or not isinstance(line, PrintedLine) or FIELD.search(line.text):
        return False
    if isinstance(before, PrintedLine) and not before.bold and 0 < line.top - before.top < GAP_ABOVE * line.height:
        return False
    return not (isinstance(after, PrintedLine) and after.bold and isinstance(before, PrintedLine) and before.bold)


def _half_point_size(line: PrintedLine) -> float:
    return round(line.size * 2) / 2


def _depth(text: str) -> int:
    """Return how deep the number of a heading goes ("2.1 Scope": 2); 0 where it has none."""
    found = NUMBERED.match(text)
    return found[1].count(".") + 1 if found else 0
