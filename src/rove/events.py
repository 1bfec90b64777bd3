"""What the engine tells while it works: the command line draws it, a server streams it, a test reads it."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from inspect import currentframe
from typing import TYPE_CHECKING, Literal

from rove.argument_checks import checked
from rove.errors import FieldWarning
from rove.records.ledger import LedgerEntry
from rove.records.note import Note

if TYPE_CHECKING:
    from rove.records.tool import RunOutcome, ToolPlan

log = logging.getLogger("rove")
Stage = Literal["reading", "chunked", "embedded", "indexed"]


@dataclass(frozen=True, slots=True)
class AddStarted:
    """`sources` more sources were found; files among them have `size_bytes` in all."""

    sources: int
    size_bytes: int = 0


@dataclass(frozen=True, slots=True)
class SourcesAt:
    """These sources have come so far: "reading" (handed to a reader), then "chunked", "embedded", "indexed".

    Told for many at once. A source of many documents goes through the last three once for each batch of them.
    """

    stage: Stage
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PageReached:
    """OCR has read page `page` of `pages` of this source, or of a file in it: it takes seconds a page."""

    source: str
    page: int
    pages: int


@dataclass(frozen=True, slots=True)
class SourceDone:
    """A source is finished: live, unchanged, or failed (the entry says which and why)."""

    entry: LedgerEntry
    unchanged: bool = False


@dataclass(frozen=True, slots=True)
class ChunksCut:
    """`count` more chunks are known, that are about to get their vectors."""

    count: int


@dataclass(frozen=True, slots=True)
class ChunksEmbedded:
    """`count` more chunks have their vectors."""

    count: int


@dataclass(frozen=True, slots=True)
class ChunksDeepened:
    """The embedder has reached `count` more chunks that could be found before; `left` are still to come."""

    count: int
    left: int


@dataclass(frozen=True, slots=True)
class DocumentsEnriched:
    """An enricher has looked at `count` more documents, and what it found is kept."""

    count: int


@dataclass(frozen=True, slots=True)
class TextDelta:
    """The next sentences of an answer while the chat model still writes: they have passed their check, and stay.

    What was told is how the answer's text begins.
    """

    text: str


@dataclass(frozen=True, slots=True)
class DatabaseAsked:
    """A statement has run in a database that is set up under this name, and gave so many rows."""

    database: str
    sql: str
    rows: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Noted:
    """What the caller should know and is no error: that no document has a field that the filter names.

    `text` says it in words; `note` is it, where it has a code.
    """

    text: str
    note: Note | None = None


@dataclass(frozen=True, slots=True)
class ToolPlanned:
    """A tool was chosen for a request, and its parameters were filled. Nothing has run yet."""

    plan: ToolPlan


@dataclass(frozen=True, slots=True)
class ToolCalled:
    """A tool is called for the `tries`-th time."""

    tool: str
    tries: int


@dataclass(frozen=True, slots=True)
class ToolEnded:
    """A tool has run, or has failed."""

    tool: str
    outcome: RunOutcome
    seconds: float


Event = (
    AddStarted
    | SourcesAt
    | PageReached
    | SourceDone
    | ChunksCut
    | ChunksEmbedded
    | ChunksDeepened
    | DocumentsEnriched
    | TextDelta
    | DatabaseAsked
    | ToolPlanned
    | ToolCalled
    | ToolEnded
    | Noted
)
Listener = Callable[[Event], None]


def ignore(event: Event) -> None:
    """Drop the event: the listener of a caller who does not watch."""


def _is_checked() -> bool:
    """Say whether the call that notes something was checked first: one frame more lies between it and its caller."""
    frame = currentframe()
    for _ in range(3):  # this, `note`, the call
        frame = frame.f_back if frame else None
    return frame is not None and frame.f_globals.get("__name__") == checked.__module__


def note(notes: Iterable[Note], listener: Listener, language: str = "en") -> None:
    """Tell of fields that a filter names and no document has; who does not listen is warned, at the caller's caller.

    `language`: of the question, where there is one.
    """
    for one in notes:
        if listener is ignore:
            warnings.warn(one.text("en"), FieldWarning, stacklevel=4 if _is_checked() else 3)
        listener(Noted(one.text(language), one))


def tell(notes: Iterable[Note], listener: Listener, language: str = "en") -> None:
    """Tell what the caller should know of the base, of which no call is the cause; where nobody listens, log it."""
    for one in notes:
        if listener is ignore:
            log.warning(one.text("en"))
        listener(Noted(one.text(language), one))


def but(told: Collection[Note]) -> Listener:
    """The listener of a caller who does not watch, and has been told these: other notes are logged."""

    def listen(event: Event) -> None:
        if isinstance(event, Noted) and event.note not in told:
            log.warning(event.text)

    return listen
