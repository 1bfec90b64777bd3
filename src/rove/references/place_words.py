"""The words by which texts name places: sections, annexes, tables, pages and others, in many languages, as tables."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

LANGUAGES = ["en", "de", "hu", "zh", "ja", "fr", "es", "it", "pt", "nl", "pl", "cs", "sv", "ru", "uk", "tr", "ko"]
"""In the order in which a word that means different things counts, where the language of the text does not say."""
APPENDED = frozenset({"appendix", "schedule", "exhibit", "attachment", "form"})
"""Units that often are documents of their own."""
LEVELS: Mapping[str, int] = {
    "part": 1,
    "appendix": 2, "schedule": 2, "exhibit": 2, "attachment": 2, "form": 2,
    "chapter": 3,
    "section": 4,
    "article": 5, "rule": 5,
    "paragraph": 6,
    "sentence": 7, "item": 8,
    "row": 9, "table": 9, "figure": 9, "box": 9, "page": 9, "note": 9,
}  # fmt: skip
"""How deep a unit lies: one of a lower level holds those of higher ones."""
SHORTEST_STEM = 2
ACCENTED = 5  # letters of a word that is known without its accents too, as file names write it


@dataclass(frozen=True, slots=True)
class PlaceWord:
    """What a word before or after a number says: which unit it numbers.

    `key`: the word's plain beginning, the same for its forms. `plural`: it introduces several numbers. `own`: it counts
    in texts of its language only; `inner`: only beside a place that it lies within; `ordinal`: only after a number that
    is written as an ordinal ("3rd").
    """

    unit: str
    language: str
    key: str
    plural: bool = False
    own: bool = False
    inner: bool = False
    ordinal: bool = False


@dataclass(frozen=True, slots=True)
class WordTable:
    """Words by their letters, small: those that are written out whole, and those that may go on."""

    whole: dict[str, list[PlaceWord]] = field(default_factory=dict[str, list[PlaceWord]])
    stems: dict[str, list[PlaceWord]] = field(default_factory=dict[str, list[PlaceWord]])

    def find(self, word: str, language: str = "") -> PlaceWord | None:
        """Return what a word says in a text of that language; None where it says nothing."""
        small = word.casefold()
        found = [*self.whole.get(small, ())]
        for size in range(len(small), SHORTEST_STEM - 1, -1):
            found += self.stems.get(small[:size], ())
        fitting = [one for one in found if not one.own or language in {one.language, "", "und"}]
        return next((one for one in fitting if one.language == language), next(iter(fitting), None))

    def add(self, told: str, word: PlaceWord) -> None:
        """Add a word as the tables write it: `*` where it may go on, `_` a space; a long one without accents too."""
        table = self.stems if told.endswith("*") else self.whole
        small = told.rstrip("*").replace("_", " ").casefold()
        bare = plain_word(small) if len(small) >= ACCENTED and small.isalpha() else small
        for form in dict.fromkeys((small, bare)):
            table.setdefault(form, []).append(word)


@dataclass(frozen=True, slots=True)
class PlaceWords:
    """All tables together.

    `wide`, `joined` and `counted` are by unit: see `zh.toml`. `described`: patterns of places
    that are described, each with marks of which a text has to hold one.
    """

    before: WordTable
    after: WordTable
    wide: Mapping[str, Sequence[str]]
    joined: Mapping[str, Sequence[str]]
    counted: Mapping[str, Sequence[str]]
    titles: Sequence[str]
    described: Sequence[tuple[Sequence[str], str]]
    words: Mapping[str, Sequence[str]]
    numbers: Mapping[str, str]


@cache
def place_words() -> PlaceWords:
    """Read the tables, once."""
    told = {language: _load_place_word_table(language) for language in LANGUAGES}
    before, after = WordTable(), WordTable()
    for language, table in told.items():
        for name, goal in (("before", before), ("own", before), ("inner", before), ("after", after), ("inner", after)):
            for word, made in _parse_place_words(language, name, table.get(name, {})):
                goal.add(word, made)
    for found in before.whole.values():  # what is a place by itself in one language is no inner one there
        found.sort(key=lambda one: one.inner)
    return PlaceWords(
        before,
        after,
        *(_merge_language_tables(told, name) for name in ("wide", "joined", "counted")),
        titles=[title for table in told.values() for title in table.get("titles", {}).get("section", "").split()],
        described=[
            (patterns["marks"].split(), pattern)
            for table in told.values()
            if (patterns := table.get("patterns"))
            for pattern in patterns["described"]
        ],
        words=_merge_language_tables(told, "words"),
        numbers={
            word: str(at)
            for table in told.values()
            for at, word in enumerate(table["words"].get("numbers", "").split(), 1)
        },
    )


def either(words: Sequence[str]) -> str:
    """Return a part of a regular expression for any of these words, the longest first; a space is any."""
    ordered = sorted({word for word in words if word}, key=lambda word: (-len(word), word))
    return "|".join(_place_word_pattern(word) for word in ordered)


def plain_word(word: str) -> str:
    """Return a word's letters, small, without accents or punctuation, as file names write it.

    >>> plain_word("Melléklet."), plain_word("附件")
    ('melleklet', '附件')
    """
    apart = unicodedata.normalize("NFKD", word.casefold())
    return unicodedata.normalize(
        "NFC", "".join(one for one in apart if one.isalnum() and not unicodedata.combining(one))
    )


def _load_place_word_table(language: str) -> Mapping[str, Mapping[str, Any]]:
    return tomllib.loads(files("rove.references").joinpath("places", f"{language}.toml").read_text("utf-8"))


def _parse_place_words(language: str, name: str, table: Mapping[str, str]) -> Iterator[tuple[str, PlaceWord]]:
    own, inner = name == "own", name == "inner"
    for unit, told in table.items():
        key = ""
        for word in told.split():
            plural = word.startswith("+")
            bare = word.lstrip("+")
            if unit == "ordinal":
                yield bare, PlaceWord(_unit_of(bare), language, plain_word(bare), ordinal=True)
                continue
            beginning = plain_word(bare)
            key = key if key and not inner and _has_same_word_start(key, beginning) else beginning
            yield bare, PlaceWord(unit, language, key, plural, own, inner)


_ORDINAL_UNITS = {
    "partie": "part",
    "chapitre": "chapter",
    "alinéa": "paragraph",
    "annex": "appendix",
    "clause": "section",
}


def _unit_of(word: str) -> str:
    return _ORDINAL_UNITS.get(word, word)


def _has_same_word_start(one: str, other: str) -> bool:
    size = min(len(one), len(other), 4)
    return size > 1 and one[:size] == other[:size]


def _merge_language_tables(told: Mapping[str, Mapping[str, Mapping[str, Any]]], name: str) -> dict[str, list[str]]:
    merged: dict[str, list[str]] = {}
    for table in told.values():
        for key, words in table.get(name, {}).items():
            merged.setdefault(key, []).extend(word.replace("_", " ") for word in words.split())
    return merged


def _place_word_pattern(word: str) -> str:
    return re.escape(word.rstrip("*")).replace("\\ ", r"\s") + (r"[^\W\d_]*" if word.endswith("*") else "")
