"""Contradictions between sources: facts that say the same thing but for a number, a date, a name or a "not"."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from rove.answer.claim import NO_NAMES_BY_CASE, numbers, read_claim
from rove.answer.word_lists import table
from rove.language.cue_words import UNSPACED, negations
from rove.language.quantities.han import NUMERALS
from rove.language.words import query_terms, terms

SHARE_OF_SHORTER, SHARE_OF_LONGER = 0.75, 0.6  # of their telling words that must be common to both, save what differs
LEAST_COMMON = 2
LEAST_COMMON_UNSPACED = 3  # pairs of characters
ASKED_SHARE = 0.75  # of a question's telling words that facts with different names must both hold
WIDEST_SLOT = 4  # words, or pairs of characters in unspaced scripts

_MONTH = r"[^\W\d_]{3,12}\.?"
_DATE = re.compile(
    rf"""\d{{4}}\ ?年(?:\ ?\d{{1,2}}\ ?月(?:\ ?\d{{1,2}}\ ?[日号])?)?
    | \d{{4}}[-/.]\ ?\d{{1,2}}(?:[-/.]\ ?\d{{1,2}})?\b
    | \b\d{{1,2}}[./]\ ?\d{{1,2}}[./]\ ?\d{{4}}
    | \b\d{{4}}\.\ ?{_MONTH}\ \d{{1,2}}\b
    | \b\d{{1,2}}(?:st|nd|rd|th|\.)?\ (?:de\ |of\ )?{_MONTH}\ (?:de\ )?\d{{4}}\b
    | \b{_MONTH}\ \d{{1,2}}(?:st|nd|rd|th)?,?\ \d{{4}}\b
    | (?<![\d.,])(?:1[5-9]|20)\d\d(?![\d,%°]|\.\d)""",
    re.VERBOSE,
)
_ENDING = re.compile(r"(?<=\d)-[^\W\d_]+")  # "1912-ben" is "in 1912" in Hungarian
_LABEL = re.compile(r"(?:第|[ァ-ヶーA-Za-z])\d+|\b[^\W\d_]+\.? \d+\b")
_YEAR = re.compile(r"\d{4}")
_DATE_PART = re.compile(r"\d+|[^\W\d_]{3,}")
_HAN_NUMBER = re.compile(f"[{NUMERALS}]+")
_WORD = re.compile(r"[^\W\d_]+(?:['’\-][^\W\d_]+)*")


@dataclass(frozen=True, slots=True)
class Statement:
    """Something that a source says, as it is compared. `context`: what stands above it (title, headings).

    `table`: of a row, which table it is one of; "" of what is no row.
    """

    text: str
    language: str
    context: str = ""
    table: str = ""


@dataclass(frozen=True, slots=True)
class Difference:
    """What two statements differ in ("number", "date", "name", "negation"), and what each says there."""

    on: str
    one: str = ""
    other: str = ""


@dataclass(frozen=True, slots=True)
class _Said:
    frame: frozenset[str]
    numbers: frozenset[str]
    dates: frozenset[frozenset[str]]
    shown_dates: tuple[str, ...]
    names: frozenset[str]
    labels: frozenset[str]
    negated: bool

    def numbers_beside(self, other: _Said) -> frozenset[str]:
        """The numbers; a bare "1800" may be one too where the other statement has no date."""
        return self.numbers if other.dates else self.numbers | set(filter(_YEAR.fullmatch, self.shown_dates))


def conflicts(question: str, statements: Sequence[Statement]) -> dict[tuple[int, int], Difference]:
    """Return the pairs of statements that contradict each other, by their places, the first one smaller.

    >>> found = conflicts("When did the old bridge open?", [
    ...     Statement("The old bridge opened in 1908.", "en"), Statement("The old bridge opened in 1912.", "en")])
    >>> found[0, 1]
    Difference(on='date', one='1908', other='1912')
    """
    pairs = combinations(enumerate(statements), 2)
    found = {(i, j): difference(question, one, other) for (i, one), (j, other) in pairs}
    return {pair: what for pair, what in found.items() if what is not None}


def difference(question: str, one: Statement, other: Statement) -> Difference | None:
    """Say in what two statements about the same thing contradict each other; None where they do not.

    They are about the same where most of their telling words are common (`SHARE_OF_SHORTER`, `SHARE_OF_LONGER`), what
    is numbered in them has the same numbers ("Volume 3"), and, where one begins with a pronoun, their titles or
    headings share a word too. Then exactly one thing may differ:
    - a number, or a date of which neither is part of the other ("May 1908" is part of "3 May 1908");
    - "not";
    - a name that the question does not hold, while most of the question's words are in both (`ASKED_SHARE`).
    Where two of these differ, both can be true: "in 2019 it was 3 million", "in 2020 it was 4 million". Statements in
    different languages are not compared, nor are two rows of one table: each is of something else.
    """
    if one.language != other.language or (one.table and one.table == other.table):
        return None
    a, b = _read_statement(one), _read_statement(other)
    if not _same_subject(one, other) or a.labels != b.labels:
        return None
    dates = _are_disjoint_dates(a.dates, b.dates)
    only_a, only_b = a.numbers_beside(b) - b.numbers_beside(a), b.numbers_beside(a) - a.numbers_beside(b)
    values = bool(only_a and only_b)
    if _are_similar_frames(a.frame, b.frame, one.language) and not (a.names - b.names and b.names - a.names):
        if a.negated != b.negated:
            return None if dates or values else Difference("negation")
        if dates:
            return None if values else Difference("date", "; ".join(a.shown_dates), "; ".join(b.shown_dates))
        if values:
            both = len(only_a) == len(only_b) == 1
            return Difference("number", next(iter(only_a)), next(iter(only_b))) if both else None
    if dates or values or a.negated != b.negated:
        return None
    return _name_difference(question, one, other, a, b)


def _read_statement(statement: Statement) -> _Said:
    text = _ENDING.sub("", unicodedata.normalize("NFKC", statement.text))
    shown = tuple(match.group().strip() for match in _DATE.finditer(text))
    bare = _DATE.sub(" ", text)
    claim = read_claim(bare, statement.language)
    return _Said(
        frame=_statement_frame(bare, statement.language),
        numbers=numbers(bare, statement.language),
        dates=frozenset(frozenset(part.casefold() for part in _DATE_PART.findall(date)) for date in shown),
        shown_dates=shown,
        labels=_names_with_numbers(bare),
        names=frozenset(_capitals(bare, statement.language)),
        negated=claim.negated,
    )


def _statement_frame(text: str, language: str) -> frozenset[str]:
    """Return the telling words without numbers and negations."""
    if language not in UNSPACED:
        denying = {term for word in negations(language).split() for term in terms(word, language)}
        return read_claim(text, language).terms - denying
    for mark in negations(language).split():
        text = text.replace(mark, "")
    return frozenset(query_terms(_HAN_NUMBER.sub(" ", re.sub(r"\d[\d.,]*", " ", text)), language))


def _are_similar_frames(one: frozenset[str], other: frozenset[str], language: str) -> bool:
    common = len(one & other)
    least = LEAST_COMMON_UNSPACED if language in UNSPACED else LEAST_COMMON
    shorter, longer = sorted((len(one), len(other)))
    return common >= least and common >= SHARE_OF_SHORTER * shorter and common >= SHARE_OF_LONGER * longer


def _same_subject(one: Statement, other: Statement) -> bool:
    """Say whether two statements can be about the same: what a pronoun stands for is looked for above it."""
    if not (_opens_with_pronoun(one) or _opens_with_pronoun(other)):
        return True
    above = [set(query_terms(statement.context, statement.language)) for statement in (one, other)]
    return bool(above[0] & above[1])


def _opens_with_pronoun(statement: Statement) -> bool:
    words = tuple(table("pronouns").get(statement.language, "").split())
    if statement.language in UNSPACED:
        return statement.text.startswith(words)
    first = _WORD.search(statement.text)
    return first is not None and first.group().casefold() in words


def _are_disjoint_dates(one: frozenset[frozenset[str]], other: frozenset[frozenset[str]]) -> bool:
    """Say whether both statements have dates, none of which is, or is part of, one of the other's."""
    return bool(one and other) and not any(a <= b or b <= a for a in one for b in other)


def _name_difference(question: str, one: Statement, other: Statement, a: _Said, b: _Said) -> Difference | None:
    language = one.language
    if language in UNSPACED or language in NO_NAMES_BY_CASE:
        slot = _slot(one.text, other.text, language) if _asks_for_one(question, language) else None
        if slot is None:
            return None
        said_a, said_b = slot
    else:
        said_a, said_b = (
            " ".join(n for n in _capitals(s.text, language) if n in x.names - y.names)
            for s, x, y in ((one, a, b), (other, b, a))
        )
    if not said_a or not said_b:
        return None
    frames = [said.frame - set(terms(name, language)) for said, name in ((a, said_a), (b, said_b))]
    asked = set(query_terms(question, language))
    if not asked.isdisjoint(terms(f"{said_a} {said_b}", language)):
        return None
    held = asked & frames[0] & frames[1]
    if not asked or len(held) < ASKED_SHARE * len(asked) or not _are_similar_frames(frames[0], frames[1], language):
        return None
    return Difference("name", said_a, said_b)


def _asks_for_one(question: str, language: str) -> bool:
    words = table("singular").get(language, "").split()
    if language in UNSPACED:
        return any(word in question for word in words)
    return not set(words).isdisjoint(word.casefold() for word in _WORD.findall(question))


def _capitals(text: str, language: str) -> tuple[str, ...]:
    """Return the words with a capital (in German, nouns too), save function words at the beginning of the sentence."""
    if language in UNSPACED:
        return ()
    words = [word.group() for word in _WORD.finditer(text)]
    telling = [word for i, word in enumerate(words) if i or _is_content_word(word, language)]
    return tuple(dict.fromkeys(word for word in telling if word[0].isupper() and len(word) > 1))


def _names_with_numbers(text: str) -> frozenset[str]:
    """Return names that end in a number: "HD 39", "Volume 3", "第4"."""
    found = _LABEL.findall(text)
    return frozenset(label for label in found if " " not in label or label[0].isupper())


def _is_content_word(word: str, language: str) -> bool:
    return bool(read_claim(f"x {word.casefold()}", language).terms - {"x"})


def _slot(one: str, other: str, language: str) -> tuple[str, str] | None:
    """Return the one place where two sentences differ: a few words, or characters, between the same ends."""
    unspaced = language in UNSPACED
    a, b = (list(text.strip(" 。.!！")) if unspaced else _WORD.findall(text) for text in (one, other))
    start = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), None)
    if start is None:
        return None
    back = next((i for i, (x, y) in enumerate(zip(a[::-1], b[::-1], strict=False)) if x != y), 0)
    end = min(back, len(a) - start - 1, len(b) - start - 1)
    middle_a, middle_b = a[start : len(a) - end], b[start : len(b) - end]
    widest = 2 * WIDEST_SLOT if unspaced else WIDEST_SLOT
    if max(len(middle_a), len(middle_b)) > widest:
        return None
    if language in NO_NAMES_BY_CASE and not all(words[-1][0].isupper() for words in (middle_a, middle_b)):
        return None
    joint = "" if unspaced else " "
    return joint.join(middle_a), joint.join(middle_b)


def grouped(pairs: Mapping[tuple[int, int], Difference]) -> list[tuple[str, dict[int, str]]]:
    """Join pairs that share a statement and differ in the same kind of thing: (what in, place → what it says there).

    >>> grouped({(0, 2): Difference("date", "1908", "1912"), (1, 2): Difference("date", "1908", "1912")})
    [('date', {0: '1908', 2: '1912', 1: '1908'})]
    """
    groups: list[tuple[str, dict[int, str]]] = []
    for (i, j), what in pairs.items():
        said = {i: what.one, j: what.other}
        group = next((group for on, group in groups if on == what.on and not group.keys().isdisjoint(said)), None)
        if group is None:
            groups.append((what.on, said))
        else:
            group.update({place: text for place, text in said.items() if place not in group})
    return groups
