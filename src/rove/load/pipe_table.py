"""Tables as canonical text: pipe tables, one line a row, the first row the header."""

from __future__ import annotations

from collections.abc import Sequence

MOST_UNIT_LETTERS = 3
MAX_COLUMNS = 1_000


def pipe_table(rows: Sequence[Sequence[str]]) -> str:
    r"""Write rows of cells as a pipe table; short rows are filled up, and "" is returned where no cell holds text.

    Line breaks and runs of white space in a cell become one space, `|` becomes `\|`. The first row is the header: give
    an empty one where the table has none. Columns and rows that hold nothing are left out, the header row apart.

    >>> print(pipe_table([["Jahr", "Umsatz (Mio. €)"], ["2023", "1|2"], ["2024"]]))
    | Jahr | Umsatz (Mio. €) |
    | --- | --- |
    | 2023 | 1\|2 |
    | 2024 |  |
    """
    cells = [[" ".join(cell.split()).replace("|", "\\|") for cell in row[:MAX_COLUMNS]] for row in rows]
    used = sorted({index for row in cells for index, cell in enumerate(row) if cell})
    if not used:
        return ""
    kept = [[row[index] if index < len(row) else "" for index in used] for row in cells]
    kept = [kept[0], *(row for row in kept[1:] if any(row))]
    lines = ["| " + " | ".join(row) + " |" for row in kept]
    return "\n".join([lines[0], "|" + " --- |" * len(used), *lines[1:]])


def is_amount(text: str) -> bool:
    """Say whether a cell that is merged over rows holds an amount, which is said once, and no name of a group.

    >>> is_amount("1,200.50 €"), is_amount("Sydland"), is_amount("Team 3")
    (True, False, False)
    """
    return any(map(str.isdigit, text)) and sum(map(str.isalpha, text)) <= MOST_UNIT_LETTERS
