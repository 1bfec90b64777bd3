"""An operator of flows that counts the words of a text: a typed function is all that it takes."""

from __future__ import annotations

from dataclasses import dataclass

from rove.flow import FlowContext


@dataclass(frozen=True, slots=True)
class Counted:
    """How many words, and how many of them differ."""

    words: int
    different: int


async def word_count(context: FlowContext, *, text: str) -> Counted:
    """Count the words of a text."""
    del context
    words = text.split()
    return Counted(len(words), len(set(words)))
