"""What multiplies the number before it: "million", "Mrd.", "ezer", "k€", "M" behind money; and "and a half"."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import regex

from rove.language.quantities.dates import any_of
from rove.language.quantities.digits import lower
from rove.language.quantities.spelled import magnitudes, numeral_words, spelled_words
from rove.language.quantities.units import CURRENCY, Units, unit_at, units_by_name, units_named

COMMON = ("en", "de", "hu", "fr", "es")
"""Whose words count in a text of unknown language."""
SPACE = regex.compile(r"-(?=\p{L})|[ \u00a0]{0,2}")
"""What may stand between a number, its magnitude and its unit."""
_MONEY_LETTER = regex.compile(r"[ \u00a0]?(\p{L}{1,2})(?![\w/])")
_KILO = regex.compile(r"k(?![\w/])")
_LETTERS = regex.compile(r"[ \u00a0]?(\p{L}{1,2})[ \u00a0]")


def magnitude_behind(text: str, end: int, language: str) -> tuple[float, int]:
    """Return what the words behind a number multiply it by, and where they end: "2 hundred thousand"."""
    factor = 1.0
    while True:
        space = SPACE.match(text, end)
        told = magnitude_at(text, space.end() if space else end, language)
        if told is None:
            return factor, end
        factor, end = factor * told[0], told[1]


def magnitude_at(text: str, start: int, language: str) -> tuple[float, int] | None:
    """Return the magnitude whose word stands at a place, and where it ends."""
    found = _magnitude_pattern(language).match(text, start)
    if found is None:
        return None
    size = _any_language_magnitudes().get(found[0]) or _language_magnitudes(language).get(lower(found[0]))
    return (size, found.end()) if size else None


def money_magnitude(text: str, end: int, language: str) -> tuple[float, int]:
    """Return what a letter or two behind money multiply it by: "$2.5M", "R$ 5 mi"."""
    found = _MONEY_LETTER.match(text, end)
    own = magnitudes(language)
    size = (
        (own.get(lower(found[1])) or _money_magnitudes().get(found[1]) or _any_language_magnitudes().get(found[1]))
        if found
        else None
    )
    return (size, found.end()) if found and size else (1.0, end)


def letter_magnitude(text: str, end: int, language: str) -> tuple[float, int]:
    """Return what a small k right behind digits multiplies, or a letter before a currency: "50k", "500 e Ft"."""
    if found := _KILO.match(text, end):
        return 1e3, found.end()
    letters = _LETTERS.match(text, end)
    if letters is None:
        return 1.0, end
    size = magnitudes(language).get(lower(letters[1])) or _money_magnitudes().get(letters[1])
    named = unit_at(text, letters.end(), language) if size else None
    is_money = named is not None and named.units[0].kind.startswith(CURRENCY)
    return (size, letters.end() - 1) if size and is_money else (1.0, end)


def joined_magnitude(text: str, end: int) -> tuple[float, Units, int] | None:
    """Return the magnitude and the currency that are written as one word: "250 T€", "1500 eFt"."""
    found = _unit_prefix_pattern().match(text, end)
    if found is None:
        return None
    size, name = numeral_words("prefixed")[found[1]].split()
    return float(size), (units_by_name()[name],), found.end()


def and_half(small: str, end: int, language: str) -> tuple[float, int]:
    """Return a half that is said behind a number or its unit, and where it ends: "and a half", "einhalb", 半."""
    pattern = _and_half_pattern(language)
    found = pattern.match(small, end) if pattern else None
    return (0.5, found.end()) if found else (0.0, end)


@cache
def _language_magnitudes(language: str) -> Mapping[str, float]:
    """The words that multiply any number; a letter, or what is a unit too, does so to money alone, and is not here."""
    own = magnitudes(language) or {word: size for key in COMMON for word, size in magnitudes(key).items()}
    telling = {
        word: size
        for word, size in own.items()
        if len(word) > 2 or (len(word) == 2 and not units_named(word, language))
    }
    return {**magnitudes("en"), **telling}


def _magnitude_table() -> Mapping[str, Mapping[str, str]]:
    return numeral_words("magnitudes")  # pyright: ignore[reportReturnType]


@cache
def _any_language_magnitudes() -> Mapping[str, float]:
    return {word: float(size) for size, words in _magnitude_table()["any"].items() for word in words.split()}


@cache
def _money_magnitudes() -> Mapping[str, float]:
    return {word: float(size) for size, words in _magnitude_table()["money"].items() for word in words.split()}


@cache
def _magnitude_pattern(language: str) -> regex.Pattern[str]:
    own, shared = any_of(_language_magnitudes(language)), any_of(_any_language_magnitudes())
    return regex.compile(rf"(?:(?i:{own})|{shared})(?![\p{{Latin}}\p{{Cyrillic}}])")


@cache
def _unit_prefix_pattern() -> regex.Pattern[str]:
    return regex.compile(rf"[ \u00a0]?({any_of(numeral_words('prefixed'))})(?!\w)")


@cache
def _and_half_pattern(language: str) -> regex.Pattern[str] | None:
    words = any_of(spelled_words("and_half", language))
    space = "[个個]?" if language in {"zh", "ja"} else "[ \u00a0]?"
    return regex.compile(rf"{space}(?:{words})(?!\p{{Latin}})") if words else None
