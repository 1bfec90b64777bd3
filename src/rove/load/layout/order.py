"""From a page as it was read to its items in reading order: grids first, then columns, then tables without rules."""

from __future__ import annotations

from rove.load.layout.aligned import with_tables
from rove.load.layout.columns import reading_order
from rove.load.layout.grids import outside, ruled_tables
from rove.load.layout.gutters import ALIGNED, find_gutters
from rove.load.layout.lines import at_one_height, page_rows
from rove.load.layout.printed import Item, OrderedPage, PrintedPage, is_rtl


def in_reading_order(page: PrintedPage) -> OrderedPage:
    """Put the items of a page into reading order; lines that run another way come last."""
    tables = list(ruled_tables(page.words, page.rules)) if page.rules else []
    words = outside(page.words, tables) if tables else page.words
    heights = at_one_height(words)
    gutters = find_gutters(heights)
    rows = page_rows(heights, [*tables, *page.figures], gutters)
    rtl = 2 * sum(is_rtl(word.text) for word in words if not word.text.isascii()) > len(words)
    order = reading_order(rows, [*dict.fromkeys(gutter.at - ALIGNED for gutter in gutters)], rtl=rtl)
    items: list[Item] = [item for column in order for item in with_tables(column, page.rules)]
    return OrderedPage(page.number, page.width, page.height, (*items, *page.aside), page.remarks, page.turns, page.skew)
