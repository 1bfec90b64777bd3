"""Tables of HTML as rows of texts: cells over several rows and columns, headers of several rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import takewhile

from rove.load.html.tree import HtmlNode
from rove.load.pipe_table import MAX_COLUMNS

MAX_CELLS = 500_000  # from here on a cell is one cell, whatever it says
MAX_HEADER_ROWS = 4
BLOCKS_IN_LAYOUT = ("table", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "article", "section", "form")


def is_layout(table: HtmlNode) -> bool:
    """Say whether a table only places things on the page: it is said so, has one column, or holds whole sections."""
    if table.get("role") in ("presentation", "none"):
        return True
    if table.find("caption") is not None:
        return False
    rows = list(_html_table_rows(table))
    if all(len(_html_row_cells(row)) <= 1 for row in rows):
        return True
    header = any(cell.tag == "th" for row in rows for cell in row)
    blocks = BLOCKS_IN_LAYOUT if not header else ("table", "pre")
    held = next((node for row in rows for cell in row for node in cell.iter(*blocks)), None)
    return held is not None


def table_rows(table: HtmlNode, text_of: Callable[[HtmlNode], str]) -> list[list[str]]:
    """Return the rows of a table, the header first ([""] where there is none); `text_of` gives the text of a cell.

    A cell over several rows stands in each of them, so that every row can be read alone, and so does a header over
    several columns; other cells over several columns stand in the first. A header of several rows becomes one.
    """
    rows = list(_html_table_rows(table))
    grid = _html_table_grid(rows, text_of)
    heads = len(list(takewhile(_is_header, rows)))
    if heads == 0:
        columns = any(cell.tag == "th" for row in rows for cell in _html_row_cells(row))
        return [[""], *grid] if columns else grid
    if 1 < heads <= MAX_HEADER_ROWS:
        width = max(map(len, grid[:heads]))
        padded = [row + [""] * (width - len(row)) for row in grid[:heads]]
        names = (dict.fromkeys(name for name in column if name) for column in zip(*padded, strict=True))
        return [[" / ".join(column) for column in names], *grid[heads:]]
    return grid


def _html_table_rows(table: HtmlNode) -> Iterator[HtmlNode]:
    """Yield the rows of a table, not those of tables in it; the foot comes last."""
    feet: list[HtmlNode] = []
    for child in table:
        if child.tag == "tr":
            yield child
        elif child.tag == "tfoot":
            feet += (row for row in child if row.tag == "tr")
        elif child.tag in ("thead", "tbody"):
            yield from (row for row in child if row.tag == "tr")
    yield from feet


def _html_row_cells(row: HtmlNode) -> list[HtmlNode]:
    return [cell for cell in row if cell.tag in ("td", "th")]


def _is_header(row: HtmlNode) -> bool:
    parent, cells = row.getparent(), _html_row_cells(row)
    in_head = parent is not None and parent.tag == "thead"
    return in_head or (len(cells) > 1 and all(cell.tag == "th" for cell in cells))


def _html_table_grid(rows: list[HtmlNode], text_of: Callable[[HtmlNode], str]) -> list[list[str]]:
    grid: list[list[str]] = []
    hanging: dict[int, tuple[int, str]] = {}  # column → rows that its cell still spans, and its text
    count = 0
    for index, row in enumerate(rows):
        line: list[str] = []
        for cell in _html_row_cells(row):
            _continue(line, hanging)
            text = text_of(cell)
            free = count < MAX_CELLS
            across = min(_html_cell_span(cell, "colspan"), MAX_COLUMNS - len(line)) if free else 1
            down = min(_html_cell_span(cell, "rowspan") or len(rows), len(rows) - index) if free else 1
            for column in range(max(1, across)):
                shown = text if column == 0 or cell.tag == "th" else ""
                if down > 1:
                    hanging[len(line)] = (down - 1, shown)
                line.append(shown)
                count += 1
        _continue(line, hanging)
        grid.append(line)
    return grid


def _continue(line: list[str], hanging: dict[int, tuple[int, str]]) -> None:
    """Add to `line` the cells that reach down into it here."""
    while (found := hanging.get(len(line))) is not None and found[0] > 0:
        hanging[len(line)] = (found[0] - 1, found[1])
        line.append(found[1])


def _html_cell_span(cell: HtmlNode, name: str) -> int:
    """Return over how many rows or columns a cell goes; 0 is "to the end"."""
    value = cell.get(name, "1").strip()
    return int(value) if value.isdecimal() and len(value) < 6 else 1
