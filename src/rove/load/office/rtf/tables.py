"""Tables of Rich Text Format: rows that each state their own cells' edges, brought into common columns."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field

from rove.load.office.compose import one_header, paged_table

NEAR_TWIPS = 40
MAX_CELLS = 1_000


@dataclass(slots=True)
class RtfRow:
    """One row: the right edges of its cells in twips, which of them go on from the cell to the left or above."""

    left: int = 0
    edges: list[int] = field(default_factory=list[int])
    goes_on: list[bool] = field(default_factory=list[bool])
    is_header: bool = False
    texts: list[str] = field(default_factory=list[str])


def rows_text(rows: list[RtfRow]) -> str:
    """Return the rows as a pipe table; a cell that covers several columns stands in its first."""
    columns = _rtf_column_edges(rows)
    texts = [_align_rtf_cells(row, columns) for row in rows]
    headers = next((index for index, row in enumerate(rows) if not row.is_header), len(rows))
    return paged_table([one_header(texts[:headers]), *texts[headers:]] if headers > 1 else texts)


def _rtf_column_edges(rows: list[RtfRow]) -> list[int]:
    """The left edges of all columns, those near each other taken for one; [] where rows do not state their cells."""
    if any(len(row.edges) < len(row.texts) or row.edges != sorted(row.edges) for row in rows):
        return []
    found: list[int] = []
    for edge in sorted({edge for row in rows for edge in [row.left, *row.edges]}):
        if not found or edge - found[-1] > NEAR_TWIPS:
            found.append(edge)
    return found if len(found) <= MAX_CELLS else []


def _align_rtf_cells(row: RtfRow, columns: list[int]) -> list[str]:
    shown = ["" if index < len(row.goes_on) and row.goes_on[index] else text for index, text in enumerate(row.texts)]
    if not columns:
        return shown
    out = [""] * len(columns)
    lefts = [row.left, *row.edges]
    for left, text in zip(lefts, shown, strict=False):
        at = min(bisect_left(columns, left - NEAR_TWIPS), len(out) - 1)
        out[at] = f"{out[at]} {text}".strip()
    return out
