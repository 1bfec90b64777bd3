"""Short forms that no list knows: how much speaks for a part of a name standing for a word, by its letters alone."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from functools import lru_cache

from rove.language.identifiers import consonants, has_in_order, is_word, meanings, parts

LEAST, MOST = 3, 6
"""Letters of a part of a name that may be a short form."""
MOST_JOINED = 10
"""Letters that all parts of a name may have together to be one: KND_NR, of Kundennummer."""
CUT_RUN = 0.7
"""What a part counts that is cut out of a run of letters, where a known word or short form is left: CUSTNAM."""
LISTED_OTHERWISE = 0.5
"""What a short form counts for a word where the list says that it stands for others."""


def may_stand_for(form: str, word: str) -> float:
    """Return how much speaks for a form standing for a longer word, 0 … 1; both are `fold_accents`.

    Its beginning counts most, then its first consonants, then other letters of it in their order: more where they are
    many of it, and where the last is its last. The first letters must be the same.

    >>> may_stand_for("sing", "singer"), may_stand_for("sngr", "singer"), may_stand_for("crs", "singer")
    (1.0, 0.9, 0.0)
    >>> 0.5 < may_stand_for("kunnr", "kundennummer") < 0.9
    True
    """
    if len(form) < LEAST or len(form) >= len(word) or form[0] != word[0]:
        return 0.0
    if word.startswith(form):
        found = 1.0
    elif consonants(word).startswith(form):
        found = 0.9
    elif has_in_order(form, word):
        at_end = form[-1] == word[-1] or (word[-1] == "s" and form[-1] == word[-2])
        found = 0.28 + 0.24 * at_end + 0.28 * min(1.0, 1.5 * len(form) / len(word))
        found -= 0.12 if len(form) == LEAST and not at_end else 0.0
    else:
        return 0.0
    listed = meanings(form)
    return found if not listed or any(word.startswith(one[:4]) for one in listed) else LISTED_OTHERWISE * found


@lru_cache(20_000)
def forms_in(name: str) -> Mapping[str, float]:
    """Return the parts of a name that may be short forms, each with what it counts.

    >>> forms_in("CUST_BDGTNAME"), forms_in("knd_nr"), forms_in("customer_name")
    ({'cust': 1.0, 'bdgt': 0.7}, {'knd': 1.0, 'kndnr': 0.7}, {})
    """
    found: dict[str, float] = {}
    own = [fold_accents(part) for part in parts(name) if part.isalpha()]
    for part in own:
        if not is_word(part):
            if LEAST <= len(part) <= MOST:
                found[part] = 1.0
            for cut in _cut_out(part):
                found.setdefault(cut, CUT_RUN)
    joined = "".join(own)
    if len(own) > 1 and len(joined) <= MOST_JOINED and not any(is_word(part) for part in own):
        found.setdefault(joined, CUT_RUN)
    return found


def fold_accents(word: str) -> str:
    """Return a word in lower case without accents.

    >>> fold_accents("Größe"), fold_accents("Név")
    ('grosse', 'nev')
    """
    spread = unicodedata.normalize("NFKD", word.casefold())
    return "".join(letter for letter in spread if not unicodedata.combining(letter))


def _cut_out(run: str) -> list[str]:
    """The beginning or the end of a run, where the rest of it is known."""
    found: list[str] = []
    for at in range(2, len(run) - 1):
        for one, rest in ((run[:at], run[at:]), (run[at:], run[:at])):
            if LEAST <= len(one) <= MOST and not is_word(one) and (is_word(rest) or meanings(rest)):
                found.append(one)
    return found
