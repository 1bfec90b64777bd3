"""The names in a question, and whether a text has them. Pure."""

from __future__ import annotations

import re
import unicodedata

from rove.enrich.entities import CAPITALISED_NOUNS, mentions
from rove.language.folding import fold_words
from rove.language.relative_days import is_day_or_month

LEAST_STEM, ENDING = 3, 2
"""Letters of a word that stay as they are, and those at its end that inflection may change or add."""
_CELL = re.compile(r"(?<=\|)[^|\n]+(?=\|)")


def question_names(question: str, language: str) -> frozenset[str]:
    """Return the names of a question, their letters alone; of languages that write all nouns so, none."""
    if language in CAPITALISED_NOUNS:
        return frozenset()
    named = [m.name for m in mentions(question, language) if m.sure and not is_day_or_month(m.name, language)]
    return frozenset(filter(None, map(fold_words, named)))


def has_name(text: str, name: str) -> bool:
    """Say whether a text has a name of `question_names`, with any endings; in a table's cell in any order.

    >>> has_name("| Beltrán Asensio Rosario | 33 |", "rosario beltrán"), has_name("Bodnár Éva", "bodnár évát")
    (True, True)
    >>> has_name("observatories near Ardley", "ardley observatory")
    False
    """
    if name in fold_words(text):
        return True
    stems = [word if len(word) <= LEAST_STEM else word[: max(LEAST_STEM, len(word) - ENDING)] for word in _bare(name)]
    if len(stems) == 1 and len(name) <= LEAST_STEM + ENDING:
        return False
    said = _bare(fold_words(text))
    for at in range(len(said) - len(stems) + 1):
        if all(map(_is_form_of, said[at:], stems)):
            return True
    cells = (_bare(fold_words(cell)) for cell in _CELL.findall(text))
    return any(all(any(_is_form_of(one, stem) for one in cell) for stem in stems) for cell in cells)


def _is_form_of(word: str, stem: str) -> bool:
    return word.startswith(stem) and len(word) <= len(stem) + 2 * ENDING


def _bare(text: str) -> list[str]:
    """Return words without accents, which inflection changes as well."""
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c)).split()
