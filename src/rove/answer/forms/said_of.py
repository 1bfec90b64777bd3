"""What documents say of a subject, word for word: the sections that it heads, else the sentences that name it."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from rove.answer.answerer import answer_from_quotes
from rove.answer.cite import check_citation
from rove.answer.extract import Candidate, list_candidates
from rove.answer.forms import FormQuestion
from rove.answer.passages import TextOf
from rove.language.scripts import is_unspaced
from rove.language.words import query_terms, terms
from rove.question.subject import LEAST, SURE, asked_subject
from rove.records import Answer, Hit, Note
from rove.retrieve import Query, retrieve_passages

LOOKED_AT = 20
QUOTES = 4
_HEADING = re.compile(r"^(#{1,6}) +([^\n]+)", re.MULTILINE)
_FENCE = re.compile(r"^ {0,3}(?:```|~~~)", re.MULTILINE)
LEAST_STEM = 5
"""Letters from which on a word is held by a longer one that begins with it."""


@dataclass(frozen=True, slots=True)
class _Wanted:
    """The terms of a subject, of which a document's own name (its title, its file) has all but those `beside`."""

    every: frozenset[str]
    beside: frozenset[str]

    @classmethod
    def of(cls, subject: str, hit: Hit) -> _Wanted:
        every = frozenset(query_terms(subject, hit.chunk.language))
        file = re.sub(r"[\W_]+", " ", PurePath(hit.uri).stem)
        held = terms(f"{hit.title} {file}", hit.chunk.language)
        return cls(every, frozenset(one for one in every if not _is_term_among(one, held)))


async def said_of(question: FormQuestion, text_of: TextOf, *, surely: bool = False) -> Answer | None:
    """Quote what is said of the subject that a question asks about; None where it asks for more, or none names it.

    What stands under a heading that has all the subject's words is quoted, or under one that has those which the
    document's title and file name lack, and no others. Where no heading does, each sentence is that has them together
    with what it stands under. Code is quoted only where there is nothing else. `surely`: only what a heading names,
    beside the document's own name, and only to a question that asks for nothing else beyond doubt.

    Raises:
        ServiceError: the embedder failed.
    """
    context = question.search_context
    subject = await asked_subject(question.text, context.embedder, SURE if surely else LEAST)
    if subject is None:
        return None
    query = Query(subject, LOOKED_AT, question.where, rerank=True, counted=False)
    hits = await retrieve_passages("hybrid", context, query)
    found = await asyncio.to_thread(_quotes, subject, hits, headed_only=surely)
    quotes = [one for one in found if check_citation(one.citation, await text_of(one.citation.document_id))]
    note = Note("said-of", {"subject": f"“{subject}”"})
    return answer_from_quotes(question.text, quotes, hits, question.language, note) if quotes else None


def _quotes(subject: str, hits: Sequence[Hit], *, headed_only: bool) -> list[Candidate]:
    """Return the sentences and rows to quote: those under what names the subject, else those that name it."""
    wanted = {hit.chunk.chunk_id: _Wanted.of(subject, hit) for hit in hits}
    every = [(one, wanted[one.citation.chunk_id], headings_above(one)) for one in list_candidates("", hits, "")]
    if headed_only:
        every = [(one, words, above) for one, words, above in every if words.beside]
    headed = [one for one, words, above in every if any(_heads(heading, words, one) for heading in above)]
    named = [one for one, words, above in every if not headed_only and _has_subject_words(words, above, one)]
    chosen = headed or named
    return ([one for one in chosen if not _is_inside_fence(one)] or chosen)[:QUOTES]


def _is_inside_fence(candidate: Candidate) -> bool:
    """Say whether a line stands within a fence."""
    chunk = candidate.hit.chunk
    return len(_FENCE.findall(chunk.text, 0, max(candidate.citation.span[0] - chunk.span[0], 0))) % 2 == 1


def headings_above(candidate: Candidate) -> list[str]:
    """Return the headings that a sentence stands under: its passage's, and those within the passage."""
    chunk = candidate.hit.chunk
    open_ = list[tuple[int, str]]()
    for found in _HEADING.finditer(chunk.text, 0, max(candidate.citation.span[0] - chunk.span[0], 0)):
        level = len(found[1])
        open_ = [*(one for one in open_ if one[0] < level), (level, found[2])]
    return [*chunk.headings, *(heading for _, heading in open_)]


def _heads(heading: str, wanted: _Wanted, candidate: Candidate) -> bool:
    """Say whether a heading names the subject: it has all its words, or just those that the document's name lacks."""
    held = _terms_in_language_of(heading, candidate)
    if _has_all_terms(wanted.every, held):
        return True
    return _has_all_terms(wanted.beside, held) and all(
        any(_is_term_among(one, [term]) for one in wanted.every) for term in held
    )


def _has_subject_words(wanted: _Wanted, above: Sequence[str], candidate: Candidate) -> bool:
    words = wanted.beside or wanted.every
    own = _terms_in_language_of(candidate.text, candidate)
    told = " ".join([*above, candidate.under, candidate.text])
    return any(_is_term_among(one, own) for one in words) and _has_all_terms(
        words, _terms_in_language_of(told, candidate)
    )


def _terms_in_language_of(text: str, candidate: Candidate) -> set[str]:
    return set(query_terms(text, candidate.hit.chunk.language))


def _has_all_terms(wanted: Iterable[str], held: Iterable[str]) -> bool:
    wanted = list(wanted)
    return bool(wanted) and all(_is_term_among(one, held) for one in wanted)


def _is_term_among(term: str, terms_: Iterable[str]) -> bool:
    """Say whether one of these terms is a term or, as compounds do, begins with it.

    >>> _is_term_among("garantie", ["garantiebeding"]), _is_term_among("port", ["portabl"])
    (True, False)
    """
    stem = len(term) >= LEAST_STEM and not is_unspaced(term)
    return any(one == term or (stem and one.startswith(term)) for one in terms_)
