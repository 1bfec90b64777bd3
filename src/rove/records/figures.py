"""Figures that documents state in tables, and what formulas make of them."""

from __future__ import annotations

from dataclasses import dataclass

from rove.records.answer import Citation


@dataclass(frozen=True, slots=True)
class Figure:
    """A number in a cell of a table. `name`: what it is of, by the name that the flow gives it.

    `value` is in `unit`, its scale worked in: a cell "412.6" of a table in EUR million is 412,600,000 in "EUR".
    `period`: the column's year. `written`: the cell as it stands. `others`: cells that say another value of the same,
    in documents that this one is preferred to.
    """

    name: str
    period: str
    value: float
    unit: str
    written: str
    citation: Citation
    others: tuple[Citation, ...] = ()


@dataclass(frozen=True, slots=True)
class Computed:
    """What a formula gives for a period. `value`: None where it cannot be worked out, and `note` says why.

    `unit`: "%", "x" (a plain ratio), or that of the figures. `inputs`: the figures that it was worked out from, each
    with its place. `missing`: what the formula needs, and no document states, by name and period.
    """

    name: str
    title: str
    formula: str
    period: str
    unit: str
    value: float | None = None
    inputs: tuple[Figure, ...] = ()
    missing: tuple[str, ...] = ()
    note: str = ""
