"""What a question names of one table: cues, columns, values and numbers, each with where it stands in the question."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import regex

from rove.language.cue_words import UNSPACED
from rove.language.identifiers import in_words
from rove.language.quantities.digits import digit_values
from rove.language.quantities.reader import plain_number, read_quantities
from rove.language.short_forms import fold_accents
from rove.language.stopwords import stop_words
from rove.language.words import terms
from rove.records.document import Span
from rove.records.quantity import CalendarDay, Quantity
from rove.records.schema import Column, TableSchema

NUMERIC = regex.compile(r"int|num|dec|real|float|double|money|serial|year|bit", regex.IGNORECASE)
TEMPORAL = regex.compile(r"date|time|year", regex.IGNORECASE)
LEAST_VALUE_CHARS = 2
FEW_VALUES = 12
"""A column of no more different values has such of a single Han letter too: 女."""
TOO_GENERAL = frozenset({"id", "number", "code", "num", "date", "type"})
"""Words that do not name a column where they are a part of its name only."""
HUNGARIAN_ENDING = 4
"""Letters that a case may add to a value: Szeged, Szegeden."""
LETTER_OF_UNSPACED = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}]")
_WORD = regex.compile(r"\d[\d,]*(?:\.\d+)?|[^\W\d_]+(?:['’_-][^\W\d_]+)*")
_CAPITALISED = regex.compile(r"\p{Lu}[\p{L}'’-]+")
_RUN = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}ー]+|[a-z\d]+")
_QUOTED = regex.compile(r"[\"“”„«「『]([^\"“”„«»「」『』]{1,80})[\"“”»」』]|(?<!\w)['‘]([^'‘’]{1,80})['’](?!\w)")
_DIGITS = regex.compile(r"\d+")
_BARE = regex.compile(r"(?:是否|有无)?((?:\p{Han}|[\p{Hiragana}\p{Katakana}ー])+?)(?:编号|番号|名称|号|名)?\Z")
_ONE = regex.compile(r"\bone\b")
_IS_NUMBER = regex.compile(r"-?\d+(?:\.\d+)?")


@dataclass(frozen=True, slots=True)
class Mention:
    """A column that a question names. `weight`: how many of its words; a part of a name counts less than 1."""

    column: Column
    span: Span
    weight: float


@dataclass(frozen=True, slots=True)
class ValueMention:
    """A value that a question names, and the column that holds it."""

    column: Column | None
    text: str
    span: Span


@dataclass(slots=True)
class Reading:
    """A question as it is read, bit by bit: what is understood is taken. `folded` is as long as the question."""

    question: str
    language: str
    folded: str = ""
    taken: set[int] = field(default_factory=set[int])

    def __post_init__(self) -> None:
        self.folded = "".join(letter.lower() if len(letter.lower()) == 1 else letter for letter in self.question)

    def free(self, span: Span) -> bool:
        """Whether nothing of a span is taken."""
        return self.taken.isdisjoint(range(*span))

    def take(self, span: Span) -> None:
        """Note that a span is understood."""
        self.taken.update(range(*span))

    def cues(self, kind: str) -> list[Span]:
        """Take the free places where a kind of cue stands, the longest words first; in the order of the question."""
        found: list[Span] = []
        pattern = cue_pattern(kind, self.language)
        for match in pattern.finditer(self.folded) if pattern else ():
            if self.free(match.span()):
                self.take(match.span())
                found.append(match.span())
        return found

    def says(self, kind: str, span: Span) -> bool:
        """Whether what stands at `span` is, by itself, a cue of a kind."""
        pattern = cue_pattern(kind, self.language)
        return pattern is not None and pattern.fullmatch(self.folded[slice(*span)]) is not None

    def is_filler(self, span: Span) -> bool:
        """Whether what stands at `span` may as well say nothing."""
        return self.says("filler", span)

    def quoted(self) -> Iterator[ValueMention]:
        """Take what stands in quotation marks."""
        for match in _QUOTED.finditer(self.question):
            if self.free(match.span()):
                self.take(match.span())
                yield ValueMention(None, (match[1] or match[2]).strip(), match.span())

    def numbers(self) -> Iterator[tuple[Span, str]]:
        """The free numbers of the question, in digits or words, with their magnitudes, without taking them."""
        found = [one for one in read_quantities(self.question, self.language) if one.kind != "date"]
        places = [(_quantity_span(one, self.question), plain_number(one.value)) for one in found if one.readings]
        labels = [one.span for one in found if one.kind == "label"]
        places += [(span, self.question[slice(*span)]) for span in labels]
        places += [(match.span(), "1") for match in _ONE.finditer(self.folded)] if self.language == "en" else []
        yield from sorted((span, value) for span, value in places if self.free(span) and _IS_NUMBER.fullmatch(value))

    def periods(self) -> list[tuple[Span, CalendarDay]]:
        """The free days, months and years of the question, without taking them; a year may be a plain number too."""
        found = read_quantities(self.question, self.language)
        dates = [(one.span, one.day) for one in found if one.kind == "date" and one.day and one.day.year]
        bare = [(one.span, CalendarDay(int(one.value))) for one in found if one.kind == "year"]
        return sorted((span, day) for span, day in (*dates, *bare) if self.free(span))

    def left_over(self) -> list[Span]:
        """Where the words stand that say something and that nothing has taken."""
        if self.language in UNSPACED:
            rest = "".join(letter if at not in self.taken else " " for at, letter in enumerate(self.folded))
            return [match.span() for match in _RUN.finditer(rest)]
        stops = stop_words(self.language) - cue_words("telling", self.language)
        words = (match for match in _WORD.finditer(self.folded) if match[0] not in stops and match[0] != "s")
        ends = {match.end() for match in _DIGITS.finditer(self.folded)}
        return [
            m.span()
            for m in words
            if self.free(m.span()) and not (m.start() - 1 in ends and self._is_ending(m.start()))
        ]

    def _is_ending(self, at: int) -> bool:
        """Whether what begins here is the ending of a number: 3000-nél."""
        return self.language == "hu" and self.folded[at - 1] == "-"

    def tokens(self) -> list[tuple[Span, str]]:
        """The words with their stems."""
        return [(match.span(), stem(match[0], self.language)) for match in _WORD.finditer(self.folded)]

    def forms(self, span: Span, stemmed: str) -> set[str]:
        """The stem of a word, and that of the word without accents, as names of columns often are."""
        word = self.folded[slice(*span)]
        if word.isascii():
            return {stemmed}
        bare = stem(fold_accents(word), self.language)
        return {stemmed, bare, stem(bare, self.language)}


def _quantity_span(one: Quantity, text: str) -> Span:
    """Where a number stands with its magnitude: a unit behind it may be a column's name."""
    written = digit_values(text[slice(*one.number)], "") if text[slice(*one.number)].isdigit() else ()
    return one.number if one.value in written or not one.digits else one.span


def stem(word: str, language: str) -> str:
    """A word as it is compared."""
    if language in UNSPACED or LETTER_OF_UNSPACED.search(word):
        return word.casefold()
    return next(iter(terms(word, language)), "") or word


def names_of(column: Column, table: TableSchema, language: str) -> list[tuple[float, tuple[str, ...]]]:
    """Return the ways to name a column, as stems with a weight: whole, without the table's name, by one word."""
    own = {stem(word, language) for word in _name_words(table.label or in_words(table.name)) | _name_words(table.name)}
    ways: dict[tuple[str, ...], float] = {}
    for said in dict.fromkeys((column.label, in_words(column.name), column.name)):
        stems = tuple(stem(word, language) for word in _WORD.findall(said.casefold().replace("_", " ")))
        if not stems:
            continue
        ways.setdefault(stems, len(stems))
        short = tuple(one for one in stems if one not in own)
        if short and short != stems and (short != ("id",) or column.is_key):
            ways.setdefault(short, len(short) - 0.1)
        for part, weight in ((stems[-1], 0.4), (stems[0], 0.3)) if len(stems) > 1 else ():
            plain_stops = stop_words(language) | cue_words("telling", language)
            if part not in own and part not in TOO_GENERAL and part not in plain_stops:
                ways.setdefault((part,), weight)
        if len(stems) == 1 and (bare := _BARE.match(stems[0])) and len(bare[1]) >= 2:  # 订单 of 订单号
            ways.setdefault((bare[1],), 0.8)
        if len(stems) == 1 and len(stems[0]) >= 4 and LETTER_OF_UNSPACED.match(stems[0]):
            for end in range(2, len(stems[0]) - 1):
                ways.setdefault((stems[0][:end],), 0.3)
    return [(weight, stems) for stems, weight in ways.items()]


def mentioned(
    reading: Reading, table: TableSchema, least: float = 0.0, others: frozenset[str] = frozenset()
) -> list[Mention]:
    """Take the columns that a question names, the longest names first; in the order of the question.

    A part of a name counts only where no other column has the same part. `least`: of names of this weight alone.
    `others`: columns of tables that this one refers to, which are named in whole, with two words or more.
    """
    ways = [
        (weight, stems, column)
        for column in table.columns
        for weight, stems in names_of(column, table, reading.language)
    ]
    own = [way for way in ways if way[2].name not in others]
    words = [{stem(word, reading.language) for word in _name_words(in_words(one.name))} for one in table.columns]
    usable = [
        (weight, stems, column)
        for weight, stems, column in own
        if weight >= least and (weight >= 0.9 or (not column.references and sum(stems[0] in one for one in words) < 2))
    ]
    usable += [way for way in ways if way[2].name in others and way[0] >= max(least, 2)]
    found: list[Mention] = []
    for weight, stems, column in sorted(usable, key=lambda way: -way[0]):
        for span in _stem_spans(reading, stems):
            if reading.free(span):
                reading.take(span)
                found.append(Mention(column, span, weight))
    return sorted(found, key=lambda mention: mention.span)


def places_of(reading: Reading, name: str, label: str = "") -> list[Span]:
    """Where the whole name of a table stands."""
    said = dict.fromkeys((label, in_words(name), name))
    ways = {tuple(stem(w, reading.language) for w in _WORD.findall(one.casefold().replace("_", " "))) for one in said}
    return sorted({span for way in ways if way for span in _stem_spans(reading, way)})


def take_table(reading: Reading, table: TableSchema, *, whole: bool = False) -> tuple[float, list[Span]]:
    """Take the words of a table's name; return how much of it is there, 0 … 1, and where. `whole`: only all of it."""
    if whole:
        places = [span for span in places_of(reading, table.name, table.label) if reading.free(span)]
        for span in places:
            reading.take(span)
        return float(bool(places)), places
    said = dict.fromkeys((table.label, in_words(table.name), table.name))
    ways = {tuple(stem(w, reading.language) for w in _WORD.findall(name.casefold().replace("_", " "))) for name in said}
    longest = max(map(len, ways), default=0) or 1
    share, met = 0.0, list[Span]()
    for stems in sorted(
        {way for way in (*ways, *((one,) for way in ways for one in way)) if way}, key=len, reverse=True
    ):
        for span in _stem_spans(reading, stems):
            if not reading.free(span):
                continue
            share = max(share, 1.0 if stems in ways else len(stems) / longest)
            met.append(span)
            reading.take(span)
    return share, met


def mentioned_values(reading: Reading, held: Mapping[str, Sequence[str]], table: TableSchema) -> Iterator[ValueMention]:
    """Take the values of a table's columns that a question holds to the letter, whatever their case; the longest first.

    `held`: different values by the column's name.
    """
    known: dict[str, tuple[str, Column]] = {}
    for column in table.columns:
        for value in held.get(column.name, ()):
            least = 1 if len(held[column.name]) <= FEW_VALUES and LETTER_OF_UNSPACED.match(value) else LEAST_VALUE_CHARS
            if len(value) >= least and not regex.fullmatch(r"[\d.,]+", value):
                known.setdefault(value.lower(), (value, column))
    stops = stop_words(reading.language)
    for folded in sorted(known, key=len, reverse=True):
        at = -1 if folded in stops else reading.folded.find(folded)
        while at >= 0:
            span = (at, at + len(folded))
            if reading.free(span) and _is_whole_word_span(reading.folded, span, reading.language):
                reading.take(span)
                yield ValueMention(known[folded][1], known[folded][0], span)
            at = reading.folded.find(folded, at + 1)


def named_in_part(reading: Reading, held: Mapping[str, Sequence[str]], table: TableSchema) -> Iterator[ValueMention]:
    """Take capitalised words that stand in one value of several words alone: "Eva" of "Eva Lindqvist".

    A question's first word has its capital from there, and a script without capitals has no such names.
    """
    first = _WORD.search(reading.folded)
    for match in _WORD.finditer(reading.folded):
        word = reading.question[slice(*match.span())]
        if (
            not word[:1].isupper()
            or match.start() == (first.start() if first else -1)
            or not reading.free(match.span())
        ):
            continue
        of = [
            ValueMention(column, value, match.span())
            for column in table.columns
            for value in held.get(column.name, ())
            if word in _CAPITALISED.findall(value) != [value]
        ]
        if len(of) == 1:
            reading.take(match.span())
            yield of[0]


def is_numeric(column: Column) -> bool:
    """Whether a column holds numbers, by its type; without one by its samples."""
    if column.type:
        return bool(NUMERIC.search(column.type))
    return bool(column.samples) and all(regex.fullmatch(r"-?\d+(?:\.\d+)?", one) for one in column.samples)


@cache
def cue_pattern(kind: str, language: str) -> regex.Pattern[str] | None:
    """What finds the cues of a kind, None where a language has none."""
    words = _load_cue_table().get(kind, {}).get(language, "")
    if not words:
        return None
    some = "|".join(regex.escape(word) for word in sorted(words.split("|"), key=len, reverse=True))
    return regex.compile(some if language in UNSPACED else rf"(?<!\w)(?:{some})(?!\w)")


def has_cue(kinds: Iterable[str], question: str, language: str) -> bool:
    """Whether a question has a cue of one of some kinds; see cues.toml."""
    patterns = (cue_pattern(kind, language) for kind in kinds)
    return any(pattern and pattern.search(question.casefold()) for pattern in patterns)


def asks_within(word: str, language: str) -> bool:
    """Whether a word has a part that asks for something, so that it is no mere name: "Gesamtbevölkerung"."""
    parts = _load_cue_table()["within"].get(language, "")
    return bool(parts) and any(part in word.casefold() for part in parts.split("|"))


def cue_words(kind: str, language: str) -> frozenset[str]:
    """The words of a kind of cue."""
    return frozenset(_load_cue_table().get(kind, {}).get(language, "").split("|"))


def template(kind: str, language: str, name: str) -> str:
    """How a language says something of a name, such as "not so" or "the most of it"; see cues.toml."""
    return _load_cue_table()[kind].get(language, _load_cue_table()[kind]["en"]).replace("{}", name)


@cache
def _load_cue_table() -> Mapping[str, Mapping[str, str]]:
    return tomllib.loads(Path(__file__).with_name("cues.toml").read_text("utf-8"))


def _stem_spans(reading: Reading, stems: tuple[str, ...]) -> Iterable[Span]:
    """Where these stems stand in a row, or the last of them first: "name of the country"."""
    if reading.language in UNSPACED or all(LETTER_OF_UNSPACED.search(one) for one in stems):
        return _unspaced_stem_spans(reading, stems)
    tokens = reading.tokens()
    stops = stop_words(reading.language)
    found: list[Span] = []
    for at in range(len(tokens) - len(stems) + 1):
        here = tokens[at : at + len(stems)]
        if all(wanted in reading.forms(*one) for one, wanted in zip(here, stems, strict=True)):
            found.append((tokens[at][0][0], tokens[at + len(stems) - 1][0][1]))
    if len(stems) == 2 and not found:
        for at, (span, one) in enumerate(tokens):
            later = [other for other in tokens[at + 1 : at + 4]]
            for place, (end, other) in enumerate(later):
                between = [reading.folded[slice(*s)] for s, _ in later[:place]]
                counted = reading.says("count", (span[0], span[1] + len(" of")))
                swapped = (one, other) == (stems[1], stems[0]) and not counted
                if swapped and all(word in stops for word in between):
                    found.append((span[0], end[1]))
    return found


def _unspaced_stem_spans(reading: Reading, stems: tuple[str, ...]) -> list[Span]:
    """Where a name stands in a text without spaces; words of other scripts in it are whole: 平均 Salary, first_name."""
    if len("".join(stems)) < LEAST_VALUE_CHARS:
        return []
    between = "" if all(LETTER_OF_UNSPACED.search(one) for one in stems) else r"[\s_-]?"
    found = regex.finditer(between.join(map(regex.escape, stems)), reading.folded)
    return [match.span() for match in found if _is_bounded(reading.folded, match.span())]


def _is_bounded(text: str, span: Span) -> bool:
    """Whether a span begins and ends where a word may: a letter of a spaced script has none of its kind beside it."""

    def parts(left: str, right: str) -> bool:
        return not (left.isalnum() and right.isalnum()) or any(map(LETTER_OF_UNSPACED.search, (left, right)))

    start, end = span
    return parts(text[start - 1 : start] if start else "", text[start]) and parts(text[end - 1], text[end : end + 1])


def _name_words(name: str) -> set[str]:
    return set(_WORD.findall(name.casefold().replace("_", " ")))


def _is_whole_word_span(text: str, span: Span, language: str) -> bool:
    """Whether a span is whole words; in Hungarian the last one may have an ending."""
    if language in UNSPACED or LETTER_OF_UNSPACED.search(text[slice(*span)]):
        return _is_bounded(text, span)
    before = text[span[0] - 1 : span[0]] if span[0] else ""
    ending = regex.match(r"\w*", text[span[1] :])
    most = HUNGARIAN_ENDING if language == "hu" else 0
    return not before.isalnum() and len(ending[0] if ending else "") <= most
