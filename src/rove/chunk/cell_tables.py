"""Tables in the canonical text of documents: their columns, typed values, and where every cell stands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import regex

from rove.chunk.block import find_blocks
from rove.language.identifiers import in_words
from rove.language.quantities.digits import decimal_mark_in
from rove.language.quantities.reader import parse_number
from rove.language.quantities.units import CURRENCY
from rove.language.schema_text import samples, schema_document
from rove.records import Document
from rove.records.document import Span
from rove.records.quantity import Reading
from rove.records.schema import Column, TableSchema

EMPTY = frozenset({"", "-", "–", "—", "n/a", "na", "null", "none", "nan", "k. a.", "n.a."})
MOST_COLUMNS = 300
_RULE = regex.compile(r"\|[ \t:|]*-[ \t:|-]*")
_CELL = regex.compile(r"(?<!\\)\|")
_TOTAL = regex.compile(r"(?i)(?:grand )?total|sum|summe|gesamt|insgesamt|összesen|合计|总计|合計|総計")
_NAME = regex.compile(r"\W+")


class Cell(NamedTuple):
    """A cell as it stands in a document; a tuple, since of a long table there are many."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class CellRow:
    """A row, with the document that it stands in: a long table goes on in other documents."""

    document_id: str
    span: Span
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class CellTable:
    """A table of documents. `values`: a number, a text or None a cell; `left_out`: rows that give totals."""

    schema: TableSchema
    rows: tuple[CellRow, ...]
    values: tuple[tuple[object, ...], ...] = field(default=())
    left_out: int = 0


def tables_in(document: Document) -> Iterator[CellTable]:
    """Yield the tables of a document that have a header and a row, their values typed column by column."""
    for number, block in enumerate(block for block in find_blocks(document).blocks if block.kind == "table"):
        lines = list(_pipe_line_spans(document.text, block.span))
        if len(lines) < 3 or not _RULE.fullmatch(document.text[slice(*lines[1])].rstrip()):
            continue
        names = _unique([cell.text for cell in _pipe_line_cells(document.text, lines[0])][:MOST_COLUMNS])
        rows = [CellRow(document.document_id, span, tuple(_pipe_line_cells(document.text, span))) for span in lines[2:]]
        title = (
            block.caption
            or " ".join(document.headings_at(block.span[0])[-1:])
            or document.title
            or f"table {number + 1}"
        )
        yield typed(_table_name_from_title(title), names, rows, document.language, document.title)


def typed(name: str, names: Sequence[str], rows: Iterable[CellRow], language: str, database: str) -> CellTable:
    """Return a table with a type for each column; rows that give totals are left out."""
    every = list(rows)
    kept = [row for row in every if not (row.cells and _TOTAL.fullmatch(row.cells[0].text.strip(" :*_")))]
    columns: list[Column] = []
    values: list[list[object]] = []
    for place, column in enumerate(names):
        texts = [row.cells[place].text if place < len(row.cells) else "" for row in kept]
        numbers = _column_numbers(texts, language)
        values.append(list(numbers) if numbers else [None if text.casefold() in EMPTY else text for text in texts])
        said = in_words(column)
        label = said if said != column.casefold() else ""
        columns.append(Column(column, "DOUBLE" if numbers else "VARCHAR", label, samples=samples(texts[:30])))
    schema = TableSchema(name, tuple(columns), database)
    return CellTable(schema, tuple(kept), tuple(zip(*values, strict=True)), len(every) - len(kept))


def described_sheets(documents: Iterable[Document], uri: str, database: str) -> Iterator[Document]:
    """Yield a description of each table of a file's documents, without its rows; a long table is described once.

    `uri`: the place that stands for the descriptions. `database`: what the tables belong to.
    """
    seen: set[tuple[str, ...]] = set()
    for document in documents:
        for table in tables_in(document):
            schema = replace(table.schema, database=database)
            key = (schema.name, *(column.name for column in schema.columns))
            if key not in seen:
                seen.add(key)
                yield schema_document(schema, uri)


def join_tables(tables: Sequence[CellTable], language: str) -> CellTable:
    """Return parts of a long table, each with the same header, as one."""
    first = tables[0]
    if len(tables) == 1:
        return first
    rows = [row for table in tables for row in table.rows]
    made = typed(
        first.schema.name, [column.name for column in first.schema.columns], rows, language, first.schema.database
    )
    return replace(made, left_out=sum(table.left_out for table in tables))


def number_of(text: str, *, comma: bool) -> float | None:
    """Read one cell, in which a loss may stand in brackets; None where it is no number. `comma`: 1,5 is one and a half.

    >>> number_of("(1,250.5)", comma=False), number_of("1.250,5", comma=True), number_of("n/a", comma=False)
    (-1250.5, 1250.5, None)
    """
    found = parse_number(text, mark="," if comma else ".")
    return found.value if found and _is_column_unit(found) else None


def _column_numbers(texts: Sequence[str], language: str) -> list[float | None] | None:
    """The numbers of a column; None where a cell is none, all are empty, or they are in several currencies."""
    first = next((text for text in texts if text.strip().casefold() not in EMPTY), "")
    if not any(map(str.isdigit, first)) and parse_number(first, language) is None:
        return None
    mark = decimal_mark_in(texts, language, is_column=True)
    found: list[Reading | None] = []
    for text in texts:
        empty = text.strip().casefold() in EMPTY
        read = None if empty else parse_number(text, language, mark=mark)
        if not empty and (read is None or not _is_column_unit(read)):
            return None
        found.append(read)
    units = {one.unit for one in found if one and one.unit}
    return None if len(units) > 1 or not any(found) else [one.value if one else None for one in found]


def _is_column_unit(one: Reading) -> bool:
    return one.kind in {"", "percent"} or one.kind.startswith(CURRENCY)


def _pipe_line_spans(text: str, span: Span) -> Iterator[Span]:
    at = span[0]
    for line in text[slice(*span)].split("\n"):
        if line.startswith("|"):
            yield at, at + len(line)
        at += len(line) + 1


def _pipe_line_cells(text: str, span: Span) -> list[Cell]:
    """Return the cells of a line with their places, blanks around them left out."""
    start, end = span
    inner = text[start:end].rstrip()
    pieces = _CELL.split(inner) if "\\" in inner else inner.split("|")
    at, found = start + len(pieces[0]) + 1, list[Cell]()
    for piece in pieces[1:-1]:
        shown = piece.strip()
        begin = at + len(piece) - len(piece.lstrip())
        found.append(Cell(shown.replace("\\|", "|"), (begin, begin + len(shown))))
        at += len(piece) + 1
    return found


def _unique(names: Sequence[str]) -> list[str]:
    """Names of columns: none empty, none twice, whatever the case."""
    taken: dict[str, int] = {}
    found: list[str] = []
    for number, name in enumerate(names, 1):
        one = " ".join(name.split()) or f"column {number}"
        taken[one.casefold()] = taken.get(one.casefold(), 0) + 1
        count = taken[one.casefold()]
        found.append(one if count == 1 else f"{one} ({count})")
    return found


def _table_name_from_title(title: str) -> str:
    """A title as the name of a table."""
    return _NAME.sub("_", title.strip()).strip("_")[:60] or "table"
