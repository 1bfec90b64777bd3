"""The one reader of numbers: what a text counts and measures, with unit, place and certainty, in many languages.

`read_quantities` reads a text, `parse_number` one number such as a cell, `same_quantity` compares.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache, lru_cache

import regex

from rove.language.quantities.clock import read_clocks
from rove.language.quantities.dates import any_of, read_dates
from rove.language.quantities.digits import LONGEST, NUMBER, decimal_mark_in, digit_values, exact, fold, lower
from rove.language.quantities.han import DIGITS, LARGE, MIXED, NUMERALS, mixed_number
from rove.language.quantities.labels import label_spans, ordinal_spans
from rove.language.quantities.spelled import magnitudes, numeral_words, spelled_numbers, words_of
from rove.language.quantities.units import (
    CURRENCY,
    Units,
    currency_before,
    unit_at,
    units_by_name,
)
from rove.records.document import Span
from rove.records.quantity import Quantity, Reading, TextValue, Unit

BY_LANGUAGE, UNCLEAR = 0.9, 0.5
"""How certain a number is whose marks the language decides, and one that nothing decides."""
COUNTERS = frozenset(
    "年月日号號个個つ人名天时時小元円块岁歳周週星期次回件台层層階楼点度秒分倍か ヶカヵケ箇文字头頭米公厘毫平克本页頁章条%％钟斤吨亩升割成美欧日英卢港折枚杯匹冊部室校社店票种種"
)
"""What stands behind a single Chinese numeral that is a number, and no part of a word."""
IDIOMS = frozenset({"万一", "一一", "千万", "百万一"})
_DIGITS = regex.compile(NUMBER)
_EXPONENT = regex.compile(
    r"[eE]([-+]?\d{1,2})(?!\w)|\s?[×x·*]\s?10(?:\^(-?\d{1,2})|\*\*(-?\d{1,2})|([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3}))"
)
_SUPERSCRIPT = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
_VULGAR = regex.compile(r"[ \u00a0]?([¼½¾⅐⅑⅒⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞])")
_FRACTION = regex.compile(r"(?<![\d./-])(?:(\d{1,3})[ \u00a0])?(\d{1,2})[/⁄](\d{1,2})(?![\d./])")
_HAN_PERCENT = regex.compile(rf"百分之([{NUMERALS}\d.]+)(?:点([{NUMERALS}]+))?")
_HAN_FRACTION = regex.compile(rf"([{NUMERALS}\d]+)分(?:之|の)([{NUMERALS}\d]+)")
_HAN_POINT = regex.compile(rf"([{NUMERALS}]+)点([{''.join(DIGITS)}]+)(?=[^分半，。,. ])")
_HAN_HALF = regex.compile(
    r"半(?=[个個]?(?:小时|小時|钟头|月|年|天|日|時間|公里|斤|分钟|价))|(?<=[个個])半(?=小时|小時|月|钟头)"
)
_SIGN = regex.compile(r"(?:(?<![\w)\]%])|(?<=^))[-−–△▲+±][ \u00a0]?$")
_TAIL_SPACE = regex.compile(r"-(?=\p{L})|[ \u00a0]{0,2}")
_OF = regex.compile(r"[ \u00a0](?:(?:de|of|di)[ \u00a0]|d['’])", regex.IGNORECASE)
_ROUGHLY = regex.compile(r"[余餘多來来強弱]|以上")
_ORDINAL = regex.compile(r"(?:st|nd|rd|th|º|ª|\.º|er|ère|ème|e|ste|de|-е|-й|-я|:e|:a)(?!\w)")
_DECADE = regex.compile(r"['’]?s(?!\w)")
_BEFORE_YEAR = regex.compile(r"1[5-9]\d\d|20\d\d")
_BRACKETED = regex.compile(r"(?:^|[|\t])\s{0,3}\(\s{0,3}(?:\p{Sc}|[A-Z]{3})?\s{0,3}$")
_BRACKET_END = regex.compile(r"[^\d|]{0,6}\)\s{0,3}(?:$|[|\t])")
_BEFORE_BRACKET = 14
_GOES_ON = regex.compile(r"[.,]\d[\d.,]*+")
_MONEY_LETTER = regex.compile(r"[ \u00a0]?(k|K|T|m|M|b|B|G|tn|bn)(?![\w/])")
_KILO = regex.compile(r"k(?![\w/])")
_LETTERS = regex.compile(r"[ \u00a0]?(\p{L}{1,2})[ \u00a0]")
_HAN_CLOCK = regex.compile(
    rf"(?<![{NUMERALS}])([{NUMERALS}]{{1,3}})(?=[时時分](?![钟間间])|点(?:半|[{NUMERALS}]+分|$|[^{NUMERALS}]))"
)
_WORD_OF_DIGITS = regex.compile(r"\p{L}")


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
    return list(_read(text, language, mark))


@lru_cache(maxsize=2_000)
def _read(text: str, language: str, mark: str) -> tuple[Quantity, ...]:
    """A sentence is read by the check of each claim that may rest on it."""
    return tuple(_Scan(text, language, mark).quantities())


def parse_number(text: str, language: str = "", *, mark: str = "") -> Reading | None:
    """Read a text that is one number and nothing else, with or without its unit: a cell. None where it is not.

    A loss may stand in brackets or behind "△". See `read_quantities`.

    >>> parse_number("(1,250.5)").value, parse_number("1.250,5", "de").value, parse_number("n/a")
    (-1250.5, 1250.5, None)
    """
    bare = text.strip(" *_\u00a0")
    inner = bare[1:-1].strip() if bare.startswith("(") and bare.endswith(")") else bare
    found = [one for one in read_quantities(inner, language, mark=mark) if one.kind in {"number", "year"}]
    if len(found) != 1 or found[0].span[0] > 0 or inner[found[0].span[1] :].strip(" .-–—*"):
        return None
    reading = found[0].readings[0]
    return replace(reading, value=-reading.value) if inner != bare else reading


def numbers_in(text: str, language: str) -> list[TextValue]:
    """Return the numbers of a text, without signs of grouping, each with its magnitude and place.

    In their order; then the digits of labels such as "No. 12", which may be what is asked for.

    >>> [n.value for n in numbers_in("1.234,5 Euro für 3 Mio. Leute", "de")], [n.value for n in numbers_in("两万元", "zh")]
    (['1234.5', '3000000'], ['20000'])
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


class _Scan:
    """Reads one text. `text` has its digits folded, `small` is in lower case; both are as long as the original."""

    def __init__(self, text: str, language: str, mark: str) -> None:
        self.text = fold(text)
        self.small = lower(self.text)
        self.language = language
        self.mark = mark or decimal_mark_in([self.text], language)
        self.taken = bytearray(len(text))
        self.found: list[Quantity] = []
        self.scales: dict[Span, float] = {}
        """Of numbers in words: what the last word multiplies, of which "and a half" is half."""

    def quantities(self) -> list[Quantity]:
        for one in read_dates(self.text, self.language):
            self._keep(one)
        for one in read_clocks(self._with_digits()):
            self._keep(one)
        for span in label_spans(self.text, self.language):
            if self._is_free(span):
                self._keep(Quantity(span, span, (), "label"))
        self._ordered()
        for number in sorted(self._numbers(), key=lambda one: (one.span[0], -one.span[1])):
            if self._is_free(number.span):
                self._amount(number)
        return _ranges(self.text, _together(self.text, sorted(self.found, key=lambda one: one.span)))

    def _is_free(self, span: Span) -> bool:
        return not any(self.taken[slice(*span)])

    def _keep(self, one: Quantity) -> None:
        if self._is_free(one.span):
            self.taken[slice(*one.span)] = b"\x01" * (one.span[1] - one.span[0])
            self.found.append(one)

    def _ordered(self) -> None:
        for span in ordinal_spans(self.text):
            written = self.text[slice(*span)]
            value = float(written) if written.isdigit() else mixed_number(written)
            self._keep(Quantity(span, span, (Reading(value),), "ordinal"))

    def _with_digits(self) -> str:
        """The text in lower case with Chinese hours and minutes as digits, where that is as long."""
        if self.language not in {"zh", "ja"}:
            return self.small
        return _HAN_CLOCK.sub(
            lambda found: f"{mixed_number(found[0]):.0f}".rjust(len(found[0]))[-len(found[0]) :], self.small
        )

    # -- numbers, before their units ---------------------------------------------------------------------------------

    def _numbers(self) -> Iterator[Quantity]:
        """Yield what may be a number, without sign and unit; some overlap."""
        yield from self._han()
        for found in _FRACTION.finditer(self.text):
            whole, above, below = float(found[1] or 0), float(found[2]), float(found[3])
            if 0 < above < below and (found[1] or self._unit_follows(found.end())):
                yield _number(found.span(), (whole + above / below,), 1)
        for found in _DIGITS.finditer(self.text):
            yield self._in_digits(found)
        for found in _VULGAR.finditer(self.text):
            yield _number(found.span(1), (unicodedata.numeric(found[1]),), 1)
        for one in spelled_numbers(self.small, self.language):
            self.scales[one.span] = one.scale
            yield Quantity(one.span, one.span, (Reading(one.value),), certainty=0.9 if one.counts else 0.4)
        yield from self._halves()

    def _in_digits(self, found: regex.Match[str]) -> Quantity:
        written, end = found[0], found.end()
        if len(written) > LONGEST:
            return Quantity(found.span(), found.span(), (Reading(float(written.replace(",", ".").replace(".", "")[:300])),) if written.isdigit() else (), "label")  # fmt: skip
        values = digit_values(written, self.mark)
        if power := _EXPONENT.match(self.text, end):
            told = next(group for group in power.groups() if group)
            values, end = (
                tuple(exact(value * 10.0 ** int(told.translate(_SUPERSCRIPT))) for value in values),
                power.end(),
            )
        elif part := _VULGAR.match(self.text, end):
            values, end = tuple(value + unicodedata.numeric(part[1]) for value in values), part.end()
        unclear = regex.fullmatch(r"\d{1,3}[.,]\d{3}", written) and written[0] != "0"
        certainty = UNCLEAR if len(values) > 1 else BY_LANGUAGE if unclear else 1.0
        digits = min(len(regex.sub(r"\D|^[0.,]+", "", written)), 15)
        return replace(_number((found.start(), end), values, digits), certainty=certainty)

    def _han(self) -> Iterator[Quantity]:
        if not regex.search(f"[{NUMERALS}半]", self.text):
            return
        percent = units_by_name()["percent"]
        for found in _HAN_PERCENT.finditer(self.text):
            value = mixed_number(found[1]) if not found[2] else _pointed(found[1], found[2])
            yield Quantity(found.span(), found.span(), (Reading(value, percent),), digits=1)
        for found in _HAN_FRACTION.finditer(self.text):
            below = mixed_number(found[1])
            if below:
                yield _number(found.span(), (mixed_number(found[2]) / below,), 1)
        for found in _HAN_POINT.finditer(self.text):
            yield _number(found.span(), (_pointed(found[1], found[2]),), 2)
        for found in MIXED.finditer(self.text):
            if self._is_han_number(found):
                whole = found[0].rstrip()
                digits = len(regex.sub(r"\D|^[0.,]+", "", whole)) or sum(letter in DIGITS for letter in whole)
                yield _number((found.start(), found.start() + len(whole)), (mixed_number(whole[:LONGEST]),), digits)
        for found in _HAN_HALF.finditer(self.text):
            yield _number(found.span(), (0.5,), 1)

    def _is_han_number(self, found: regex.Match[str]) -> bool:
        whole = found[0].strip()
        behind = self.text[found.end() : found.end() + 1]
        if whole in IDIOMS or all(letter in LARGE or letter == "千" for letter in whole):
            return False
        if (
            whole == "十"
            and behind == "分"
            and self.text[found.end() + 1 : found.end() + 2] not in tuple("钟鐘間间之后後前以で")
        ):
            return False
        return len(whole) > 1 or behind in COUNTERS

    def _halves(self) -> Iterator[Quantity]:
        for value, key in ((0.75, "three_quarters"), (0.5, "half"), (0.25, "quarter")):
            pattern = _part_words(key, self.language)
            for found in pattern.finditer(self.small) if pattern else ():
                if self._unit_follows(found.end(), also_magnitude=True):
                    yield _number(found.span(), (value,), 1)
        for found in _whole_words().finditer(self.small):
            yield _number(found.span(), (1.5,), 1)

    def _unit_follows(self, at: int, *, also_magnitude: bool = False) -> bool:
        space = _TAIL_SPACE.match(self.text, at)
        start = space.end() if space else at
        if also_magnitude and self._magnitude_at(start):
            return True
        named = unit_at(self.text, start, self.language)
        return named is not None and named.end > start + 1

    # -- from a number to a quantity ------------------------------------------------------------------------------------

    def _amount(self, number: Quantity) -> None:
        start, end = number.span
        if number.kind == "label":
            self._keep(number)
            return
        if number.digits and (_touches_letter(self.text, start) or self._names_decade(number)):
            self._keep(replace(number, kind="label"))
            return
        rest = _GOES_ON.match(self.text, end) if number.digits else None
        if rest:
            self._keep(Quantity((start, rest.end()), (start, rest.end()), (), "label"))
            return
        ordinal = _ORDINAL.match(self.text, end) if number.digits else None
        half, end = self._and_half(end)
        factor, end = self._magnitude(end)
        if not half:
            half, end = self._and_half(end)
        currency = currency_before(self.text, self._sign_start(start), self.language) or currency_before(
            self.text, start, self.language
        )
        if currency and not self._is_free((currency[1], start)):
            currency = None
        if currency and factor == 1:
            factor, end = self._money_magnitude(end)
        if factor == 1 and not currency and number.digits:
            factor, end = self._thousands(end)
        units, last = currency[0] if currency else (), end
        if prefixed := self._prefixed(end):
            factor, units, last = factor * prefixed[0], prefixed[1], prefixed[2]
        else:
            named = self._unit(end, number)
            if named and (not units or named[0] == units or named[0][0].kind == units[0].kind):
                units, last = units or named[0], named[1]
        if not half:
            half, last = self._and_half(last)
        if known := number.readings[0].unit or self._percent_before(start):
            units = (known,)
        if number.certainty < UNCLEAR and not units and factor == 1:
            return
        if ordinal and not units and factor == 1:
            self._keep(replace(number, kind="ordinal", span=(start, ordinal.end())))
            return
        sign, first = self._signed(currency[1] if currency else start, start)
        readings = tuple(
            Reading(exact(sign * (one.value + half * self.scales.get(number.span, 1.0)) * factor), unit)
            for one in number.readings
            for unit in (units or (None,))
        )
        certainty = min(number.certainty if number.certainty >= UNCLEAR else 0.8, UNCLEAR if len(readings) > 1 else 1.0)
        is_year = (
            not units and factor == 1 and not half and bool(_BEFORE_YEAR.fullmatch(self.text[slice(*number.span)]))
        )
        digits = number.digits if not half else 2
        self._keep(
            Quantity((first, last), number.span, readings, "year" if is_year else "number",
                     min(certainty, UNCLEAR) if is_year else certainty, digits)
        )  # fmt: skip

    def _names_decade(self, number: Quantity) -> bool:
        return bool(_BEFORE_YEAR.fullmatch(self.text[slice(*number.span)]) and _DECADE.match(self.text, number.span[1]))

    def _magnitude_at(self, start: int) -> tuple[float, int] | None:
        """The words for a magnitude that stand at a place, with the end of the last."""
        found = _magnitude_pattern(self.language).match(self.text, start)
        if found is None:
            return None
        word = found[0]
        size = _any_magnitudes().get(word) or _magnitudes(self.language).get(lower(word))
        return (size, found.end()) if size else None

    def _magnitude(self, end: int) -> tuple[float, int]:
        factor = 1.0
        while True:
            space = _TAIL_SPACE.match(self.text, end)
            told = self._magnitude_at(space.end() if space else end)
            if told is None:
                return factor, end
            factor, end = factor * told[0], told[1]

    def _money_magnitude(self, end: int) -> tuple[float, int]:
        """k, M and bn behind money: "$2.5M"."""
        found = _MONEY_LETTER.match(self.text, end)
        sizes = {word: float(size) for size, words in _money().items() for word in words.split()}
        return (sizes.get(found[1], 1e9), found.end()) if found else (1.0, end)

    def _thousands(self, end: int) -> tuple[float, int]:
        """A small k right behind digits, or a letter before a currency: "50k", "3M €", "500 e Ft"."""
        found = _KILO.match(self.text, end)
        if found:
            return 1e3, found.end()
        letter = _LETTERS.match(self.text, end)
        if letter is None:
            return 1.0, end
        small = magnitudes(self.language).get(lower(letter[1])) if len(letter[1]) < 3 else None
        sizes = {word: float(size) for size, words in _money().items() for word in words.split()}
        size = small or sizes.get(letter[1])
        named = unit_at(self.text, letter.end(), self.language) if size else None
        is_money = named is not None and named.units[0].kind.startswith(CURRENCY)
        return (size, letter.end() - 1) if size and is_money else (1.0, end)

    def _prefixed(self, end: int) -> tuple[float, Units, int] | None:
        found = _prefixed_pattern().match(self.text, end)
        if found is None:
            return None
        size, name = numeral_words("prefixed")[found[1]].split()
        return float(size), (units_by_name()[name],), found.end()

    def _unit(self, end: int, number: Quantity) -> tuple[Units, int] | None:
        at = end
        if rough := _ROUGHLY.match(self.text, at):
            at = rough.end()
        places = [space.end()] if (space := _TAIL_SPACE.match(self.text, at)) else [at]
        if of := _OF.match(self.text, at):
            places.insert(0, of.end())
        if self.text[at : at + 1] in {"个", "個", "箇"}:
            places.append(at + 1)
        if self.text[at : at + 2] in {"个半", "個半"}:
            places.append(at + 2)
        if number.certainty < UNCLEAR:  # "a" before a unit: not the A of A$40
            places = [place for place in places if place > end]
        for place in places:
            named = unit_at(self.text, place, self.language)
            if named and self._fits(named.units, place, named.end, number):
                return named.units, named.end
        return self._temperature(number, end)

    def _temperature(self, number: Quantity, end: int) -> tuple[Units, int] | None:
        """A scale that stands before the number: 华氏98.6度."""
        before = self.text[max(number.span[0] - 2, 0) : number.span[0]]
        for name, words in _scales().items():
            if before in words.split():
                return (units_by_name()[name],), end + (self.text[end : end + 1] == "度")
        return None

    def _fits(self, units: Units, start: int, end: int, number: Quantity) -> bool:
        word = self.text[start:end]
        if before := self._temperature(number, start):
            return before[0] == units
        behind = self.text[end : end + 1]
        if len(word) == 1 and word.isascii() and word.isalpha():
            return not (behind.isalnum() or behind in {"-", "'", "’"}) and not (
                word.isupper() and start > number.span[1] + 1
            )
        if word == "分" and behind == "之":
            return False
        if word in {"日", "年", "月"} and number.digits == 4:
            return False
        return not (behind.isalpha() and word[-1].isalpha() and word[-1].isascii() and behind.isascii())

    def _and_half(self, end: int) -> tuple[float, int]:
        pattern = _and_half_pattern(self.language)
        found = pattern.match(self.small, end) if pattern else None
        return (0.5, found.end()) if found else (0.0, end)

    def _sign_start(self, start: int) -> int:
        return start - 1 if self.text[start - 1 : start] in {"-", "−", "+"} else start

    def _signed(self, first: int, start: int) -> tuple[float, int]:
        """The sign before a number or its currency, and where it begins."""
        for at in dict.fromkeys((first, start)):
            if found := _SIGN.search(self.text, max(at - 3, 0), at):
                mark = found[0][0]
                if mark == "▲" and self.language not in {"ja", ""}:
                    continue
                if mark in "–-−" and not self._may_be_sign(found.start(), mark):
                    continue
                return (-1.0 if mark in "-−–△▲" else 1.0), min(found.start(), first)
        if found := _minus_words().search(self.small, max(first - 12, 0), first):
            return -1.0, found.start()
        if _BRACKETED.search(self.text[max(first - _BEFORE_BRACKET, 0) : first]) and _BRACKET_END.match(
            self.text, self._number_end(start)
        ):
            return -1.0, first
        return 1.0, first

    def _percent_before(self, start: int) -> Unit | None:
        """The sign that Turkish and Basque write before the number: %15, yüzde 15."""
        before = self.small[max(start - 6, 0) : start]
        told = before.endswith("%") and not before[-2:-1].isalnum() or (self.language == "tr" and before == "yüzde ")
        return units_by_name()["percent"] if told else None

    def _number_end(self, start: int) -> int:
        found = _DIGITS.match(self.text, start)
        return found.end() if found else start

    def _may_be_sign(self, at: int, mark: str) -> bool:
        """Whether a dash is a sign: nothing, a space or a bracket before it, and no space behind a hyphen."""
        before = self.text[at - 1 : at]
        spaced = self.text[at + 1 : at + 2] in {" ", "\u00a0"}
        return not spaced and (not before or before.isspace() or before in "([|:=€$£¥,;~") and (mark != "–" or not before.isspace() or not self.text[at - 2 : at - 1].isdigit())  # fmt: skip


def _number(span: Span, values: Iterable[float], digits: int) -> Quantity:
    return Quantity(span, span, tuple(map(Reading, values)), digits=max(digits, 1))


def _pointed(whole: str, part: str) -> float:
    return float(f"{mixed_number(whole):.0f}.{''.join(str(DIGITS[letter]) for letter in part)}")


def _touches_letter(text: str, start: int) -> bool:
    """Whether a letter of a script with spaces stands right before a number, as in "AX200"."""
    before = text[start - 1 : start]
    return before.isalpha() and before < "\u2e80" or before == "_"


def _together(text: str, found: list[Quantity]) -> list[Quantity]:
    """Put amounts together that are said in two units: "1 h 30 min", "5 feet 11 inches"."""
    made: list[Quantity] = []
    for one in found:
        last = made[-1] if made else None
        between = text[last.span[1] : one.span[0]] if last else ""
        if (
            last
            and regex.fullmatch(r"[ \u00a0]?(?:and |und |és |et |y |e |en |och |i |a |и )?", between)
            and _goes_on(last, one)
        ):
            first, unit = last.readings[0], last.unit
            total = (first.amount + one.readings[0].amount) / (unit.factor if unit else 1.0)
            reading = Reading(exact(total), unit)
            made[-1] = replace(
                last, span=(last.span[0], one.span[1]), readings=(reading,), digits=last.digits + one.digits
            )
        else:
            made.append(one)
    return made


def _goes_on(last: Quantity, one: Quantity) -> bool:
    a, b = last.unit, one.unit
    if a is None or b is None or last.kind != "number" or one.kind != "number" or a.kind != b.kind:
        return False
    return (
        a.kind in {"time", "calendar", "length", "mass"} and b.factor < a.factor and one.readings[0].amount < a.factor
    )


def _ranges(text: str, found: list[Quantity]) -> list[Quantity]:
    """Mark the ends of ranges; the first takes the unit of the last: "10–20 km", "zwischen 2 und 3 Mio. Euro"."""
    made = list(found)
    for at, (one, other) in enumerate(zip(found, found[1:], strict=False)):
        if {one.kind, other.kind} - {"number", "year"} or not _range_pattern().fullmatch(
            text[one.span[1] : other.span[0]]
        ):
            continue
        one, other = made[at], made[at + 1]
        if one.unit is None and other.unit is not None:
            scale = _scale(text, other) if not _scale_shown(text, one) else 1.0
            readings = tuple(
                Reading(exact(r.value * scale), unit.unit) for r in one.readings for unit in other.readings[:1]
            )
            one = replace(one, readings=readings, kind="number", certainty=max(one.certainty, 0.7))
        made[at], made[at + 1] = replace(one, bound="from"), replace(other, bound="to")
    return made


def _scale(text: str, one: Quantity) -> float:
    """What the magnitude behind a number has multiplied it by."""
    bare = digit_values(text[slice(*one.number)], "")[0] if _DIGITS.fullmatch(text[slice(*one.number)]) else 0.0
    ratio = one.value / bare if bare else 1.0
    return ratio if ratio >= 1e3 and math.log10(ratio).is_integer() else 1.0


def _scale_shown(text: str, one: Quantity) -> bool:
    return bool(_WORD_OF_DIGITS.search(text[one.number[1] : one.span[1]]))


@cache
def _magnitudes(language: str) -> dict[str, float]:
    """The words that multiply a number; single letters need a currency behind them, and are not here."""
    own = magnitudes(language) or {word: size for key in ("en", "de", "hu", "fr", "es") for word, size in magnitudes(key).items()}  # fmt: skip
    return {**magnitudes("en"), **{word: size for word, size in own.items() if len(word) > 1}}


@cache
def _any_magnitudes() -> dict[str, float]:
    return {w: float(size) for size, words in _magnitude_table()["any"].items() for w in words.split()}


def _magnitude_table() -> dict[str, dict[str, str]]:
    return numeral_words("magnitudes")  # pyright: ignore[reportReturnType]


def _money() -> dict[str, str]:
    return _magnitude_table()["money"]


@cache
def _magnitude_pattern(language: str) -> regex.Pattern[str]:
    own, shared = any_of(_magnitudes(language)), any_of(_any_magnitudes())
    return regex.compile(rf"(?:(?i:{own})|{shared})(?![\p{{Latin}}\p{{Cyrillic}}])")


@cache
def _prefixed_pattern() -> regex.Pattern[str]:
    return regex.compile(rf"[ \u00a0]?({any_of(numeral_words('prefixed'))})(?!\w)")


@cache
def _part_words(key: str, language: str) -> regex.Pattern[str] | None:
    words = any_of(words_of(key, language))
    glued = (
        "" if language in {"hu", "ru", "cs", "pl", "fr", "it"} or (language, key) == ("de", "quarter") else r"(?!\w)"
    )
    return regex.compile(rf"(?<!\w)(?:{words}){glued}") if words else None


@cache
def _whole_words() -> regex.Pattern[str]:
    return regex.compile(rf"(?<!\w)(?:{any_of(words_of('whole', '1.5'))})(?!\w)")


@cache
def _and_half_pattern(language: str) -> regex.Pattern[str] | None:
    words = any_of(words_of("and_half", language))
    if not words:
        return None
    space = "[个個]?" if language in {"zh", "ja"} else "[ \u00a0]?"
    return regex.compile(rf"{space}(?:{words})(?![\p{{Latin}}])")


@cache
def _minus_words() -> regex.Pattern[str]:
    words = [word for word in numeral_words("minus")["words"].split()]
    return regex.compile(rf"(?:(?<!\w)(?:{any_of([w for w in words if ord(w[0]) < 0x2E80])})[ \u00a0]|{any_of([w for w in words if ord(w[0]) >= 0x2E80])})$")  # fmt: skip


@cache
def _range_pattern() -> regex.Pattern[str]:
    words = numeral_words("range")["words"].replace("_", " ").split(" ")
    return regex.compile(rf"\s?(?:{any_of(words)})\s?", regex.IGNORECASE)


@cache
def _scales() -> dict[str, str]:
    return {"celsius": "摄氏 摂氏", "fahrenheit": "华氏 華氏"}
