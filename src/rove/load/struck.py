"""Text that is struck out: it stays, between the marks of markdown, so that nobody takes it for valid."""

from __future__ import annotations

import re

BETWEEN_STRIKES = re.compile(r"(?<=[^\s~])~~([ \t]*)~~(?=[^\s~])")


def struck(text: str) -> str:
    """Return text that is struck out as markdown marks it.

    >>> struck("50 EUR "), struck(" ")
    ('~~50 EUR~~ ', ' ')
    """
    bare = text.strip(" \t\n\v\x0e")
    before, _, after = text.partition(bare) if bare else (text, "", "")
    return f"{before}~~{bare}~~{after}" if bare else text


def joined_strikes(text: str) -> str:
    """Return text in which parts that were struck out one by one, and follow each other, are struck out as one.

    >>> joined_strikes("~~5~~~~0~~ ~~EUR~~ now")
    '~~50 EUR~~ now'
    """
    return BETWEEN_STRIKES.sub(r"\1", text)
