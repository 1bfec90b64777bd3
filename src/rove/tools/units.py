"""Numbers with their units, in several languages, and what they are in another unit of the same kind."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import cast

import regex

from rove.language.quantities import numbers
from rove.language.scripts import is_unspaced

DIGITS = 12
"""Significant digits of a converted number: what a float can hold without showing its rounding."""
_BEHIND = regex.compile(r"[\s\u00a0\u202f-]?\s?(°?[\p{L}℃℉]+[²³]?(?:/[\p{L}]+)?)")


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit. `kind`: what it measures; one of it is `factor` base units, and `plus` is added to the product."""

    name: str
    kind: str
    factor: float
    plus: float = 0.0


@dataclass(frozen=True, slots=True)
class Measured:
    """A number in a text at [start, end), with its unit there; None where none follows."""

    value: float
    start: int
    end: int
    unit: Unit | None = None


def measured(text: str, language: str) -> list[Measured]:
    """Return the numbers of a text, each with the unit that follows it.

    >>> [(one.value, one.unit and one.unit.name) for one in measured("5 miles in 2,5 Stunden", "de")]
    [(5.0, 'mile'), (2.5, 'hour')]
    """
    found: list[Measured] = []
    for number in numbers(text, language):
        behind = _BEHIND.match(text, number.end)
        unit = _unit_at(behind[1]) if behind else None
        end = behind.start(1) + len(_word_at(behind[1])) if behind and unit else number.end
        found.append(Measured(float(number.value), number.start, end, unit))
    return found


def unit_named(name: str) -> Unit | None:
    """Return the unit of that name or word; None where there is none.

    >>> unit_named("km") == unit_named("Kilometer"), unit_named("house")
    (True, None)
    """
    return _units().get(name.casefold().strip())


def converted(value: float, unit: Unit, target: Unit) -> float:
    """Return a number in another unit of the same kind.

    >>> converted(5, unit_named("mile"), unit_named("km")), converted(68, unit_named("°F"), unit_named("celsius"))
    (8.04672, 20.0)

    Raises:
        ValueError: they do not measure the same.
    """
    if unit.kind != target.kind:
        message = f"{unit.name} and {target.name} do not measure the same."
        raise ValueError(message)
    exact = (value * unit.factor + unit.plus - target.plus) / target.factor
    return float(f"{exact:.{DIGITS}g}")


def wanted_unit(words: str, description: str) -> Unit | None:
    """Return the unit that a parameter wants: its name ends in it, or its description says "in …".

    >>> wanted_unit("distance km", "").name, wanted_unit("distance", "How far, in miles.").name
    ('kilometer', 'mile')
    """
    last = words.rpartition(" ")[2] if " " in words else ""
    if last and (found := unit_named(last)):
        return found
    said = regex.search(r"\b(?:in|unit:)\s+([\p{L}°/²]+)", description, flags=regex.IGNORECASE)
    return unit_named(said[1]) if said and len(said[1]) > 1 else None


def _unit_at(word: str) -> Unit | None:
    return unit_named(_word_at(word)) if _word_at(word) else None


def _word_at(word: str) -> str:
    """Return the unit that a run of letters begins with: where words have no spaces, it goes on behind it."""
    if not is_unspaced(word):
        return word if unit_named(word) else ""
    return next((word[:size] for size in range(len(word), 0, -1) if unit_named(word[:size])), "")


@cache
def _units() -> Mapping[str, Unit]:
    text = files("rove.tools").joinpath("units.toml").read_text("utf-8")
    tables = cast("Mapping[str, Mapping[str, Mapping[str, object]]]", tomllib.loads(text))
    known: dict[str, Unit] = {}
    for kind, units in tables.items():
        for name, one in units.items():
            unit = Unit(name, kind, float(str(one["factor"])), float(str(one.get("plus", 0))))
            known |= {word.casefold(): unit for word in (name, *str(one["words"]).split())}
    return known
