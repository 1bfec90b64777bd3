"""Questions about the assistant itself ("introduce yourself"), which its persona answers: mission E.5."""

from __future__ import annotations

import re

from rove.answer.refusal import letters
from rove.answer.word_lists import table

MOST_CHARS = 80
"""Whoever writes more asks for something else too."""


def is_about_itself(question: str) -> bool:
    """Say whether a whole question asks who the assistant is, in any of the languages that are known.

    >>> [is_about_itself(asked) for asked in ("Could you introduce yourself, please?", "Stell dich vor!", "你是谁？")]
    [True, True, True]
    >>> is_about_itself("Who are you sending to the conference?")
    False
    """
    said = letters(question) if len(question) <= MOST_CHARS else ""
    return any(re.fullmatch(asked, said) for asked in table("itself").values())
