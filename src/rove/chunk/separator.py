"""Cut at a separator: one piece a part, or parts merged up to the size."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from rove.chunk import CutSettings
from rove.chunk.boundary import trimmed
from rove.chunk.size import Cutter
from rove.records import Document
from rove.records.document import Span

# A part is kept whole, since that is what was asked for, up to this many sizes; a longer one (a file of one line)
# can be neither embedded nor read, and is cut by size.
LONGEST_SIZES = 16


@dataclass(frozen=True, slots=True)
class SeparatorChunker:
    """One piece a part; with `merge`, neighbours together while they fit in `size_chars`. See `Chunker`."""

    settings: CutSettings = field(default_factory=CutSettings)

    def spans(self, document: Document) -> list[Span]:
        """See `Chunker.spans`."""
        parts = capped(Cutter(document.text, self.settings), separated(document.text, self.settings.separator))
        return merge_parts(parts, self.settings.size_chars) if self.settings.merge else parts


def separated(text: str, separator: str) -> Iterator[Span]:
    """Yield the parts of a text. The separator stays at its part's end; one with nothing before it goes on.

    >>> list(separated("--a--b", "--"))
    [(0, 5), (5, 6)]
    """
    start = searched = 0
    while (at := text.find(separator, searched)) >= 0:
        stop = at + len(separator)
        if at > searched and not text[searched:at].isspace():
            yield start, stop
            start = stop
        searched = stop
    yield start, len(text)


def capped(cutter: Cutter, parts: Iterable[Span]) -> list[Span]:
    """Return the parts without white space at their ends and without blank ones, the overlong cut by size."""
    longest = LONGEST_SIZES * cutter.settings.size_chars
    spans: list[Span] = []
    for part in parts:
        start, end = trimmed(cutter.text, *part)
        if end - start > longest:
            spans += cutter.split(start, end)
        elif start < end:
            spans.append((start, end))
    return spans


def merge_parts(parts: Iterable[Span], size_chars: int) -> list[Span]:
    """Join neighbours while the whole is at most `size_chars` long.

    >>> merge_parts([(0, 3), (4, 7), (8, 11)], 7)
    [(0, 7), (8, 11)]
    """
    spans: list[Span] = []
    for start, end in parts:
        if spans and end - spans[-1][0] <= size_chars:
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((start, end))
    return spans
