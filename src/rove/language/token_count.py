"""How many sub-word tokens a text is, estimated without a model."""

from __future__ import annotations

import numpy as np

from rove.language.scripts import CLASSES, class_counts

# Tokens per character of each class, fitted to the XLM-R vocabulary (docs/decisions/003-language.md).
_PER_CHARACTER = {
    "space": 0.325,
    "mark": 1.2,
    "digit": 0.306,
    "latin": 0.177,
    "accented": 0.52,
    "han": 0.67,
    "kana": 0.53,
    "hangul": 0.45,
    "cyrillic": 0.16,
    "greek": 0.17,
    "arabic": 0.22,
    "hebrew": 0.2,
    "devanagari": 0.17,
    "thai": 0.19,
}
_WEIGHTS = np.array([_PER_CHARACTER.get(name, 0.5) for name in CLASSES])


def count_tokens(text: str) -> int:
    """Return about how many tokens a multilingual sub-word model makes of `text`; 0 only for an empty text.

    >>> count_tokens(""), count_tokens("the cat sat on the mat")
    (0, 5)
    """
    return max(1, round(float(class_counts(text) @ _WEIGHTS))) if text else 0
