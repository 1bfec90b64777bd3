"""Function words by language: a search can do without them, and they tell which language a text is in."""

from __future__ import annotations

from functools import cache
from pathlib import Path

_FILE = Path(__file__).with_suffix(".txt")


@cache
def _lists() -> dict[str, frozenset[str]]:
    lines = _FILE.read_text(encoding="utf-8").splitlines()
    rows = [line.split() for line in lines if line and not line.startswith("#")]
    return {row[0]: frozenset(row[1:]) for row in rows}


def stop_words(language: str) -> frozenset[str]:
    """Return the lower-case function words of a language; empty for a language without a list.

    >>> "the" in stop_words("en"), stop_words("und")
    (True, frozenset())
    """
    return _lists().get(language, frozenset())


@cache
def languages_of() -> dict[str, tuple[str, ...]]:
    """Return, for each function word, the languages that have it.

    >>> "hu" in languages_of()["nem"]
    True
    """
    found: dict[str, list[str]] = {}
    for language, words in _lists().items():
        for word in words:
            found.setdefault(word, []).append(language)
    return {word: tuple(languages) for word, languages in found.items()}
