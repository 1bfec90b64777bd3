"""Clock times of a text, as minutes of the day: "3 pm", "15.30 Uhr", "délután 5 óra", "下午两点半"."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

import regex

from rove.language.quantities.dates import date_words
from rove.language.quantities.units import units_by_name
from rove.records.document import Span
from rove.records.quantity import Quantity, Reading, Unit

NOON, HOUR = 720, 60
BESIDE = 12
"""How far from a clock time the half of the day may stand, in characters."""
MINUTE_OF_DAY = Unit("minute of the day", "clock")
_RANGE = r"\s*(?:to|bis|and|und|és|-|–|—|~|～|至|到|から|or|oder)\s*"
_RANGED = regex.compile(
    rf"(?<!\d)(?<!\d[.,:])(\d{{1,2}})(?:[:.](\d\d))?(?={_RANGE}\d{{1,2}}(?:[:.]\d\d)?\s*(uhr|[ap]\.?m\b|[時时点]|óra))"
)
_CLOCKS = (
    regex.compile(r"(?<![\d.,:])(?P<hour>\d{1,2})(?:[:.](?P<minute>\d{2}))?\s*(?P<mark>uhr|o'clock|[ap]\.?m\b\.?)"),
    regex.compile(r"(?<![\d.,:])(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::\d{2})?(?![\d:])"),
    regex.compile(
        r"(?<![\d.,:])(?P<hour>\d{1,2})[ \u00a0]?(?P<mark>h)[ \u00a0]?(?P<minute>\d{2})(?!\d|\w|[ \u00a0]?min)"
    ),
    regex.compile(
        r"(?<![\d.,:])(?P<hour>\d{1,2})\s?(?P<mark>[時时点](?!間|间|\d{1,9}+%)|óra\w{0,12}+)\s?(?:(?P<minute>\d{1,2})\s?(?:分|perc)?|(?P<half>半))?"
    ),
)
_LENGTH_TOO = ("óra", "h")
"""Marks that may count hours as well."""


def read_clocks(text: str) -> Iterator[Quantity]:
    """Yield the clock times of a text in lower case, numbers in characters written as digits; some may overlap."""
    for pattern in _CLOCKS:
        for found in pattern.finditer(text):
            parts = found.groupdict()
            hour, minute = int(found["hour"]), int(found["minute"] or 0) or (30 if parts.get("half") else 0)
            if hour <= 24 and minute < HOUR:
                yield _clock(text, found.span(), found.span("hour"), (hour, minute), parts.get("mark") or "")
    for found in _RANGED.finditer(text):
        mark = found[3] if found[3].startswith("óra") else ""
        yield _clock(text, found.span(), found.span(1), (int(found[1]), int(found[2] or 0)), mark)
    for found in _beside_half().finditer(text):
        yield _clock(text, found.span(1), found.span(1), (int(found[1]), 0), "")


def _clock(text: str, span: Span, number: Span, time: tuple[int, int], mark: str) -> Quantity:
    hour, minute = time
    readings = [Reading(_minute_of_day(text, span, hour, minute, mark), MINUTE_OF_DAY)]
    if mark.startswith(_LENGTH_TOO):
        readings.append(Reading(hour + minute / HOUR, units_by_name()["hour"]))
    return Quantity(span, number, tuple(readings), "clock", 1.0 if len(readings) == 1 else 0.5)


def _minute_of_day(text: str, span: Span, hour: int, minute: int, mark: str) -> float:
    """By the half of the day that its mark names, or a word beside it."""
    before, behind = text[max(span[0] - BESIDE, 0) : span[0]], text[span[1] : span[1] + BESIDE]
    told = mark.replace(".", "") if mark.startswith(("a", "p")) else ""
    half = _half_of_day(told) or _half_of_day(before) or _half_of_day(behind)
    afternoon = half == "pm" and hour < 12
    return float((0 if half == "am" and hour == 12 else hour % 24 * HOUR) + minute + (NOON if afternoon else 0))


def _half_of_day(words: str) -> str:
    return next((half for half, pattern in _patterns().items() if pattern.search(words)), "")


def _half_of_day_pattern(half: str) -> str:
    known = date_words()["clock"][half].split()
    return "|".join(rf"(?<!\w){regex.escape(word)}(?!\w)" if ord(word[0]) < 0x2E80 else word for word in known)


@cache
def _patterns() -> Mapping[str, regex.Pattern[str]]:
    return {half: regex.compile(_half_of_day_pattern(half)) for half in date_words()["clock"]}


@cache
def _beside_half() -> regex.Pattern[str]:
    words = "|".join(map(_half_of_day_pattern, date_words()["clock"]))
    return regex.compile(rf"(?:{words})\s?(\d{{1,2}})(?![\d:.時时点])")
