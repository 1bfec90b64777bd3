"""Cut by sentence: whole sentences, packed up to the size."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from itertools import pairwise

from rove.chunk import CutSettings
from rove.chunk.block import find_blocks
from rove.chunk.boundary import continues, trimmed
from rove.chunk.program_text import is_program_text
from rove.chunk.size import Cutter, section_edges
from rove.language.sentences import sentence_spans
from rove.records import Document
from rove.records.document import Span

PLAIN = "text"  # the kind of files that hold text of any sort, programs among them


@dataclass(frozen=True, slots=True)
class SentenceChunker:
    """As many whole sentences as fit in `size_chars`; the overlap is whole sentences too. See `Chunker`.

    No piece crosses a top section or a block; a heading goes with what follows it. A sentence that is longer than the
    size is cut by size.
    """

    settings: CutSettings = field(default_factory=CutSettings)

    def spans(self, document: Document) -> list[Span]:
        """See `Chunker.spans`."""
        text = document.text
        cutter = Cutter(text, self.settings, find_blocks(document))
        packed = Packer(cutter, document.language, {s.span[0] for s in document.sections})
        if document.kind == PLAIN and not document.sections and is_program_text(text):
            return cutter.by_unit(0, len(text))
        edges = section_edges(document.sections, len(text), self.settings.size_chars // 4)
        return [span for part in cutter.whole_blocks(edges) for span in cutter.split(*part, packed)]


@dataclass(frozen=True, slots=True)
class Packer:
    """Packs the sentences of a stretch of text into pieces. `heads`: where headings begin."""

    cutter: Cutter
    language: str
    heads: AbstractSet[int] = frozenset()

    def __call__(self, start: int, end: int) -> list[Span]:
        """Return the pieces of text[start:end]."""
        size, overlap = self.cutter.settings.size_chars, self.cutter.settings.overlap_chars
        start, end = trimmed(self.cutter.text, start, end)
        if end - start <= size:
            return [(start, end)] if start < end else []
        sentences = whole_sentences(self.cutter, start, end, self.language)
        spans: list[Span] = []
        first = fresh = 0  # the sentence that the piece begins with, and the first that no piece holds yet
        while fresh < len(sentences):
            start, after = sentences[first][0], fresh + 1
            while after < len(sentences) and sentences[after][1] - start <= size:
                after += 1
            while after < len(sentences) and after - 1 > fresh and sentences[after - 1][0] in self.heads:
                after -= 1
            end = sentences[after - 1][1]
            spans.append((start, end))
            first = fresh = after
            while fresh < len(sentences) and sentences[first - 1][0] > max(start, end - overlap - 1):
                if sentences[fresh][1] - sentences[first - 1][0] > size:
                    break
                first -= 1
        return self._without_runt(spans, sentences)

    def _without_runt(self, spans: list[Span], sentences: list[Span]) -> list[Span]:
        """Part the last two anew, about equally, where the last is very short: its vector is near to every question."""
        size = self.cutter.settings.size_chars
        if len(spans) < 2 or spans[-1][1] - spans[-1][0] >= size // 4:
            return spans
        (start, _), (_, end) = spans[-2:]
        least = spans[-3][1] if len(spans) > 2 else start
        halves = [
            ((start, before[1]), (after[0], end))
            for before, after in pairwise(s for s in sentences if start <= s[0])
            if before[1] > least and before[0] not in self.heads and max(before[1] - start, end - after[0]) <= size
        ]
        best = min(halves, key=lambda pair: abs(pair[0][1] - start - (end - pair[1][0])), default=spans[-2:])
        return [*spans[:-2], *best]


def whole_sentences(cutter: Cutter, start: int, end: int, language: str) -> list[Span]:
    """Return the sentences of a stretch; those that are longer than the size are cut by size."""
    text = cutter.text
    joined: list[Span] = []
    for first, last in sentence_spans(text[start:end], language):
        if joined and _is_continuation(text, joined[-1][1], start + first):
            joined[-1] = (joined[-1][0], start + last)
        else:
            joined.append((start + first, start + last))
    sentences: list[Span] = []
    for span in joined:
        sentences += [span] if span[1] - span[0] <= cutter.settings.size_chars else cutter.by_size(*span)
    return sentences


def _is_continuation(text: str, end: int, start: int) -> bool:
    """Say whether what begins at `start` belongs to the sentence that ends at `end`: a character, or "2024. január"."""
    if end == start:
        return continues(text, start)
    return text[start].islower() and text[end - 2 : end - 1].isdigit() and text[end - 1] == "." and end + 1 == start
