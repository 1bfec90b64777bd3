"""Keys of names: what the spellings of one name share, in every language."""

from __future__ import annotations

import sys
from functools import lru_cache

import regex

from rove.language.stopwords import stop_words
from rove.language.words import CACHED_CHARS, query_terms

MAX_KEY_TERMS = 12
REMEMBERED = 2_000
"""Names whose keys are cached; some 650 bytes each, with the words in them."""
JOINT = "_"

_IDEOGRAPH = regex.compile(r"[\p{Han}〇]")
_EDGES = regex.compile(r"^\W+|\W+$")
_ENDS = (")", "）", "]")
_ASIDE = regex.compile(r"(?<!\s)\s*+[(（\[][^()（）\[\]]*[)）\]]")


@lru_cache(REMEMBERED)
def name_key(name: str, language: str) -> str:
    """Return what the spellings of a name share: its terms, joined by "_"; "" where it has none.

    >>> name_key("The Beatles", "en") == name_key("Beatles'", "en"), name_key("Petőfi Sándornak", "hu")
    (True, 'petof_sandor')
    """
    return sys.intern(JOINT.join(telling_terms(name, language)[:MAX_KEY_TERMS]))


def title_keys(title: str, language: str) -> list[str]:
    """Return the keys that a title answers to: as it stands, and without what it says in parentheses.

    >>> title_keys("Mark King (musician)", "en")
    ['mark_king_musician', 'mark_king']
    """
    bare = _ASIDE.sub("", title) if title.endswith(_ENDS) else title
    keys = [name_key(title, language)] if bare == title else [name_key(title, language), name_key(bare, language)]
    return [key for key in dict.fromkeys(keys) if len(key) > 1]


def telling_terms(text: str, language: str) -> list[str]:
    """Return the terms of a text as keys of names hold them: in order, without function words.

    Scripts without spaces give their pairs only, so that a key is a run of these wherever its name stands.

    >>> telling_terms("The Lord of the Rings", "en"), telling_terms("黒澤明監督", "ja")
    (['lord', 'ring'], ['黒澤', '澤明', '明監', '監督'])
    """
    found = [
        term
        for piece in text.split()
        for term in (_known(piece, language) if len(piece) <= CACHED_CHARS else _of_piece(piece, language))
    ]
    return found or query_terms(text, language)


def _of_piece(piece: str, language: str) -> tuple[str, ...]:
    """The terms of what stands between two spaces, none where it is a function word."""
    word = piece if piece.isalnum() else _EDGES.sub("", piece)
    if not word or (word.casefold() in stop_words(language) and not (len(word) > 1 and word.isupper())):
        return ()
    found = query_terms(word, language)
    if not word.isascii():
        found = [term for term in found if len(term) > 1 or not _IDEOGRAPH.match(term)] or found
    return tuple(found)


_known = lru_cache(REMEMBERED)(_of_piece)
