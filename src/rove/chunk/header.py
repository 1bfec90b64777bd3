"""Cut at headings: one piece for each section's own text, the long ones cut by sentence within the section."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

from rove.chunk import CutSettings
from rove.chunk.block import find_blocks
from rove.chunk.sentence import Packer
from rove.chunk.size import Cutter
from rove.records import Document, Section
from rove.records.document import Span


@dataclass(frozen=True, slots=True)
class HeaderChunker:
    """One piece a section, its heading line at the start; a heading without text goes with the next. See `Chunker`."""

    settings: CutSettings = field(default_factory=CutSettings)

    def spans(self, document: Document) -> list[Span]:
        """See `Chunker.spans`."""
        text = document.text
        cutter = Cutter(text, self.settings, find_blocks(document))
        packed = Packer(cutter, document.language)
        return [span for part in _spans_between_headings(document) for span in cutter.split(*part, packed)]


def _spans_between_headings(document: Document) -> list[Span]:
    """Return the stretches between headings and section ends; bare headings joined to the next, else to the last."""
    text = document.text
    bare = bare_headings(document)
    inner = {offset for s in document.sections for offset in s.span if 0 < offset < len(text)}
    edges = [0, *sorted(inner), len(text)]
    parts: list[Span] = []
    open_at: int | None = None
    for start, end in pairwise(edges):
        if open_at is None:
            open_at = start
        if start not in bare and text[start:end].strip():
            parts.append((open_at, end))
            open_at = None
    if open_at is not None:
        begin = parts.pop()[0] if parts else open_at
        parts.append((begin, len(text)))
    return parts


def bare_headings(document: Document) -> dict[int, int]:
    """Map the start of each section with no text of its own to the start of the next (the text's end for the last)."""
    text = document.text
    ordered = sorted(document.sections, key=lambda s: (s.span[0], s.level))
    nexts = [*(s.span[0] for s in ordered[1:]), len(text)]
    return {
        section.span[0]: following
        for section, following in zip(ordered, nexts, strict=False)
        if _is_bare(text, section, following)
    }


def _is_bare(text: str, section: Section, following: int) -> bool:
    own = text[section.span[0] : min(following, section.span[1])].strip()
    heading, _, rest = own.partition("\n")
    if rest.strip(" \t\n=-"):  # an underlined heading has a line of = or - below it
        return False
    return heading.startswith("#") or not heading or section.title.strip() == heading.strip()
