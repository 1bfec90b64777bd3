"""Cut by paragraph: one piece a paragraph, a table or a fence whole, a heading with what follows it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from rove.chunk import CutSettings
from rove.chunk.block import Blocks, find_blocks
from rove.chunk.separator import capped, separated
from rove.chunk.size import Cutter
from rove.records import Document
from rove.records.document import Span


@dataclass(frozen=True, slots=True)
class ParagraphChunker:
    """One piece a paragraph; paragraphs end at `separator`. See `Chunker`."""

    settings: CutSettings = field(default_factory=CutSettings)

    def spans(self, document: Document) -> list[Span]:
        """See `Chunker.spans`."""
        text = document.text
        blocks = find_blocks(document)
        heads = {s.span[0] for s in document.sections}
        return capped(
            Cutter(text, self.settings, blocks), _whole_paragraph_spans(text, self.settings.separator, blocks, heads)
        )


def _whole_paragraph_spans(text: str, separator: str, blocks: Blocks, heads: set[int]) -> Iterator[Span]:
    """Yield the paragraphs; one that would end within a block, or that is a heading alone, goes on into the next."""
    start: int | None = None
    for begin, end in separated(text, separator):
        head = begin in heads and end < len(text)
        if start is None:
            start = begin
        if not head and blocks.around(end) is None:
            yield start, end
            start = None
    if start is not None:
        yield start, len(text)
