"""The outline by a chat model: it names headings and their lines, window by window; each is checked in the text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pydantic import BaseModel

from rove.chunk import ChunkModels, CutSettings, Pieces
from rove.chunk.block import find_blocks
from rove.chunk.heading import LEVELS, Heading, find_headings, sections_of
from rove.chunk.outline import cut_at, recovered_sections
from rove.errors import ServiceError
from rove.models import ChatModel
from rove.models.prompts import FENCES, prompt
from rove.models.typed import reply_as
from rove.records import Document
from rove.records.document import Span

WINDOW_LINES = 120
WINDOW_CHARS = 8_000
LINE_CHARS = 160
GIVE_UP_AFTER = 3  # windows that failed; the rest is read without the model
TITLE_CHARS = 200
TITLE_ROOM = 8  # a line may hold this much, and the title's length, beside the title
FAILED = "The outline of {missing} of {all} parts was made without the chat model. {reason}"
DROPPED = "{count} headings that the chat model named do not stand in the text, and were left out."
NO_MODEL = "No chat model is configured, so the outline was made without one."

_NOT_TOLD = re.compile(r"[\W_]+")


class Entry(BaseModel):
    """A heading as the model writes it."""

    title: str
    level: int
    start_line: int
    children: list[Entry] = []


class Outline(BaseModel):
    """What the model writes."""

    headings: list[Entry]


@dataclass(frozen=True, slots=True)
class Window:
    """Lines `first` … of a text, the first line being 1: `lines` are their spans."""

    first: int
    lines: tuple[Span, ...]


@dataclass(slots=True)
class _Found:
    """What came of the windows so far; `failures` are those that were read without the model."""

    headings: list[Heading]
    dropped: int = 0
    failures: int = 0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ModelOutlineChunker:
    """Like "outline", with the sections that a chat model names. See `ModelChunker`.

    A heading counts where its line exists, comes after the one before and holds its title. What the model cannot do is
    done without it, and `Pieces.note` says so.
    """

    settings: CutSettings
    models: ChunkModels

    async def pieces(self, document: Document) -> Pieces:
        """See `ModelChunker.pieces`; it never raises, since there is an outline without a model."""
        if self.models.chat is None:
            return cut_at(document, recovered_sections(document), self.settings, NO_MODEL)
        windows = list(windows_of(document.text))
        found = _Found([])
        own = find_headings(document.text, find_blocks(document))
        for window in windows:
            if found.failures < GIVE_UP_AFTER:
                await _read_window(document.text, window, self.models.chat, found, own)
            else:
                _read_without(window, found, own)
        if found.failures == len(windows):
            sections = recovered_sections(document)
        else:
            sections = sections_of(found.headings, len(document.text))
        return cut_at(document, sections, self.settings, _note(found, len(windows)))


def windows_of(text: str) -> Iterator[Window]:
    """Yield the lines of a text in windows of at most `WINDOW_LINES`, and `WINDOW_CHARS` as they are shown."""
    lines: list[Span] = []
    first, at, shown = 1, 0, 0
    for line in text.splitlines(keepends=True):
        cost = min(len(line), LINE_CHARS)
        if lines and (len(lines) == WINDOW_LINES or shown + cost > WINDOW_CHARS):
            yield Window(first, tuple(lines))
            first, lines, shown = first + len(lines), [], 0
        lines.append((at, at + len(line)))
        at, shown = at + len(line), shown + cost
    if text.strip() and lines:
        yield Window(first, tuple(lines))


async def _read_window(text: str, window: Window, chat: ChatModel, found: _Found, own: Sequence[Heading]) -> None:
    try:
        outline = await _request_outline(chat, _prompt(text, window, found.headings))
    except ServiceError as error:
        found.reason = str(error)
        _read_without(window, found, own)
        return
    for entry, level in _flatten_entries(outline.headings, 1):
        heading = _heading_from_entry(text, window, entry, level)
        last = found.headings[-1].span[0] if found.headings else -1
        if heading and heading.span[0] > last:
            found.headings.append(heading)
        else:
            found.dropped += 1


def _read_without(window: Window, found: _Found, own: Sequence[Heading]) -> None:
    """Take the headings that the lines of the window show themselves."""
    start, end = window.lines[0][0], window.lines[-1][1]
    found.failures += 1
    found.headings += [heading for heading in own if start <= heading.span[0] < end]


async def _request_outline(chat: ChatModel, lines: str) -> Outline:
    return await reply_as(chat, Outline, prompt("rove.chunk", "outline"), lines)


def _prompt(text: str, window: Window, headings: Sequence[Heading]) -> str:
    """Return the window's lines that are not blank, under the headings that stand open above them."""
    rows = [
        f"{number}: {row}"
        for number, (start, end) in enumerate(window.lines, window.first)
        if (row := text[start:end].strip()[:LINE_CHARS].translate(FENCES))
    ]
    above = [
        f"Above these lines stands level {h.level}: {h.title.translate(FENCES)}" for h in _open_heading_path(headings)
    ]
    return "\n".join([*above, "⟦", *rows, "⟧"])


def _open_heading_path(headings: Sequence[Heading]) -> list[Heading]:
    """Return the last heading and those that it is under, the highest first."""
    path: list[Heading] = []
    for heading in reversed(headings):
        if not path or heading.level < path[0].level:
            path.insert(0, heading)
    return path


def _flatten_entries(entries: Sequence[Entry], least: int) -> Iterator[tuple[Entry, int]]:
    """Yield the entries in order, each with its level: its own, but below the entry that it is under."""
    for entry in entries:
        level = min(max(entry.level, least), LEVELS)
        yield entry, level
        yield from _flatten_entries(entry.children, level + 1)


def _heading_from_entry(text: str, window: Window, entry: Entry, level: int) -> Heading | None:
    """Return the heading where its line is in the window and holds its title."""
    place = entry.start_line - window.first
    title = " ".join(entry.title.lstrip("#").strip(" *_").split())
    if not 0 <= place < len(window.lines) or not title or len(title) > TITLE_CHARS:
        return None
    start, end = window.lines[place]
    told, line = (_NOT_TOLD.sub("", part).casefold() for part in (title, text[start:end]))
    if not told or told not in line or len(line) > 2 * len(told) + TITLE_ROOM:
        return None
    return Heading(title, level, (start, end))


def _note(found: _Found, windows: int) -> str:
    parts = [FAILED.format(missing=found.failures, all=windows, reason=found.reason)] if found.failures else []
    parts += [DROPPED.format(count=found.dropped)] if found.dropped else []
    return " ".join(parts)
