"""Make a document's Chunks: choose the strategy, cut, and say of each piece where it stands."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from rove.chunk import CHUNKERS, SUPPORTED, Chunker, CutSettings
from rove.chunk.block import find_blocks
from rove.chunk.header import bare_headings
from rove.errors import ConfigError
from rove.records import Chunk, Document, Page, Section
from rove.records.chunk import chunk_id
from rove.records.source import Metadata

PREFIX_CHARS = 200
HEADER_LEVELS = 6


def cut(
    document: Document,
    *,
    strategy: str = "",
    size_chars: int = 512,
    overlap_chars: int = 50,
    separator: str = "\n",
    merge: bool = False,
) -> list[Chunk]:
    r"""Cut a document into chunks, in order; [] where its text is blank. Linear in the text's length.

    `strategy` is a name of `CHUNKERS`, "" for the default of the document's kind. A chunk's headings are those that
    hold its start (or, where it starts with headings that have no text of their own, the text below them); its
    prefix is the title and these. With "header" the metadata has Header1 … Header6, the heading of each level.

    Raises:
        ConfigError: the strategy is unknown or not supported for this kind, or a length is out of range.

    >>> document = Document("d", "d.txt", "text", "One.\nTwo.", title="Numbers")
    >>> [(c.span, c.text, c.prefix) for c in cut(document, strategy="separator")]
    [((0, 4), 'One.', 'Numbers'), ((5, 9), 'Two.', 'Numbers')]
    """
    strategy = strategy_for(document.kind, strategy)
    settings = CutSettings(size_chars, overlap_chars, separator, merge)
    chunker: Chunker = CHUNKERS.get(strategy)(settings)
    spans = chunker.spans(document)
    places = _places(document, spans, headers=strategy == "header")
    text, document_id, version, language = document.text, document.document_id, document.version, document.language
    blocks, pages = find_blocks(text), _PageFinder.of(document.pages)
    chunks: list[Chunk] = []
    for position, (span, place) in enumerate(zip(spans, places, strict=True)):
        start, end = span
        kind = blocks.kind_of(start, end)
        chunks.append(
            Chunk(
                chunk_id(document_id, version, span, kind),
                document_id,
                text[start:end],
                span,
                position,
                kind,
                place.prefix,
                place.headings,
                pages.number_at(start),
                language,
                place.metadata,
            )
        )
    return chunks


def strategy_for(kind: str, strategy: str = "") -> str:
    """Return the strategy to use for a document kind, the default of the kind where `strategy` is "".

    Raises:
        ConfigError: Rove has the strategy, but not for this kind. (A plug-in's strategy is for every kind.)

    >>> strategy_for("markdown"), strategy_for("pdf", "page"), strategy_for("epub")
    ('header', 'page', 'size')
    """
    supported = SUPPORTED.get(kind, SUPPORTED["text"])
    if strategy in CHUNKERS.table and strategy not in supported:
        message = f"A document of kind {kind!r} cannot be cut by {strategy!r}."
        raise ConfigError(message, cure=f"Choose one of: {', '.join(supported)} (the first is the default).")
    return strategy or supported[0]


@dataclass(frozen=True, slots=True)
class _Place:
    """What all chunks below the same headings share."""

    headings: tuple[str, ...]
    prefix: str
    metadata: Metadata


@dataclass(frozen=True, slots=True)
class _PageFinder:
    pages: Sequence[Page]
    starts: Sequence[int]

    @classmethod
    def of(cls, pages: Sequence[Page]) -> _PageFinder:
        ordered = sorted(pages, key=lambda p: p.span)
        return cls(ordered, [p.span[0] for p in ordered])

    def number_at(self, offset: int) -> int | None:
        index = bisect_right(self.starts, offset) - 1
        if index < 0:
            return None
        page = self.pages[index]
        return page.number if offset < max(page.span[1], page.span[0] + 1) else None


def _places(document: Document, spans: Sequence[tuple[int, int]], *, headers: bool) -> list[_Place]:
    """Return the place of each span, by one sweep over spans and sections."""
    if not document.sections:
        return [_place(document, [], headers=headers)] * len(spans)
    waiting = sorted(document.sections, key=lambda s: (s.span[0], s.level), reverse=True)
    bare = bare_headings(document)
    inside: list[Section] = []
    place = _place(document, inside, headers=headers)
    places: list[_Place] = []
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
            place = _place(document, inside, headers=headers)
        places.append(place)
    return places


def _place(document: Document, inside: Sequence[Section], *, headers: bool) -> _Place:
    headings = tuple(s.title for s in inside)
    metadata = document.metadata
    if headers and inside:
        metadata = {**metadata, **{f"Header{s.level}": s.title for s in inside if 1 <= s.level <= HEADER_LEVELS}}
    return _Place(headings, heading_path(document.title, headings), metadata)


def heading_path(title: str, headings: Sequence[str]) -> str:
    """Join title and headings by " > ", at most `PREFIX_CHARS`, cut at a word; the title is not said twice.

    >>> heading_path("Guide", ["Guide", "Set up"])
    'Guide > Set up'
    """
    parts = [" ".join(part.split()) for part in (title, *headings)]
    if len(parts) > 1 and parts[0].casefold() == parts[1].casefold():
        del parts[0]
    path = " > ".join(part for part in parts if part)
    if len(path) <= PREFIX_CHARS:
        return path
    short = path[: PREFIX_CHARS + 1].rpartition(" ")[0] or path[:PREFIX_CHARS]
    return short.rstrip(" >")
