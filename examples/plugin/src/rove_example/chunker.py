"""A chunker: one piece for each paragraph, however short."""

from __future__ import annotations

import re

from rove.chunk import CutSettings
from rove.records import Document

PARAGRAPH = re.compile(r"\S(?:.*?\S)??(?=\s*\n\s*\n|\s*\Z)", re.DOTALL)


class LineChunker:
    """See `rove.chunk.Chunker`."""

    def __init__(self, settings: CutSettings) -> None:
        del settings

    def spans(self, document: Document) -> list[tuple[int, int]]:
        """See `Chunker.spans`."""
        return [found.span() for found in PARAGRAPH.finditer(document.text)]
