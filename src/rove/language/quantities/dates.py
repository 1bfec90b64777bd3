"""Dates of a text: days, months and years, as many languages write them, and the days around today."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterator, Mapping
from datetime import date, timedelta
from functools import cache
from importlib.resources import files
from typing import cast

import regex

from rove.language.quantities.digits import fold, lower
from rove.records.quantity import CalendarDay, Quantity, TextValue

FIRST_YEAR, LAST_YEAR = 1000, 9999
MONTHS, LONGEST_MONTH = 12, 31
_GAP = r"[ \u00a0]"
_NOT_WITHIN = r"(?<![\d_])(?<!\d[.,/-])(?<!\p{Lu}-)"
_NOT_ON = r"(?![\d_]|[.,/-]\d|\.\p{L})"
_YEAR, _MONTH, _DAY = r"(?P<year>\d{4})", r"(?P<month>\d{1,2})", r"(?P<day>\d{1,2})"
_MARK, _AGAIN = r"(?P<mark>[-/.])", rf"(?P=mark){_GAP}?"
_NUMERIC = (
    regex.compile(rf"{_YEAR}\s?年\s?{_MONTH}\s?月(?:\s?{_DAY}\s?[日号號])?"),
    regex.compile(rf"(?<!\d){_MONTH}月(?:{_DAY}[日号號])?(?!間|间)"),
    regex.compile(rf"{_NOT_WITHIN}{_YEAR}{_MARK}{_GAP}?{_MONTH}{_AGAIN}{_DAY}{_NOT_ON}"),
    regex.compile(rf"{_NOT_WITHIN}{_DAY}{_MARK}{_GAP}?{_MONTH}{_AGAIN}{_YEAR}{_NOT_ON}"),
)
_HAN_YEAR = regex.compile(r"(?<!\d)(?P<year>1[5-9]\d\d|20\d\d)[ \u00a0]?年(?!間|间)")


def read_dates(text: str, language: str) -> Iterator[Quantity]:
    """Yield the dates of a text, whole ones and parts of dates; where two overlap, the first is meant.

    1/2/2024 is read month first in English, day first elsewhere; a day that no month has is none.
    """
    folded = fold(text)
    small = lower(folded)
    for pattern in _month_name_patterns(language):
        for found in pattern.finditer(small):
            yield from _date_from_match(found, language)
    for pattern in _NUMERIC:
        for found in pattern.finditer(folded):
            yield from _date_from_match(found, language)
    for found in _HAN_YEAR.finditer(folded):
        yield Quantity(found.span(), found.span("year"), kind="date", day=CalendarDay(int(found["year"])))


def whole_days(text: str, language: str, today: str = "") -> list[TextValue]:
    """Return the days of a text in their order, as YYYY-MM-DD; `today` is what "tomorrow" is reckoned from.

    >>> [d.value for d in whole_days("3. März 2024 oder 04.05.2024", "de")], [
    ...     d.value for d in whole_days("2024年3月1日", "zh")]
    (['2024-03-03', '2024-05-04'], ['2024-03-01'])
    >>> [d.value for d in whole_days("March 3, 2024, or tomorrow", "en", "2024-12-31")]
    ['2024-03-03', '2025-01-01']
    """
    found: list[TextValue] = []
    for quantity in read_dates(text, language):
        if quantity.day and quantity.day.iso:
            found.append(TextValue(quantity.day.iso, *quantity.span))
    kept: list[TextValue] = []
    for value in (*found, *_around_today(text, language, today)):
        if not any(held.start < value.end and value.start < held.end for held in kept):
            kept.append(value)
    return sorted(kept, key=lambda value: value.start)


def _around_today(text: str, language: str, today: str) -> Iterator[TextValue]:
    if not today:
        return
    base = date.fromisoformat(today)
    for days, kind in ((-1, "yesterday"), (0, "today"), (1, "tomorrow")):
        word = date_words()[kind].get(language, "")
        if not word:
            continue
        bounded = regex.escape(word) if language in {"zh", "ja"} else rf"\b{regex.escape(word)}\b"
        for found in regex.finditer(bounded, text, flags=regex.IGNORECASE):
            yield TextValue((base + timedelta(days)).isoformat(), found.start(), found.end())


def _date_from_match(found: regex.Match[str], language: str) -> Iterator[Quantity]:
    parts = found.groupdict()
    name = (parts.get("name") or "").rstrip(".")
    year, day = int(parts.get("year") or parts.get("late") or 0), int(parts.get("day") or 0)
    month = months(language).get(name, 0) if name else int(parts.get("month") or 0)
    certainty = 1.0
    if parts.get("mark") == "/" and not found[0][:4].isdigit() and language == "en":
        month, day = day, month
    if month > MONTHS and parts.get("mark") == "/":
        month, day, certainty = day, month, 0.8
    made = CalendarDay(year, month, day)
    if month <= MONTHS and day <= LONGEST_MONTH and (not made.iso or _is_day(made)):
        span = (found.start(), found.start() + len(found[0].rstrip()))
        yield Quantity(span, span, kind="date", certainty=certainty, day=made)


def _is_day(day: CalendarDay) -> bool:
    try:
        return FIRST_YEAR <= date(day.year, day.month, day.day).year <= LAST_YEAR
    except ValueError:
        return False


@cache
def months(language: str) -> Mapping[str, int]:
    """Return the names of months → their numbers: of the language, or of all where it has none."""
    table = date_words()["months"]
    lines = [table[language]] if language in table else table.values()
    return {
        name: number
        for line in lines
        for number, names in reversed(list(enumerate(line.split(), 1)))
        for name in names.split("|")
    }


@cache
def _month_name_patterns(language: str) -> tuple[regex.Pattern[str], ...]:
    if language in {"zh", "ja"}:
        return ()
    name = rf"(?=\p{{L}})(?P<name>{any_of(months(language))})\.?"
    day, late = rf"(?<![\d.,:-]){_DAY}", r"(?P<late>\d{4})(?!\d)"
    nth, of = r"(?:st|nd|rd|th|º|er|\.)?", rf"(?:(?:of|de|di){_GAP})?"
    return (
        regex.compile(rf"{day}{nth}(?:{_GAP}|-)?{of}\b{name}(?:,?{_GAP}|-)?(?:del?{_GAP})?{_YEAR}(?!\d)"),
        regex.compile(
            rf"(?:(?<!\d){_YEAR}\.?{_GAP})?\b{name}{_GAP}{_DAY}(?!\d|[:.,]\d)(?:st|nd|rd|th)?(?:,?{_GAP}{late})?"
        ),
        regex.compile(rf"{day}{nth}{_GAP}{of}{name}(?!\w)"),
        regex.compile(rf"\b{name}{_GAP}(?:(?:of|de){_GAP})?{_YEAR}(?!\d)|(?<!\d){_YEAR}\.?{_GAP}{name}(?!\w)"),
    )


@cache
def date_words() -> Mapping[str, Mapping[str, str]]:
    """The names of months, days and halves of the day: what → language code → words."""
    text = files("rove.language.quantities").joinpath("dates.toml").read_text("utf-8")
    return cast("Mapping[str, Mapping[str, str]]", tomllib.loads(text))


def any_of(words: Collection[str]) -> str:
    """Return a pattern for any of these words, the longest first."""
    return "|".join(sorted(map(regex.escape, words), key=len, reverse=True))
