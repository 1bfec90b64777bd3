"""Numbers and dates in a text, as many languages write them."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from pathlib import Path
from typing import cast

import regex

from rove.language.han import DIGITS, NUMERALS, UNITS, han_number
from rove.language.words import DOT_GROUPS

FIRST_YEAR, LAST_YEAR = 1000, 9999
_HAN_NUMBER = regex.compile(f"[{NUMERALS}]+")
_NUMBER = regex.compile(r"(?<![\p{Latin}_\d.,])-?\d+(?:[.,\s\u00a0\u202f']\d{3})*(?:[.,]\d+)?(?![\d])")
_ISO = regex.compile(r"(?<!\d)(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)")
_HAN_DATE = regex.compile(r"(\d{4})\s*年\s*(\d{1,2})\s*月\s*(\d{1,2})\s*[日号號]")
_HU_DATE = regex.compile(r"(?<!\d)(\d{4})\.\s*(\d{1,2})\.\s*(\d{1,2})\.?")
_DAY_FIRST = regex.compile(r"(?<!\d)(\d{1,2})[./](\d{1,2})[./](\d{4})(?!\d)")
_MONTH_FIRST = regex.compile(r"(?<!\d)(\d{1,2})/(\d{1,2})/(\d{4})(?!\d)")
_SPACES = regex.compile(r"[\s\u00a0\u202f']")


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number ("1234.5") or a date ("2024-03-01"), and where the text has it."""

    value: str
    start: int
    end: int


def numbers(text: str, language: str) -> list[Quantity]:
    """Return the numbers in their order: in digits, or in Chinese characters.

    >>> [n.value for n in numbers("1.234,5 Euro für 3 Leute", "de")], [n.value for n in numbers("1,234.5 for 3", "en")]
    (['1234.5', '3'], ['1234.5', '3'])
    >>> [n.value for n in numbers("三百二十人，两万元", "zh")]
    ['320', '20000']
    """
    found = [Quantity(_plain(m.group(), language), m.start(), m.end()) for m in _NUMBER.finditer(text)]
    if language in {"zh", "ja"}:
        found += [
            Quantity(str(han_number(m.group())), m.start(), m.end())
            for m in _HAN_NUMBER.finditer(text)
            if set(m.group()) & (DIGITS.keys() | UNITS.keys())
        ]
    return sorted(found, key=lambda quantity: quantity.start)


def dates(text: str, language: str, today: str = "") -> list[Quantity]:
    """Return the dates in their order, as YYYY-MM-DD; `today` (of that form) is what "tomorrow" is reckoned from.

    1/2/2024 is read month first in English, day first elsewhere. A day that is none is left out.

    >>> [d.value for d in dates("3. März 2024 oder 04.05.2024", "de")], [d.value for d in dates("2024年3月1日", "zh")]
    (['2024-03-03', '2024-05-04'], ['2024-03-01'])
    >>> [d.value for d in dates("March 3, 2024, or tomorrow", "en", "2024-12-31")]
    ['2024-03-03', '2025-01-01']
    """
    found: dict[int, Quantity] = {}
    for quantity in (*_numeric(text, language), *_named(text, language), *_relative(text, language, today)):
        if not any(held.start < quantity.end and quantity.start < held.end for held in found.values()):
            found[quantity.start] = quantity
    return [found[start] for start in sorted(found)]


def _plain(written: str, language: str) -> str:
    """Return a number without grouping marks, with a point before its fraction."""
    written = _SPACES.sub("", written)
    comma_groups = regex.fullmatch(r"-?\d{1,3}(?:,\d{3})++(?:\.\d+)?", written)
    dot_groups = regex.fullmatch(r"-?\d{1,3}(?:\.\d{3})++(?:,\d+)?", written)
    if comma_groups and (language not in DOT_GROUPS or "." in written):
        return written.replace(",", "")
    if dot_groups and (language in DOT_GROUPS or "," in written):
        return written.replace(".", "").replace(",", ".")
    return written.replace(",", ".")


def _numeric(text: str, language: str) -> Iterator[Quantity]:
    for pattern in (_ISO, _HAN_DATE, _HU_DATE):
        for found in pattern.finditer(text):
            yield from _dated(found, found[1], found[2], found[3])
    if language == "en":
        for found in _MONTH_FIRST.finditer(text):
            yield from _dated(found, found[3], found[1], found[2])
    for found in _DAY_FIRST.finditer(text):
        yield from _dated(found, found[3], found[2], found[1])


def _named(text: str, language: str) -> Iterator[Quantity]:
    months = {
        name: number
        for kind in ("months", "short")
        for number, name in enumerate(_words()[kind].get(language, "").split(), 1)
    }
    if not months:
        return
    name = "|".join(sorted(map(regex.escape, months), key=len, reverse=True))
    day, year = r"(?P<day>\d{1,2})(?:st|nd|rd|th|º|er)?\.?", r"(?P<year>\d{4})"
    of = r"(?:\s*(?:de|of)\s+|\s*)"
    orders = (
        rf"(?<!\d){day}{of}(?P<month>{name})\.?,?{of}{year}",
        rf"\b(?P<month>{name})\.?\s+{day},?\s+{year}",
        rf"{year}\.?\s+(?P<month>{name})\.?\s+{day}",
    )
    for order in orders:
        for found in regex.finditer(order, text, flags=regex.IGNORECASE):
            yield from _dated(found, found["year"], str(months[found["month"].casefold()]), found["day"])


def _relative(text: str, language: str, today: str) -> Iterator[Quantity]:
    if not today:
        return
    base = date.fromisoformat(today)
    for days, kind in ((-1, "yesterday"), (0, "today"), (1, "tomorrow")):
        word = _words()[kind].get(language, "")
        if not word:
            continue
        bounded = regex.escape(word) if language in {"zh", "ja"} else rf"\b{regex.escape(word)}\b"
        for found in regex.finditer(bounded, text, flags=regex.IGNORECASE):
            yield Quantity((base + timedelta(days)).isoformat(), found.start(), found.end())


def _dated(found: regex.Match[str], year: str, month: str, day: str) -> Iterator[Quantity]:
    try:
        made = date(int(year), int(month), int(day))
    except ValueError:
        return
    if FIRST_YEAR <= made.year <= LAST_YEAR:
        yield Quantity(made.isoformat(), found.start(), found.end())


@cache
def _words() -> Mapping[str, Mapping[str, str]]:
    """The names of months and days: what → language code → names."""
    text = Path(__file__).with_name("dates.toml").read_text("utf-8")
    return cast("Mapping[str, Mapping[str, str]]", tomllib.loads(text))
