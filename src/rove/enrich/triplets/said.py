"""What a sentence says of whom: the form that the rules of all languages share."""

from __future__ import annotations

from typing import NamedTuple

MOST_CHARS = 80
"""A longer subject or object is a clause, and no thing that could be met again."""


class Said(NamedTuple):
    """A triplet as a sentence says it.

    `predicate` and `object` stand in the sentence to the letter; so does `subject`, unless the sentence leaves it to
    the document's title ("It was founded in 1951."), which is then the subject.
    """

    subject: str
    predicate: str
    object: str
