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
from math import exp, inf, log

from rove.answer.claim import fold_spelling
from rove.answer.pointer import pointing
from rove.answer.spans import LEAST_CHANCE, AnswerSpan
from rove.answer.unnamed import ALL_NAMED, Unnamed, has_stem, lacking_words, unnamed
from rove.language.codes import codes_in
from rove.language.pipe_rows import NamedCell, PipeRow, table_rows
from rove.language.sentences import sentence_spans
from rove.language.words import query_terms, terms
from rove.models import Embedder
from rove.models.e5 import UnsuitableError
from rove.models.judge import Judge
from rove.models.passage_reading import PassageReading, ReadingEmbedder, TokenPlaces
from rove.question.asked_place import asked_place
from rove.records import Hit
from rove.records.document import Span
from rove.references.places_within import CAPTIONED, names_place
from rove.references.text_references import Reference

CLOSER_LOOKS = 2
"""Passages, the best, of which one sentence or row is read by itself."""
NOTHING = -log(LEAST_CHANCE)
MOST_CELLS = 16
"""Cells of a row that are read by themselves."""
RANK_COST = 1.0
"""What a passage counts less, of which is read closer, for each that stands before it."""
MEAN_READ, MEAN_UNNAMED = 1.0, -2.0
"""What stands in where no reader has read the passage."""
_CLAUSE = re.compile(r"(?<=[，；;])|(?<=,)\s")
_NO_SENTENCE = re.compile(r"[#|]")


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

    def weighed(self, weights: Signs, bias: float) -> float:
        """Return the logit that the words are the answer."""
        return bias + sum(weight * value for weight, value in zip(astuple(weights), astuple(self), strict=True))


WEIGHTS, BIAS = Signs(0.099, 0.046, 0.096, 0.182, 0.171, -0.418, -0.428), -3.28
"""A logistic regression: docs/decisions/058-judge.md says over what."""
CELL_WEIGHTS, CELL_BIAS = Signs(0.0, 0.30, 0.0, 0.0, 0.26, -0.445, -0.428), -2.0
"""The same of the words of a cell: of a row, what the judge says of the cell alone tells more than all else."""
CELL_LEAD, NOT_SHOWN = 2.0, 0.7
"""By how much the best cell answers rather than the next, a logit; else its words have at most that logit."""
CELL_ANSWERED, CELL_EXCHANGED = 0.75, -0.25
"""What counts in the logit that a cell answers, beside that its words are right: a bias, and `exchanged`."""
ANSWERED, ANSWERED_BIAS = (0.30, 0.32, -1.9, -0.5), 0.42
"""What counts in the logit that a question is answered: that the best words are right, what the reader says, and the
best chunk's `exchanged` and `points`. A logistic regression: docs/decisions/058-judge.md says over what."""
ELSEWHERE = 3.0
"""What counts against words as the answer that another document says what the question names and theirs lacks."""
MARGIN = 1.5
"""The sum of the reader's and the judge's logits from which on a question is answered where no words are seen."""
POINTS_COST = 1.0
"""What each unit of the logit that a chunk only points costs its words."""
NONE_FOUND = -6.0
"""The logit that words are the answer where there are none."""
LEVEL = 0.75
"""The logit from which on words are shown as the answer."""


@dataclass(frozen=True, slots=True)
class JudgedHit:
    """A chunk that the judge has read closer. `found`: the words that answer, if any.

    points: that what it says of what is asked only points elsewhere, a logit; 0 where it rather says it.
    elsewhere: that the word of the question which it most likely is not about is said by another document, a logit; 0
        where it rather is about it, or none says it.
    exchanged: how much rather the judge takes it for an answer to the question without the word that it most likely is
        not about ("Hall 9"), times the chance of that; a logit.
    """

    document_id: str
    found: AnswerSpan | None = None
    points: float = 0.0
    exchanged: float = 0.0
    elsewhere: float = 0.0
    in_cell: bool = False


@dataclass(frozen=True, slots=True)
class JudgedSpans:
    """See `AnswerSpans`: one span of each chunk that was read closer, with the logit that it is right, best first.

    coded: whether any chunk has the codes of the question, and names its place; where none has, nothing is answered.
    there: of a judge that cannot say where, that the best chunk answers, a logit.
    """

    judged: tuple[JudgedHit, ...]
    coded: bool = True
    there: float | None = None
    level: float = LEVEL

    def answers(self, read: float) -> float:
        """Return the logit that the question is answered; `read`: that by the reader of tokens.

        Whoever shows words as the answer does not refuse.
        """
        if not self.judged or not self.coded:
            return log(LEAST_CHANCE)
        if self.there is not None:
            return read + self.there - MARGIN
        best = self.judged[0]
        score = best.found.score if best.found else NONE_FOUND
        if best.in_cell:
            answered = CELL_ANSWERED + score + CELL_EXCHANGED * best.exchanged
        else:
            signs = (score, read, best.exchanged, best.points)
            weighed = ANSWERED_BIAS + sum(weight * sign for weight, sign in zip(ANSWERED, signs, strict=True))
            answered = max(weighed, score) if score >= self.level else weighed
        return answered - ELSEWHERE * best.elsewhere

    def best(self, document_id: str, within: Span) -> AnswerSpan | None:
        """See `AnswerSpans.best`: the span that begins there."""
        found = [(one, one.found) for one in self.judged if one.found and one.document_id == document_id]
        inside = [
            AnswerSpan((span.span[0], min(span.span[1], within[1])), span.score - ELSEWHERE * one.elsewhere)
            for one, span in found
            if within[0] <= span.span[0] < within[1]
        ]
        return max(inside, key=lambda one: one.score, default=None)


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


@dataclass(frozen=True, slots=True)
class _Closer:
    """A passage that was read closer: its sentence or row under its headings, and that this answers, a logit."""

    passage: _Passage
    text: str
    answers: float
    found: AnswerSpan | None
    points: float
    in_cell: bool = False

    @property
    def score(self) -> float:
        """How surely its words are the answer."""
        return self.found.score if self.found else NONE_FOUND


async def judged_spans(
    question: str,
    language: str,
    hits: Sequence[Hit],
    judge: Judge,
    embedder: Embedder,
    readings: Mapping[str, PassageReading],
    beside: Sequence[Hit] = (),
) -> JudgedSpans | None:
    """Let the judge read the chunks of hits; None where the packaged one cannot run here, of which a warning tells.

    Args:
        question: as it stands alone.
        language: the question's.
        hits: best first.
        judge: reads.
        embedder: says where the question's tokens stand in it.
        readings: what the reader of tokens has read, by the ids of chunks; none where it was not asked.
        beside: further hits, which are not read, but may say what these lack.

    Raises:
        ServiceError: the judge's endpoint failed.
    """
    tokens = await embedder.token_spans(question) if isinstance(embedder, ReadingEmbedder) and readings else None
    asked = _Asked(question, language, tokens, hits, (*hits, *beside), embedder, judge)
    try:
        read = await asyncio.gather(
            *(
                _judge_passage(question, hit, rank, judge, readings.get(hit.chunk.chunk_id))
                for rank, hit in enumerate(hits)
            )
        )
        best = sorted(read, key=lambda one: RANK_COST * one.rank - one.answers)[:CLOSER_LOOKS]
        closer = [await _closer(asked, one) for one in best]
        closer.sort(key=_closer_score, reverse=True)
        judged = [
            JudgedHit(one.passage.hit.chunk.document_id, one.found, one.points, in_cell=one.in_cell) for one in closer
        ]
        if closer:
            judged = [replace(one, elsewhere=asked.elsewhere(c.passage)) for one, c in zip(judged, closer, strict=True)]
            judged[0] = replace(judged[0], exchanged=await _exchange_gain(asked, closer[0]))
        place = asked_place(question, language)
        coded = any(asked.is_coded(hit, place) for hit in hits)
        nowhere = all(one.span is None for one in read)
        return JudgedSpans(tuple(judged), coded, max(one.answers for one in read) if read and nowhere else None)
    except UnsuitableError as error:
        warnings.warn(f"There is no judge: {error}", RuntimeWarning, stacklevel=2)
        return None


async def _judge_passage(question: str, hit: Hit, rank: int, judge: Judge, reading: PassageReading | None) -> _Passage:
    """Read a chunk with what stands before it (title, headings); the answer must stand in the chunk itself."""
    text = hit.chunk.indexed_text
    before = len(text) - len(hit.chunk.text)
    answers = _logit_from_judge(await judge.answers(question, text))
    found = await judge.span(question, text)
    if found is not None and found.span[0] < before:
        before, found = 0, await judge.span(question, hit.chunk.text)
    span = (found.span[0] - before, found.span[1] - before) if found else None
    return _Passage(hit, rank, answers, span, found.score if found else -NOTHING, reading)


async def _closer(asked: _Asked, passage: _Passage) -> _Closer:
    """Read the sentence or cell of the answer by itself, under its headings."""
    hit, chunk, judge = passage.hit, passage.hit.chunk, asked.judge
    unit = _answer_unit(asked, passage)
    points = max(await pointing(_clause_asked_for(asked, passage, unit), asked.embedder), 0.0)
    if unit is None or passage.span is None:
        return _Closer(passage, chunk.indexed_text, passage.answers, None, points)
    if unit.row:
        text, closer, span, most = await _judge_row_cells(asked, hit, unit.row)
        score, claimed, weights = 0.0, 0.0, (CELL_WEIGHTS, CELL_BIAS)
    else:
        text, span, score, weights = f"{chunk.prefix}{unit.said}", passage.span, passage.score, (WEIGHTS, BIAS)
        closer, most = _logit_from_judge(await judge.answers(asked.question, text)), inf
        claim = f"{asked.question} {chunk.text[slice(*span)].strip()}"
        claimed = _logit_from_judge((await judge.supported(claim, text)).supported)
    signs = Signs(
        passage.answers,
        closer,
        score,
        claimed,
        passage.reading.answer if passage.reading else MEAN_READ,
        asked.unnamed(hit, passage.reading),
        passage.rank,
    )
    said = chunk.text[slice(*span)].strip()
    codes = has_codes(asked.question, f"{hit.title} {chunk.indexed_text}")
    if not said or not codes or fold_spelling(said) in fold_spelling(asked.question):
        return _Closer(passage, text, closer, None, points)
    start, end = (edge + chunk.span[0] for edge in span)
    found = AnswerSpan((start, end), min(signs.weighed(*weights) - POINTS_COST * points, most))
    return _Closer(passage, text, closer, found, points, unit.row is not None)


async def _judge_row_cells(asked: _Asked, hit: Hit, row: PipeRow) -> tuple[str, float, Span, float]:
    """Read each cell of a row by itself, after the cells that name the row, and choose the one that answers best.

    Returns:
        the text that was read, the logit that it answers, the words of the answer as a span of the chunk, and the most
        that their logit may be.
    """
    chunk, judge = hit.chunk, asked.judge
    head = "".join(line for line in chunk.prefix.splitlines(keepends=True) if not line.startswith("|"))
    cells = row.named_cells(chunk.text)
    wanted = set(query_terms(asked.question, asked.language))
    language = chunk.language
    named = [one for one in cells if _count_shared_terms(wanted - set(terms(one.name, language)), one.text, language)]
    named = named or ([] if row.key else cells[:1])
    read: list[tuple[float, str, NamedCell]] = []
    for cell in ([one for one in cells if one not in named] or cells)[:MOST_CELLS]:
        text = f"{head}{row.key}{''.join(f'{one}; ' for one in named if one != cell)}{cell}"
        read.append((_logit_from_judge(await judge.answers(asked.question, text)), text, cell))
    answers, text, cell = max(read, key=lambda one: one[0])
    found = await judge.span(asked.question, text)
    at, (start, end) = len(text) - len(cell.text), cell.span
    if found:
        start, end = (min(max(start + edge - at, start), end) for edge in found.span)
    ahead = answers - max((one[0] for one in read if one[2] != cell), default=-NOTHING)
    return text, answers, (start, end), inf if ahead >= CELL_LEAD else NOT_SHOWN


def _closer_score(closer: _Closer) -> float:
    return closer.score


async def _exchange_gain(asked: _Asked, closer: _Closer) -> float:
    """See `JudgedHit.exchanged`."""
    lacking = asked.lacking(closer.passage.hit, closer.passage.reading)
    if lacking.span is None or closer.found is None:
        return 0.0
    start, end = lacking.span
    without = asked.question[:start] + asked.question[end:]
    more = _logit_from_judge(await asked.judge.answers(without, closer.text)) - closer.answers
    return max(more, 0.0) / (1 + exp(-lacking.logit))


def _clause_asked_for(asked: _Asked, passage: _Passage, unit: _Unit | None) -> str:
    """Return the clause of a passage that has most of the question's words; of equal ones that of the answer."""
    chunk = passage.hit.chunk
    wanted = set(query_terms(asked.question, asked.language))
    best, most = (
        ("", 0) if unit is None or unit.row else (unit.said, _count_shared_terms(wanted, unit.said, chunk.language))
    )
    for start, end in sentence_spans(chunk.text, chunk.language):
        said = chunk.text[start:end].strip()
        shared = _count_shared_terms(wanted, said, chunk.language)
        if shared > most and not _NO_SENTENCE.match(said):
            best, most = said, shared
    clauses = [one for one in _CLAUSE.split(best) if _count_shared_terms(wanted, one, chunk.language) == most]
    return min(clauses, key=len, default=best)


def _count_shared_terms(wanted: set[str], text: str, language: str) -> int:
    return len(wanted.intersection(terms(text, language)))


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question, its language, where its tokens stand in it, where that is known, and who reads.

    `hits`: what is read. `found`: these, and what else was found.
    """

    question: str
    language: str
    tokens: TokenPlaces | None
    hits: Sequence[Hit]
    found: Sequence[Hit]
    embedder: Embedder
    judge: Judge

    def unnamed(self, hit: Hit, reading: PassageReading | None) -> float:
        """See `unnamed`. Across languages words say nothing."""
        if self.tokens is None or reading is None:
            return MEAN_UNNAMED
        return self.lacking(hit, reading).logit if hit.chunk.language == self.language else ALL_NAMED

    def lacking(self, hit: Hit, reading: PassageReading | None) -> Unnamed:
        """See `unnamed`."""
        if self.tokens is None or reading is None:
            return Unnamed()
        return unnamed(self.question, self.language, self.tokens, reading.closest, self.about(hit))

    def elsewhere(self, passage: _Passage) -> float:
        """See `JudgedHit.elsewhere`. Across languages words say nothing."""
        hit, reading = passage.hit, passage.reading
        if self.tokens is None or reading is None or hit.chunk.language != self.language:
            return 0.0
        own = hit.chunk.document_id
        told = self._told_of(own, self.found)
        lacking = lacking_words(self.question, self.language, self.tokens, reading.closest, told)
        worst = sorted((one for one in lacking if one.logit > 0), key=lambda one: -one.logit)
        others = {one.chunk.document_id for one in self.found} - {own} if worst else ()
        texts = [self._told_of(name, self.found) for name in others]
        words = ((one.logit, self.question[slice(*one.span)]) for one in worst if one.span)
        return next((logit for logit, word in words if any(has_stem(text, word) for text in texts)), 0.0)

    def is_coded(self, hit: Hit, place: Reference | None) -> bool:
        """Say whether what was found of a passage's document has the codes of the question, and names its place."""
        about = self.about(hit)
        named = place is None or place.kind != "reference" or place.unit in CAPTIONED or names_place(about, place)
        return named and has_codes(self.question, about, lettered=True)

    def about(self, hit: Hit) -> str:
        """Return the words of a passage, of what else was read of its document, and above both."""
        return "\n".join((*hit.chunk.headings, self._told_of(hit.chunk.document_id, self.hits)))

    @staticmethod
    def _told_of(document_id: str, hits: Sequence[Hit]) -> str:
        """Return the words of the passages of a document, its title and the name of its file."""
        own = [one for one in hits if one.chunk.document_id == document_id]
        return "\n".join((own[0].title, *(one.chunk.indexed_text for one in own), own[0].uri.rpartition("/")[2]))


def _answer_unit(asked: _Asked, passage: _Passage) -> _Unit | None:
    """Return the sentence of the answer, or the row: of its table the one that has most of the question's words."""
    if passage.span is None:
        return None
    chunk, at = passage.hit.chunk, passage.span[0]
    rows = list(table_rows(chunk.text, chunk.prefix))
    own = next((row for row in rows if row.span[0] <= at < row.span[1]), None)
    if own and any(own.cells):
        wanted = set(query_terms(asked.question, asked.language))
        table = [row for row in rows if row.names == own.names and any(row.cells)]
        best = max(table, key=lambda row: (len(wanted.intersection(terms(row.said, chunk.language))), row == own))
        return _Unit(best.span, best.said, best)
    for start, end in sentence_spans(chunk.text, chunk.language):
        if start <= at < end:
            return _Unit((start, end), chunk.text[start:end].strip())
    return None


def has_codes(question: str, text: str, *, lettered: bool = False) -> bool:
    """Say whether a text has every number and code of a question, or every one with a letter in it.

    >>> has_codes("Is RQ-800 from 2021?", "the RQ 800"), has_codes("Is RQ-800 from 2021?", "the RQ 800", lettered=True)
    (False, True)
    >>> has_codes("Mennyi az SZ-118-nál a díj?", "SZ-118")
    True
    """
    codes = [_code_letters(code) for code in codes_in(unicodedata.normalize("NFKC", question))]
    known = _code_letters(text) if codes else ""
    return all(code in known for code in codes if not lettered or not code.isdigit())


def _code_letters(text: str) -> str:
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text).casefold()))


def _logit_from_judge(chance: float) -> float:
    return log(max(chance, LEAST_CHANCE) / max(1 - chance, LEAST_CHANCE))
