"""Words found in a text as they stand there: whatever their case and width, and across line breaks and marks."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rove.language.scripts import is_unspaced
from rove.records.document import Span

_BETWEEN = r"[\s*_`~|\\]++"
_MARKS = "*_`~|\\"
_LETTERS = 200
_NARROW = {**{wide: wide - 0xFEE0 for wide in range(0xFF01, 0xFF5F)}, 0x3000: 0x20}
"""Latin letters and signs of full width, as Chinese and Japanese texts have them."""


def find_words(text: str, words: str) -> Iterator[Span]:
    r"""Yield where words stand in a text, one after the other, marks of markdown between them or not.

    >>> list(find_words("Who **may** go.\nWho\nmay stay?", "who MAY"))
    [(0, 9), (16, 23)]
    """
    given = _fold_case_and_width(words[:_LETTERS]).split()
    if not given:
        return
    bare = [stripped for word in given if (stripped := word.strip(_MARKS))]
    between, wanted = (_BETWEEN, bare) if bare else (r"\s++", given)  # marks alone are looked for as they are
    for found in re.finditer(between.join(map(re.escape, wanted)), _fold_case_and_width(text)):
        yield found.span()


def has_word(text: str, word: str) -> bool:
    """Say whether a word, or several in a row, stands in a text as it is written, and not within a longer word.

    In Chinese, Japanese and Thai, which have no spaces, every place counts.

    >>> has_word("Class 12 of art", "art"), has_word("Class 12 of parts", "art"), has_word("价格表A12的价格", "A12")
    (True, False, True)
    """
    at = text.find(word)
    while at >= 0:
        end = at + len(word)
        if not (_is_of_one_word(text[at - 1 : at], word[:1]) or _is_of_one_word(word[-1:], text[end : end + 1])):
            return True
        at = text.find(word, at + 1)
    return False


def _is_of_one_word(left: str, right: str) -> bool:
    """Say whether two neighbours, each one character or none, are of one word."""
    both = (left.isalnum() or left == "_") and (right.isalnum() or right == "_")
    return both and not (is_unspaced(left) or is_unspaced(right))


def _fold_case_and_width(text: str) -> str:
    """Letters in one case and of one width, each still one character."""
    narrow = text.translate(_NARROW)
    lower = narrow.lower()
    return lower if len(lower) == len(text) else "".join(c.lower() if len(c.lower()) == 1 else c for c in narrow)
