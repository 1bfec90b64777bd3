"""Where in the documents an answer is seen: by the judge, which reads whole passages, or by the reader of tokens."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import Protocol

import numpy as np

from rove.models import Embedder
from rove.models.e5 import UnsuitableError
from rove.models.judge import Judge
from rove.models.passage_reading import PassageReading, ReadingEmbedder, TokenPlaces
from rove.records import Hit
from rove.records.document import Span

READER_LEVEL, JUDGE_LEVEL = 2.0, 4.5
"""Logits from which on a few words are set off as the short answer: docs/decisions/058-judge.md."""
RANK_COST = 1.0
"""What a hit's answer is worth less for each that stands before it: those further behind must be surer."""
LEAST_CHANCE = 1e-6


@dataclass(frozen=True, slots=True)
class AnswerSpan:
    """A span of a document's canonical text. `score`: how much rather it answers than nothing does, a logit."""

    span: Span
    score: float


class AnswerSpans(Protocol):
    """Where answers are seen. `level`: the score from which on one is shown by itself."""

    level: float

    def best(self, document_id: str, within: Span) -> AnswerSpan | None:
        """Return the best answer within a span of a document; None where none is seen there."""
        ...


async def judged_spans(question: str, hits: Sequence[Hit], judge: Judge) -> JudgedSpans | None:
    """Let the judge read the chunks of hits; None where the packaged one cannot run here, of which a warning tells.

    Raises:
        ServiceError: the judge's endpoint failed.
    """
    try:
        return JudgedSpans(await asyncio.gather(*(_judged(question, hit, n, judge) for n, hit in enumerate(hits))))
    except UnsuitableError as error:
        warnings.warn(f"There is no judge: {error}", RuntimeWarning, stacklevel=2)
        return None


@dataclass(frozen=True, slots=True)
class _Judged:
    document_id: str
    score: float
    found: AnswerSpan | None


class JudgedSpans:
    """See `AnswerSpans`: one span of each chunk, which counts as much as the chunk answers."""

    level = JUDGE_LEVEL

    def __init__(self, judged: Sequence[_Judged]) -> None:
        self._judged = judged

    @property
    def best_score(self) -> float:
        """How much the best chunk answers, a logit; very low where there is none."""
        return max((one.score for one in self._judged), default=log(LEAST_CHANCE))

    def best(self, document_id: str, within: Span) -> AnswerSpan | None:
        """See `AnswerSpans.best`: the span that begins there."""
        found = [one.found for one in self._judged if one.found and one.document_id == document_id]
        inside = [one for one in found if within[0] <= one.span[0] < within[1]]
        if not inside:
            return None
        best = max(inside, key=lambda one: one.score)
        return AnswerSpan((best.span[0], min(best.span[1], within[1])), best.score)


async def _judged(question: str, hit: Hit, place: int, judge: Judge) -> _Judged:
    """Judge a chunk with what stands before it (title, headings); the answer must stand in the chunk itself."""
    text = hit.chunk.indexed_text
    before = len(text) - len(hit.chunk.text)
    chance = await judge.answers(question, text)
    span = await judge.span(question, text)
    if span is not None and span.span[0] < before:
        before, span = 0, await judge.span(question, hit.chunk.text)
    score = log(max(chance, LEAST_CHANCE) / max(1 - chance, LEAST_CHANCE))
    if span is None:
        return _Judged(hit.chunk.document_id, score, None)
    start, end = (edge - before + hit.chunk.span[0] for edge in span.span)
    return _Judged(hit.chunk.document_id, score, AnswerSpan((start, end), score - RANK_COST * place))


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
        found = [_best(read, within) for read in self._read if read.document_id == document_id]
        return max((one for one in found if one), key=lambda one: one.score, default=None)


def _best(read: _Read, within: Span) -> AnswerSpan | None:
    first, end = (int(np.searchsorted(read.places[:, 0], edge)) for edge in within)
    best = read.reading.best_span(first, end)
    if best is None:
        return None
    start, last = int(read.places[best.start, 0]), int(read.places[best.end - 1, 1])
    return AnswerSpan((start, min(last, within[1])), best.score)
