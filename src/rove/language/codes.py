"""Codes and numbers by which things are called: "RE-2024-0815", "P-100", "2025"."""

from __future__ import annotations

import re

CODE = re.compile(
    r"(?<![A-Za-z0-9])(?:[A-Za-z]*[0-9][A-Za-z0-9]*|(?:[A-Za-z]{1,3}|[A-Z]{4,6})(?=[-_./:][A-Za-z]*[0-9]))"
    r"(?:[-_./:](?:[A-Za-z]*[0-9][A-Za-z0-9]*|[A-Z]+(?![A-Za-z])))*"
)
"""What may be a code: a part after a hyphen has a digit or capitals; small letters are an ending ("P-200-nak")."""
SHORTEST = 2


def codes_in(text: str) -> list[str]:
    """Return the codes and numbers of a text as they stand, in their order; single digits are none.

    >>> codes_in("Is RE-2024-0815 of 2025, or the p-100?"), codes_in("Mennyi az SZ-118-nál a díj 3 hónapra?")
    (['RE-2024-0815', '2025', 'p-100'], ['SZ-118'])
    """
    return [code for code in CODE.findall(text) if len(code) >= SHORTEST]
