"""Small sets of words that turn what a text says: those that deny, that say whence and whither, and that ask."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import cast

import regex

UNSPACED = frozenset({"zh", "ja", "ko", "th"})
"""Languages whose cue words are pieces found anywhere."""
_WORD = regex.compile(r"[^\W\d_]++(?:['’][^\W\d_]++)*+['’]?")


def has_any(text: str, words: str, language: str) -> bool:
    """Say whether a text holds one of these words, space-joined; of an unspaced script, a piece of it."""
    text = text.casefold().replace("’", "'")
    if language in UNSPACED:
        return any(word in text for word in words.split())
    return not set(words.split()).isdisjoint(_WORD.findall(text))


def negations(language: str) -> str:
    """Return what turns a sentence of a language into its contrary, space-joined; "" where it is not known."""
    return cast("Mapping[str, str]", _load_cue_words("negations")).get(language, "")


def negates(text: str, language: str) -> bool:
    """Say whether a text holds a word of negation.

    >>> negates("It isn't allowed.", "en"), negates("这是不允许的。", "zh"), negates("Es ist erlaubt.", "de")
    (True, True, False)
    """
    return has_any(text, negations(language), language)


def directions(text: str, language: str) -> frozenset[str]:
    """Return the words of a text that say whence, whither, before or after.

    >>> sorted(directions("How do I log in after noon?", "en")), directions("怎么登录？", "zh")
    (['after', 'in'], frozenset())
    """
    words = cast("Mapping[str, str]", _load_cue_words("directions")).get(language, "")
    return frozenset(_WORD.findall(text.casefold())).intersection(words.split())


def asks_for(question: str, language: str) -> frozenset[str]:
    """Say what a question asks for: "count", "when", "where", "who", "why", "how", "what"; several, or none.

    >>> asks_for("How many people live where?", "en") == {"count", "where"}, asks_for("何歳ですか", "ja")
    (True, frozenset({'count'}))
    """
    pattern, kinds = _asking(language)
    return frozenset(kinds[match[0]] for match in pattern.finditer(question.casefold())) if kinds else frozenset()


def asking_spans(question: str, language: str) -> list[tuple[int, int]]:
    """Return where the words stand that ask: "who", "how many", 什么.

    >>> asking_spans("Since when?", "en"), asking_spans("他是谁？", "zh")
    ([(6, 10)], [(2, 3)])
    """
    pattern, kinds = _asking(language)
    folded = question.casefold()
    return [match.span() for match in pattern.finditer(folded)] if kinds and len(folded) == len(question) else []


@cache
def _asking(language: str) -> tuple[regex.Pattern[str], Mapping[str, str]]:
    """Return what finds the words that ask, the longest first, and what each asks for."""
    kinds: dict[str, str] = {}
    for kind, words in cast("Mapping[str, Mapping[str, str]]", _load_cue_words("question_words")).items():
        for word in filter(None, words.get(language, "").split("|")):
            kinds.setdefault(word, kind)
    some = "|".join(regex.escape(word) for word in sorted(kinds, key=len, reverse=True))
    return regex.compile(some if language in UNSPACED else rf"\b(?:{some})\b"), kinds


@cache
def _load_cue_words(name: str) -> Mapping[str, object]:
    return tomllib.loads(Path(__file__).with_name(f"{name}.toml").read_text("utf-8"))
