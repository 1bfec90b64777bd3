"""Schemas as CREATE TABLE statements with comments, within a budget of tokens: what a model or a person reads."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from rove.language.token_count import count_tokens
from rove.records.schema import Column, TableSchema

NONE: Mapping[str, Sequence[str]] = {}
LEAST_COLUMNS = 4
"""Columns of a table that are shown beside its own keys before other tables get room."""


def create_table(table: TableSchema, columns: Collection[str] | None = None) -> str:
    """Return the statement that makes a table, what is known of each column as a comment; `columns`: these alone.

    >>> print(create_table(TableSchema("cust", (Column("id", "INT", is_key=True), Column("nm", "TEXT", "name")))))
    CREATE TABLE cust (
      id INT PRIMARY KEY,
      nm TEXT -- name
    );
    """
    shown = [column for column in table.columns if columns is None or column.name in columns]
    said = [part for part in (table.label, table.comment) if part]
    head = f"-- {_comment_on_one_line('; '.join(said))}\n" if said else ""
    lines = [_column_definition_line(column, last=number == len(shown)) for number, column in enumerate(shown, 1)]
    left = len(table.columns) - len(shown)
    if left:
        lines.append(f"  -- and {left} more columns")
    return f"{head}CREATE TABLE {quote_identifier(table.name)} (\n" + "\n".join(lines) + "\n);"


def within_budget(
    tables: Sequence[TableSchema], budget_tokens: int, wanted: Mapping[str, Sequence[str]] = NONE
) -> tuple[str, list[TableSchema], list[TableSchema]]:
    """Return the statements of as many tables as fit, the tables that are in, and those that had no room.

    A table that does not fit whole shows its own keys, the columns that are `wanted` of it, in that order, those that
    refer to other tables, then the first.
    """
    parts: list[str] = []
    shown: list[TableSchema] = []
    left: list[TableSchema] = []
    room = budget_tokens
    for table in tables:
        text = _fitting(table, room, wanted)
        if not text:
            left.append(table)
            continue
        parts.append(text)
        shown.append(table)
        room -= count_tokens(text)
    return "\n\n".join(parts), shown, left


def quote_identifier(name: str) -> str:
    """A name as SQL takes it: in quotation marks where it is no plain word.

    >>> quote_identifier("cust_id"), quote_identifier("Home Town")
    ('cust_id', '"Home Town"')
    """
    plain = name.replace("_", "a").replace(".", "a")
    return (
        name if plain.isalnum() and plain.isascii() and not name[0].isdigit() else '"' + name.replace('"', '""') + '"'
    )


def _fitting(table: TableSchema, room: int, wanted: Mapping[str, Sequence[str]]) -> str:
    whole = create_table(table)
    if count_tokens(whole) <= room:
        return whole
    keys = [column.name for column in table.columns if column.is_key]
    refer = [column.name for column in table.columns if column.references]
    named = wanted.get(table.name, ())
    order = list(dict.fromkeys([*keys, *named, *refer, *(column.name for column in table.columns)]))
    best = ""
    for count in range(max(1, min(len(keys) + LEAST_COLUMNS, len(order))), len(order)):
        text = create_table(table, set(order[:count]))
        if count_tokens(text) > room:
            break
        best = text
    return best


def _column_definition_line(column: Column, *, last: bool) -> str:
    samples = f"e.g. {', '.join(column.samples)}" if column.samples else ""
    refers = f"refers to {column.references}" if column.references else ""
    said = _comment_on_one_line("; ".join(part for part in (column.label, column.comment, refers, samples) if part))
    facts = f"{quote_identifier(column.name)} {column.type}".strip() + " PRIMARY KEY" * column.is_key
    return f"  {facts}{'' if last else ','}" + (f" -- {said}" if said else "")


def _comment_on_one_line(text: str) -> str:
    return " ".join(text.split())
