"""The unit that a parameter wants, by its schema, its name or its description."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from functools import cache

import regex

from rove.language.quantities.digits import fold
from rove.language.quantities.reader import read_quantities
from rove.language.quantities.units import CODES, unit_at, unit_named, unit_words
from rove.records.document import Span
from rove.records.quantity import Unit
from rove.tools.parameters import Parameter

LANGUAGES = ("en", "de", "hu", "zh", "ja", "fr", "es", "it", "pt")
"""Languages whose words for units are looked for in a description."""
SHORT_SUFFIXES = frozenset({"m", "s", "h", "g"})
LEAST_CHARS = 3
_TOLD = regex.compile(
    r"(?i)(?:\b(?:in|en|em|as|units?(?: is| are)?:?|einheit:?|unité :?|mértékegység:?|number of|how many|the last"
    r"|the past)\s+"
    r"|[(（\[]\s*(?:in |en )?|単位[はが：:]?\s*|单位[是为：:]?\s*|以|単位)(?=[\p{L}%°\p{Sc}])"
)
_STARTS = regex.compile(r"(?<![\p{Latin}\p{Cyrillic}\d])[\p{L}%°\p{Sc}]")
_HU_CASE = regex.compile(r"(?<!\p{L})\p{L}+(?:ban|ben|okban|ekben|ökben)(?!\p{L})")
_UNIT_BEHIND = regex.compile(r"(?<![\p{Han}\p{Katakana}ー])[\p{Han}\p{Katakana}ー]{1,20}?(?=数|単位|为单位|計)")
_HOW_MANY = regex.compile(
    r"(?i)(?:hány|何|多少|combien d['e]?|wie viele?|anzahl(?: der)?|nombre d['e]s?|過去|cuántos|cuántas|quanti|quante)"
    r"\s*(?=[\p{L}])"
)


def wanted_unit(parameter: Parameter) -> Unit | None:
    """Return the unit that a parameter wants: its schema's, its name's, or the one its description says it is in.

    >>> wanted_unit(Parameter("distance_km")).name, wanted_unit(Parameter("d", description="How far, in miles.")).name
    ('kilometer', 'mile')
    >>> wanted_unit(Parameter("minutes")).name, wanted_unit(Parameter("n", description="Az összeg forintban.")).name
    ('minute', 'HUF')
    """
    if parameter.unit:
        return unit_named(parameter.unit)
    return _of_name(parameter) or _of_description(parameter.description)


def unit_of_value(parameter: Parameter, said: str, language: str) -> str:
    """Return the unit that a number is given to a tool in: the one it wants, else the one that was said; "" if none."""
    if parameter.type not in {"integer", "number"}:
        return ""
    unit = wanted_unit(parameter) or next((one.unit for one in read_quantities(said, language) if one.unit), None)
    return unit.name if unit else ""


def units_said(text: str, language: str) -> list[tuple[Unit, Span]]:
    """Return the units and currencies that a text names, each with its place; symbols of one letter are left out.

    >>> [(unit.name, span) for unit, span in units_said("Show it in gigabytes, or in EUR", "en")]
    [('gigabyte', (11, 20)), ('EUR', (28, 31))]
    """
    text, found, at = fold(text), list[tuple[Unit, Span]](), 0
    for word in _STARTS.finditer(text):
        named = unit_at(text, word.start(), language) if word.start() >= at else None
        if named and named.end - word.start() > 1:
            at = named.end
            found.append((named.units[0], (word.start(), at)))
    return found


def _of_name(parameter: Parameter) -> Unit | None:
    words = parameter.words.split()
    for count in (3, 2, 1):
        last = " ".join(words[-count:]) if len(words) >= count else ""
        least = 1 if last in SHORT_SUFFIXES and len(words) > 1 else LEAST_CHARS if len(words) == count else 2
        if len(last) >= least and (found := _unit_from_word(last)):
            return found
    return None


def _unit_from_word(word: str) -> Unit | None:
    if word.upper() in CODES:
        return unit_named(word.upper())
    found = next((found for language in LANGUAGES if (found := unit_named(word, language))), None)
    return found or _units_by_plain_word().get(word)


@cache
def _units_by_plain_word() -> Mapping[str, Unit]:
    """Words of units as identifiers write them: honap for hónap."""
    marks = dict.fromkeys(range(0x300, 0x370))
    plain = ((unicodedata.normalize("NFKD", word).translate(marks), unit) for word, unit in unit_words())
    return {word: unit for word, unit in plain if len(word) >= LEAST_CHARS}


def _of_description(description: str) -> Unit | None:
    text = fold(description)
    starts = [found.end() for pattern in (_TOLD, _HOW_MANY) for found in pattern.finditer(text)]
    starts += [found.start() for pattern in (_HU_CASE, _UNIT_BEHIND) for found in pattern.finditer(text)]
    for start in sorted(starts):
        for language in LANGUAGES:
            named = unit_at(text, start, language)
            if named and named.end - start > 1 + text[start : named.end].isascii():
                return named.units[0]
            if named and not text[start : named.end].isascii():
                return named.units[0]
    return None
