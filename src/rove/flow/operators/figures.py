"""Operators that read figures from the tables of documents, and work out formulas with them."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import msgspec

from rove.databases.table_figures import TableFigure, figures_in
from rove.errors import ConfigError
from rove.flow.formula import Amount, Formula, Needed, read_formula, unit_text
from rove.flow.operator import FlowContext
from rove.records import Chunk, Citation, Document
from rove.records.figures import Computed, Figure
from rove.records.moment import time_at

RATIOS = ("%", "x")
PERCENT = 100.0


@dataclass(frozen=True, slots=True)
class Declared:
    """A formula as a flow declares it; `unit`: "%", "x", or that of the figures, like "EUR"."""

    name: str
    formula: str
    unit: str = "x"
    title: str = ""


async def figures(
    context: FlowContext, *, labels: Mapping[str, Sequence[str]], where: Sequence[str] = ()
) -> tuple[Figure, ...]:
    """Read figures from tables: rows with these labels, columns with a year; each with its cell, in whole units.

    Where documents state the same figure, the one with the latest year counts; the others are kept beside it where they
    differ. `labels`: by the name of a figure, what its rows are called. `where`: conditions on the documents.
    """
    within = context.within(where)
    infos = [one for one in await context.kb.documents() if within is None or within.matches(one.fields)]
    read = [await context.kb.document(one.document_id) for one in infos]
    return await asyncio.to_thread(_latest_figures, read, labels)


async def compute(
    context: FlowContext,
    *,
    formulas: Sequence[Mapping[str, str]],
    figures: Sequence[Figure],
    periods: Sequence[str] = (),
) -> tuple[Computed, ...]:
    """Work out formulas for each period, with their units; where a figure is missing, that is said, and no value given.

    Each formula: name, formula, unit, title. `periods`: of the figures, all where none are named.

    Raises:
        ConfigError: a formula is declared wrongly.
    """
    del context
    declared = [(one, _parse_figure_formula(one)) for one in _figure_declarations(formulas)]
    known = {(one.name, one.period): one for one in figures}
    wanted = periods or sorted({one.period for one in figures})
    return tuple(_compute_figure(one, formula, period, known) for one, formula in declared for period in wanted)


def _latest_figures(
    read: Sequence[tuple[Document, list[Chunk]]], labels: Mapping[str, Sequence[str]]
) -> tuple[Figure, ...]:
    stated: dict[tuple[str, str], list[tuple[str, TableFigure, Citation]]] = defaultdict(list)
    for document, chunks in read:
        found = list(figures_in(document, labels))
        latest = max((one.period for one in found), default="")
        for one in found:
            stated[one.name, one.period].append((latest, one, _figure_citation(document, chunks, one)))
    made: list[Figure] = []
    for every in stated.values():
        every.sort(key=lambda one: one[0], reverse=True)  # stable: within a document, the first that states it
        _, best, citation = every[0]
        others = tuple(cited for _, one, cited in every[1:] if (one.value, one.unit) != (best.value, best.unit))
        made.append(Figure(best.name, best.period, best.value, best.unit, best.written, citation, others))
    return tuple(sorted(made, key=lambda one: (list(labels).index(one.name), one.period)))


def _figure_citation(document: Document, chunks: Sequence[Chunk], one: TableFigure) -> Citation:
    start, end = one.span
    chunk = next((each.chunk_id for each in chunks if each.span[0] <= start and end <= each.span[1]), "")
    page, time = document.page_at(start), time_at(document, one.span)
    named = (document.document_id, document.source, document.title)
    return Citation(0, chunk, *named, document.text[start:end], one.span, page, time=time)


def _compute_figure(one: Declared, formula: Formula, period: str, known: Mapping[tuple[str, str], Figure]) -> Computed:
    places = {need: (need.name, _earlier(period) if need.before else period) for need in formula.needs}
    inputs = tuple(dict.fromkeys(known[place] for place in places.values() if place in known))
    bare = Computed(one.name, one.title or one.name, formula.text, period, one.unit, inputs=inputs)
    missing = tuple(f"{name} {year}" for name, year in places.values() if (name, year) not in known)
    if missing:
        return replace(bare, missing=missing, note=f"Not stated: {', '.join(missing)}.")

    def amount_of(need: Needed) -> Amount:
        figure = known[places[need]]
        return Amount(figure.value, {figure.unit: 1} if figure.unit else {})

    try:
        found = formula.value(amount_of)
    except ValueError as error:
        return replace(bare, note=f"It cannot be worked out: {error}.")
    if dict(found.unit) != ({} if one.unit in RATIOS else {one.unit: 1}):
        return replace(bare, note=f"It comes out in {unit_text(found.unit)}, and not in {one.unit!r}.")
    return replace(bare, value=found.value * (PERCENT if one.unit == "%" else 1.0))


def _earlier(period: str) -> str:
    return str(int(period) - 1) if period.isdecimal() else ""


def _figure_declarations(formulas: Sequence[Mapping[str, str]]) -> Iterator[Declared]:
    try:
        yield from msgspec.convert([dict(one) for one in formulas], list[Declared])
    except msgspec.ValidationError as error:
        message = f"A formula is declared wrongly: {error}."
        raise ConfigError(message, cure='Write {name = "margin", formula = "profit / revenue", unit = "%"}.') from error


def _parse_figure_formula(one: Declared) -> Formula:
    try:
        return read_formula(one.formula)
    except ValueError as error:
        message = f"The formula {one.name!r} is wrong: {error}."
        cure = "Use names of figures, numbers, + - * / and brackets, before(name), mean(name)."
        raise ConfigError(message, cure=cure) from error
