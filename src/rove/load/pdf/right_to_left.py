"""Lines with right-to-left letters: from where their characters stand on a page to the words in reading order.

The levels of Unicode's bidirectional algorithm (UAX 9) are given back to a line as it is seen, and its runs turned
about by them once more: numbers and words of other scripts stay as they are.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby, pairwise

from rove.load.layout.lines import GAP, at_one_height
from rove.load.layout.printed import Word, around

SPACE, BESIDE_SPACES = 0.12, 0.23  # of the letters' size: a wider gap is a space, also on a line that has spaces
PAIRS = {"(": ")", "[": "]", "{": "}", "«": "»"}
MIRRORED = PAIRS | {close: mark for mark, close in PAIRS.items()}
CLASSES = {"AL": "R", "EN": "E", "AN": "A", "ET": "T", "ES": "S", "CS": "C", "NSM": "M", "L": "L", "R": "R"}
LAM, ALEFS = "\u0644", "\u0622\u0623\u0625\u0627"
STRAY_STOP = re.compile(r"[.,;:!?…]+[^\W_]")
NOT_RTL, NOT_LTR = re.compile(r"[^R]+"), re.compile(r"R(?:[^L]*R)?")
NUMBER = re.compile(r"T{0,8}+E+(?:[SC]E+)*T*|A+(?:CA+)*")
INNER = re.compile(r"(?:T{0,8}+E|[LA])(?:.*(?:ET*|[LA]))?")


def words_as_read(chars: Sequence[Word]) -> Iterator[Word]:
    """Yield the words of a page's lines with right-to-left letters; each of `chars` is one character with its place.

    A word's place is that of its first run of one direction, by which the words of a line are put in order again.
    """
    for row in at_one_height(chars):
        segment = row[:1]
        for before, char in pairwise(row):
            if char.left - before.right > GAP * max(before.size, char.size):
                yield from _bidi_line_words(segment)
                segment = []
            segment.append(char)
        if segment:
            yield from _bidi_line_words(segment)


def in_shares(chars: Sequence[Word]) -> Iterator[Word]:
    """Yield the characters of one sign, a ligature, each at its share of the place."""
    turned = any(unicodedata.bidirectional(char.text[0]) in ("R", "AL") for char in chars)
    if len(chars) == 2 and chars[1].text == LAM and chars[0].text in ALEFS:  # there is no ligature of alef and lam
        chars = chars[::-1]
    for number, char in enumerate(chars):
        part = char.width / len(chars)
        left = char.left + part * (len(chars) - 1 - number if turned else number)
        yield replace(char, left=left, right=left + part)


def _bidi_line_words(chars: Sequence[Word]) -> Iterator[Word]:
    seen = _insert_gap_spaces(_with_marks(chars))
    levels = _bidi_levels([char.text for char in seen])
    order = [*range(len(seen))]
    for level in (2, 1):
        order = [
            place
            for high, run in groupby(order, key=lambda place: levels[place] >= level)
            for place in (reversed([*run]) if high else run)
        ]
    read = [seen[place] for place in order]
    texts = _orient_bidi_brackets([char.text for char in read])
    word: list[Word] = []
    for char, text, place in zip([*read, None], [*texts, " "], [*order, 0], strict=True):
        if char is not None and text != " ":
            word.append(replace(char, text=text, note=levels[place] % 2 == 1))
        elif word:
            yield _word_from_bidi_chars(word)
            word = []


def _word_from_bidi_chars(chars: Sequence[Word]) -> Word:
    """Make one word of its characters in reading order, of which `note` says that they run from right to left."""
    letters = [char for char in chars if char.text[0].isalnum()] or chars
    place = around([char for char in chars if char.note == letters[0].note])
    text = "".join(char.text for char in chars)
    return replace(
        chars[0], **{edge: getattr(place, edge) for edge in ("left", "top", "right", "bottom")}, text=text, note=False
    )


def _with_marks(chars: Sequence[Word]) -> list[Word]:
    """Put each mark that has no width of its own to the letter that it stands over."""
    letters = [char for char in chars if not unicodedata.combining(char.text[0])]
    texts = [char.text for char in letters]
    for mark in chars:
        if unicodedata.combining(mark.text[0]) and letters:
            middle = (mark.left + mark.right) / 2
            nearest = min(range(len(letters)), key=lambda n: abs((letters[n].left + letters[n].right) / 2 - middle))
            texts[nearest] += mark.text
    return [replace(char, text=text) for char, text in zip(letters, texts, strict=True)]


def _insert_gap_spaces(chars: Sequence[Word]) -> list[Word]:
    """Return the characters from left to right with one space where a gap is."""
    spaced = [*chars[:1]]
    least = BESIDE_SPACES if any(char.text == " " for char in chars) else SPACE
    for before, char in pairwise(chars):
        if char.left - before.right > least * max(before.size, char.size):
            spaced.append(replace(before, left=before.right, right=char.left, text=" "))
        spaced.append(char)
    return spaced


def _bidi_levels(chars: Sequence[str]) -> list[int]:
    """Return the level of each character of a line as it is seen from left to right."""
    kinds = _bidi_class_letters(chars)
    words = "".join(kind if char != " " else " " for kind, char in zip(kinds, chars, strict=True)).split()
    turned = sum("R" in word for word in words)
    stray = turned == 0 and STRAY_STOP.match("".join(chars))
    if not stray and 2 * turned < sum("R" in word or "L" in word for word in words):
        levels = [0] * len(chars)
        for core in NOT_LTR.finditer(kinds):
            levels[core.start() : core.end()] = [1] * len(core[0])
            _raise_numbers(levels, kinds, *core.span())
        return levels
    levels = [1] * len(chars)
    for stretch in NOT_RTL.finditer(kinds):
        inner = INNER.search(stretch[0]) if "L" in stretch[0] else None
        if inner is None:
            _raise_numbers(levels, kinds, *stretch.span())
            continue
        start, end = _with_partners(chars, stretch.start() + inner.start(), stretch.start() + inner.end())
        levels[start:end] = [2] * (end - start)
    return levels


def _bidi_class_letters(chars: Sequence[str]) -> str:
    """Return a letter for the bidirectional class of each; after an Arabic letter a European digit counts as Arabic."""
    classes = [unicodedata.bidirectional(char[0]) for char in chars]
    kinds: list[str] = []
    arabic = False
    for name in reversed(classes):
        arabic = name == "AL" or (arabic and name not in ("L", "R"))
        kinds.append("A" if name == "EN" and arabic else CLASSES.get(name, "N"))
    return "".join(reversed(kinds))


def _raise_numbers(levels: list[int], kinds: str, start: int, end: int) -> None:
    for number in NUMBER.finditer(kinds, start, end):
        levels[number.start() : number.end()] = [2] * len(number[0])


def _with_partners(chars: Sequence[str], start: int, end: int) -> tuple[int, int]:
    """Take in a bracket beside the run whose partner is within it: "Office (64-bit)"."""
    inner = "".join(chars[start:end])
    brackets = "".join(MIRRORED)
    unpaired = sum(inner.count(char) for char in brackets) % 2
    if unpaired and chars[end : end + 1] and chars[end] in brackets:
        return start, end + 1
    if unpaired and start and chars[start - 1] in brackets:
        return start - 1, end
    return start, end


def _orient_bidi_brackets(chars: Sequence[str]) -> list[str]:
    """Turn brackets so that they open before a word and close after it: files hold them as seen, or as read."""
    turned = [*chars]
    around_line = [" ", *chars, " "]
    pending = 0
    for place, char in enumerate(chars):
        if char not in MIRRORED:
            continue
        mark = char if char in PAIRS else MIRRORED[char]
        before, after = around_line[place], around_line[place + 2]
        opens = pending == 0
        if before[0].isalnum() != after[0].isalnum():
            opens = after[0].isalnum()
        elif (before == " ") != (after == " "):
            opens = before == " "
        pending = max(0, pending + (1 if opens else -1))
        turned[place] = mark if opens else PAIRS[mark]
    return turned
