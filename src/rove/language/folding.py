"""Texts folded for comparing them by their letters alone. Pure."""

from __future__ import annotations

import unicodedata


def fold_words(text: str) -> str:
    """Return the letters and digits of a text, its case and width folded, one space between words.

    >>> fold_words("“Ada  Byron”, Ｄｒ．")
    'ada byron dr'
    """
    folded = unicodedata.normalize("NFKC", text).casefold()
    return " ".join("".join(c if c.isalnum() else " " for c in folded).split())
