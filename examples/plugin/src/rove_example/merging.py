"""A chunker with a model: neighbours that mean the same are one piece, as long as that is short enough."""

from __future__ import annotations

from dataclasses import replace

from rove.chunk import ChunkModels, CutSettings, Pieces
from rove.chunk.recursive import RecursiveChunker
from rove.records import Document
from rove.records.document import Span

ALIKE = 0.3


class MergingChunker:
    """See `rove.chunk.ModelChunker`."""

    def __init__(self, settings: CutSettings, models: ChunkModels) -> None:
        self._size_chars = settings.size_chars
        self._small = RecursiveChunker(replace(settings, overlap_chars=0))
        self._embedder = models.embedder

    async def pieces(self, document: Document) -> Pieces:
        """See `ModelChunker.pieces`."""
        small = self._small.spans(document)
        vectors = await self._embedder.passages([document.text[start:end] for start, end in small])
        merged: list[Span] = small[:1]
        for (start, end), before, vector in zip(small[1:], vectors, vectors[1:], strict=False):
            first = merged[-1][0]
            if end - first <= self._size_chars and before @ vector >= ALIKE:
                merged[-1] = (first, end)
            else:
                merged.append((start, end))
        return Pieces(merged)
