"""Cut at the headings of the outline: the document's own, or else those that its lines show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from rove.chunk import CutSettings, Pieces, StructuredChunker
from rove.chunk.block import find_blocks
from rove.chunk.header import HeaderChunker
from rove.chunk.heading import Heading, find_headings, sections_of
from rove.records import Document, Section
from rove.records.document import Span


@dataclass(frozen=True, slots=True)
class OutlineChunker(StructuredChunker):
    """Like "header", with sections recovered from numbers, names, capitals and bold where none are known."""

    settings: CutSettings = field(default_factory=CutSettings)

    def spans(self, document: Document) -> list[Span]:
        """See `Chunker.spans`."""
        return list(self.pieces(document).spans)

    def pieces(self, document: Document) -> Pieces:
        """See `StructuredChunker.pieces`."""
        return cut_at(document, recovered_sections(document), self.settings)


def recovered_sections(document: Document) -> tuple[Section, ...]:
    """Return the document's own sections where it has at least two, else those that its lines show, below the title."""
    if len(document.sections) > 1:
        return document.sections
    return beneath(document.sections, find_headings(document.text, find_blocks(document)), len(document.text))


def beneath(known: Sequence[Section], headings: Sequence[Heading], end: int) -> tuple[Section, ...]:
    """Return the sections of the headings, one level below a lone title that is known."""
    if not known:
        return sections_of(headings, end)
    title = known[0]
    inner = [h for h in headings if title.span[0] < h.span[0] < title.span[1]]
    deeper = title.level + 1 - min((h.level for h in inner), default=1)
    lower = [replace(h, level=h.level + deeper) for h in inner]
    return (title, *sections_of(lower, title.span[1]))


def cut_at(document: Document, sections: tuple[Section, ...], settings: CutSettings, note: str = "") -> Pieces:
    """Cut at the starts and ends of these sections, the long ones by size."""
    structured = replace(document, sections=sections)
    return Pieces(HeaderChunker(settings).spans(structured), sections, note=note)
