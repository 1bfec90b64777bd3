"""Cut twice: small pieces to be found, each within a larger one that is read in its place."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from rove.chunk import CutSettings, Pieces, StructuredChunker
from rove.chunk.block import find_blocks
from rove.chunk.sentence import Packer, SentenceChunker
from rove.chunk.size import Cutter
from rove.records import Document
from rove.records.document import Span

PARENT_SIZES = 4
"""A parent holds up to this many times `size_chars`. Measured: docs/decisions/015-chunks.md."""


@dataclass(frozen=True, slots=True)
class ParentChunker(StructuredChunker):
    """Pieces by sentence, within parents by sentence that do not overlap. See `Chunker`."""

    settings: CutSettings = field(default_factory=CutSettings)

    def spans(self, document: Document) -> list[Span]:
        """See `Chunker.spans`."""
        return list(self.pieces(document).spans)

    def pieces(self, document: Document) -> Pieces:
        """See `StructuredChunker.pieces`."""
        larger = replace(self.settings, size_chars=PARENT_SIZES * self.settings.size_chars, overlap_chars=0)
        parents = SentenceChunker(larger).spans(document)
        cutter = Cutter(document.text, self.settings, find_blocks(document))
        packed = Packer(cutter, document.language, {s.span[0] for s in document.sections})
        return Pieces([span for parent in parents for span in cutter.split(*parent, packed)], parents=parents)
