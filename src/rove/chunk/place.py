"""Where each piece stands: its headings, the prefix made of them, its page, and the larger span to read."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath

from rove.chunk.header import bare_headings
from rove.records import Document, Page, Section
from rove.records.document import Span
from rove.records.ledger import UPLOADED
from rove.records.source import FOLDER, Metadata

PREFIX_CHARS = 200
HEADER_LEVELS = 6
MOST_FOLDERS = 2
WINDOWS_PATH = re.compile(r"[A-Za-z]:[\\/]")


@dataclass(frozen=True, slots=True)
class HeadingPlace:
    """What all chunks below the same headings share."""

    headings: tuple[str, ...]
    prefix: str
    metadata: Metadata


@dataclass(frozen=True, slots=True)
class PageFinder:
    """Looks up the page of an offset."""

    pages: Sequence[Page]
    starts: Sequence[int]

    @classmethod
    def of(cls, pages: Sequence[Page]) -> PageFinder:
        """Sort the pages."""
        ordered = sorted(pages, key=lambda p: p.span)
        return cls(ordered, [p.span[0] for p in ordered])

    def number_at(self, offset: int) -> int | None:
        """See `Document.page_at`."""
        index = bisect_right(self.starts, offset) - 1
        if index < 0:
            return None
        page = self.pages[index]
        return page.number if offset < max(page.span[1], page.span[0] + 1) else None


def places_of(document: Document, spans: Sequence[Span], *, headers: bool) -> list[HeadingPlace]:
    """Return the place of each span, by one sweep over spans and sections; `headers` asks for Header1 … in metadata."""
    if not document.sections:
        return [_heading_place(document, [], headers=headers)] * len(spans)
    waiting = sorted(document.sections, key=lambda s: (s.span[0], s.level), reverse=True)
    bare = bare_headings(document)
    inside: list[Section] = []
    place = _heading_place(document, inside, headers=headers)
    places: list[HeadingPlace] = []
    anchor = 0
    for start, end in spans:
        anchor = max(anchor, start)
        while bare.get(anchor, end) < end:
            anchor = bare[anchor]
        changed = False
        while waiting and waiting[-1].span[0] <= anchor:
            inside.append(waiting.pop())
            changed = True
        if changed or any(s.span[1] <= anchor for s in inside):
            inside = sorted((s for s in inside if s.span[1] > anchor), key=lambda s: (s.level, s.span[0]))
            place = _heading_place(document, inside, headers=headers)
        places.append(place)
    return places


def _heading_place(document: Document, inside: Sequence[Section], *, headers: bool) -> HeadingPlace:
    headings = tuple(s.title for s in inside)
    metadata = document.metadata
    if headers and inside:
        metadata = {**metadata, **{f"Header{s.level}": s.title for s in inside if 1 <= s.level <= HEADER_LEVELS}}
    return HeadingPlace(headings, heading_path(document.title, headings, file_path(document)), metadata)


def parent_at(parents: Sequence[Span], span: Span) -> Span | None:
    """Return that of the parents, which are in order and apart, that holds a span and is larger; None where none is.

    >>> parent_at([(0, 9), (10, 20)], (10, 15)), parent_at([(0, 9)], (0, 9))
    ((10, 20), None)
    """
    index = bisect_right(parents, span[0], key=lambda parent: parent[0]) - 1
    found = parents[index] if index >= 0 else None
    return found if found and found != span and span[1] <= found[1] else None


def file_path(document: Document) -> str:
    """Return by which folder, name and aliases a document is asked for; "" where the title says so or it has none.

    >>> file_path(Document("d", "/kb/invoices/RE-0815.md", "markdown", "…", "Invoice", metadata={FOLDER: "invoices"}))
    'invoices/RE-0815'
    >>> file_path(Document("d", "/kb/RE-0815.md", "markdown", "…", "RE-0815"))
    ''
    """
    aliases = document.metadata.get("aliases", document.metadata.get("alias", ()))
    names = ", ".join(aliases) if isinstance(aliases, tuple) else str(aliases)
    if not document.source.startswith(("/", UPLOADED)) and WINDOWS_PATH.match(document.source) is None:
        return names
    path, _, within = document.source.rpartition("#")
    if path and not PurePath(within).suffix:
        return names  # a record of a file, by its id
    name = PurePath(within).stem
    parts = [part for part in str(document.metadata.get(FOLDER, "")).split("/")[-MOST_FOLDERS:] if part]
    said = _path_letters(document.title)
    if _path_letters(name) not in said:
        parts.append(name)
    path = "/".join(part for part in parts if _path_letters(part) and _path_letters(part) not in said)
    return ", ".join(filter(None, (path, names)))


def _path_letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def heading_path(title: str, headings: Sequence[str], file: str = "") -> str:
    """Join title and headings by " > ", at most `PREFIX_CHARS`, cut at a word; the title is not said twice.

    `file` is what the file's path says beside the title; it comes first.

    >>> heading_path("Guide", ["Guide", "Set up"]), heading_path("Invoice", [], "invoices/RE-0815")
    ('Guide > Set up', 'invoices/RE-0815 > Invoice')
    """
    parts = [" ".join(part.split()) for part in (title, *headings)]
    if len(parts) > 1 and parts[0].casefold() == parts[1].casefold():
        del parts[0]
    parts.insert(0, file)
    path = " > ".join(part for part in parts if part)
    if len(path) <= PREFIX_CHARS:
        return path
    short = path[: PREFIX_CHARS + 1].rpartition(" ")[0] or path[:PREFIX_CHARS]
    return short.rstrip(" >")
