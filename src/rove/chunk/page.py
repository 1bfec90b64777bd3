"""Cut by page: one piece a page."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

from rove.chunk import CutSettings
from rove.chunk.block import find_blocks
from rove.chunk.separator import capped
from rove.chunk.size import Cutter
from rove.records import Document
from rove.records.document import Span


@dataclass(frozen=True, slots=True)
class PageChunker:
    """One piece a page; a document without pages is one page. See `Chunker`."""

    settings: CutSettings = field(default_factory=CutSettings)

    def spans(self, document: Document) -> list[Span]:
        """See `Chunker.spans`."""
        text = document.text
        starts = sorted({p.span[0] for p in document.pages} - {0})
        edges = [0, *starts, len(text)]
        return capped(Cutter(text, self.settings, find_blocks(document)), pairwise(edges))
