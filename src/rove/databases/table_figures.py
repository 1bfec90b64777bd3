"""Figures in tables of documents: a row says what of, a column which year, the caption in which unit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import regex

from rove.chunk.block import find_blocks
from rove.chunk.cell_tables import CellTable, number_of, tables_in
from rove.language.quantities.digits import COMMA_DECIMAL
from rove.language.quantities.han import LARGE, UNITS, mixed_number
from rove.language.quantities.magnitudes import joined_magnitude, magnitude_at, money_magnitude
from rove.language.quantities.units import CURRENCY, NamedUnit, unit_at, units_named
from rove.records import Document
from rove.records.document import Span

UNKNOWN = ""
_YEAR = regex.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_NOTE = regex.compile(r"(?:\s{0,8}(?:\(\d{1,2}\)|\[\d{1,2}\]|[¹²³⁴⁵*†‡])){1,6}+$")
_START = regex.compile(r"(?<![\p{Latin}\p{Cyrillic}\p{N}])[\p{L}\p{Sc}\p{N}'’]|[\p{Han}\p{Katakana}\p{Hangul}]")
_SYMBOL = regex.compile(r"[A-Z]{0,3}\p{Sc}|Rs\.?")
_HAN = regex.compile(rf"[{''.join((*UNITS, *LARGE))}]{{1,3}}+")
_THOUSAND = regex.compile(r"(?:['’]|1[.,\s’])?000(?!\d)")
_OPENED = regex.compile(r"[(（:：][^)）\n]{0,40}+$")


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
    named = {_fold_row_label(label): name for name, given in labels.items() for label in given}
    for table in tables_in(document):
        periods = [_YEAR.search(column.name) for column in table.schema.columns]
        if not any(periods[1:]):
            continue
        scale = scale_of(_unit_context(document, table), document.language)
        for row in table.rows:
            name = named.get(_fold_row_label(row.cells[0].text)) if row.cells else None
            for cell, period in zip(row.cells[1:], periods[1:], strict=False):
                value = number_of(cell.text, comma=document.language in COMMA_DECIMAL) if name and period else None
                if name and period and value is not None:
                    # a scale of ten is applied to the digits as they stand, lest 0.1 × 10⁶ be 100000.00000000001
                    yield TableFigure(name, period[0], round(value * scale.factor, 6), scale.unit, cell.text, cell.span)


def scale_of(text: str, language: str = "") -> Scale:
    """Read the unit of a table from the words around it, of which `language` is that of the document.

    >>> scale_of("Income statement (in EUR million)"), scale_of("in TEUR"), scale_of("单位：百万元")
    (Scale(unit='EUR', factor=1000000.0), Scale(unit='EUR', factor=1000.0), Scale(unit='CNY', factor=1000000.0))
    >>> scale_of("(en milliers d'euros)", "fr"), scale_of("£m"), scale_of("(in thousands)", "en")
    (Scale(unit='EUR', factor=1000.0), Scale(unit='GBP', factor=1000000.0), Scale(unit='', factor=1000.0))
    """
    unit, factor, bracketed, at = UNKNOWN, 1.0, False, 0
    while at < len(text):
        joined = joined_magnitude(text, at)
        told = magnitude_at(text, at, language) or magnitude_at(text, at, "") or _han_magnitude(text, at)
        named = _currency_at(text, at, language)
        thousand = _THOUSAND.match(text, at)
        if joined:
            unit, factor, at = unit or joined[1][0].name, joined[0] if factor == 1 else factor, joined[2]
        elif thousand or told:
            size, at = (1e3, thousand.end()) if thousand else told or (1.0, at)
            bracketed = bracketed or _OPENED.search(text, max(0, at - 41), at) is not None
            factor = size if factor == 1 else factor
        elif named:
            unit, at = unit or named.units[0].name, named.end
            size, end = money_magnitude(text, at, language) if factor == 1 else (1.0, at)
            factor, at = (size, end) if size != 1 else (factor, at)
        else:
            at = _next_start(text, at)
    return Scale(unit, factor if unit or bracketed else 1.0)


def _han_magnitude(text: str, at: int) -> tuple[float, int] | None:
    """The magnitude that Chinese or Japanese numerals say at a place: 万, 百万, 千."""
    run = _HAN.match(text, at)
    return (float(mixed_number(f"1{run[0]}")), run.end()) if run else None


def _currency_at(text: str, at: int, language: str) -> NamedUnit | None:
    """The currency that a text names at a place: a symbol, a code or a word."""
    symbol = _SYMBOL.match(text, at)
    if symbol and (units := units_named(symbol[0], language)):
        return NamedUnit(units, symbol.end())
    named = unit_at(text, at, language)
    return named if named and named.units[0].kind.startswith(CURRENCY) else None


def _next_start(text: str, at: int) -> int:
    """Where the next word begins, or the next letter of a script without spaces."""
    found = _START.search(text, at + 1)
    return found.start() if found else len(text)


def stated_scale(document: Document, table: CellTable) -> Scale:
    """What a table's caption, its heading or the line before it says of its numbers; heads speak for their column."""
    return scale_of(_unit_context(document, table, heads=False), document.language)


def _unit_context(document: Document, table: CellTable, *, heads: bool = True) -> str:
    """What says the unit of a table: its caption, its header, and the line before it."""
    place = table.rows[0].span[0] if table.rows else 0
    block = next((one for one in find_blocks(document).blocks if one.span[0] <= place < one.span[1]), None)
    start = block.span[0] if block else place
    before = document.text[:start].rstrip().rpartition("\n")[2]
    header = document.text[start : document.text.find("\n", start)] if heads else ""
    heading = " ".join(document.headings_at(start)[-1:])
    return "\n".join((block.caption if block else "", before, header, heading))


def _fold_row_label(label: str) -> str:
    return " ".join(_NOTE.sub("", label.strip(" *_`")).casefold().split())
