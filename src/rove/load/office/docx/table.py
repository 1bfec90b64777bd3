"""Word's tables: which cells a row has, where they are merged, and which rows are headers."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from rove.load.office.compose import PAGE_BREAK, one_header, paged_table
from rove.load.office.docx.styles import W, value
from rove.load.pipe_table import is_amount
from rove.load.xmltree import Node, integer

MAX_SPAN = 64
MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
WRAPPERS = {f"{W}sdt", f"{W}sdtContent", f"{W}ins", f"{W}moveTo", f"{W}customXml", f"{W}smartTag",
            f"{MC}AlternateContent", f"{MC}Choice"}  # fmt: skip


def children(node: Node, tag: str) -> Iterator[Node]:
    """Yield the children with that tag, through content controls and tracked insertions."""
    for child in node:
        if child.tag == tag:
            yield child
        elif child.tag in WRAPPERS:
            yield from children(child, tag)


def docx_rows(table: Node) -> list[list[Node]]:
    """Return the cells of a table by rows; rows that were deleted are gone."""
    kept = (row for row in children(table, f"{W}tr") if row.find(f"{W}trPr/{W}del") is None)
    return [cells for row in kept if (cells := list(children(row, f"{W}tc")))]


def table_text(table: Node, cell_text: Callable[[Node], str]) -> str:
    """Return a table as a pipe table; page breaks stand before the row that they come in.

    The text of a cell that is merged down names a group, and stands in each of its rows; a number stands once, so that
    no sum counts it twice. Over several columns a text stands in the first. Several header rows become one, in which
    the text over several columns stands in each.
    """
    groups: dict[int, str] = {}
    rows: list[list[str]] = []
    headers = 0
    for row in children(table, f"{W}tr"):
        properties = row.find(f"{W}trPr")
        if properties is not None and properties.find(f"{W}del") is not None:
            continue
        is_header = headers == len(rows) and properties is not None and properties.find(f"{W}tblHeader") is not None
        rows.append(_docx_row_cells(row, cell_text, groups, repeat=is_header))
        headers += is_header
    if headers:
        rows[:headers] = [one_header(rows[:headers]) if headers > 1 else _blank_repeated_headers(rows[0])]
    return paged_table(rows)


def _docx_row_cells(row: Node, cell_text: Callable[[Node], str], groups: dict[int, str], *, repeat: bool) -> list[str]:
    """The cells of a row; `groups`, by columns, are those that are merged down into the next."""
    properties = row.find(f"{W}trPr")
    texts = [""] * _docx_grid_column_count(properties, "gridBefore", 0)
    for cell in children(row, f"{W}tc"):
        merge, across = cell.find(f"{W}tcPr/{W}vMerge"), _docx_grid_column_count(cell.find(f"{W}tcPr"), "gridSpan", 1)
        goes_on = merge is not None and merge.get(f"{W}val", "") != "restart"
        column = len(texts)
        text = groups.get(column, "") if goes_on else cell_text(cell)
        groups[column] = "" if merge is None or (column and is_amount(text)) else text.replace(PAGE_BREAK, "")
        texts += [text, *([text.replace(PAGE_BREAK, "") if repeat else ""] * (across - 1))]
    return texts


def _docx_grid_column_count(properties: Node | None, name: str, least: int) -> int:
    return min(max(integer(value(properties, name), least), least), MAX_SPAN) if properties is not None else least


def _blank_repeated_headers(texts: list[str]) -> list[str]:
    """A single header row: what stands over several columns stands in the first of them."""
    return [text if not index or text != texts[index - 1] else "" for index, text in enumerate(texts)]
