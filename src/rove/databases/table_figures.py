"""Figures in tables of documents: a row says what of, a column which year, the caption in which unit."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import regex

from rove.chunk.block import find_blocks
from rove.chunk.cell_tables import CellTable, number_of, tables_in
from rove.language.quantities.digits import COMMA_DECIMAL
from rove.records import Document
from rove.records.document import Span

UNKNOWN = ""
_YEAR = regex.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_NOTE = regex.compile(r"(?:\s{0,8}(?:\(\d{1,2}\)|\[\d{1,2}\]|[¹²³⁴⁵*†‡])){1,6}+$")
_WORD = regex.compile(r"[^\W\d_]+\$?|[€$£]|000")
_GLUED = regex.compile(r"十亿|百万|百萬|亿|億|万|千|欧元|美元|人民币|英镑|元|円")


@dataclass(frozen=True, slots=True)
class TableFigure:
    """A number of a table: `value` in `unit`, at `span` of the document."""

    name: str
    period: str
    value: float
    unit: str
    written: str
    span: Span


@dataclass(frozen=True, slots=True)
class Scale:
    """What a table's numbers are in: a unit ("" where no words say so), and by what they are to be multiplied."""

    unit: str = UNKNOWN
    factor: float = 1.0


def figures_in(document: Document, labels: Mapping[str, Sequence[str]]) -> Iterator[TableFigure]:
    """Yield the figures of a document's tables whose row has one of the labels, and whose column a year.

    Args:
        document: where to look.
        labels: by the name that a figure gets, how rows are called that give it, in any case.
    """
    named = {_folded(label): name for name, given in labels.items() for label in given}
    for table in tables_in(document):
        periods = [_YEAR.search(column.name) for column in table.schema.columns]
        if not any(periods[1:]):
            continue
        scale = scale_of(_around(document, table))
        for row in table.rows:
            name = named.get(_folded(row.cells[0].text)) if row.cells else None
            for cell, period in zip(row.cells[1:], periods[1:], strict=False):
                value = number_of(cell.text, comma=document.language in COMMA_DECIMAL) if name and period else None
                if name and period and value is not None:
                    # a scale of ten is applied to the digits as they stand, lest 0.1 × 10⁶ be 100000.00000000001
                    yield TableFigure(name, period[0], round(value * scale.factor, 6), scale.unit, cell.text, cell.span)


def scale_of(text: str) -> Scale:
    """Read the unit of a table from the words around it.

    >>> scale_of("Income statement (in EUR million)"), scale_of("in TEUR"), scale_of("单位：百万元")
    (Scale(unit='EUR', factor=1000000.0), Scale(unit='EUR', factor=1000.0), Scale(unit='CNY', factor=1000000.0))
    """
    currencies, scales = _words()
    words = [one.casefold() for one in [*_WORD.findall(text), *_GLUED.findall(text)]]
    glued = [one for one in words if one in ("teur", "keur")]
    unit = next((currencies[one] for one in words if one in currencies), "EUR" if glued else UNKNOWN)
    return Scale(unit, next((scales[one] for one in words if one in scales), 1.0) if unit else 1.0)


@cache
def _words() -> tuple[Mapping[str, str], Mapping[str, float]]:
    told = tomllib.loads(files("rove.databases").joinpath("scales.toml").read_text("utf-8"))
    currencies = {word: name for name, words in told["currencies"].items() for word in words}
    return currencies, {word: float(size) for size, words in told["scales"].items() for word in words}


def _around(document: Document, table: CellTable) -> str:
    """What says the unit of a table: its caption, its header, and the line before it."""
    place = table.rows[0].span[0] if table.rows else 0
    block = next((one for one in find_blocks(document).blocks if one.span[0] <= place < one.span[1]), None)
    start = block.span[0] if block else place
    before = document.text[:start].rstrip().rpartition("\n")[2]
    header = document.text[start : document.text.find("\n", start)]
    heading = " ".join(document.headings_at(start)[-1:])
    return "\n".join((block.caption if block else "", before, header, heading))


def _folded(label: str) -> str:
    return " ".join(_NOTE.sub("", label.strip(" *_`")).casefold().split())
