"""What a database says of a table, as canonical text: the statement that makes it, what it refers to, its cells."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, time

MAX_CELL_CHARS = 100_000


@dataclass(frozen=True, slots=True)
class ForeignKey:
    """Columns whose values are keys of another table. `targets` are the columns there; empty for its primary key."""

    columns: tuple[str, ...]
    table: str
    targets: tuple[str, ...] = ()


def schema_lead(name: str, ddl: str, keys: Iterable[ForeignKey] = (), notes: Iterable[str] = ()) -> str:
    """Return what stands before a table's rows: its name, the notes on it, its CREATE TABLE, links to other tables.

    >>> print(schema_lead("book", "CREATE TABLE book (id INT, a INT)", [ForeignKey(("a",), "author", ("id",))]))
    # book
    <BLANKLINE>
    ```sql
    CREATE TABLE book (id INT, a INT)
    ```
    <BLANKLINE>
    - `a` refers to [author](#author) (`id`)
    """
    fence = "```" if "```" not in ddl else "~~~~"
    links = [_foreign_key_link(key) for key in keys]
    blocks = [f"# {_to_lead_line(name)}", *map(_to_lead_line, notes), f"{fence}sql\n{ddl.strip()}\n{fence}"]
    return "\n\n".join([*blocks, "\n".join(links)] if links else blocks)


def cell_text(value: object) -> str:
    """Return what a person reads of a value: NULL is "", bytes are counted, nested values are JSON.

    >>> cell_text(None), cell_text(b"abc"), cell_text(1.5), cell_text({"a": "é"}), cell_text(True)
    ('', '(3 bytes)', '1.5', '{"a": "é"}', 'true')
    """
    if value is None:
        return ""
    if isinstance(value, bytes):
        return f"({len(value)} bytes)"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return value.isoformat(" ")
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, dict | list | tuple):
        return json.dumps(value, ensure_ascii=False, default=cell_text)
    return str(value)[:MAX_CELL_CHARS]


def _foreign_key_link(key: ForeignKey) -> str:
    columns, targets = (", ".join(f"`{_to_lead_line(c)}`" for c in names) for names in (key.columns, key.targets))
    table = _to_lead_line(key.table)
    return f"- {columns} refers to [{table}](#{table.replace(' ', '%20')})" + (f" ({targets})" if targets else "")


def _to_lead_line(text: str) -> str:
    return " ".join(text.split())
