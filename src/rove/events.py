"""What the engine tells while it works: the command line draws it, a server streams it, a test reads it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from rove.records import LedgerEntry


@dataclass(frozen=True, slots=True)
class AddStarted:
    """`sources` more sources were found."""

    sources: int


@dataclass(frozen=True, slots=True)
class SourceDone:
    """A source is finished: live, unchanged, or failed (the entry says which and why)."""

    entry: LedgerEntry
    unchanged: bool = False


@dataclass(frozen=True, slots=True)
class ChunksEmbedded:
    """`count` more chunks have their vectors."""

    count: int


@dataclass(frozen=True, slots=True)
class TextDelta:
    """The next piece of an answer while the chat model still writes it."""

    text: str


Event = AddStarted | SourceDone | ChunksEmbedded | TextDelta
Listener = Callable[[Event], None]


def ignore(event: Event) -> None:
    """Drop the event: the listener of a caller who does not watch."""
