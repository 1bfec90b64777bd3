"""Where in the documents an answer is seen: the contract, and the reader of tokens. The judge: `judged_spans`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from rove.models import Embedder
from rove.models.passage_reading import PassageReading, ReadingEmbedder, TokenPlaces
from rove.records import Hit
from rove.records.document import Span

READER_LEVEL = 2.0
"""The logit from which on a few words are set off as the short answer where there is no judge."""
LEAST_CHANCE = 1e-6


@dataclass(frozen=True, slots=True)
class AnswerSpan:
    """A span of a document's canonical text. `score`: how much rather it answers than nothing does, a logit."""

    span: Span
    score: float


class AnswerSpans(Protocol):
    """Where answers are seen."""

    @property
    def level(self) -> float:
        """The score from which on an answer is shown by itself."""
        ...

    def best(self, document_id: str, within: Span) -> AnswerSpan | None:
        """Return the best answer within a span of a document; None where none is seen there."""
        ...


@dataclass(frozen=True, slots=True)
class _Read:
    document_id: str
    places: TokenPlaces
    reading: PassageReading


class ReadSpans:
    """See `AnswerSpans`: the chunks that the reader has read, with the places of their tokens in their documents."""

    level = READER_LEVEL

    def __init__(self, read: Sequence[_Read] = ()) -> None:
        self._read = read

    @classmethod
    async def of(cls, hits: Sequence[Hit], readings: Mapping[str, PassageReading], embedder: Embedder) -> ReadSpans:
        """Take the hits that were read; `readings` by the ids of their chunks."""
        read: list[_Read] = []
        for hit in hits:
            reading = readings.get(hit.chunk.chunk_id)
            if reading is not None and isinstance(embedder, ReadingEmbedder):
                text = hit.chunk.indexed_text
                places = (await embedder.token_spans(text))[: len(reading.begins)]
                moved = hit.chunk.span[0] - (len(text) - len(hit.chunk.text))
                read.append(_Read(hit.chunk.document_id, places + moved, reading))
        return cls(read)

    def best(self, document_id: str, within: Span) -> AnswerSpan | None:
        """See `AnswerSpans.best`."""
        found = [_best_span_within(read, within) for read in self._read if read.document_id == document_id]
        return max((one for one in found if one), key=lambda one: one.score, default=None)


def _best_span_within(read: _Read, within: Span) -> AnswerSpan | None:
    first, end = (int(np.searchsorted(read.places[:, 0], edge)) for edge in within)
    best = read.reading.best_span(first, end)
    if best is None:
        return None
    start, last = int(read.places[best.start, 0]), int(read.places[best.end - 1, 1])
    return AnswerSpan((start, min(last, within[1])), best.score)
