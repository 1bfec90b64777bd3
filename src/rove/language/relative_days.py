"""Days that a text names: by date, or reckoned from today ("übermorgen", "来週", "on Friday", "in 3 days")."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from functools import cache
from importlib.resources import files
from typing import Any

import regex

from rove.language.quantities.dates import months, whole_days
from rove.language.scripts import is_unspaced
from rove.records.quantity import TextValue

WEEK = 7


def days_in(text: str, language: str, today: str) -> list[TextValue]:
    """Return the days in their order, as YYYY-MM-DD. A week stands for its Monday, a weekday for the next such day.

    >>> [day.value for day in days_in("来週の会議", "ja", "2026-11-25")]
    ['2026-11-30']
    >>> [day.value for day in days_in("on Friday, in 3 days or the day after tomorrow", "en", "2026-11-25")]
    ['2026-11-27', '2026-11-28', '2026-11-27']
    """
    found = (
        sorted(_find_relative_days(text, language, today), key=lambda day: (day.start - day.end, day.start))
        if today
        else []
    )
    found += whole_days(text, language, today)
    kept: list[TextValue] = []
    for day in found:
        if not any(day.start < held.end and held.start < day.end for held in kept):
            kept.append(day)
    return sorted(kept, key=lambda day: day.start)


def is_day_or_month(name: str, language: str) -> bool:
    """Say whether a name is that of a weekday or a month, also of several ("Tuesdays").

    >>> [is_day_or_month(name, "en") for name in ("Tuesdays", "January", "Friday Harbour")]
    [True, True, False]
    """
    days = {word.casefold() for word in _relative_day_words()["weekdays"].get(language, "").split()}
    own = name.casefold()
    return any(one in days or one in months(language) for one in (own, own.removesuffix("s")))


def _find_relative_days(text: str, language: str, today: str) -> Iterator[TextValue]:
    base, table = date.fromisoformat(today), _relative_day_words()
    for words, days in table["days"].get(language, {}).items():
        yield from _each(text, _word_boundary_pattern(words), base + timedelta(days))
    monday = base - timedelta(base.weekday())
    for words, weeks in table["weeks"].get(language, {}).items():
        yield from _each(text, _word_boundary_pattern(words), monday + timedelta(weeks * WEEK))
    before, after = table["before_weekday"].get(language, ""), table["after_weekday"].get(language, "")
    for number, name in enumerate(table["weekdays"].get(language, "").split()):
        ahead = (number - base.weekday() - 1) % WEEK + 1
        pattern = before + regex.escape(name) + after
        yield from _each(text, pattern if is_unspaced(name) else rf"\b{pattern}\b", base + timedelta(ahead))
    if pattern := table["in_days"].get(language, ""):
        for found in regex.finditer(pattern, text, flags=regex.IGNORECASE):
            yield TextValue((base + timedelta(int(found[1]))).isoformat(), found.start(), found.end())


def _each(text: str, pattern: str, day: date) -> Iterator[TextValue]:
    for found in regex.finditer(pattern, text, flags=regex.IGNORECASE):
        yield TextValue(day.isoformat(), found.start(), found.end())


def _word_boundary_pattern(words: str) -> str:
    return regex.escape(words) if is_unspaced(words) else rf"\b{regex.escape(words)}\b"


@cache
def _relative_day_words() -> Mapping[str, Any]:
    return tomllib.loads(files("rove.language").joinpath("relative_days.toml").read_text("utf-8"))
