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
        text = document.text
        cutter = Cutter(text, self.settings, find_blocks(document))
        heads = {s.span[0] for s in document.sections}

        def prose(start: int, end: int) -> list[Span]:
            return self._packed(whole_sentences(cutter, start, end, document.language), heads)

        edges = section_edges(document.sections, len(text), self.settings.size_chars // 4)
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


def whole_sentences(cutter: Cutter, start: int, end: int, language: str) -> list[Span]:
    """Return the sentences of a stretch; those that are longer than the size are cut by size."""
    sentences: list[Span] = []
    for first, last in sentence_spans(cutter.text[start:end], language):
        span = start + first, start + last
        sentences += [span] if last - first <= cutter.settings.size_chars else cutter.by_size(*span)
    return sentences
