"""What is said of each of two things that a question compares, side by side, each cited."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from rove.answer.cite import marks
from rove.answer.extract import Candidate, list_candidates
from rove.answer.forms import FormQuestion
from rove.language.pipe_rows import as_table
from rove.language.rendering import render
from rove.language.words import query_terms, terms
from rove.question.finer_form import codes_of
from rove.records import Answer, Citation, Hit, Note, Sentence
from rove.retrieve import Query, retrieve_passages
from rove.store import Vector

LOOKED_AT = 8
CANDIDATES = 32
WORD = 0.02
"""What a word of the question that a sentence has counts beside its cosine."""
NOTE = Note("sides-compared")


@dataclass(frozen=True, slots=True)
class _Side:
    """A sentence or row, the words of the question that it or what stands above it has, how near it is, its vector.

    `words`: where the question names several codes, only these: "P-100" and "P-200" tell the sides apart, "pump" not.
    """

    candidate: Candidate
    words: frozenset[str]
    score: float
    vector: Vector


async def compared(question: FormQuestion) -> Answer | None:
    """Quote what comes nearest to the question of each side; None where no two sides are seen, or a model compares.

    Sides are told by the question's words: each has one, itself or in what stands above it, that the other lacks.

    Raises:
        ServiceError: the embedder failed.
    """
    if question.chat is not None:
        return None
    query = Query(question.text, LOOKED_AT, question.where, rerank=True, counted=False)
    hits = await retrieve_passages("hybrid", question.search_context, query)
    candidates = (await asyncio.to_thread(list_candidates, "", hits, question.language))[:CANDIDATES]
    asked = frozenset(query_terms(question.text, question.language))
    held = await asyncio.to_thread(lambda: [_words_in_candidate(one, asked) for one in candidates])
    telling = await asyncio.to_thread(_codes_in_candidates, question.text, candidates) or held
    if len(frozenset[str]().union(*telling)) < 2:
        return None
    embedder = question.search_context.embedder
    vectors = await embedder.passages([one.text for one in candidates])
    near = vectors @ (await embedder.queries([question.text]))[0]
    scores = near + WORD * np.array([len(words) for words in held])
    sides = [_Side(*one) for one in zip(candidates, telling, scores.tolist(), vectors, strict=True)]
    pair = _best_side_pair(sorted(sides, key=lambda side: -side.score))
    return _comparison_answer(question, [side.candidate for side in pair]) if pair else None


def _words_in_candidate(candidate: Candidate, asked: frozenset[str]) -> frozenset[str]:
    return asked.intersection(terms(_with_above(candidate), candidate.hit.chunk.language))


def _with_above(candidate: Candidate) -> str:
    return " ".join((candidate.hit.title, *candidate.hit.chunk.headings, candidate.under, candidate.text))


def _codes_in_candidates(question: str, candidates: Sequence[Candidate]) -> list[frozenset[str]]:
    """Return the codes of a question that each candidate has; nothing where the question has fewer than two."""
    asked = _plain_codes(question)
    return [asked & _plain_codes(_with_above(one)) for one in candidates] if len(asked) > 1 else []


def _plain_codes(text: str) -> frozenset[str]:
    return frozenset("".join(filter(str.isalnum, code)) for code in codes_of(text))


def _best_side_pair(sides: Sequence[_Side]) -> tuple[_Side, _Side] | None:
    """Return the best side, and what is most like it of those that have a word which it lacks, and lack one of its."""
    for best in sides:
        others = [
            other
            for other in sides
            if best.candidate.names == other.candidate.names and best.words - other.words and other.words - best.words
        ]
        if others:
            return best, max(others, key=lambda other: other.score + float(best.vector @ other.vector))
    return None


def _comparison_answer(question: FormQuestion, sides: Sequence[Candidate]) -> Answer:
    cited, hits = cited_in_order(sides)
    if sides[0].is_row:
        text = as_table(sides[0].names, {one.quote: marks([one.number]) for one in cited})
    else:
        text = "\n".join(f"- **{one.title}**: {render(one.quote).line} {marks([one.number])}" for one in cited)
    sentences = tuple(Sentence(render(one.quote).line, (one,)) for one in cited)
    return Answer(question.text, text, "extractive", question.language, sentences, hits, (NOTE,))


def cited_in_order(quotes: Sequence[Candidate]) -> tuple[list[Citation], tuple[Hit, ...]]:
    """Return the citations of quotes, numbered in the order of their passages, and these."""
    by_id = {one.citation.chunk_id: one.hit for one in quotes}
    ids = list(by_id)
    cited = [replace(one.citation, number=ids.index(one.citation.chunk_id) + 1) for one in quotes]
    return cited, tuple(by_id.values())
