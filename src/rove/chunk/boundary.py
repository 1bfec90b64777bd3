"""Where a text may be cut: blank line, line, sentence, clause, word, character, the best first."""

from __future__ import annotations

import re
from unicodedata import category

_CLOSERS = "\"'”’»)\\]"
_WIDE_CLOSERS = "」』”’）》】"
# A full stop after one letter or after a digit is an abbreviation or an ordinal more often than an end (z. B., 3. Mai),
# and so is one before a small letter (2024. január).
# Each pattern begins with its set of marks: with the sets inside alternatives it takes eight times as long.
_SENTENCE = (
    rf"[.!?…؟۔।。！？｡](?:(?<=[。！？｡])[{_WIDE_CLOSERS}]*(?=[^{_WIDE_CLOSERS}])"
    rf"|(?<!\W\w\.)(?<!\d\.)[{_CLOSERS}]*(?=\s(?![a-zà-öø-ÿа-я])))"
)
_CLAUSE = r"[,;:،؛、，；：](?:(?<=[、，；：])(?=.)|(?=\s))"
_SPACE = r"(?=\s)"
# Each kind twice: the first in a window, and the last (a greedy run to the window's end that steps back from there).
_KINDS = tuple(
    (re.compile(pattern, re.DOTALL), re.compile(f".*{pattern}", re.DOTALL)) for pattern in (_SENTENCE, _CLAUSE, _SPACE)
)
_FIRST_SENTENCE, _FIRST_CLAUSE = _KINDS[0][0], _KINDS[1][0]
_WORD_START = re.compile(r"\s\S")
_NOT_SPACE = re.compile(r"\S")
_JOINER, _REGIONAL = "\u200d", ("\U0001f1e6", "\U0001f1ff")
# Skin tones; the vowels and finals of decomposed Korean; the tags in the flags of regions.
_NEVER_FIRST = (("\U0001f3fb", "\U0001f3ff"), ("\u1160", "\u11ff"), ("\U000e0020", "\U000e007f"))
# No character that people write is longer; what is, is cut.
_LONGEST_CHARACTER = 32


def trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the span without white space at its ends; (end, end) where it is blank.

    >>> trimmed("a  b c ", 1, 7)
    (3, 6)
    """
    found = _NOT_SPACE.search(text, start, end)
    if found is None:
        return end, end
    while text[end - 1].isspace():
        end -= 1
    return found.start(), end


def skip_space(text: str, start: int, end: int) -> int:
    """Return the first offset in start..end that is not white space; `end` where there is none."""
    found = _NOT_SPACE.search(text, start, end)
    return found.start() if found else end


def best_break(text: str, low: int, target: int, high: int) -> int:
    """Return where to cut in low..high: the best kind of place, and of that kind the nearest to `target`.

    Kinds, best first: blank line, line end, sentence end, clause end, white space, between two characters. The
    character at `high` is looked at, so `high < len(text)`; cost is linear in the window.
    """
    for mark in ("\n\n", "\n"):
        before = text.rfind(mark, low, target + len(mark))
        after = text.find(mark, target, high + len(mark)) if target < high else -1
        if before >= 0 or after >= 0:
            return _nearer(before, target, after)
    for first, last in _KINDS:
        match = last.match(text, low, target + 1)
        before = match.end() if match else -1
        match = first.search(text, target, high + 1) if target < high else None
        after = match.end() if match else -1
        if before >= 0 or after >= 0:
            return whole_character(text, low, _nearer(before, target, after))
    return whole_character(text, low, target)


def _nearer(before: int, target: int, after: int) -> int:
    if before < 0 or after < 0:
        return max(before, after)
    return before if target - before <= after - target else after


def overlap_start(text: str, low: int, high: int) -> int:
    """Return where an overlap within low..high should begin: a sentence's start, else a word's, a clause's, `low`."""
    match = _FIRST_SENTENCE.search(text, low, high)
    if match and (start := skip_space(text, match.end(), high)) < high:
        return start
    match = _WORD_START.search(text, max(low - 1, 0), high)
    if match:
        return match.end() - 1
    match = _FIRST_CLAUSE.search(text, low, high)
    if match:
        return match.end()
    while low < high and continues(text, low):
        low += 1
    return skip_space(text, low, high)


def whole_character(text: str, low: int, at: int) -> int:
    """Return the last offset in low..at that does not part one written character; `at` where there is none near."""
    floor = max(low, at - _LONGEST_CHARACTER)
    for offset in range(at, floor - 1, -1):
        if not continues(text, offset):
            return offset
    return at


def continues(text: str, at: int) -> bool:
    r"""Say whether the character at `at` belongs to the written character before it.

    True for marks, joined emoji, skin tones, the second half of a flag, Korean vowels, a low surrogate, \n after \r.

    >>> [continues("e\u0301x\r\n", at) for at in range(5)]
    [False, True, False, False, True]
    """
    if not 0 < at < len(text):
        return False
    here, before = text[at], text[at - 1]
    if here < "\u0300" and before != _JOINER:
        return here == "\n" and before == "\r"
    if before.isspace():
        return False
    if here == _JOINER or before == _JOINER or category(here)[0] == "M":
        return True
    if "\udc00" <= here <= "\udfff":
        return "\ud800" <= before <= "\udbff"
    if _REGIONAL[0] <= here <= _REGIONAL[1]:
        return _flags_before(text, at) % 2 == 1
    return any(first <= here <= last for first, last in _NEVER_FIRST)


def _flags_before(text: str, at: int) -> int:
    count = 0
    while count < at and count < _LONGEST_CHARACTER and _REGIONAL[0] <= text[at - 1 - count] <= _REGIONAL[1]:
        count += 1
    return count
