"""Cut where the meaning turns: where neighbouring sentences' embeddings are least alike, bounded by size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rove.chunk import ChunkModels, CutSettings, Pieces
from rove.chunk.block import find_blocks
from rove.chunk.sentence import whole_sentences
from rove.chunk.size import Cutter, section_edges
from rove.models import Vectors
from rove.records import Document
from rove.records.document import Span

NEIGHBOURS = 2  # sentences on either side of a gap whose vectors are averaged
LEAST_SHARE = 4  # a piece holds at least a quarter of the size, where its sentences allow it
DEEP_PERCENTILE = 90  # a gap among the deepest tenth is cut at though the piece would fit
BATCH = 64


@dataclass(frozen=True, slots=True)
class SemanticChunker:
    """Whole sentences, cut at the deepest gaps of likeness until each piece fits in `size_chars`. See `ModelChunker`.

    The depth of a gap is 1 - the cosine between the means of the `NEIGHBOURS` sentences before and after it. No piece
    crosses a top section or a block; there is no overlap.
    """

    settings: CutSettings
    models: ChunkModels

    async def pieces(self, document: Document) -> Pieces:
        """See `ModelChunker.pieces`."""
        text, size = document.text, self.settings.size_chars
        cutter = Cutter(text, self.settings, find_blocks(document))
        parts = list(cutter.whole_blocks(section_edges(document.sections, len(text), size // LEAST_SHARE)))
        stretches: list[list[Span]] = []

        def noted(start: int, end: int) -> list[Span]:
            stretches.append(whole_sentences(cutter, start, end, document.language))
            return []

        for part in parts:
            cutter.split(*part, noted)
        depths = [gap_depths(await self._vectors(text, stretch)) for stretch in stretches]
        deep = float(np.percentile(np.concatenate(depths), DEEP_PERCENTILE)) if any(map(len, depths)) else 0.0
        cuts = (cut_at_gaps(*pair, deep, size) for pair in zip(stretches, depths, strict=True))
        return Pieces([span for part in parts for span in cutter.split(*part, lambda _start, _end: next(cuts))])

    async def _vectors(self, text: str, sentences: Sequence[Span]) -> Vectors:
        texts = [text[start:end] for start, end in sentences]
        embedder = self.models.embedder
        batches = [await embedder.passages(texts[at : at + BATCH]) for at in range(0, len(texts), BATCH)]
        return np.concatenate(batches) if batches else np.zeros((0, 1), np.float32)


def gap_depths(vectors: Vectors) -> NDArray[np.float32]:
    """Return how unlike the sentences before and after each gap are. `vectors`: (n, dim); returns (n - 1,), 0 to 2."""
    sums = np.concatenate([np.zeros((1, vectors.shape[1]), np.float32), np.cumsum(vectors, axis=0)])
    gaps = np.arange(1, len(vectors))
    before = sums[gaps] - sums[np.maximum(gaps - NEIGHBOURS, 0)]
    after = sums[np.minimum(gaps + NEIGHBOURS, len(vectors))] - sums[gaps]
    norms = np.linalg.norm(before, axis=1) * np.linalg.norm(after, axis=1)
    return (1.0 - (before * after).sum(axis=1) / np.maximum(norms, 1e-9)).astype(np.float32)


def cut_at_gaps(sentences: Sequence[Span], depths: NDArray[np.float32], deep: float, size: int) -> list[Span]:
    """Part the run of sentences at its deepest gap, and the parts again, until all fit and hold no gap of `deep`.

    >>> cut_at_gaps([(0, 4), (5, 9), (10, 14)], np.array([0.1, 0.5], np.float32), 0.9, 10)
    [(0, 9), (10, 14)]
    """
    starts, ends = np.array([s for s, _ in sentences]), np.array([e for _, e in sentences])
    spans: list[Span] = []
    waiting = [(0, len(sentences))] if sentences else []
    while waiting:
        first, last = waiting.pop()
        fits = ends[last - 1] - starts[first] <= size
        gaps = np.arange(first, last - 1)  # gap i follows sentence i
        least = size // LEAST_SHARE
        roomy = gaps[(ends[gaps] - starts[first] >= least) & (ends[last - 1] - starts[gaps + 1] >= least)]
        candidates = roomy if len(roomy) or fits else gaps
        best = int(candidates[np.argmax(depths[candidates])]) if len(candidates) else -1
        if best < 0 or (fits and depths[best] < deep):
            spans.append((int(starts[first]), int(ends[last - 1])))
        else:
            waiting += [(best + 1, last), (first, best + 1)]
    return spans
