"""Cut by size: pieces of at most `size_chars`, cut at the best place near, with a little overlap."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from rove.chunk import CutSettings
from rove.chunk.block import Blocks, find_blocks
from rove.chunk.boundary import best_break, overlap_start, skip_space, trimmed
from rove.records import Document, Section

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class SizeChunker:
    """Pieces of at most `size_chars`; sections first, then `boundary.best_break`. See `Chunker`."""

    settings: CutSettings = field(default_factory=CutSettings)

    def spans(self, document: Document) -> list[Span]:
        """See `Chunker.spans`."""
        text = document.text
        if not document.sections and len(text) <= self.settings.size_chars:
            return [span] if (span := trimmed(text, 0, len(text)))[0] < span[1] else []
        starts = sorted({s.span[0] for s in document.sections})
        cutter = Cutter(text, self.settings, find_blocks(text), starts)
        edges = [0, *_section_edges(document.sections, len(text), self.settings.size_chars // 4), len(text)]
        return [span for start, end in pairwise(edges) for span in cutter.split(start, end)]


def _section_edges(sections: Sequence[Section], end: int, least: int) -> list[int]:
    """Return the starts of top sections that no piece may cross: both sides have at least `least` characters.

    Top is the highest level that occurs twice, so that a lone title does not hide the chapters below it.
    """
    levels = Counter(s.level for s in sections)
    top = min((level for level, count in levels.items() if count > 1), default=0)
    starts = sorted({s.span[0] for s in sections if s.level <= top})
    edges: list[int] = []
    last = 0
    for start, following in pairwise([*starts, end]):
        if start - last >= least and following - start >= least:
            edges.append(start)
            last = start
    return edges


@dataclass(frozen=True, slots=True)
class Cutter:
    """Cuts stretches of one text by size. `starts`: rising offsets where sections begin, the best places to cut."""

    text: str
    settings: CutSettings
    blocks: Blocks = field(default_factory=Blocks)
    starts: Sequence[int] = ()

    def split(self, start: int, end: int) -> list[Span]:
        """Cut text[start:end] into spans; linear in its length. [] where it is blank."""
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
