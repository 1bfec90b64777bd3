"""Quantities of a text: numbers with their units, ordinals, years, dates and clock times, and where they stand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rove.records.document import Span

QuantityKind = Literal["number", "ordinal", "year", "date", "clock", "label"]
"""What a quantity is. "year": four digits without a unit that may be one, or a number. "label": digits that name
something, as "AX-200", "§ 12", "2.1.3" or a telephone number do: nothing is counted by them."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit. `kind`: what it measures; one of it is `factor` base units, and `plus` is added to the product.

    A currency's name is its code (ISO 4217), and its kind "currency:" with the code.
    """

    name: str
    kind: str
    factor: float = 1.0
    plus: float = 0.0


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read a quantity: a number in a unit; None where there is none."""

    value: float
    unit: Unit | None = None

    @property
    def kind(self) -> str:
        """What its unit measures, "" without one."""
        return self.unit.kind if self.unit else ""

    @property
    def amount(self) -> float:
        """The number in base units of its kind."""
        return self.value * self.unit.factor + self.unit.plus if self.unit else self.value


@dataclass(frozen=True, slots=True)
class CalendarDay:
    """A day, a month or a year: what a text leaves out is 0."""

    year: int = 0
    month: int = 0
    day: int = 0

    @property
    def iso(self) -> str:
        """YYYY-MM-DD; "" where a part is left out."""
        return f"{self.year:04}-{self.month:02}-{self.day:02}" if self.year and self.month and self.day else ""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A quantity at `span` of a text, its number at `number`.

    `readings`: what it may be, the likeliest first; none for a date, which has a `day`. Of a clock time the value is
    the minute of the day. `certainty`: of the first reading, 0 … 1. `digits`: with how many significant digits it is
    written, 0 where it is in words. `bound`: of a range, which end it is.
    """

    span: Span
    number: Span
    readings: tuple[Reading, ...] = ()
    kind: QuantityKind = "number"
    certainty: float = 1.0
    digits: int = 0
    day: CalendarDay | None = None
    bound: Literal["", "from", "to"] = ""

    @property
    def value(self) -> float:
        """The number of the likeliest reading; a date has none, which is 0."""
        return self.readings[0].value if self.readings else 0.0

    @property
    def unit(self) -> Unit | None:
        """The unit of the likeliest reading."""
        return self.readings[0].unit if self.readings else None


@dataclass(frozen=True, slots=True)
class TextValue:
    """A value as a text, such as "1234.5", "2024-03-01" or a name, and where a text says so: [start, end)."""

    value: str
    start: int
    end: int
