"""The one reader of numbers: what a text counts and measures, with unit, place and certainty, in many languages.

`read_quantities` reads a text, `parse_number` one number such as a cell, `same_quantity` compares.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache

import regex

from rove.language.quantities.digits import LONGEST, NUMBER, decimal_mark, digit_values, fold
from rove.language.quantities.scan import Scan
from rove.records.quantity import Quantity, Reading, TextValue

_PLAIN = regex.compile(rf"[-+−]?{NUMBER}")


def read_quantities(text: str, language: str = "", *, mark: str = "") -> list[Quantity]:
    """Return the quantities of a text in their order, each with what it may be.

    Args:
        text: what is read.
        language: of the text, ISO 639-1; "" where it is not known: then "1,234" has two readings.
        mark: the decimal mark where it is known, as of a column; "" lets the text and its language say.

    >>> [(q.value, q.unit and q.unit.name) for q in read_quantities("1,234 km für 2,5 Mio. €", "de")]
    [(1.234, 'kilometer'), (2500000.0, 'EUR')]
    >>> [(q.value, q.unit and q.unit.name) for q in read_quantities("500 ezer Ft, 20万円", "hu")]
    [(500000.0, 'HUF'), (200000.0, 'JPY')]
    >>> [q.kind for q in read_quantities("AX-200, version 2.1.3, in 2019", "en")]
    ['label', 'label', 'year']
    """
    return list(_scan_quantities(text, language, mark))


@lru_cache(maxsize=500)
def _scan_quantities(text: str, language: str, mark: str) -> tuple[Quantity, ...]:
    """A sentence is read by the check of each claim that may rest on it."""
    return tuple(Scan(text, language, mark).quantities())


def parse_number(text: str, language: str = "", *, mark: str = "") -> Reading | None:
    """Read a text that is one number and nothing else, with or without its unit: a cell. None where it is not.

    A loss may stand in brackets or behind "△". See `read_quantities`.

    >>> parse_number("(1,250.5)").value, parse_number("1.250,5", "de").value, parse_number("n/a")
    (-1250.5, 1250.5, None)
    """
    bare = text.strip(" *_\u00a0")
    inner = bare[1:-1].strip() if bare.startswith("(") and bare.endswith(")") else bare
    if _PLAIN.fullmatch(inner):
        value = digit_values(inner.lstrip("-+−"), mark or decimal_mark(language))[0]
        return Reading(-value if (inner[0] in "-−") != (inner != bare) else value)
    found = [one for one in read_quantities(inner, language, mark=mark) if one.kind in {"number", "year"}]
    if len(found) != 1 or found[0].span[0] > 0 or inner[found[0].span[1] :].strip(" .-–—*"):
        return None
    reading = found[0].readings[0]
    return replace(reading, value=-reading.value) if inner != bare else reading


def numbers_in(text: str, language: str) -> list[TextValue]:
    """Return the numbers of a text, without signs of grouping, each with its magnitude and place.

    In their order; then the digits of labels such as "No. 12", which may be what is asked for.

    >>> [one.value for one in numbers_in("1.234,5 Euro für 3 Mio. Leute", "de")]
    ['1234.5', '3000000']
    """
    found = [one for one in read_quantities(text, language) if one.kind in {"number", "year"}]
    counted = [TextValue(plain_number(one.value), *one.span) for one in found if math.isfinite(one.value)]
    labels = [one.span for one in read_quantities(text, language) if one.kind == "label"]
    named = [TextValue(folded, *span) for span in labels if (folded := fold(text[slice(*span)])).isdigit()]
    return counted + [one for one in named if len(one.value) <= LONGEST]


def plain_number(value: float) -> str:
    """Write a number with a point before its fraction and nothing else.

    >>> plain_number(12000.0), plain_number(2.5), plain_number(1e-7)
    ('12000', '2.5', '0.0000001')
    """
    if value.is_integer():
        return f"{value:.0f}"
    shown = repr(value)
    return f"{value:.20f}".rstrip("0") if "e" in shown else shown


def same_quantity(one: Quantity, other: Quantity) -> bool:
    """Say whether two quantities may be the same: the same amount of the same kind, or the same day.

    >>> two, fourteen = read_quantities("two weeks", "en"), read_quantities("14 Tage", "de")
    >>> same_quantity(two[0], fourteen[0]), same_quantity(two[0], read_quantities("2 days", "en")[0])
    (True, False)
    """
    if one.day or other.day:
        return one.day == other.day
    return any(
        a.kind == b.kind and math.isclose(a.amount, b.amount, rel_tol=1e-9)
        for a in one.readings
        for b in other.readings
    )
