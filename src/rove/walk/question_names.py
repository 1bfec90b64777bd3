"""The names in a question, and whether a text has them. Pure."""

from __future__ import annotations

import re
import unicodedata
from os.path import commonprefix

from rove.enrich.entities import CAPITALISED_NOUNS, mentions
from rove.language.folding import fold_words
from rove.language.relative_days import is_day_or_month

LEAST_STEM, ENDING = 3, 4
"""Letters that two forms of a word have in common, all but one of the shorter, and those at the end of the longer."""
LEAST_ALONE = 6
"""Letters of a name that may have an ending."""
_CELL = re.compile(r"(?<=\|)[^|\n]+(?=\|)")


def question_names(question: str, language: str) -> frozenset[str]:
    """Return the names of a question, their letters alone; of languages that write all nouns so, none."""
    if language in CAPITALISED_NOUNS:
        return frozenset()
    named = [m.name for m in mentions(question, language) if m.sure and not is_day_or_month(m.name, language)]
    return frozenset(filter(None, map(fold_words, named)))


def has_name(text: str, name: str) -> bool:
    """Say whether a text has a name of `question_names`, with any endings; in a table's cell in any order.

    >>> has_name("| Beltrán Asensio Rosario | 33 |", "rosario beltrán"), has_name("Kerekes Imre", "kerekes imrének")
    (True, True)
    >>> has_name("observatories near Ardley", "ardley observatory")
    False
    """
    if name in fold_words(text):
        return True
    words, said = _bare(name), _bare(fold_words(text))
    if len(name) < LEAST_ALONE:
        return False
    for at in range(len(said) - len(words) + 1):
        if all(map(_are_forms, said[at:], words)):
            return True
    cells = (_bare(fold_words(cell)) for cell in _CELL.findall(text))
    return any(all(any(_are_forms(one, word) for one in cell) for word in words) for cell in cells)


def _are_forms(one: str, other: str) -> bool:
    """Say whether two words may be forms of one: "imre", "imrenek"."""
    if one == other or not (one + other).isalpha():
        return one == other
    common = len(commonprefix([one, other]))
    return common >= max(LEAST_STEM, min(len(one), len(other)) - 1) and max(len(one), len(other)) - common <= ENDING


def _bare(text: str) -> list[str]:
    """Return words without accents, which inflection changes as well."""
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c)).split()
