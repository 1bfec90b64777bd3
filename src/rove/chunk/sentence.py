"""Cut by sentence: whole sentences, packed up to the size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from rove.chunk import CutSettings
from rove.chunk.block import find_blocks
from rove.chunk.size import Cutter, section_edges
from rove.language.sentences import sentence_spans
from rove.records import Document
from rove.records.document import Span


@dataclass(frozen=True, slots=True)
class SentenceChunker:
    """As many whole sentences as fit in `size_chars`; the overlap is whole sentences too. See `Chunker`.

    No piece crosses a top section or a block; a heading goes with what follows it. A sentence that is longer than the
    size is cut by size.
    """

    settings: CutSettings = field(default_factory=CutSettings)

    def spans(self, document: Document) -> list[Span]:
        """See `Chunker.spans`."""
        text, size = document.text, self.settings.size_chars
        cutter = Cutter(text, self.settings, find_blocks(document))
        heads = {s.span[0] for s in document.sections}

        def prose(start: int, end: int) -> list[Span]:
            found = sentence_spans(text[start:end], document.language)
            return self._packed(_fitting([(start + a, start + b) for a, b in found], cutter, size), heads)

        edges = section_edges(document.sections, len(text), size // 4)
        return [span for part in cutter.whole_blocks(edges) for span in cutter.split(*part, prose)]

    def _packed(self, sentences: Sequence[Span], heads: set[int]) -> list[Span]:
        size, overlap = self.settings.size_chars, self.settings.overlap_chars
        spans: list[Span] = []
        first = fresh = 0  # the sentence that the piece begins with, and the first that no piece holds yet
        while fresh < len(sentences):
            start, after = sentences[first][0], fresh + 1
            while after < len(sentences) and sentences[after][1] - start <= size:
                after += 1
            while after < len(sentences) and after - 1 > fresh and sentences[after - 1][0] in heads:
                after -= 1
            end = sentences[after - 1][1]
            spans.append((start, end))
            first = fresh = after
            while fresh < len(sentences) and sentences[first - 1][0] > max(start, end - overlap - 1):
                if sentences[fresh][1] - sentences[first - 1][0] > size:
                    break
                first -= 1
        return spans


def _fitting(sentences: Sequence[Span], cutter: Cutter, size: int) -> list[Span]:
    """Cut the sentences that are longer than the size."""
    fitting: list[Span] = []
    for start, end in sentences:
        fitting += [(start, end)] if end - start <= size else cutter.by_size(start, end)
    return fitting
