"""What is said in a recording, and when: the seconds of a span of its text, by the boxes that its document has.

A minute of a recording is what a page is of a print: `Box.page` is the minute, counted from 1, and `left` and `right`
are shares of it. What is said across the end of a minute has a box in each.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from rove.records.chunk import Chunk
from rove.records.document import Box, Document, Span
from rove.records.source import MetaValue

RECORDED = frozenset({"audio", "video", "subtitles"})
"""Kinds of documents that are recordings, or what was said in one."""
TIMES = "times"
"""The field of a chunk that says when its words are said: "120:164=83.2:91.4 …", by spans of the document's text."""
MINUTE_S = 60.0


@dataclass(frozen=True, slots=True)
class TimeSpan:
    """A part of a recording, in seconds from its beginning."""

    start_s: float
    end_s: float

    @property
    def clock(self) -> str:
        """The time as a player shows it.

        >>> TimeSpan(83.2, 91.4).clock, TimeSpan(3599.0, 3605.0).clock
        ('1:23–1:31', '59:59–1:00:05')
        """
        return f"{clock_time(self.start_s)}–{clock_time(self.end_s)}"

    @property
    def fragment(self) -> str:
        """What opens a recording there, behind its address (W3C Media Fragments).

        >>> TimeSpan(83.2, 91.4).fragment
        '#t=83'
        """
        return f"#t={int(self.start_s)}"


@dataclass(frozen=True, slots=True)
class Utterance:
    """Words that are said without a break, and when, in seconds from the beginning of the sound.

    `speaker`: who says them, where the file tells it; nobody guesses.
    """

    start_s: float
    end_s: float
    text: str
    speaker: str = ""


@dataclass(frozen=True, slots=True)
class Speech:
    """What is said in a piece of sound: its language, ISO 639-1, "" where nothing is said.

    `unsure`: many of the words are perhaps not those that were said.
    """

    language: str = ""
    utterances: tuple[Utterance, ...] = ()
    unsure: bool = False


def place_text(page: int | None, time: TimeSpan | None) -> str:
    """Say where something stands in its document, "" where it has neither pages nor times.

    >>> place_text(3, None), place_text(None, TimeSpan(83.2, 91.4))
    ('p. 3', '1:23–1:31')
    """
    return time.clock if time else f"p. {page}" if page else ""


def clock_time(seconds: float) -> str:
    """Write seconds as minutes and seconds, with hours where there are any.

    >>> clock_time(83.9), clock_time(3605)
    ('1:23', '1:00:05')
    """
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def boxes_of(span: Span, time: TimeSpan) -> Iterator[Box]:
    """Yield the boxes of a span that is said at this time, one for each minute."""
    start_s, last = time.start_s, max(time.end_s, time.start_s)
    while True:
        minute = int(start_s // MINUTE_S)
        end_s = min(last, (minute + 1) * MINUTE_S)
        yield Box(span, minute + 1, start_s / MINUTE_S - minute, 0.0, end_s / MINUTE_S - minute, 1.0)
        start_s = end_s
        if end_s >= last:
            return


def time_at(document: Document, span: Span) -> TimeSpan | None:
    """When the words of a span are said, the first of them to the last; None where the document does not tell."""
    return _time_span_from_minutes(
        (box.page - 1 + box.left, box.page - 1 + box.right) for box in _boxes_at(document, span)
    )


def packed_times(document: Document, span: Span) -> str:
    """Write down what `time_of` reads of a chunk with this span; "" where the document tells no time."""
    known: dict[Span, list[Box]] = {}
    for box in _boxes_at(document, span):
        known.setdefault(box.span, []).append(box)
    told: list[str] = []
    for (start, end), boxes in known.items():
        time = _time_span_from_minutes((box.page - 1 + box.left, box.page - 1 + box.right) for box in boxes)
        told += [f"{start}:{end}={time.start_s}:{time.end_s}"] if time else []
    return " ".join(told)


def time_of(chunk: Chunk, span: Span | None = None) -> TimeSpan | None:
    """When the words of a span of a chunk's document are said, all of the chunk without one; None where none is known.

    >>> chunk = Chunk("c", "d", "One. Two.", (0, 9), 0, metadata={TIMES: "0:4=0.5:1.0 5:9=61.0:62.5"})
    >>> time_of(chunk, (5, 9)), time_of(chunk)
    (TimeSpan(start_s=61.0, end_s=62.5), TimeSpan(start_s=0.5, end_s=62.5))
    """
    start, end = span or chunk.span
    found: list[tuple[float, float]] = []
    for entry in str(chunk.metadata.get(TIMES, "")).split():
        where, _, when = entry.partition("=")
        first, last = map(int, where.split(":"))
        if first < end and start < last:
            start_s, end_s = map(float, when.split(":"))
            found.append((start_s / MINUTE_S, end_s / MINUTE_S))
    return _time_span_from_minutes(found)


def times_field(span: Span, time: TimeSpan | None) -> dict[str, MetaValue]:
    """Return the field that says when one span is said; none where that is not known."""
    return {TIMES: f"{span[0]}:{span[1]}={time.start_s}:{time.end_s}"} if time else {}


def _boxes_at(document: Document, span: Span) -> tuple[Box, ...]:
    return document.boxes_at(span) if document.kind in RECORDED else ()


def _time_span_from_minutes(minutes: Iterable[tuple[float, float]]) -> TimeSpan | None:
    spans = list(minutes)
    if not spans:
        return None
    return TimeSpan(round(min(s for s, _ in spans) * MINUTE_S, 1), round(max(e for _, e in spans) * MINUTE_S, 1))
