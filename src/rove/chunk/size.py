"""Cut by size: pieces of at most `size_chars`, cut at the best place near, with a little overlap."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from rove.chunk import CutSettings
from rove.chunk.block import Blocks, find_blocks
from rove.chunk.boundary import best_break, overlap_start, skip_space, trimmed
from rove.chunk.program_text import program_pieces
from rove.records import Document, Section
from rove.records.document import Span


@dataclass(frozen=True, slots=True)
class SizeChunker:
    """Pieces of at most `size_chars`; sections first, then `boundary.best_break`. See `Chunker`."""

    settings: CutSettings = field(default_factory=CutSettings)

    def spans(self, document: Document) -> list[Span]:
        """See `Chunker.spans`."""
        text = document.text
        blocks = find_blocks(document)
        if not document.sections and not blocks.starts and len(text) <= self.settings.size_chars:
            return [span] if (span := trimmed(text, 0, len(text)))[0] < span[1] else []
        starts = sorted({s.span[0] for s in document.sections})
        cutter = Cutter(text, self.settings, blocks, starts)
        edges = section_edges(document.sections, len(text), self.settings.size_chars // 4)
        return [span for part in cutter.whole_blocks(edges) for span in cutter.split(*part)]


CELL_BAR = re.compile(r"(?<!\\)\|")


def section_edges(sections: Sequence[Section], end: int, least: int) -> list[int]:
    """Return 0, the starts of top sections that no piece may cross, and `end`; at least `least` characters apart.

    Top is the highest level that occurs twice, so that a lone title does not hide the chapters below it.
    """
    levels = Counter(s.level for s in sections)
    top = min((level for level, count in levels.items() if count > 1), default=0)
    starts = sorted({s.span[0] for s in sections if s.level <= top})
    edges = [0]
    for start, following in pairwise([*starts, end]):
        if start - edges[-1] >= least and following - start >= least:
            edges.append(start)
    return [*edges, end]


@dataclass(frozen=True, slots=True)
class Cutter:
    """Cuts stretches of one text by size. `starts`: rising offsets where sections begin, the best places to cut."""

    text: str
    settings: CutSettings
    blocks: Blocks = field(default_factory=Blocks)
    starts: Sequence[int] = ()

    def whole_blocks(self, edges: Sequence[int]) -> Iterator[Span]:
        """Yield the stretches between the edges; an edge within a block counts for nothing."""
        return pairwise(edge for edge in edges if self.blocks.around(edge) is None)

    def split(self, start: int, end: int, prose: Callable[[int, int], list[Span]] | None = None) -> list[Span]:
        """Cut text[start:end] into spans; linear in its length. [] where it is blank.

        Blocks that are pieces of their own are cut between rows or lines if at all; `prose` cuts what stands between
        them, by default by size.
        """
        prose = prose or self.by_size
        if not self.blocks.starts:
            return prose(start, end)
        spans: list[Span] = []
        for stretch, block in self.blocks.stretches(start, end):
            if block is None:
                spans += prose(*stretch)
            elif block.kind == "table":
                spans += self._rows(*trimmed(self.text, *stretch))
            elif block.kind == "code":
                spans += self.by_unit(*stretch)
            else:
                spans += self.by_size(*stretch)
        return spans

    def by_unit(self, start: int, end: int) -> list[Span]:
        """Cut program text into pieces of at most the size, between its units where it has any."""
        spans: list[Span] = []
        for piece in program_pieces(self.text, start, end, self.settings.size_chars):
            spans += self.by_size(*piece)
        return spans

    def by_size(self, start: int, end: int) -> list[Span]:
        """Cut text[start:end] into pieces of at most the size, whatever it is."""
        text, size = self.text, self.settings.size_chars
        start, end = trimmed(text, start, end)
        if start == end:
            return []
        spans: list[Span] = []
        fresh = start  # the first character that no piece holds yet
        while end - start > size:
            at = self._place(start, fresh, end)
            spans.append((start, start + len(text[start:at].rstrip())))
            fresh = skip_space(text, at, end)
            start = self._overlapped(start, at, fresh)
        spans.append((start, end))
        return spans

    def _rows(self, start: int, end: int) -> list[Span]:
        """Cut a table into pieces of about equal length, between rows; a row too long by itself between cells."""
        size = self.settings.size_chars
        target = (end - start) // max(1, -(-(end - start) // size))
        spans: list[Span] = []
        row = start
        while row < end:
            stop = self.text.find("\n", row, end)
            stop = end if stop < 0 else stop
            if row > start and (stop - start > size or row - 1 - start >= target):
                spans.append((start, row - 1))
                start = row
            if stop - start > size:
                spans += self._cells(start, stop)
                start = stop + 1
            row = stop + 1
        return [span for part in [*spans, (start, end)] if (span := trimmed(self.text, *part))[0] < span[1]]

    def _cells(self, start: int, end: int) -> Iterator[Span]:
        """Cut one row between its cells; a cell that is too long by itself is cut by size."""
        size = self.settings.size_chars
        at = start
        bars = [found.start() for found in CELL_BAR.finditer(self.text, start, end)]
        for bar, following in zip(bars[1:-1], [*bars[2:-1], end][: max(len(bars) - 2, 0)], strict=True):
            if following - at > size and bar > at:
                yield from self.by_size(at, bar) if bar - at > size else [trimmed(self.text, at, bar)]
                at = bar
        yield from self.by_size(at, end)

    def _place(self, start: int, fresh: int, end: int) -> int:
        """Return where the piece that begins at `start` ends, in fresh+1 .. start+size."""
        size, overlap = self.settings.size_chars, self.settings.overlap_chars
        high = start + size
        rest = end - start
        if rest <= 2 * size - overlap - size // 4:  # the last two: about equal, no runt; a quarter is room to choose
            low = max(end - size + overlap, start + size // 4, fresh + 1)
            target = max(start + (rest + overlap) // 2, low)
            high = max(min(high, end - size // 4), target)
        else:
            low, target = max(start + size // 2, fresh + 1), high
        at = self._section_start(low, target, high) or best_break(self.text, low, target, high)
        block = self.blocks.around(at) if self.blocks.starts else None
        return at if block is None else self._out_of(block, at, start, fresh)

    def _section_start(self, low: int, target: int, high: int) -> int:
        if not self.starts:
            return 0
        first, after = bisect_left(self.starts, low), bisect_right(self.starts, high)
        found = self.starts[first:after]
        return min(found, key=lambda offset: abs(offset - target), default=0)

    def _out_of(self, block: int, at: int, start: int, fresh: int) -> int:
        """Move a cut out of a table or fence: behind it, before it, or, where it is too long, to a line's end."""
        size = self.settings.size_chars
        first, last = self.blocks.starts[block], self.blocks.ends[block]
        if last <= start + size:
            return last
        least = size // 8 if last - first <= size else size // 2
        if first > fresh and first - start >= least:
            return first
        if self.text[at] == "\n":
            return at
        line_end = self.text.rfind("\n", max(fresh, start + size // 4) + 1, start + size + 1)
        return line_end if line_end > 0 else at

    def _overlapped(self, start: int, at: int, fresh: int) -> int:
        """Return where the next piece begins: up to `overlap_chars` before `at`, else at `fresh`."""
        size, overlap = self.settings.size_chars, self.settings.overlap_chars
        low = max(at - overlap, start + 1, fresh - size + 1)
        if self.starts and (index := bisect_right(self.starts, fresh)):
            low = max(low, self.starts[index - 1])
        if low >= at:
            return fresh
        begin = overlap_start(self.text, low, at)
        inside = begin >= at or (self.blocks.starts and self.blocks.around(begin) is not None)
        return fresh if inside else begin
