"""Values in a text: numbers with their units, clock times and dates, comparable across spellings and languages."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import cast

from rove.answer.claim import WORD_VALUES
from rove.answer.word_lists import table
from rove.language.han import NUMERALS, han_number
from rove.records.document import Span

ROUNDED = 3
"""So many digits at least has a number that may stand for a more exact one."""
MOST_DIGITS = 15
"""As many as a float tells apart."""
NOON = 720
COUNTERS = frozenset(
    "年月日号个個つ人名天时時小元円块岁歳周週星期回次件台层層階楼点度秒分倍か ヶカヵ文字头頭米公厘本页頁章条%"
)
"""What stands behind a single Chinese numeral that is a number, and no part of a word."""
BESIDE = 12

_NUMBER = r"\d+(?:[.,'’\u00a0\u202f ]\d{3})+(?:[.,]\d+)?(?!\d)|\d+(?:[.,]\d+)?"
_HALF_HOUR = re.compile(r"\b(?:half an hour|halbe stunde|fél óra\w*)|半[个個]?小[时時]|半時間")
_QUARTER_HOUR = re.compile(r"\b(?:(?:a )?quarter of an hour|viertelstunde|negyedóra\w*)|一刻钟")
_HALF_YEAR = re.compile(r"\b(?:half a year|halbes jahr|fél év\w*)|半年")
_HAN = re.compile(rf"百分之([{NUMERALS}]+)(?:点([{NUMERALS}]+))?|(?<![{NUMERALS}])([{NUMERALS}]+)(点半|時半)?")
_LARGE = {"万": 10_000, "萬": 10_000, "亿": 100_000_000, "億": 100_000_000, "千": 1_000}
_MIXED = re.compile(r"^([a-z]+)[\u2e80-\U0010ffff].*")
"""A unit in Latin letters, and what a script without spaces goes on with."""
_ONE = {
    "en": r"\bone\b|(?<=\bin )an?\b|(?<=\bfor )an?\b|(?<=\bafter )an?\b|(?<=\bwithin )an?\b|(?<=\bthan )an?\b",
    "de": r"\beine?[mnrs]?\b",
    "hu": r"\begy\b",
}
"""What stands for 1 before a unit; an article elsewhere does not count anything."""
_RANGE = r"\s*(?:to|bis|and|und|és|-|–|—|~|～|至|到|から|or|oder)\s*"
_DATES = (
    re.compile(r"(?P<year>\d{4})\s?年\s?(?P<month>\d{1,2})\s?月(?:\s?(?P<day>\d{1,2})[日号])?"),
    re.compile(r"(?<!\d)(?P<month>\d{1,2})月(?:(?P<day>\d{1,2})[日号])?"),
    re.compile(r"(?<!\d)(?P<year>\d{4})[-/.]\s?(?P<month>\d{1,2})[-/.]\s?(?P<day>\d{1,2})(?!\d)"),
    re.compile(r"(?<!\d)(?<!\d\.)(?P<day>\d{1,2})[./]\s?(?P<month>\d{1,2})[./]\s?(?P<year>\d{4})"),
)
_YEAR = re.compile(r"(?<!\d)(?<!\d[.,])(1[5-9]\d\d|20\d\d)(?:年|(?![\d,.]\d|\s?(?:%|[^\W\d_]*(?:euro|forint|meter))))")
_AMOUNT = re.compile(
    rf"(?P<before>[€$£])?\s?(?<!\d)(?<!\d[.,])(?P<number>{_NUMBER})\s?-?(?P<rest>[^\s\d,;:()|]*(?:\s[^\s\d,;:()|]+)?)"
)
_WORDS = re.compile(r"[^\W\d_]+[²2]?|[€$£%]")
_CLOCK_RANGE = re.compile(
    rf"(?<!\d)(?<!\d[.,:])(\d{{1,2}})(?:[:.](\d\d))?(?={_RANGE}\d{{1,2}}(?:[:.]\d\d)?\s*(uhr|[ap]\.?m\b|[時时点]|óra))"
)
_CLOCKS = (
    re.compile(r"(?P<hour>\d{1,2})(?:[:.](?P<minute>\d{2}))?\s*(?P<mark>uhr|o'clock|[ap]\.?m\b\.?)"),
    re.compile(r"(?P<hour>\d{1,2})[:](?P<minute>\d{2})(?!\d)"),
    re.compile(
        r"(?P<hour>\d{1,2})\s?(?P<mark>[時时点](?!間|间|\d\d*%)|óra\w*)\s?(?:(?P<minute>\d{1,2})\s?(?:分|perc)?)?"
    ),
)


@dataclass(frozen=True, slots=True)
class Value:
    """A value at `span`.

    `readings`: each a family ("duration", "clock", "year", "" for a bare number) and an amount in it; "8 óra" is eight
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
    [[('clock', 900.0)], [('duration', 1800.0)]]
    >>> [sorted(value.readings) for value in read_values("二十四小时，百分之一点八，2024年3月1日", "zh")][:2]
    [[('duration', 86400.0)], [('percent', 1.8)]]
    """
    text = _spelled_out(unicodedata.normalize("NFKC", text).casefold(), language)
    taken = [False] * len(text)
    found: list[Value] = []
    for read in (_dates, _clocks, _amounts):
        for value in read(text):
            if not any(taken[slice(*value.span)]):
                taken[slice(*value.span)] = [True] * (value.span[1] - value.span[0])
                found.append(value)
    return sorted(found, key=lambda value: value.span)


def holds_value(value: Value, others: Collection[Value], units: Collection[tuple[str, float]] = ()) -> bool:
    """Say whether one of the others is the same value. A number without a known unit is any with the same digits.

    `units`: those that stand in the same text, as a table's header names them: a bare number may be of any.
    """
    return any(_same(value, other, units) for other in others)


def units_in(text: str) -> set[tuple[str, float]]:
    """The units whose words stand in a text, each a family and how many of its smallest it is."""
    text = unicodedata.normalize("NFKC", text).casefold()
    return {_units()[word] for word in _WORDS.findall(text) if word in _units()}


def _same(value: Value, other: Value, units: Collection[tuple[str, float]]) -> bool:
    families = {family for family, _ in value.readings}
    named = {(family, factor) for family, factor in units if family in families}
    if (value.is_bare or (other.is_bare and not named and "clock" not in families)) and _rounds(
        other.number, value.number, value.digits
    ):
        return True
    told = {*other.readings, *((family, other.number * factor) for family, factor in named if other.is_bare)}
    return any(
        one == kind and _rounds(known, amount, value.digits) for one, amount in value.readings for kind, known in told
    )


def _rounds(exact: float, amount: float, digits: int) -> bool:
    """Say whether a number is another one, or what it is when it is rounded to so many digits."""
    return exact == amount or (digits >= ROUNDED and float(f"{exact:.{digits}g}") == amount)


def _spelled_out(text: str, language: str) -> str:
    """Write numbers in words and characters as digits."""
    text = _HALF_HOUR.sub("30 min", _QUARTER_HOUR.sub("15 min", _HALF_YEAR.sub("6 months", text)))
    if language in {"zh", "ja"}:
        text = _HAN.sub(_digits, text)
    if words := _number_words(language):
        text = _number_word(language).sub(lambda m: str(words[m[1]] * (1000 if m[2] else 1)), text)
    one = _ONE.get(language)
    return re.sub(rf"(?:{one})(?=\s+(\w+))", lambda m: "1" if m[1] in _units() else m[0], text) if one else text


def _digits(found: re.Match[str]) -> str:
    whole, part, plain, half = found.groups()
    if whole:
        return f"{han_number(whole)}{'.' + str(han_number(part)) if part else ''}%"
    if half:
        return f"{han_number(plain)}{half[0]}30分"
    behind = found.string[found.end() : found.end() + 1]
    if all(character in _LARGE for character in plain) or (len(plain) == 1 and behind not in COUNTERS):
        return found[0]
    return str(han_number(plain))


def _dates(text: str) -> Iterator[Value]:
    months = _months()
    for pattern in (*_named_dates(), *_DATES):
        for match in pattern.finditer(text):
            parts = match.groupdict()
            month = parts.get("name") or parts.get("month") or ""
            number = months.get(month) or (int(month) if month.isdigit() else 0)
            year, day = parts.get("year") or parts.get("late"), parts.get("day")
            if number > 12 or (day and int(day) > 31):
                continue
            for kind, amount in (("year", year), ("month", number), ("day", day)):
                if amount:
                    names = {"year": ("year", "late"), "month": ("name", "month"), "day": ("day",)}[kind]
                    place = next(n for n in names if parts.get(n))
                    yield Value(match.span(place), frozenset({(kind, float(amount))}), float(amount))
    for match in _YEAR.finditer(text):
        year = float(match[1])
        yield Value(match.span(), frozenset({("year", year), ("", year)}), year)


def _clocks(text: str) -> Iterator[Value]:
    for pattern in _CLOCKS:
        for match in pattern.finditer(text):
            hour, minute = int(match["hour"]), int(match["minute"] or 0)
            if hour <= 24 and minute < 60:
                mark = match.groupdict().get("mark") or ""
                readings = {("clock", _minutes(text, match.span(), hour, minute, mark))}
                if mark.startswith("óra"):
                    readings.add(("duration", float(hour * 3600 + minute * 60)))
                yield Value(match.span(), frozenset(readings), float(hour))
    for match in _CLOCK_RANGE.finditer(text):
        readings = {("clock", _minutes(text, match.span(), match[1], match[2] or 0))}
        if match[3].startswith("óra"):
            readings.add(("duration", float(match[1]) * 3600))
        yield Value(match.span(2 if match[2] else 1), frozenset(readings), float(match[1]))
    for match in _halved_hour().finditer(text):
        yield Value(match.span(1), frozenset({("clock", _minutes(text, match.span(1), match[1], 0))}), float(match[1]))


def _minutes(text: str, span: Span, hour: str | int, minute: str | int, mark: str = "") -> float:
    """The minute of the day of a clock time, by the half of the day that its mark names, or a word beside it."""
    hour, minute = int(hour), int(minute)
    before, behind = text[max(span[0] - BESIDE, 0) : span[0]], text[span[1] : span[1] + BESIDE]
    told = mark.replace(".", "") if mark.startswith(("a", "p")) else ""
    half = _half(told) or _half(before) or _half(behind)
    return float(hour % 24 * 60 + minute + (NOON if half == "pm" and hour < 12 else 0))


def _half(words: str) -> str:
    return next((half for half, known in _clock_words().items() if any(re.search(one, words) for one in known)), "")


def _amounts(text: str) -> Iterator[Value]:
    spans = list(_AMOUNT.finditer(text))
    for at, match in enumerate(spans):
        amount, rest = _plain(match["number"]), match["rest"]
        while rest[:1] in _LARGE:
            amount, rest = amount * _LARGE[rest[0]], rest[1:]
        words = _WORDS.findall(rest)
        if words and (factor := _magnitudes().get(words[0])):
            amount, words = amount * factor, words[1:]
        unit = _units().get(match["before"] or "") or _unit(words)
        if unit is None and at + 1 < len(spans) and re.fullmatch(_RANGE.strip(r"\s*"), rest.strip() or "x"):
            unit = _unit(_WORDS.findall(spans[at + 1]["rest"]))
        family, factor = unit or ("", 1.0)
        readings = {(family, amount * factor)}
        if not unit and (clock := re.fullmatch(r"(1?\d|2[0-4])(?:\.([0-5]\d))?", match["number"])):
            readings.add(("clock", float(int(clock[1]) * 60 + int(clock[2] or 0))))
        digits = min(len(re.sub(r"\D|^[0.,]+", "", match["number"])), MOST_DIGITS)
        yield Value(match.span("number"), frozenset(readings), amount, digits)


def _unit(words: list[str]) -> tuple[str, float] | None:
    """The unit that the first of these words names; in scripts without spaces the words begin with it."""
    if not words:
        return None
    word = _MIXED.sub(r"\1", words[0])
    if word in _units():
        return _units()[word]
    if not word[0].isascii() and ord(word[0]) > 0x2E80:
        return next((_units()[word[:size]] for size in range(6, 0, -1) if word[:size] in _units()), None)
    if word in {"working", "business"} and words[1:] and words[1].startswith("day"):
        return "workday", 1.0
    stem = next((_units()[word[:size]] for size in range(len(word), 3, -1) if word[:size] in _units()), None)
    return stem or (_unit(words[1:]) if word in {"us", "amerikai", "teljes"} else None)


def _plain(number: str) -> float:
    number = re.sub(r"['’\s]", "", number)
    if re.fullmatch(r"\d{1,3}(?:[.,]\d{3})+", number):
        return float(re.sub(r"[.,]", "", number))
    whole, _, part = number.replace(",", ".").rpartition(".")
    return float(f"{whole.replace('.', '')}.{part}") if whole else float(part)


@cache
def _tables() -> dict[str, dict[str, object]]:
    found = tomllib.loads(files("rove.answer").joinpath("values.toml").read_text("utf-8"))
    return cast("dict[str, dict[str, object]]", found)


@cache
def _units() -> dict[str, tuple[str, float]]:
    families = cast("dict[str, dict[str, str]]", _tables()["units"])
    return {
        word: (family, float(factor))
        for family, units in families.items()
        for factor, words in units.items()
        for word in words.split()
    }


@cache
def _magnitudes() -> dict[str, float]:
    return {w: float(f) for f, words in cast("dict[str, str]", _tables()["magnitudes"]).items() for w in words.split()}


@cache
def _months() -> dict[str, int]:
    return {w: int(n) for n, words in cast("dict[str, str]", _tables()["months"]).items() for w in words.split()}


@cache
def _clock_words() -> dict[str, list[str]]:
    def pattern(word: str) -> str:
        return rf"\b{word}\b" if word.isascii() or ord(word[0]) < 0x2E80 else word

    return {half: [pattern(w) for w in str(words).split()] for half, words in _tables()["clock"].items()}


@cache
def _number_words(language: str) -> dict[str, int]:
    words = dict(zip(table("numerals").get(language, "").split(), WORD_VALUES, strict=False))
    return words | dict(zip(str(_tables()["teens"].get(language, "")).split(), range(13, 20), strict=False))


@cache
def _number_word(language: str) -> re.Pattern[str]:
    return re.compile(rf"\b({_any_of(_number_words(language))})(ezer|tausend)?\b")


@cache
def _halved_hour() -> re.Pattern[str]:
    words = "|".join(word for known in _clock_words().values() for word in known)
    return re.compile(rf"(?:{words})\s?(\d{{1,2}})(?![\d:.時时点])")


@cache
def _named_dates() -> tuple[re.Pattern[str], ...]:
    name, day, year = _any_of(_months()), r"(?P<day>\d{1,2})", r"(?P<year>\d{4})"
    return (
        re.compile(rf"(?:{year}\.?\s)?\b(?P<name>{name})\.?\s{day}(?!\d|[:.]\d)(?:,?\s(?P<late>\d{{4}}))?"),
        re.compile(rf"{day}(?:st|nd|rd|th|\.)?\s(?:of\s|de\s)?(?P<name>{name})\b(?:,?\s(?:de\s)?{year})?"),
        re.compile(rf"\b(?P<name>{name})\.?\s(?:of\s)?{year}|(?P<late>\d{{4}})\.?\s(?P<month>{name})"),
    )


def _any_of(words: Collection[str]) -> str:
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True))
