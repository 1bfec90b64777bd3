"""Where a text may have numbers: in digits, in words, in Chinese characters, as fractions and halves; without units."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

import regex

from rove.language.quantities.dates import any_of
from rove.language.quantities.digits import LONGEST, NUMBER, digit_values, exact
from rove.language.quantities.han import DIGITS, LARGE, MIXED, NUMERALS, mixed_number
from rove.language.quantities.han import LONGEST as LONGEST_HAN
from rove.language.quantities.spelled import spelled_numbers, spelled_words
from rove.language.quantities.units import units_by_name
from rove.records.document import Span
from rove.records.quantity import Unit

BY_LANGUAGE, UNCLEAR, ARTICLE = 0.9, 0.5, 0.4
"""How certain a number is whose marks the language decides, one that nothing decides, and "a" or "one"."""
MOST_DIGITS = 15
"""As many as a float tells apart."""
COUNTERS = frozenset(
    "年月日号號个個つ人名天时時小元円块岁歳周週星期次回件台层層階楼点度秒分倍か ヶカヵケ箇文字头頭米公厘毫平克本页頁章"
    "条%％钟斤吨亩升割成美欧英卢港折枚杯匹冊部室校社店票种種"
)
"""What stands behind a single Chinese numeral that is a number, and no part of a word."""
IDIOMS = frozenset({"万一", "一一", "千万", "百万一"})
AFTER_TEN_MINUTES = frozenset("钟鐘間间之后後前以で")
"""Behind 十分: without one of these it means "very"."""
_DIGITS = regex.compile(NUMBER)
_EXPONENT = regex.compile(
    r"[eE]([-+]?\d{1,2})(?!\w)|\s?[×x·*]\s?10(?:\^(-?\d{1,2})|\*\*(-?\d{1,2})|([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3}))"
)
_SUPERSCRIPT = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
_VULGAR = regex.compile(r"[ \u00a0]?([¼½¾⅐⅑⅒⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞])")
_FRACTION = regex.compile(r"(?<![\d./-])(?:(\d{1,3})[ \u00a0])?(\d{1,2})[/⁄](\d{1,2})(?![\d./])")
_UNCLEAR = regex.compile(r"[1-9]\d{0,2}[.,]\d{3}")
_HAN = regex.compile(f"[{NUMERALS}半]")
_PERCENT = regex.compile(rf"百分之([{NUMERALS}\d.]{{1,30}})(?:点([{NUMERALS}]{{1,30}}))?")
_HAN_FRACTION = regex.compile(rf"(?<![{NUMERALS}\d])([{NUMERALS}\d]{{1,30}})分(?:之|の)([{NUMERALS}\d]{{1,30}})")
_HAN_POINT = regex.compile(rf"(?<![{NUMERALS}])([{NUMERALS}]{{1,30}})点([{''.join(DIGITS)}]{{1,30}})(?=[^分半，。,. ])")
_HALF = regex.compile(
    r"半(?=[个個]?(?:小时|小時|钟头|月|年|天|日|時間|公里|斤|分钟|价))|(?<=[个個])半(?=小时|小時|月|钟头)"
)
_NO_DIGIT = regex.compile(r"\D|^[0.,]+")
_PARTS = {"quarter": 0.25, "half": 0.5, "three_quarters": 0.75}
_GLUED = frozenset({"hu", "ru", "cs", "pl", "fr", "it"})
"""Languages that may write "half" together with what it is half of."""


@dataclass(frozen=True, slots=True)
class NumberPlace:
    """Where a number may stand, and what it may be, the likeliest first; none where it is too long to count.

    `digits`: with how many it is written, 0 in words. `scale`: what its last word multiplies, of which "and a half" is
    half. `unit`: what the number itself says, as 百分之 does.
    """

    span: Span
    values: tuple[float, ...]
    digits: int = 0
    certainty: float = 1.0
    scale: float = 1.0
    unit: Unit | None = None


def find_numbers(
    text: str, small: str, language: str, mark: str, unit_follows: Callable[[int], bool]
) -> Iterator[NumberPlace]:
    """Yield where numbers may stand; some places overlap.

    Args:
        text: as `fold` returns it.
        small: the same in lower case.
        language: of the text.
        mark: its decimal mark, "" where nothing says.
        unit_follows: whether a unit or a magnitude stands at a place, of which there may be a half.
    """
    if _HAN.search(text):
        yield from _in_han(text)
    for found in _FRACTION.finditer(text):
        whole, above, below = float(found[1] or 0), float(found[2]), float(found[3])
        if 0 < above < below and (found[1] or unit_follows(found.end())):
            yield NumberPlace(found.span(), (whole + above / below,), 1)
    for found in _DIGITS.finditer(text):
        yield _number_from_digits(found, text, mark)
    for found in _VULGAR.finditer(text):
        yield NumberPlace(found.span(1), (unicodedata.numeric(found[1]),), 1)
    yield from _in_words(small, language, unit_follows)


def _in_words(small: str, language: str, unit_follows: Callable[[int], bool]) -> Iterator[NumberPlace]:
    for one in spelled_numbers(small, language):
        yield NumberPlace(one.span, (one.value,), 0, BY_LANGUAGE if one.counts else ARTICLE, one.scale)
    for found in _part_words(language).finditer(small):
        value = _fraction_words(language)[found[0]]
        if value > 1 or unit_follows(found.end()):
            yield NumberPlace(found.span(), (value,), 1)


def number_end(text: str, start: int) -> int:
    """Return where the digits end that begin at a place."""
    found = _DIGITS.match(text, start)
    return found.end() if found else start


def _number_from_digits(found: regex.Match[str], text: str, mark: str) -> NumberPlace:
    written, end = found[0], found.end()
    if len(written) > LONGEST:
        return NumberPlace(found.span(), (), len(written))
    values = digit_values(written, mark)
    if power := _EXPONENT.match(text, end):
        told = next(group for group in power.groups() if group)
        size = 10.0 ** int(told.translate(_SUPERSCRIPT))
        values, end = tuple(exact(value * size) for value in values), power.end()
    elif part := _VULGAR.match(text, end):
        values, end = tuple(value + unicodedata.numeric(part[1]) for value in values), part.end()
    certainty = UNCLEAR if len(values) > 1 else BY_LANGUAGE if _UNCLEAR.fullmatch(written) else 1.0
    digits = min(max(len(_NO_DIGIT.sub("", written)), 1), MOST_DIGITS)
    return NumberPlace((found.start(), end), values, digits, certainty)


def _in_han(text: str) -> Iterator[NumberPlace]:
    percent = units_by_name()["percent"]
    for found in _PERCENT.finditer(text):
        value = mixed_number(found[1]) if not found[2] else _cjk_decimal(found[1], found[2])
        yield NumberPlace(found.span(), (value,), 1, unit=percent)
    for found in _HAN_FRACTION.finditer(text):
        if below := mixed_number(found[1]):
            yield NumberPlace(found.span(), (mixed_number(found[2]) / below,), 1)
    for found in _HAN_POINT.finditer(text):
        yield NumberPlace(found.span(), (_cjk_decimal(found[1], found[2]),), 2)
    for found in MIXED.finditer(text):
        whole = found[0].rstrip()
        if _is_han_number(whole, text[found.end() : found.end() + 2]):
            digits = len(_NO_DIGIT.sub("", whole)) or sum(letter in DIGITS for letter in whole)
            span = (found.start(), found.start() + len(whole))
            yield NumberPlace(span, (mixed_number(whole[:LONGEST_HAN]),), max(digits, 1))
    for found in _HALF.finditer(text):
        yield NumberPlace(found.span(), (0.5,), 1)


def _is_han_number(whole: str, behind: str) -> bool:
    if whole in IDIOMS or all(letter in LARGE or letter == "千" for letter in whole):
        return False
    if whole == "十" and behind[:1] == "分" and behind[1:] not in AFTER_TEN_MINUTES:
        return False
    return len(whole) > 1 or behind[:1] in COUNTERS


def _cjk_decimal(whole: str, part: str) -> float:
    return float(f"{mixed_number(whole):.0f}.{''.join(str(DIGITS.get(letter, '')) for letter in part)}")


@cache
def _fraction_words(language: str) -> Mapping[str, float]:
    """Words for parts of one, and for one and a half in any language."""
    known = {word: value for key, value in _PARTS.items() for word in spelled_words(key, language)}
    return {**dict.fromkeys(spelled_words("whole", "1.5"), 1.5), **known}


@cache
def _part_words(language: str) -> regex.Pattern[str]:
    parts = _fraction_words(language)
    glued = list(spelled_words("quarter", language)) if language == "de" else []
    glued = list(parts) if language in _GLUED else glued
    apart = [word for word in parts if word not in glued]
    alternatives = [rf"(?:{any_of(apart)})(?!\w)"] if apart else []
    return regex.compile(rf"(?<!\w)(?:{'|'.join([*alternatives, *([any_of(glued)] if glued else [])])})")
