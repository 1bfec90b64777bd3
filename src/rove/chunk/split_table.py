"""What each piece of a split table must say again: its header row, and the row of units where there is one."""

from __future__ import annotations

import re

from rove.records import Block

HEAD_CHARS = 300
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*\)")
_CELL = re.compile(r"(?<!\\)\|")
_UNIT = re.compile(
    r"[(\[（［][^\d()\[\]（）［］]{1,24}[)\]）］]"  # (kg), [m/s], （万円）
    r"|(?:in |im |en )?(?:[%‰°€$£¥₽#]|(?:[kKMGTmµμnc]|Mio\.?|Mrd\.?|mn|bn|Tsd\.?|[百千万亿億兆]+)?\s?"
    r"(?:[kmcµμ]?[gmlsWVAJNK]|Hz|Pa|bar|[kKMGT]?i?[Bb](?:it|yte)?s?|°[CF]|[mk]?m[²³23]|ha|min|h|d|€|\$|£|¥|EUR|USD|GBP|CHF|HUF|JPY|CNY|RMB"
    r"|Ft|fő|db|Stk\.?|Stück|元|円|圆|人|个|個|台|件|吨|トン|歳|年|千克|公里|米))"
    r"(?:\s?[/·*]\s?[\w²³°]{1,6})?"
)  # fmt: skip


def head_of(text: str, block: Block, start: int) -> str:
    r"""Return the header row, and the row of units under it, of a table that goes on at `start`; at most `HEAD_CHARS`.

    "" where `start` is not below them, or the header is empty. Of links and images only the words are repeated.

    >>> table = "|Stoff|Menge|\n|---|---|\n||(kg)|\n|Eisen|3|\n|Kupfer|5|"
    >>> head_of(table, Block("table", (0, len(table))), table.index("|Kupfer"))
    '|Stoff|Menge|\n||(kg)|'
    """
    if block.kind != "table":
        return ""
    first, last = block.span
    line = text.rfind("\n", first, start) + 1
    if line > first and text[line:start].strip("| "):  # it goes on within a row
        return _head_of_cells(text, (first, last), line, start)
    rows: list[str] = []
    at = first
    for _ in range(3):
        stop = text.find("\n", at, last)
        if stop < 0 or stop >= start:
            break
        rows.append(" ".join(_LINK.sub(r"\1", text[at:stop]).split()))
        at = stop + 1
    if not rows or not rows[0].strip("| "):
        return ""
    head = rows[0]
    if len(rows) == 3 and is_unit_row(rows[2]):
        head += "\n" + rows[2]
    return head if len(head) <= HEAD_CHARS else _truncate_head_row(rows[0])


def _head_of_cells(text: str, table: tuple[int, int], line: int, start: int) -> str:
    """The row's first cell, by which it is known, under its head; and the heads of the columns from `start` on."""
    names = [cell.strip() for cell in _CELL.split(text[table[0] : text.find("\n", *table)])][1:-1]
    before = [cell.strip() for cell in _CELL.split(text[line:start])][1:]
    column = max(len(before) - (not before[-1]), 0) if before else 0
    key = next((cell for cell in before if cell), "")
    heads = [name for name in names[column:] if name]
    return _truncate_head_row(f"| {names[0] if names else ''} | {' | '.join(heads)} |") + f"\n| {key} |"


def is_unit_row(row: str) -> bool:
    """Say whether a row holds units: at least half of the cells that are not empty, and no cell a number.

    >>> is_unit_row("| Jahr | Mio. € | % |"), is_unit_row("| Eisen | 3 | kg |")
    (True, False)
    """
    cells = [cell.strip() for cell in _CELL.split(row) if cell.strip()]
    units = sum(_UNIT.fullmatch(cell) is not None for cell in cells)
    return units * 2 >= len(cells) > 0 and not any(cell[0].isdigit() for cell in cells)


def _truncate_head_row(row: str) -> str:
    """Return the cells of the row that fit."""
    end = row.rfind("|", 0, HEAD_CHARS)
    return row[: end + 1] if end > 0 else row[:HEAD_CHARS]
