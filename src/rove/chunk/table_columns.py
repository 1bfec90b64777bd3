"""Cut a description of a table between its columns: in one piece where it is short, else its head by itself first."""

from __future__ import annotations

from dataclasses import dataclass, field

from rove.chunk import CutSettings
from rove.chunk.boundary import trimmed
from rove.chunk.size import SizeChunker
from rove.language.schema_text import column_spans
from rove.records import Document
from rove.records.document import Span

WHOLE_CHARS = 1_600
"""A description up to this size is one piece: some 512 tokens, what an embedder reads."""
PIECE_CHARS = 800
"""Characters of columns in a piece of a wide table."""


@dataclass(frozen=True, slots=True)
class TableColumnsChunker:
    """See `Chunker`. Columns are never parted; the settings' size is not heeded."""

    settings: CutSettings = field(default_factory=CutSettings)

    def spans(self, document: Document) -> list[Span]:
        """See `Chunker.spans`."""
        text = document.text
        columns = column_spans(text)
        if not columns:
            return SizeChunker(self.settings).spans(document)
        if len(text) <= WHOLE_CHARS:
            return [trimmed(text, 0, len(text))]
        starts, begin = [0], 0
        for start, end in columns:
            if end - begin > PIECE_CHARS and start > begin:
                starts.append(start)
                begin = start
        ends = [*starts[1:], len(text)]
        return [trimmed(text, start, end) for start, end in zip(starts, ends, strict=True) if text[start:end].strip()]
