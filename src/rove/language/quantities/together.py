"""Quantities that belong together: amounts said in two units, and the two ends of a range."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import regex

from rove.language.quantities.dates import any_of
from rove.language.quantities.digits import NUMBER, digit_values, exact
from rove.language.quantities.spelled import numeral_words
from rove.records.quantity import Quantity, Reading

SUMMED = frozenset({"time", "calendar", "length", "mass"})
"""What is said in two units at once: "5 feet 11 inches"."""
OF_A_RANGE = 0.7
"""How certain a number is whose unit stands at the other end of its range."""
_AND = regex.compile(r"[ \u00a0]?(?:(?:and|und|és|et|y|e|en|och|i|a|и) )?")
_DIGITS = regex.compile(NUMBER)
_LETTER = regex.compile(r"\p{L}")


def summed(text: str, found: Sequence[Quantity]) -> list[Quantity]:
    """Put amounts together that are said in two units: "1 h 30 min", "5 feet 11 inches"."""
    made: list[Quantity] = []
    for one in found:
        last = made[-1] if made else None
        if last and _AND.fullmatch(text, last.span[1], one.span[0]) and _can_add_quantity(last, one):
            factor = last.unit.factor if last.unit else 1.0
            total = (last.readings[0].amount + one.readings[0].amount) / factor
            readings = (Reading(exact(total), last.unit),)
            span, digits = (last.span[0], one.span[1]), last.digits + one.digits
            made[-1] = replace(last, span=span, readings=readings, digits=digits)
        else:
            made.append(one)
    return made


def with_ranges(text: str, found: Sequence[Quantity]) -> list[Quantity]:
    """Mark the ends of ranges; the first takes the unit of the last: "10–20 km", "zwischen 2 und 3 Mio. Euro"."""
    made = list(found)
    for at in range(len(made) - 1):
        one, other = made[at], made[at + 1]
        between = _range_words().fullmatch(text, one.span[1], other.span[0])
        if {one.kind, other.kind} - {"number", "year"} or not between:
            continue
        if one.unit is None and other.unit is not None:
            scale = 1.0 if _LETTER.search(text, one.number[1], one.span[1]) else _magnitude_scale(text, other)
            readings = tuple(Reading(exact(reading.value * scale), other.unit) for reading in one.readings)
            one = replace(one, readings=readings, kind="number", certainty=max(one.certainty, OF_A_RANGE))
        made[at], made[at + 1] = replace(one, bound="from"), replace(other, bound="to")
    return made


def _can_add_quantity(last: Quantity, one: Quantity) -> bool:
    a, b = last.unit, one.unit
    if a is None or b is None or last.kind != "number" or one.kind != "number" or a.kind != b.kind:
        return False
    return a.kind in SUMMED and b.factor < a.factor and one.readings[0].amount < a.factor


def _magnitude_scale(text: str, one: Quantity) -> float:
    """What the magnitude behind a number has multiplied it by."""
    written = text[slice(*one.number)]
    bare = digit_values(written, "")[0] if _DIGITS.fullmatch(written) else 0.0
    ratio = abs(one.value) / bare if bare else 1.0
    return ratio if ratio >= 1e3 and math.log10(ratio).is_integer() else 1.0


@cache
def _range_words() -> regex.Pattern[str]:
    words = numeral_words("range")["words"].replace("_", " ").split(" ")
    return regex.compile(rf"\s?(?:{any_of(words)})\s?", regex.IGNORECASE)
