"""Cut as LangChain's RecursiveCharacterTextSplitter does: the baseline, and what the Pawsitive project used."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from rove.chunk import CutSettings
from rove.chunk.boundary import trimmed
from rove.records import Document
from rove.records.document import Span

SEPARATORS = ("\n\n", "\n", " ", "")


@dataclass(frozen=True, slots=True)
class RecursiveChunker:
    """Split at the first of `SEPARATORS` that occurs, the parts that are too long at the next, and merge to the size.

    Each separator stays at the start of its part. The pieces are those of LangChain's splitter with the same size and
    overlap and no other argument, save that a piece which lies wholly within its neighbour is left out. It knows
    nothing of sections, blocks, sentences and written characters.
    """

    settings: CutSettings = field(default_factory=CutSettings)

    def spans(self, document: Document) -> list[Span]:
        """See `Chunker.spans`."""
        text = document.text
        spans: list[Span] = []
        for piece in self._split(text, (0, len(text)), SEPARATORS):
            start, end = trimmed(text, *piece)
            if start == end or (spans and end <= spans[-1][1]):
                continue
            if spans and start <= spans[-1][0]:
                spans.pop()
            spans.append((start, end))
        return spans

    def _split(self, text: str, part: Span, separators: Sequence[str]) -> Iterator[Span]:
        index = next(i for i, mark in enumerate(separators) if not mark or text.find(mark, *part) >= 0)
        run: list[Span] = []
        for start, end in _split_at_separator(text, part, separators[index]):
            if end - start < self.settings.size_chars:
                run.append((start, end))
                continue
            yield from self._merged(run)
            run = []
            finer = separators[index + 1 :]
            yield from self._split(text, (start, end), finer) if finer else [(start, end)]
        yield from self._merged(run)

    def _merged(self, run: Sequence[Span]) -> Iterator[Span]:
        """Yield stretches of the run, each as long as fits, beginning with at most the overlap of the one before."""
        size, overlap = self.settings.size_chars, self.settings.overlap_chars
        first = 0
        for index, (start, end) in enumerate(run):
            if end - run[first][0] <= size:
                continue
            yield run[first][0], start
            while first < index and (start - run[first][0] > overlap or end - run[first][0] > size):
                first += 1
        if run:
            yield run[first][0], run[-1][1]


def _split_at_separator(text: str, part: Span, separator: str) -> Iterator[Span]:
    """Yield the parts of a stretch, each but the first with its separator in front; characters where that is ""."""
    start, end = part
    edges = [start]
    if separator:
        at = text.find(separator, start, end)
        while at >= 0:
            edges.append(at)
            at = text.find(separator, at + len(separator), end)
    else:
        edges.extend(range(start + 1, end))
    return ((begin, stop) for begin, stop in pairwise([*edges, end]) if begin < stop)
