"""A sentence as words, and the noun phrases in it: what the rules of the languages with spaces have in common."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Container, Sequence
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import NamedTuple

from rove.enrich.triplets.said import MOST_CHARS

MOST_WORDS = 9
"""A longer noun phrase is a clause."""
MOST_ITEMS = 8
MOST_NAME_WORDS = 4
MOST_ASIDE = 16
"""Words that may stand between a subject and its verb, in brackets or between commas."""
_WORD = re.compile(
    r"(?:[^\W\d_]\.){1,4}(?!\w)|(?:St|Dr|Mr|Mrs|Ms|Jr|Sr|Hon|Rev|Col|Gen|Capt|Lt|Nr|No|bzw|ca)\.(?= )"
    r"|\d+(?:[.,:]\d+)*|\w+(?:[-'’&./]\w+)*|[^\w\s]"
)
_OPENING = {'"': '"', "“": "”", "„": "“", "«": "»", "‘": "’", "»": "«", "*": "*", "`": "`"}
_MARKS = frozenset("()[],;:—–-")


class Word(NamedTuple):
    """A word or a mark, as it stands at `start` … `end` of its sentence."""

    text: str
    low: str
    start: int
    end: int

    @property
    def is_mark(self) -> bool:
        """True for what is no word."""
        return not self.text[0].isalnum()

    @property
    def is_capital(self) -> bool:
        """True for a word that begins with a capital."""
        return self.text[0].isupper()


@dataclass(frozen=True, slots=True)
class Lexicon:
    """What the rules know of one language. See words.toml."""

    openers: frozenset[str] = frozenset()
    pronouns: frozenset[str] = frozenset()
    these: frozenset[str] = frozenset()
    articles: frozenset[str] = frozenset()
    be: frozenset[str] = frozenset()
    become: frozenset[str] = frozenset()
    have: frozenset[str] = frozenset()
    adverbs: frozenset[str] = frozenset()
    joins: frozenset[str] = frozenset()
    verbs: frozenset[str] = frozenset()
    leading: frozenset[str] = frozenset()
    participles: frozenset[str] = frozenset()
    prepositions: frozenset[str] = frozenset()
    within: frozenset[str] = frozenset()
    kind_within: frozenset[str] = frozenset()
    ends: frozenset[str] = frozenset()
    doubts: frozenset[str] = frozenset()
    who: frozenset[str] = frozenset()
    own: frozenset[str] = frozenset()
    onward: frozenset[str] = frozenset()
    apart: frozenset[str] = frozenset()
    vague: frozenset[str] = frozenset()
    trailing: frozenset[str] = frozenset()


class Phrase(NamedTuple):
    """A noun phrase without its article: `sentence[start:end]`; the word after it is number `next`."""

    start: int
    end: int
    next: int


@cache
def lexicon(language: str) -> Lexicon:
    """Return what is known of a language; empty where nothing is."""
    table = tomllib.loads(Path(__file__).with_name("words.toml").read_text("utf-8")).get(language, {})
    return Lexicon(**{one.name: frozenset(table.get(one.name, "").split()) for one in fields(Lexicon)})


def words_of(sentence: str) -> list[Word]:
    """Return the words and marks of a sentence.

    >>> [word.text for word in words_of("J. Smith (b. 1950) won 3,000 dollars.")]
    ['J.', 'Smith', '(', 'b.', '1950', ')', 'won', '3,000', 'dollars', '.']
    """
    return [Word(match[0], match[0].casefold(), *match.span()) for match in _WORD.finditer(sentence)]


def asserts(words: Sequence[Word], known: Lexicon) -> bool:
    """Say whether a sentence states something: it asks nothing, denies nothing, and is sure."""
    return bool(words) and words[-1].text not in "?？" and not any(word.low in known.doubts for word in words)


def quoted(words: Sequence[Word], at: int) -> Phrase | None:
    """Return what stands between the quotation marks that open there; None where none do."""
    closing = _OPENING.get(words[at].text) if at < len(words) else None
    if closing is None:
        return None
    for end in range(at + 1, min(at + MOST_ASIDE, len(words))):
        if words[end].text == closing:
            return Phrase(words[at + 1].start, words[end - 1].end, end + 1) if end > at + 1 else None
    return None


def fits(phrase: Phrase) -> bool:
    """Say whether a phrase is short enough for a thing."""
    return 1 < phrase.end - phrase.start <= MOST_CHARS


def after_aside(words: Sequence[Word], at: int, *, commas: bool = True) -> int:
    """Return where the sentence goes on after what stands there in brackets, or between commas."""
    closing = {"(": ")", "[": "]"} | ({",": ","} if commas else {})
    while at < len(words) and (close := closing.get(words[at].text)):
        end = next((n for n in range(at + 1, min(at + MOST_ASIDE, len(words))) if words[n].text == close), 0)
        if not end:
            return at
        at = end + 1
    return at


def skipped(words: Sequence[Word], at: int, these: Container[str]) -> int:
    """Return where the first word stands, from here on, that is none of these."""
    while at < len(words) and words[at].low in these:
        at += 1
    return at


def is_end(words: Sequence[Word], at: int) -> bool:
    """Say whether a clause ends there: at a mark, or with the sentence."""
    return at >= len(words) or words[at].is_mark


def is_bracket_or_comma(word: Word) -> bool:
    """Say whether a mark parts phrases."""
    return word.text in _MARKS


def shorter(about: str) -> set[str]:
    """The words that stand for a name of a few: its first, and its last."""
    words = about.split()
    return {words[0], words[-1]} if 1 < len(words) <= MOST_NAME_WORDS else set()
