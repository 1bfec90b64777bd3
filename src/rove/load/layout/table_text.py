"""Tables as text: cells of several lines, captions, and a table that goes on over the page's end."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from rove.load.layout.paragraphs import is_cjk, mended
from rove.load.layout.printed import OrderedPage, PrintedCell, PrintedTable, linked_text
from rove.load.pipe_table import pipe_table

CAPTION = re.compile(
    r"(?:(?:table|tab\.|tabelle|tabla|tableau|tabella|tabela|tabel|figure|fig\.|figura|figuur|abbildung|abb\.|chart)"
    r"\s*\w{0,6}\d|\d{1,3}\.\s*(?:táblázat|ábra)|[表图図圖]\s*\d)",
    re.IGNORECASE,
)
SHIFT = 0.02  # of the page's width: columns of a table that goes on stand no farther from where they stood


def cell_text(cell: PrintedCell) -> str:
    """Return the text of a cell as one line, with its links."""
    text = ""
    for line in cell.lines:
        text = mended(text, line.text)
        joins = not text or text[-1] == "-" or (is_cjk(text[-1]) and is_cjk(line.text[0]))
        text += ("" if joins else " ") + linked_text(line.words)
    return mended(text, "").replace("\u00ad", "")


def rows_of_text(table: PrintedTable) -> list[list[str]]:
    """Return the cells' texts by rows, with an empty header row where the table names no columns."""
    rows = [[cell_text(cell) for cell in row] for row in table.rows]
    return rows if table.headed else [[""] * len(table.edges), *rows]


def with_headers(sheets: Sequence[OrderedPage]) -> list[OrderedPage]:
    """Give a table that goes on from the page before its header row, where it is not printed again."""
    out: list[OrderedPage] = []
    for sheet in sheets:
        last = out[-1].items[-1] if out and out[-1].items else None
        first = sheet.items[0] if sheet.items else None
        if (
            isinstance(last, PrintedTable)
            and isinstance(first, PrintedTable)
            and _is_table_continued(last, first, sheet.width)
        ):
            if rows_of_text(last)[0] != rows_of_text(first)[0]:
                first = replace(
                    first, rows=(_row_without_places(last.rows[0]), *first.rows) if last.headed else first.rows
                )
                first = replace(first, headed=last.headed)
            sheet = replace(sheet, items=(first, *sheet.items[1:]))
        out.append(sheet)
    return out


def _is_table_continued(last: PrintedTable, first: PrintedTable, width: float) -> bool:
    if len(last.edges) != len(first.edges):
        return False
    return all(abs(a - b) <= SHIFT * width for a, b in zip(last.edges, first.edges, strict=True))


def _row_without_places(row: tuple[PrintedCell, ...]) -> tuple[PrintedCell, ...]:
    """A header that is repeated stands nowhere on this page: its lines get no place."""
    return tuple(
        PrintedCell(tuple(replace(line, left=0.0, top=0.0, right=0.0, bottom=0.0) for line in cell.lines))
        for cell in row
    )


def table_text(table: PrintedTable) -> str:
    """Return the pipe table."""
    return pipe_table(rows_of_text(table))
