"""One text as it is scanned: dates, clock times and labels first, then numbers with what stands beside them."""

from __future__ import annotations

import regex

from rove.language.quantities.clock import read_clocks
from rove.language.quantities.dates import read_dates
from rove.language.quantities.digits import decimal_mark_in, exact, fold, lower
from rove.language.quantities.han import NUMERALS, mixed_number
from rove.language.quantities.labels import label_spans, ordinal_spans
from rove.language.quantities.magnitudes import (
    SPACE,
    and_half,
    joined_magnitude,
    letter_magnitude,
    magnitude_at,
    magnitude_behind,
    money_magnitude,
)
from rove.language.quantities.numbers import UNCLEAR, NumberPlace, find_numbers
from rove.language.quantities.signs import sign_before
from rove.language.quantities.together import summed, with_ranges
from rove.language.quantities.units import Units, currency_before, scale_words, unit_at, units_by_name
from rove.records.document import Span
from rove.records.quantity import Quantity, QuantityKind, Reading

YEAR_DIGITS = 4
_OF = regex.compile(r"[ \u00a0](?:(?:de|of|di)[ \u00a0]|d['’])", regex.IGNORECASE)
_ROUGHLY = regex.compile(r"[余餘多来來強弱]|以上")
_COUNTED = regex.compile(r"[个個箇]半?")
_ORDINAL = regex.compile(r"(?:st|nd|rd|th|º|ª|\.º|er|ère|ème|e|ste|de|-е|-й|-я|:e|:a)(?!\w)")
_DECADE = regex.compile(r"['’]?s(?!\w)")
_YEAR = regex.compile(r"1[5-9]\d\d|20\d\d")
_UNKNOWN_UNIT = regex.compile(r"[ \u00a0]?\p{L}{1,2}\.?(?=$|[.,;:)|\n])")
_MARKED = regex.compile(r"[0-9][.,][0-9]")
_NO_UNIT = {"分": "之", "年": "代级級生度", "日": "本", "天": "王"}
"""What stands behind a character that is then no unit: 90年代 are the nineties."""
_DIGIT = regex.compile(r"[0-9]")
_GOES_ON = regex.compile(r"[.,]\d[\d.,]*+")
_HAN_CLOCK = regex.compile(
    rf"(?<![{NUMERALS}])([{NUMERALS}]{{1,3}})(?=[时時分](?![钟间間])|点(?:半|[{NUMERALS}]+分|$|[^{NUMERALS}]))"
)


class Scan:
    """Reads one text. `text` has its digits folded, `small` is in lower case; both are as long as the original."""

    def __init__(self, text: str, language: str, mark: str) -> None:
        self.text = fold(text)
        self.small = lower(self.text)
        self.language = language
        self.mark = mark or (decimal_mark_in([self.text], language) if _MARKED.search(self.text) else "")
        self.taken = bytearray(len(text))
        self.found: list[Quantity] = []

    def quantities(self) -> list[Quantity]:
        """Return the quantities in their order."""
        small = self._with_digits()
        if _DIGIT.search(small):
            for one in (*read_dates(self.text, self.language), *read_clocks(small)):
                self._keep(one)
            for span in label_spans(self.text, self.language):
                self._keep(Quantity(span, span, kind="label"))
        for span in ordinal_spans(self.text):
            written = self.text[slice(*span)]
            value = float(written) if written.isdigit() else mixed_number(written)
            self._keep(Quantity(span, span, (Reading(value),), "ordinal"))
        places = find_numbers(self.text, self.small, self.language, self.mark, self._unit_follows)
        for place in sorted(places, key=lambda one: (one.span[0], -one.span[1])):
            if self.is_free(place.span):
                self._read(place)
        return with_ranges(self.text, summed(self.text, sorted(self.found, key=lambda one: one.span)))

    def is_free(self, span: Span) -> bool:
        """Whether nothing was read there yet."""
        return not any(self.taken[slice(*span)])

    def _keep(self, one: Quantity) -> None:
        if self.is_free(one.span):
            self.taken[slice(*one.span)] = b"\x01" * (one.span[1] - one.span[0])
            self.found.append(one)

    def _with_digits(self) -> str:
        """The text in lower case with Chinese hours and minutes as digits, where that is as long."""
        if self.language not in {"zh", "ja"}:
            return self.small
        return _HAN_CLOCK.sub(
            lambda found: f"{mixed_number(found[0]):.0f}".rjust(len(found[0]))[-len(found[0]) :], self.small
        )

    def _read(self, place: NumberPlace) -> None:
        """Keep what a number is: a label, an ordinal, a year, or an amount with its unit."""
        start, end = place.span
        rest = _GOES_ON.match(self.text, end) if self.text[end - 1].isdigit() else None
        if not place.values or rest or (place.digits and self._names_something(place)):
            span = (start, rest.end() if rest else end)
            self._keep(Quantity(span, span, tuple(map(Reading, place.values[:1])), "label"))
            return
        amount = _Amount(self, place)
        plain = not amount.units and amount.factor == 1
        if plain and place.certainty < UNCLEAR:
            return
        ordinal = _ORDINAL.match(self.text, end) if place.digits and plain else None
        if ordinal:
            readings = tuple(map(Reading, place.values))
            self._keep(Quantity((start, ordinal.end()), place.span, readings, "ordinal", 1.0, place.digits))
        else:
            self._keep(amount.quantity(is_year=plain and not amount.half))

    def _names_something(self, place: NumberPlace) -> bool:
        """Whether a letter of a script with spaces stands right before it, as in AX200, or it names a decade."""
        before = self.text[place.span[0] - 1 : place.span[0]]
        joined = (before.isalpha() and before < "\u2e80") or before == "_"
        written = self.text[slice(*place.span)]
        return joined or bool(_YEAR.fullmatch(written) and _DECADE.match(self.text, place.span[1]))

    def _unit_follows(self, at: int) -> bool:
        space = SPACE.match(self.text, at)
        start = space.end() if space else at
        if magnitude_at(self.text, start, self.language):
            return True
        named = unit_at(self.text, start, self.language)
        return named is not None and named.end > start + 1


class _Amount:
    """A number with its magnitude, its unit and its sign: from `first` to `last`."""

    def __init__(self, scan: Scan, place: NumberPlace) -> None:
        self.scan, self.place = scan, place
        self.start, self.last = place.span
        self.factor, self.half = 1.0, 0.0
        self.units: Units = ()
        self.first = self.start
        self._take_half()
        self.factor, self.last = magnitude_behind(scan.text, self.last, scan.language)
        self._take_half()
        self._take_currency()
        self._take_letter()
        self._take_unit()
        self._take_half()
        if place.unit or self._is_percent_before():
            self.units = (place.unit or units_by_name()["percent"],)

    def quantity(self, *, is_year: bool) -> Quantity:
        """Return it. `is_year`: it may be a year, where it has four digits."""
        place, scan = self.place, self.scan
        sign, first = sign_before(scan.text, scan.small, self.start, self.first, scan.language)
        values = [sign * (value + self.half * place.scale) * self.factor for value in place.values]
        readings = tuple(Reading(exact(value), unit) for value in values for unit in (self.units or (None,)))
        year = is_year and bool(_YEAR.fullmatch(scan.text[slice(*place.span)]))
        sure = 0.8 if place.certainty < UNCLEAR else place.certainty
        unsure = len(readings) > 1 or year or (not self.units and _UNKNOWN_UNIT.match(scan.text, self.last))
        certainty = min(sure, UNCLEAR if unsure else 1.0)
        kind: QuantityKind = "year" if year else "number"
        return Quantity((first, self.last), place.span, readings, kind, certainty, 2 if self.half else place.digits)

    def _take_half(self) -> None:
        if not self.half:
            self.half, self.last = and_half(self.scan.small, self.last, self.scan.language)

    def _take_currency(self) -> None:
        text, language = self.scan.text, self.scan.language
        signed = self.start - 1 if text[self.start - 1 : self.start] in {"-", "−", "+"} else self.start
        for at in dict.fromkeys((signed, self.start)):
            found = currency_before(text, at, language)
            if found and self.scan.is_free((found[1], self.start)):
                self.units, self.first = found
                return

    def _take_letter(self) -> None:
        """Take a k or an M behind the number, and a magnitude that is one word with its currency."""
        text = self.scan.text
        if self.factor == 1 and self.units:
            self.factor, self.last = money_magnitude(text, self.last, self.scan.language)
        elif self.factor == 1 and self.place.digits:
            self.factor, self.last = letter_magnitude(text, self.last, self.scan.language)

    def _take_unit(self) -> None:
        text = self.scan.text
        if joined := joined_magnitude(text, self.last):
            self.factor, self.units, self.last = self.factor * joined[0], joined[1], joined[2]
            return
        for at in self._unit_places():
            named = unit_at(text, at, self.scan.language)
            if named and self._fits(named.units, at, named.end):
                if not self.units or named.units[0].kind == self.units[0].kind:
                    self.units, self.last = self.units or named.units, named.end
                break
        self._take_words_before()

    def _take_words_before(self) -> None:
        """Take what stands before the number and says what it is: the scale in 华氏98.6度, the hour in 時速12キロ."""
        text = self.scan.text
        if scale := self._scale_before():
            self.last += not self.units and text[self.last : self.last + 1] == "度"
            self.units, self.first = scale, self.start - 2
        before = text[max(self.start - 4, 0) : self.start].rstrip()
        if self.units == (units_by_name()["kilometer"],) and before.endswith(("每小时", "時速", "时速")):
            self.units = (units_by_name()["kilometer_per_hour"],)

    def _unit_places(self) -> list[int]:
        """Where a unit may stand behind a number, the likeliest first."""
        text, at = self.scan.text, self.last
        if rough := _ROUGHLY.match(text, at):
            at = rough.end()
        space = SPACE.match(text, at)
        places = [space.end() if space else at]
        if of := _OF.match(text, at):
            places.insert(0, of.end())
        if counted := _COUNTED.match(text, at):
            places.append(counted.end())
        # "a" before a unit: not the A of A$40
        return places if self.place.certainty >= UNCLEAR else [place for place in places if place > self.last]

    def _fits(self, units: Units, start: int, end: int) -> bool:
        text = self.scan.text
        word, behind = text[start:end], text[end : end + 1]
        if scale := self._scale_before():
            return scale == units
        if len(word) == 1 and word.isascii() and word.isalpha():
            apart = not (behind.isalnum() or behind in {"-", "'", "’"})
            return apart and not (word.isupper() and start > self.place.span[1] + 1)
        if behind and behind in _NO_UNIT.get(word, ""):
            return False
        return not (word in {"日", "年", "月"} and self.place.digits == YEAR_DIGITS)

    def _scale_before(self) -> Units:
        """A scale of temperatures that stands before the number: 华氏98.6度."""
        before = self.scan.text[max(self.start - 2, 0) : self.start]
        return scale_words().get(before, ())

    def _is_percent_before(self) -> bool:
        """Whether the number has its sign before it, as in Turkish: %15, yüzde 15."""
        before = self.scan.small[max(self.start - 6, 0) : self.start]
        told = before.endswith("%") and not before[-2:-1].isalnum()
        return told or (self.scan.language == "tr" and before == "yüzde ")
