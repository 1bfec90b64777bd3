"""Answers without a chat model: the sentences of the references that come nearest to the question, to the letter."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rove.answer.cite import cite
from rove.answer.claim import fold_spelling
from rove.answer.judged_spans import JudgedSpans, has_codes
from rove.answer.spans import AnswerSpan, ReadSpans
from rove.answer.values import read_values
from rove.language.pipe_rows import table_rows
from rove.language.sentences import sentence_spans
from rove.language.words import query_terms, terms
from rove.models import Embedder
from rove.question.reform import asks_amount
from rove.records import Citation, Hit

MEANING, WORDS, RANK, READ = 0.5, 0.5, 0.1, 0.5  # what the parts of a score weigh: docs/decisions/035-reader.md
WEAK = 0.8  # a further quote must reach this share of the best one's score
AMOUNT, SAID, FOLLOWED = 0.5, 0.5, 0.5
"""Of a question that leans on the turn before: what a value counts where it asks for one, and against a sentence, that
it was the answer before; and in the place of `RANK`, since its own words do not say of what it asks."""
LEAST_LETTERS = 12  # letters of a sentence; those of unspaced scripts count three times
CANDIDATES = 120
ROWS = 1_000_000  # the place of a chunk's first row: none is next to a sentence or to another row

_HEADING = re.compile(r"^#{1,6} +([^\n]+)", re.MULTILINE)
_LEAD = re.compile(r"\s*(?:[-*+•>]\s+|\d{1,3}[.)]\s+|\[[ xX]\]\s+)*")
_NO_SENTENCE = re.compile(r"\s*(?:#{1,6}\s|\||```|~~~|[-=*_]{3,}\s*$|!\[[^\]]*\]\([^)]*\)\s*$)")
_ANNOUNCES = re.compile(r"[:：][\s*_]*\Z")
_ASKS = re.compile(r"[?？؟][\s*_]*\Z")
_ENDS = re.compile(r"[.!?…。．！？؟।]\W*\Z")
_BLANK = re.compile(r"\n[ \t]*\n")
_TARGET = re.compile(r"\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:\s[^()]*)?\)")
_LABEL = re.compile(r"\[[^\[\]]*\]")
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u2e80-\u9fff\uac00-\ud7a3]")


@dataclass(frozen=True, slots=True)
class FollowUp:
    """A question that leans on the turn before it, as it was asked; and what was answered to that turn."""

    question: str
    said: str


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sentence, or a table's row, that could be quoted.

    `text` is what it says, on one line: the quote, or a row's cells with the names of their columns. `place` counts the
    sentences of its chunk; rows stand apart. `under`: what announced the list that it is an item of ("You need:").
    `names`: of a row, those of its table's columns.
    """

    citation: Citation
    hit: Hit
    place: int
    text: str
    under: str = ""
    names: tuple[str, ...] = ()

    @property
    def is_row(self) -> bool:
        """Whether it is a table's row."""
        return self.place >= ROWS


async def best_quotes(
    question: str,
    hits: Sequence[Hit],
    language: str,
    embedder: Embedder,
    *,
    quotes: int,
    spans: ReadSpans = ReadSpans(),  # noqa: B008 - nothing was read
    judged: JudgedSpans | None = None,
    follow: FollowUp | None = None,
) -> list[Candidate]:
    """Choose at most `quotes` sentences and rows, best first; sentences that follow each other stay in their order.

    Where a document has the codes of the question ("RE-2026-0817"), no other is quoted. Where the judge surely sees
    answers (`JudgedSpans.level`), these are what holds them, each answer once. Else:

    Sentences are found and compared in a thread: of long references that takes 10 ms and more.

    score = `MEANING` · cosine to the question (scaled to 0 … 1 over the candidates) + `WORDS` · share of the
    question's terms in the sentence and its headings + `RANK` / rank of its reference + `READ` · chance by the reader
    that it holds the answer (0 where nothing was read). Ties: the earlier one.

    Of a question that follows another, the words that were put behind it say what to look in, and its own what for:
    these are what sentences share, half of the cosine is that of the question as it was asked, `AMOUNT` is added where
    that asks for an amount and a sentence has one, and `SAID` is taken from what was answered before; the rank counts
    `FOLLOWED`.

    Raises:
        ServiceError: the embedder failed.
    """
    every = await asyncio.to_thread(list_candidates, question, hits, language, with_codes(question, hits))
    if judged and (answering := _sure_candidates(every, judged)):
        return _in_reading_order(answering[:quotes])
    candidates = every[:CANDIDATES]
    if not candidates:
        return []
    asked = await embedder.queries([question])
    known = await embedder.passages([f"{one.under} {one.text}".lstrip() for one in candidates])
    nearness = _min_max_scale(known @ asked[0])
    if follow:
        own = await embedder.queries([follow.question])
        nearness = (nearness + _min_max_scale(known @ own[0])) / 2
    held = await asyncio.to_thread(_overlaps, follow.question if follow else question, candidates, language)
    ranks = np.array([candidate.citation.number for candidate in candidates])
    scores = MEANING * nearness + WORDS * held + (FOLLOWED if follow else RANK) / ranks
    scores += READ * _reader_scores(candidates, spans)
    if follow:
        scores += await asyncio.to_thread(_follow_up_scores, follow, candidates, language)
    order = sorted(range(len(candidates)), key=lambda i: -float(scores[i]))[:quotes]
    return _in_reading_order([candidates[i] for i in order if scores[i] >= WEAK * scores[order[0]]])


def with_codes(question: str, hits: Sequence[Hit]) -> frozenset[str]:
    """Return the ids of the documents that have every code with a letter of a question; of all, where none has."""
    said: dict[str, str] = {}
    for hit in hits:
        own = hit.chunk.document_id
        said[own] = f"{said.get(own, hit.title)} {hit.uri.rpartition('/')[2]} {hit.chunk.indexed_text}"
    coded = frozenset(own for own, text in said.items() if has_codes(question, text, lettered=True))
    return coded or frozenset(said)


def _sure_candidates(candidates: Sequence[Candidate], spans: JudgedSpans) -> list[Candidate]:
    """Return what holds a sure answer, the surest first; of equal answers the surest."""
    seen = [(spans.best(one.citation.document_id, one.citation.span), one) for one in candidates]
    sure = [(span, one) for span, one in seen if span and span.score >= spans.level]
    sure.sort(key=_surest)
    found: dict[str, Candidate] = {}
    for span, one in sure:
        start, end = (edge - one.citation.span[0] for edge in span.span)
        found.setdefault(fold_spelling(one.citation.quote[start:end]), one)
    return list(found.values())


def _surest(pair: tuple[AnswerSpan, Candidate]) -> float:
    return -pair[0].score


def table_of(quote: Candidate) -> object:
    """Return what rows of one table have in common, and sentences do not."""
    return (quote.citation.chunk_id, quote.names) if quote.is_row else quote


def heading_of(quote: Candidate) -> str:
    """Return the last heading above a quote; "" where there is none."""
    chunk = quote.hit.chunk
    above = _HEADING.findall(chunk.text, 0, max(quote.citation.span[0] - chunk.span[0], 0))
    return (*chunk.headings, *above)[-1] if above or chunk.headings else ""


def list_candidates(
    question: str, hits: Sequence[Hit], language: str, documents: frozenset[str] | None = None
) -> list[Candidate]:
    """Return the sentences and the tables' rows of the hits that could answer: no headings, rules, scraps, none twice.

    Nor what asks itself, or only announces what follows it (it ends in a colon), or is a line without a full stop that
    has no word beside those of the question, or beside its links. `documents`: of these alone; None: of all.
    """
    found: dict[str, Candidate] = {}
    for number, hit in enumerate(hits, 1):
        if documents is not None and hit.chunk.document_id not in documents:
            continue
        for candidate in (*_sentence_candidates(hit, number), *_row_candidates(hit, number)):
            if _could_answer(candidate, question, language):
                found.setdefault(candidate.text.casefold(), candidate)
    return list(found.values())


def _sentence_candidates(hit: Hit, number: int) -> Iterator[Candidate]:
    """Yield the sentences of a hit; the items of a list know what announced it, up to the next paragraph or heading."""
    text = hit.chunk.text
    announced, begins, before = "", False, 0
    for place, (start, end) in enumerate(sentence_spans(text, hit.chunk.language)):
        lead = _LEAD.match(text, start, end)
        item = bool(lead and lead[0].strip())
        if _NO_SENTENCE.match(text[start:end]) or (_BLANK.search(text, before, start) and not item and not begins):
            announced = ""
        start, before, begins = lead.end() if lead else start, end, False
        if _NO_SENTENCE.match(text[start:end]):
            continue
        citation = cite(hit, number, (start, end))
        said = " ".join(citation.quote.split())
        yield Candidate(citation, hit, place, said, announced)
        if _ANNOUNCES.search(said):
            announced, begins = said, True


def _row_candidates(hit: Hit, number: int) -> Iterator[Candidate]:
    for place, row in enumerate(table_rows(hit.chunk.text, hit.chunk.prefix)):
        yield Candidate(cite(hit, number, row.span), hit, ROWS + 2 * place, row.said, names=row.names)


def _could_answer(candidate: Candidate, question: str, language: str) -> bool:
    said = _TARGET.sub("]", candidate.text)
    if _count_sentence_letters(said) < LEAST_LETTERS or _ASKS.search(said) or _ANNOUNCES.search(said):
        return False
    if candidate.is_row or _ENDS.search(said):
        return True
    linked = _count_sentence_letters(_LABEL.sub("", said)) == 0
    return not linked and not _is_heading_text(candidate) and _news(candidate, question, language) > 0


def _is_heading_text(candidate: Candidate) -> bool:
    said = fold_spelling(candidate.text)
    return any(
        fold_spelling(heading).endswith(said) for heading in (candidate.hit.title, *candidate.hit.chunk.headings)
    )


def _news(candidate: Candidate, question: str, language: str) -> int:
    """Count the telling terms of a candidate that the question lacks; a pair of its characters is no news."""
    said = set(query_terms(candidate.text, candidate.hit.chunk.language)).difference(terms(question, language))
    return sum(not (_UNSPACED.search(term) and set(term) <= set(question)) for term in said)


def _overlaps(question: str, candidates: Sequence[Candidate], language: str) -> NDArray[np.float64]:
    """For each candidate, the share of the question's terms that it, its list or its heading has; 0 without any."""
    asked = set(query_terms(question, language))
    told = (" ".join((*one.hit.chunk.headings[-1:], one.under, one.text)) for one in candidates)
    return np.array([len(asked.intersection(terms(text, language))) / max(len(asked), 1) for text in told])


def _follow_up_scores(follow: FollowUp, candidates: Sequence[Candidate], language: str) -> NDArray[np.float64]:
    amount, said = asks_amount(follow.question, language), fold_spelling(follow.said)
    return np.array(
        [
            AMOUNT * (amount and bool(read_values(one.text, one.hit.chunk.language)))
            - SAID * (fold_spelling(one.text) in said)
            for one in candidates
        ]
    )


def _reader_scores(candidates: Sequence[Candidate], spans: ReadSpans) -> NDArray[np.float64]:
    found = (spans.best(one.citation.document_id, one.citation.span) for one in candidates)
    return np.array([1 / (1 + np.exp(-best.score)) if best else 0.0 for best in found])


def _min_max_scale(values: NDArray[np.float32]) -> NDArray[np.float64]:
    low, high = float(values.min()), float(values.max())
    return (values.astype(np.float64) - low) / (high - low) if high > low else np.ones(len(values))


def _count_sentence_letters(text: str) -> int:
    return sum(character.isalnum() for character in text) + 2 * len(_UNSPACED.findall(text))


def _in_reading_order(chosen: Sequence[Candidate]) -> list[Candidate]:
    """Move a sentence that follows or precedes a better one directly beside it."""
    runs: list[list[Candidate]] = []
    for candidate in chosen:
        run = next((run for run in runs if any(_adjacent(candidate, other) for other in run)), None)
        if run is None:
            runs.append([candidate])
        else:
            run.append(candidate)
            run.sort(key=lambda member: member.place)
    return [candidate for run in runs for candidate in run]


def _adjacent(one: Candidate, other: Candidate) -> bool:
    return one.citation.chunk_id == other.citation.chunk_id and abs(one.place - other.place) == 1
