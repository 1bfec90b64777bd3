"""Which scripts a text is written in: characters counted by block, without a Python loop."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import regex
from numpy.typing import NDArray

UNSPACED = r"[\p{Han}\p{Hiragana}\p{Katakana}ー〇]"
"""A character of a script that puts no spaces between words, as a pattern."""

# First code point of each range and the class that holds from there up to the next range.
RANGES: tuple[tuple[int, str], ...] = (
    (0x0, "space"),
    (0x21, "mark"),
    (0x30, "digit"),
    (0x3A, "mark"),
    (0x41, "latin"),
    (0x5B, "mark"),
    (0x61, "latin"),
    (0x7B, "mark"),
    (0xAA, "accented"),
    (0xAB, "mark"),
    (0xC0, "accented"),
    (0x2B0, "mark"),
    (0x370, "greek"),
    (0x400, "cyrillic"),
    (0x530, "armenian"),
    (0x590, "hebrew"),
    (0x600, "arabic"),
    (0x700, "other"),
    (0x750, "arabic"),
    (0x780, "other"),
    (0x8A0, "arabic"),
    (0x900, "devanagari"),
    (0x980, "bengali"),
    (0xA00, "other"),
    (0xB80, "tamil"),
    (0xC00, "telugu"),
    (0xC80, "other"),
    (0xE00, "thai"),
    (0xE80, "lao"),
    (0xF00, "other"),
    (0x1000, "myanmar"),
    (0x10A0, "georgian"),
    (0x1100, "hangul"),
    (0x1200, "other"),
    (0x1780, "khmer"),
    (0x1800, "other"),
    (0x1E00, "accented"),
    (0x1F00, "greek"),
    (0x2000, "mark"),
    (0x2C00, "other"),
    (0x2E80, "han"),
    (0x3000, "mark"),
    (0x3005, "han"),
    (0x3008, "mark"),
    (0x3041, "kana"),
    (0x30FB, "mark"),
    (0x30FC, "kana"),
    (0x3100, "han"),
    (0x3130, "hangul"),
    (0x3190, "mark"),
    (0x31F0, "kana"),
    (0x3200, "mark"),
    (0x3400, "han"),
    (0xA000, "other"),
    (0xAC00, "hangul"),
    (0xD7B0, "other"),
    (0xF900, "han"),
    (0xFB00, "other"),
    (0xFB1D, "hebrew"),
    (0xFB50, "arabic"),
    (0xFE00, "mark"),
    (0xFE70, "arabic"),
    (0xFF00, "mark"),
    (0xFF10, "digit"),
    (0xFF1A, "mark"),
    (0xFF21, "accented"),
    (0xFF5B, "mark"),
    (0xFF66, "kana"),
    (0xFFA0, "hangul"),
    (0xFFE0, "mark"),
    (0x10000, "other"),
    (0x1F000, "mark"),
    (0x20000, "han"),
    (0x32000, "other"),
)
CLASSES: tuple[str, ...] = tuple(dict.fromkeys(name for _, name in RANGES))
_LIMIT = 0x10000


def _script_class_table() -> NDArray[np.uint8]:
    table = np.zeros(_LIMIT, dtype=np.uint8)
    for (start, name), (end, _) in pairwise((*RANGES, (0x110000, ""))):
        table[start:end] = CLASSES.index(name)
    return table


_TABLE = _script_class_table()
_STARTS = np.array([start for start, _ in RANGES], dtype=np.uint32)
_OF_RANGE = np.array([CLASSES.index(name) for _, name in RANGES], dtype=np.uint8)


def class_counts(text: str) -> NDArray[np.int64]:
    """Count the characters of each class. Returns (len(CLASSES),) int64, in the order of `CLASSES`.

    >>> counts = class_counts("Tokyo 東京タワー")
    >>> {name: int(count) for name, count in zip(CLASSES, counts, strict=True) if count}
    {'space': 1, 'latin': 5, 'han': 2, 'kana': 3}
    """
    if text.isascii():
        codes = np.frombuffer(text.encode("ascii"), dtype=np.uint8)
        return np.bincount(_TABLE[codes], minlength=len(CLASSES))
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    if codes.max() < _LIMIT:
        return np.bincount(_TABLE[codes], minlength=len(CLASSES))
    return np.bincount(_OF_RANGE[np.searchsorted(_STARTS, codes, side="right") - 1], minlength=len(CLASSES))


def is_unspaced(text: str) -> bool:
    """Say whether a text is written, at least in part, without spaces between words: Chinese, Japanese."""
    return bool(regex.search(UNSPACED, text))
