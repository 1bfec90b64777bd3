"""Values in a text as citations compare them: what the reader of quantities finds, across spellings and languages."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

import regex

from rove.language.quantities.digits import fold
from rove.language.quantities.reader import read_quantities
from rove.language.quantities.units import units_named
from rove.records.document import Span
from rove.records.quantity import Quantity

ROUNDED = 3
"""So many digits at least has a number that may stand for a more exact one."""
CLOCK, HOUR = "clock", 60
_WORDS = re.compile(r"[^\W\d_]+[²2]?|[€$£%]")
_HOUR = re.compile(r"(1?\d|2[0-4])(?:\.([0-5]\d))?")
_DIGITS = re.compile(r"\d{1,24}")
_UNSPACED_UNIT = regex.compile(r"[\p{Han}\p{Katakana}ー]+")


@dataclass(frozen=True, slots=True)
class Value:
    """A value at `span`.

    `readings`: each a family ("time", "clock", "year", "" for a bare number) and an amount in it; "8 óra" is eight
    hours or eight o'clock. `number`: as it is written; `digits`: with how many, 0 for dates and clock times.
    """

    span: Span
    readings: frozenset[tuple[str, float]]
    number: float
    digits: int = 0

    @property
    def is_bare(self) -> bool:
        """Whether no unit is known of it."""
        return any(not family for family, _ in self.readings)


def read_values(text: str, language: str) -> list[Value]:
    """Read the values of a text in their order.

    >>> [sorted(value.readings) for value in read_values("It opens at 3 pm for half an hour.", "en")]
    [[('clock', 900.0)], [('time', 1800.0)]]
    >>> [sorted(value.readings) for value in read_values("二十四小时，百分之一点八，2024年3月1日", "zh")][:2]
    [[('time', 86400.0)], [('percent', 1.8)]]
    """
    return [value for quantity in read_quantities(text, language) for value in _quantity_values(quantity, text)]


def holds_value(value: Value, others: Collection[Value], units: Collection[tuple[str, float]] = ()) -> bool:
    """Say whether one of the others is the same value. A number without a known unit is any with the same digits.

    `units`: those that stand in the same text, as a table's header names them: a bare number may be of any.
    """
    return any(_is_same_value(value, other, units) for other in others)


def units_in(text: str) -> set[tuple[str, float]]:
    """The units whose words stand in a text, each a family and how many of its smallest it is."""
    text = fold(text)
    words = (*_WORDS.findall(text), *_UNSPACED_UNIT.findall(text))
    return {(unit.kind, unit.factor) for word in words for unit in units_named(word)[:1] if not unit.plus}


def _quantity_values(quantity: Quantity, text: str) -> Iterator[Value]:
    if quantity.kind == "label":
        for found in _DIGITS.finditer(fold(text), *quantity.span):
            yield Value(found.span(), frozenset({("", float(found[0]))}), float(found[0]))
    elif quantity.day:
        parts = (("year", quantity.day.year), ("month", quantity.day.month), ("day", quantity.day.day))
        for kind, amount in parts:
            if amount:
                yield Value(quantity.span, frozenset({(kind, float(amount))}), float(amount))
    elif quantity.kind == "year":
        readings = frozenset({("year", quantity.value), ("", quantity.value)})
        yield Value(quantity.number, readings, quantity.value, quantity.digits)
    else:
        readings = {(reading.kind, reading.amount) for reading in quantity.readings}
        clock = quantity.unit is None and _HOUR.fullmatch(fold(text)[slice(*quantity.number)])
        if clock:
            readings.add((CLOCK, float(int(clock[1]) * HOUR + int(clock[2] or 0))))
        yield Value(quantity.number, frozenset(readings), quantity.value, quantity.digits)


def _is_same_value(value: Value, other: Value, units: Collection[tuple[str, float]]) -> bool:
    families = {family for family, _ in value.readings}
    named = {(family, factor) for family, factor in units if family in families}
    if (value.is_bare or (other.is_bare and not named and CLOCK not in families)) and _rounds(
        other.number, value.number, value.digits
    ):
        return True
    told = {*other.readings, *((family, other.number * factor) for family, factor in named if other.is_bare)}
    return any(
        one == kind and _rounds(known, amount, value.digits) for one, amount in value.readings for kind, known in told
    )


def _rounds(exact: float, amount: float, digits: int) -> bool:
    """Say whether a number is another one, or what it is when it is rounded to so many digits."""
    if exact == amount or math.isclose(exact, amount, rel_tol=1e-9):
        return True
    return digits >= ROUNDED and math.isclose(float(f"{exact:.{digits}g}"), amount, rel_tol=1e-9)
