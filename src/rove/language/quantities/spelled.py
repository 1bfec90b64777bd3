"""Numbers in words: "two hundred and five", "fünfundzwanzigtausend", "kétezer-ötszáz", "vingt et un"."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import cast

import regex

from rove.language.quantities.dates import any_of
from rove.records.document import Span

HUNDRED, THOUSAND, MILLION = 100, 1_000, 1_000_000


@dataclass(frozen=True, slots=True)
class SpelledNumber:
    """A number in words at a span, in lower case.

    `counts`: whether it is one on its own; "a" and "one" are not. `scale`: what its last word multiplies.
    """

    span: Span
    value: float
    counts: bool = True
    scale: float = 1.0


@dataclass(frozen=True, slots=True)
class _Lexicon:
    """The words for numbers of one language, and what finds a run of them."""

    values: Mapping[str, float]
    ones: frozenset[str]
    joiners: frozenset[str]
    run: regex.Pattern[str]
    units_first: bool


def spelled_numbers(text: str, language: str) -> Iterator[SpelledNumber]:
    """Yield the numbers in words of a text in lower case.

    >>> [n.value for n in spelled_numbers("two hundred and five, or twenty-one thousand", "en")]
    [205.0, 21000.0]
    >>> [n.value for n in spelled_numbers("fünfundzwanzigtausend und zwei", "de")]
    [25000.0, 2.0]
    """
    lexicon = _numeral_lexicon(language)
    if lexicon is None:
        return
    for found in lexicon.run.finditer(text):
        yield from _Run(found, lexicon).numbers()


@dataclass(slots=True)
class _Sum:
    """A number that grows word by word. `last`: the last word's value; `joined`: whether "and" comes next."""

    total: float = 0.0
    section: float = 0.0
    last: float = -1.0
    joined: bool = False
    began: bool = False

    def takes(self, value: float, *, units_first: bool) -> bool:
        """Add a word's value where it may follow, else say no."""
        if not self.began:
            self.section, self.began = value, True
        elif value >= THOUSAND:
            if self.last >= value and self.section < 1:
                return False
            if self.total and self.total < value:
                self.total, self.section = (self.total + self.section) * value, 0.0
            else:
                self.total, self.section = self.total + (self.section or 1) * value, 0.0
        elif value == HUNDRED and 1 <= self.section < HUNDRED:
            self.section *= HUNDRED
        elif self._adds(value, units_first=units_first):
            self.section += value
        else:
            return False
        if value >= THOUSAND and self.section == value:
            self.total, self.section = value, 0.0
        self.last, self.joined = value, False
        return True

    def _adds(self, value: float, *, units_first: bool) -> bool:
        rest = self.section % HUNDRED
        if value <= 0:
            return False
        if rest == 0:
            return (self.section or self.total) > 0 and (value < HUNDRED or self.section == 0)
        tens = rest % 10 == 0 and rest >= 10
        if tens and value < 10:
            return rest >= 20 or not units_first
        if units_first and self.joined and rest < 10 and 20 <= value < HUNDRED:
            return True
        return rest in {60.0, 80.0} and 10 <= value < 20  # soixante-quinze, quatre-vingt-douze

    @property
    def value(self) -> float:
        return self.total + self.section


class _Run:
    """A run of words for numbers; it may hold several numbers."""

    def __init__(self, found: regex.Match[str], lexicon: _Lexicon) -> None:
        self.text, self.lexicon = found.string, lexicon
        self.parts: list[Span] = found.spans("part")

    def numbers(self) -> Iterator[SpelledNumber]:
        at = 0
        while at < len(self.parts):
            made, first, end, words = _Sum(), at, -1, 0
            while at < len(self.parts) and self._takes(made, at):
                if not made.joined:
                    end, words = self.parts[at][1], words + 1
                at += 1
            if end < 0:
                at = max(at, first + 1)
                continue
            start = next(a for a, b in self.parts[first:] if self.text[a:b] not in self.lexicon.joiners)
            only = self.text[start:end] if words == 1 else ""
            if not only or made.value < MILLION:  # "million" without its number is none
                yield SpelledNumber((start, end), made.value, only not in self.lexicon.ones, _scale_of_word(made.last))

    def _takes(self, made: _Sum, at: int) -> bool:
        start, end = self.parts[at]
        word = self.text[start:end]
        if word in self.lexicon.joiners and (made.began or word not in self.lexicon.values):
            made.joined = True
            return True
        comma = made.began and "," in self.text[self.parts[at - 1][1] : start]
        if comma and made.last < THOUSAND:  # "twenty, five" are two numbers
            return False
        return made.takes(self.lexicon.values[word], units_first=self.lexicon.units_first)


def _scale_of_word(last: float) -> float:
    return last if last >= THOUSAND else 1.0


def numeral_words(kind: str) -> Mapping[str, str]:
    """Return one table of `numerals.toml`: language code or number → words."""
    return cast("Mapping[str, str]", _numerals_table()[kind])


def spelled_words(kind: str, key: str) -> tuple[str, ...]:
    """Return the words of one line of a table, the longest first."""
    found = numeral_words(kind).get(key, "").split()
    return tuple(sorted((word.replace("_", " ") for word in found), key=len, reverse=True))


@cache
def _numerals_table() -> Mapping[str, object]:
    text = files("rove.language.quantities").joinpath("numerals.toml").read_text("utf-8")
    return cast("Mapping[str, object]", tomllib.loads(text))


@cache
def magnitudes(language: str) -> Mapping[str, float]:
    """Return the words of a language that multiply the number before them, in lower case."""
    table = cast("Mapping[str, Mapping[str, str]]", _numerals_table()["magnitudes"])
    return {word: float(size) for size, words in table.get(language, {}).items() for word in words.split()}


def _numeral_values(own: Mapping[str, object], language: str) -> dict[str, float]:
    found: dict[str, float] = {}
    rows = (("ones", range(20)), ("tens", range(20, 100, 10)), ("hundreds", range(100, 1000, 100)))
    for key, numbers in rows:
        for words, number in zip(str(own[key]).split(), numbers, strict=False):
            found |= dict.fromkeys(words.split("|"), float(number))
    for pair in str(own.get("more", "")).split():
        number, _, words = pair.partition("=")
        found |= dict.fromkeys(words.split("|"), float(number))
    found |= dict.fromkeys(str(own["thousand"]).split("|"), float(THOUSAND))
    found |= dict.fromkeys(str(own["one"]).split(), 1.0)
    large = {word: size for word, size in magnitudes(language).items() if size > THOUSAND and _is_word(word)}
    return found | large


def _is_word(word: str) -> bool:
    return len(word) > 3 and not word.endswith(".") and word not in {"mrd", "mln", "milj"}


@cache
def _numeral_lexicon(language: str) -> _Lexicon | None:
    own = cast("Mapping[str, object] | None", _numerals_table().get(language))
    if own is None or "ones" not in own:
        return None
    values = _numeral_values(own, language)
    joiners = frozenset(filter(None, str(own["and"]).split("|")))
    joined = bool(own.get("joined"))
    atom = f"(?P<part>{any_of(values)})"
    joiner = f"(?P<part>{any_of(joiners)})" if joiners else ""
    units_first = bool(own.get("units_first"))
    space = ",?[ \u00a0]|-" if language == "en" else "[ \u00a0-]"
    spaced = rf"(?:{space})(?:{joiner}[ \u00a0-])?" if joiner else space
    glued = rf"(?:{joiner})?" if joiner and units_first else ""
    between = rf"(?:{spaced if not units_first else '[ -]'}|{glued})" if joined else f"(?:{spaced})"
    behind = any_of(spelled_words("and_half", language)) if language == "de" else "$x"
    run = rf"(?<!\w){atom}(?:{between}{atom})*(?:(?!\w)|(?={behind}))"
    ones = frozenset(str(own["one"]).split()) | {word for word, value in values.items() if value == 1}
    return _Lexicon(
        values,
        ones,
        joiners,
        regex.compile(run),
        units_first,
    )
