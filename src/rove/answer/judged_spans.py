"""Where the judge sees answers: it reads every passage, then the best ones' sentence or row by itself, and is weighed.

A passage as a whole says best whether it answers. A sentence alone shows whether it only points elsewhere, and a row
alone shows no other row's cells. What the question names must be named there: see `unnamed`.
"""

from __future__ import annotations

import asyncio
import re
import unicodedata
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from math import log

from rove.answer.claim import plain
from rove.answer.spans import LEAST_CHANCE, AnswerSpan
from rove.answer.unnamed import ALL_NAMED, unnamed
from rove.language.pipe_rows import PipeRow, table_rows
from rove.language.sentences import sentence_spans
from rove.language.words import query_terms, terms
from rove.models import Embedder
from rove.models.e5 import UnsuitableError
from rove.models.judge import Judge, JudgedSpan
from rove.models.passage_reading import PassageReading, ReadingEmbedder, TokenPlaces
from rove.records import Hit
from rove.records.document import Span

CLOSER_LOOKS = 2
"""Passages, the best, of which one sentence or row is read by itself."""
NOTHING = -log(LEAST_CHANCE)
RANK_COST = 1.0
"""What a passage counts less, of which is read closer, for each that stands before it."""
MEAN_READ, MEAN_UNNAMED = 1.0, -2.0
"""What stands in where no reader has read the passage."""
_CODE = re.compile(r"(?<![A-Za-z0-9])(?:[A-Z]{1,6}[-_./])?(?=[A-Za-z]*\d)[A-Za-z0-9]{2,}(?:[-_./:][A-Za-z0-9]+)*")
"""A number or a code of a question: "2025", "RE-2024-0815"."""


@dataclass(frozen=True, slots=True)
class Signs:
    """What speaks for words of a passage as the answer, as logits; also what each of them counts in the sum.

    answers: the judge says that the passage answers.
    closer: that its sentence or row does, by itself.
    span: that rather these words do than none.
    claimed: that the sentence or row says of them what the question asks.
    read: the reader of tokens says that the passage answers.
    unnamed: the passage is not about what the question names (`unnamed`).
    rank: the hits that stand before it.
    """

    answers: float
    closer: float
    span: float
    claimed: float
    read: float
    unnamed: float
    rank: float

    def weighed(self) -> float:
        """Return the logit that the words are the answer."""
        return BIAS + sum(weight * value for weight, value in zip(astuple(WEIGHTS), astuple(self), strict=True))


WEIGHTS, BIAS = Signs(0.099, 0.046, 0.096, 0.182, 0.171, -0.418, -0.428), -3.28
"""A logistic regression: docs/decisions/058-judge.md says over what."""
UNNAMED_COST = 2.0
"""What each unit of the logit above 0 that a passage is not about what is named costs it."""
LEVEL = 0.75
"""The logit from which on words are shown as the answer."""


@dataclass(frozen=True, slots=True)
class JudgedHit:
    """A chunk that the judge has read. `there`: that it holds the answer, a logit. `found`: the words, if any."""

    document_id: str
    there: float
    found: AnswerSpan | None = None


@dataclass(frozen=True, slots=True)
class JudgedSpans:
    """See `AnswerSpans`: one span of each chunk that was read closer, with the logit that it is right."""

    judged: tuple[JudgedHit, ...]
    level: float = LEVEL

    @property
    def best_score(self) -> float:
        """How surely the best chunk holds the answer, a logit; very low where there is none."""
        return max((one.there for one in self.judged), default=log(LEAST_CHANCE))

    def best(self, document_id: str, within: Span) -> AnswerSpan | None:
        """See `AnswerSpans.best`: the span that begins there."""
        found = [one.found for one in self.judged if one.found and one.document_id == document_id]
        inside = [one for one in found if within[0] <= one.span[0] < within[1]]
        if not inside:
            return None
        best = max(inside, key=lambda one: one.score)
        return AnswerSpan((best.span[0], min(best.span[1], within[1])), best.score)


@dataclass(frozen=True, slots=True)
class _Passage:
    """A hit as it was read as a whole. `span`: of its chunk, where answers were seen. `score`: how surely."""

    hit: Hit
    rank: int
    answers: float
    span: Span | None
    score: float
    reading: PassageReading | None


@dataclass(frozen=True, slots=True)
class _Unit:
    """A sentence or a row of a chunk, and what it says."""

    span: Span
    said: str
    row: PipeRow | None = None


async def judged_spans(
    question: str,
    language: str,
    hits: Sequence[Hit],
    judge: Judge,
    embedder: Embedder,
    readings: Mapping[str, PassageReading],
) -> JudgedSpans | None:
    """Let the judge read the chunks of hits; None where the packaged one cannot run here, of which a warning tells.

    Args:
        question: as it stands alone.
        language: the question's.
        hits: best first.
        judge: reads.
        embedder: says where the question's tokens stand in it.
        readings: what the reader of tokens has read, by the ids of chunks; none where it was not asked.

    Raises:
        ServiceError: the judge's endpoint failed.
    """
    tokens = await embedder.token_spans(question) if isinstance(embedder, ReadingEmbedder) and readings else None
    asked = _Asked(question, language, tokens, hits)
    try:
        read = await asyncio.gather(
            *(_read(question, hit, rank, judge, readings.get(hit.chunk.chunk_id)) for rank, hit in enumerate(hits))
        )
        best = sorted(read, key=lambda one: RANK_COST * one.rank - one.answers)[:CLOSER_LOOKS]
        judged = [await _closer(asked, one, judge) if one in best else _far(asked, one) for one in read]
        return JudgedSpans(tuple(judged))
    except UnsuitableError as error:
        warnings.warn(f"There is no judge: {error}", RuntimeWarning, stacklevel=2)
        return None


async def _read(question: str, hit: Hit, rank: int, judge: Judge, reading: PassageReading | None) -> _Passage:
    """Read a chunk with what stands before it (title, headings); the answer must stand in the chunk itself."""
    text = hit.chunk.indexed_text
    before = len(text) - len(hit.chunk.text)
    answers = _logit(await judge.answers(question, text))
    found = await judge.span(question, text)
    if found is not None and found.span[0] < before:
        before, found = 0, await judge.span(question, hit.chunk.text)
    span = (found.span[0] - before, found.span[1] - before) if found else None
    return _Passage(hit, rank, answers, span, found.score if found else -NOTHING, reading)


def _far(asked: _Asked, passage: _Passage) -> JudgedHit:
    """Say how surely a passage holds the answer, which is not where a code of the question is missing."""
    there = passage.answers - UNNAMED_COST * max(asked.unnamed(passage.hit, passage.reading), 0)
    missing = not has_codes(asked.question, asked.about(passage.hit), lettered=True)
    return JudgedHit(passage.hit.chunk.document_id, log(LEAST_CHANCE) if missing else there)


async def _closer(asked: _Asked, passage: _Passage, judge: Judge) -> JudgedHit:
    """Read the sentence or row of the answer by itself, under its headings."""
    hit, chunk = passage.hit, passage.hit.chunk
    unit, judged = _unit(asked, passage), _far(asked, passage)
    if unit is None or passage.span is None:
        return judged
    text = f"{chunk.prefix}{unit.said}"
    closer, found = _logit(await judge.answers(asked.question, text)), await judge.span(asked.question, text)
    span, score = passage.span, passage.score
    if unit.row:
        span, score = _in_row(unit.row, chunk.text, found, len(chunk.prefix)), found.score if found else -NOTHING
    said = chunk.text[slice(*span)].strip() if span else ""
    claimed = _logit((await judge.supported(f"{asked.question} {said}", text)).supported) if said else -NOTHING
    signs = Signs(
        passage.answers,
        closer,
        score,
        claimed,
        passage.reading.answer if passage.reading else MEAN_READ,
        asked.unnamed(hit, passage.reading),
        passage.rank,
    )
    codes = has_codes(asked.question, f"{hit.title} {chunk.indexed_text}")
    if span is None or not codes or plain(said) in plain(asked.question):
        return judged
    start, end = (edge + chunk.span[0] for edge in span)
    return replace(judged, found=AnswerSpan((start, end), signs.weighed()))


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question, its language, where its tokens stand in it, where that is known, and what was found for it."""

    question: str
    language: str
    tokens: TokenPlaces | None
    hits: Sequence[Hit]

    def unnamed(self, hit: Hit, reading: PassageReading | None) -> float:
        """See `unnamed`. Across languages words say nothing."""
        if self.tokens is None or reading is None:
            return MEAN_UNNAMED
        if hit.chunk.language != self.language:
            return ALL_NAMED
        return unnamed(self.question, self.language, self.tokens, reading.closest, self.about(hit))

    def about(self, hit: Hit) -> str:
        """Return the words of a passage, of what else was found of its document, and above both."""
        own = [one.chunk.indexed_text for one in self.hits if one.chunk.document_id == hit.chunk.document_id]
        return " ".join((hit.title, *hit.chunk.headings, *own, hit.uri.rpartition("/")[2]))


def _unit(asked: _Asked, passage: _Passage) -> _Unit | None:
    """Return the sentence of the answer, or the row: of its table the one that has most of the question's words."""
    if passage.span is None:
        return None
    chunk, at = passage.hit.chunk, passage.span[0]
    rows = list(table_rows(chunk.text, chunk.prefix))
    own = next((row for row in rows if row.span[0] <= at < row.span[1]), None)
    if own:
        wanted = set(query_terms(asked.question, asked.language))
        table = [row for row in rows if row.names == own.names]
        best = max(table, key=lambda row: (len(wanted.intersection(terms(row.said, chunk.language))), row == own))
        return _Unit(best.span, best.said, best)
    for start, end in sentence_spans(chunk.text, chunk.language):
        if start <= at < end:
            return _Unit((start, end), chunk.text[start:end].strip())
    return None


def _in_row(row: PipeRow, text: str, found: JudgedSpan | None, before: int) -> Span | None:
    """Return where words of what a row says stand in the row, within one cell; None where they are a column's name.

    `before`: characters that stood before what it says.
    """
    if found is None:
        return None
    begin, end = (edge - before for edge in found.span)
    best: Span | None = None
    at, place = 0, row.span[0]
    for name, cell in zip((*row.names, *[""] * len(row.cells)), row.cells, strict=False):
        stands = text.find(cell.replace("|", "\\|"), place, row.span[1]) if cell else -1
        if stands < 0:
            continue
        at += len(name) + 2 if name else 0
        first, last = max(begin, at), min(end, at + len(cell))
        if last > first and (best is None or last - first > best[1] - best[0]):
            best = (stands + first - at, stands + last - at)
        at, place = at + len(cell) + 2, stands + len(cell)
    return best


def has_codes(question: str, text: str, *, lettered: bool = False) -> bool:
    """Say whether a text has every number and code of a question, or every one with a letter in it.

    >>> has_codes("Is RQ-800 from 2021?", "the RQ 800"), has_codes("Is RQ-800 from 2021?", "the RQ 800", lettered=True)
    (False, True)
    """
    codes = [_letters(code) for code in _CODE.findall(unicodedata.normalize("NFKC", question))]
    known = _letters(text) if codes else ""
    return all(code in known for code in codes if not lettered or not code.isdigit())


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text).casefold()))


def _logit(chance: float) -> float:
    return log(max(chance, LEAST_CHANCE) / max(1 - chance, LEAST_CHANCE))
