"""The sign of a number: a minus before it or its currency, "minus" in words, △ and brackets in accounts."""

from __future__ import annotations

from functools import cache

import regex

from rove.language.quantities.dates import any_of
from rove.language.quantities.numbers import number_end
from rove.language.quantities.spelled import numeral_words

BESIDE = 12
"""How far before a number "minus" may begin, in characters."""
BEFORE_BRACKET = 14
_SIGN = regex.compile(r"(?<![\w)\]%])[-−–△▲+±][ \u00a0]?$")
_BRACKETED = regex.compile(r"(?:^|[|\t])\s{0,3}\(\s{0,3}(?:\p{Sc}|[A-Z]{3})?\s{0,3}$")
_BRACKET_END = regex.compile(r"[^\d|]{0,6}\)\s{0,3}(?:$|[|\t])")


def sign_before(text: str, small: str, start: int, first: int, language: str) -> tuple[float, int]:
    """Return 1 or -1, and where the amount begins with its sign.

    `start`: of the number; `first`: of its currency, where that stands before it.
    """
    for at in dict.fromkeys((first, start)):
        found = _SIGN.search(text, max(at - 3, 0), at)
        if found and _is_sign(text, found.start(), found[0][0], language):
            return (1.0 if found[0][0] in "+±" else -1.0), min(found.start(), first)
    if found := _minus_word_pattern().search(small, max(first - BESIDE, 0), first):
        return -1.0, found.start()
    opens = _BRACKETED.search(text[max(first - BEFORE_BRACKET, 0) : first])
    if opens and _BRACKET_END.match(text, number_end(text, start)):
        return -1.0, first
    return 1.0, first


def _is_sign(text: str, at: int, mark: str, language: str) -> bool:
    """Whether a mark is a sign: ▲ rises outside of Japan, and a dash with a space behind it is none."""
    if mark == "▲":
        return language in {"ja", ""}
    if mark not in "–-−":
        return True
    before, spaced = text[at - 1 : at], text[at + 1 : at + 2] in {" ", "\u00a0"}
    if spaced or not (not before or before.isspace() or before in "([|:=€$£¥,;~"):
        return False
    return mark != "–" or not before.isspace() or not text[at - 2 : at - 1].isdigit()


@cache
def _minus_word_pattern() -> regex.Pattern[str]:
    words = numeral_words("minus")["words"].split()
    spaced = any_of([word for word in words if ord(word[0]) < 0x2E80])
    unspaced = any_of([word for word in words if ord(word[0]) >= 0x2E80])
    return regex.compile(rf"(?:(?<!\w)(?:{spaced})[ \u00a0]|{unspaced})$")
