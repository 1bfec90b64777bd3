"""What a database says of a table: its columns, keys and comments. Nouns of schema retrieval and of SQL."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Column:
    """A column. `label` says its name in words, `references` is "table.column" where its values are keys of another.

    `type` is as its source writes it ("VARCHAR(20)", "number"); `samples` are values that it holds, as texts.
    """

    name: str
    type: str = ""
    label: str = ""
    is_key: bool = False
    references: str = ""
    comment: str = ""
    samples: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TableSchema:
    """A table of a database, as its columns; `database` is the name that people give to the database."""

    name: str
    columns: tuple[Column, ...]
    database: str = ""
    label: str = ""
    comment: str = ""

    def column(self, name: str) -> Column | None:
        """The column of a name, whatever its case."""
        return next((column for column in self.columns if column.name.casefold() == name.casefold()), None)


@dataclass(frozen=True, slots=True)
class SchemaTable:
    """A table that a question needs, with the document that describes it; `score`: higher is better.

    `why`: "found", "joins" (it lies on the way between tables that were found), or "neighbour" (it refers to one).
    """

    schema: TableSchema
    document_id: str
    score: float
    why: str = "found"


@dataclass(frozen=True, slots=True)
class SchemaPart:
    """The part of a schema that a question needs. `text`: CREATE TABLE statements with comments, within the budget.

    `left_out`: tables that were found and had no room.
    """

    text: str
    tables: tuple[SchemaTable, ...] = ()
    left_out: tuple[str, ...] = ()
    tokens: int = field(default=0)
