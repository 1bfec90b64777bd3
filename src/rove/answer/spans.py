"""Where in the documents an answer is seen: by the judge, which reads whole passages, or by the reader of tokens."""

from __future__ import annotations

import asyncio
import re
import unicodedata
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
_CODE = re.compile(r"(?<![A-Za-z0-9])(?=[A-Za-z]*\d)[A-Za-z0-9]{2,}(?:[-_./:][A-Za-z0-9]+)*")
"""A number or a code of a question: "2025", "RE-2024-0815"."""


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


async def judged_spans(question: str, hits: Sequence[Hit], judge: Judge) -> JudgedSpans | None:
    """Let the judge read the chunks of hits; None where the packaged one cannot run here, of which a warning tells.

    Raises:
        ServiceError: the judge's endpoint failed.
    """
    try:
        judged = await asyncio.gather(*(_judged(question, hit, place, judge) for place, hit in enumerate(hits)))
        return JudgedSpans(tuple(judged))
    except UnsuitableError as error:
        warnings.warn(f"There is no judge: {error}", RuntimeWarning, stacklevel=2)
        return None


@dataclass(frozen=True, slots=True)
class JudgedHit:
    """How much a chunk of a document answers, a logit, and the span that does; None where there is none."""

    document_id: str
    score: float
    found: AnswerSpan | None


@dataclass(frozen=True, slots=True)
class JudgedSpans:
    """See `AnswerSpans`: one span of each chunk, which counts as much as the chunk answers."""

    judged: tuple[JudgedHit, ...]
    level: float = JUDGE_LEVEL

    @property
    def best_score(self) -> float:
        """How much the best chunk answers, a logit; very low where there is none."""
        return max((one.score for one in self.judged), default=log(LEAST_CHANCE))

    def best(self, document_id: str, within: Span) -> AnswerSpan | None:
        """See `AnswerSpans.best`: the span that begins there."""
        found = [one.found for one in self.judged if one.found and one.document_id == document_id]
        inside = [one for one in found if within[0] <= one.span[0] < within[1]]
        if not inside:
            return None
        best = max(inside, key=lambda one: one.score)
        return AnswerSpan((best.span[0], min(best.span[1], within[1])), best.score)


async def _judged(question: str, hit: Hit, place: int, judge: Judge) -> JudgedHit:
    """Judge a chunk with what stands before it (title, headings); the answer must stand in the chunk itself.

    A chunk that lacks a number or code of the question may be about another one: it has no answer to show.
    """
    text = hit.chunk.indexed_text
    before = len(text) - len(hit.chunk.text)
    chance = await judge.answers(question, text)
    span = await judge.span(question, text)
    if span is not None and span.span[0] < before:
        before, span = 0, await judge.span(question, hit.chunk.text)
    score = log(max(chance, LEAST_CHANCE) / max(1 - chance, LEAST_CHANCE))
    if span is None or not _has_codes(question, f"{hit.title} {text}"):
        return JudgedHit(hit.chunk.document_id, score, None)
    start, end = (edge - before + hit.chunk.span[0] for edge in span.span)
    return JudgedHit(hit.chunk.document_id, score, AnswerSpan((start, end), score - RANK_COST * place))


def _has_codes(question: str, text: str) -> bool:
    codes = [_letters(code) for code in _CODE.findall(unicodedata.normalize("NFKC", question))]
    return not codes or all(code in known for known in [_letters(text)] for code in codes)


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text).casefold()))


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
