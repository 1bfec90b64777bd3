"""Related questions: what else the documents say beside an answer, each a question that the base answers.

They are what the documents ask themselves, and their headings as questions, near the words that the answer cites. What
others have asked is no source: a question can say what its asker knows.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rove.answer.gate import Gate
from rove.answer.stored import answered_at_once
from rove.language.bare_topic import bare_topic
from rove.language.codes import CODE
from rove.language.detect import detect
from rove.language.rendering import render
from rove.language.scripts import is_unspaced
from rove.records import Document, Filter, Hit, RelatedQuestion
from rove.records.document import Section, Span
from rove.retrieve import Query, SearchContext, retrieve_passages
from rove.retrieve.question_pairs import is_same
from rove.retrieve.stored_answers import stored_answers
from rove.settings import AnswerSettings

MOST = 3
_TRIED = 6
"""Questions that are looked at, at most, until there are enough."""
_AROUND = 10
"""Hits of the question in and around which related ones are looked for."""
_LEAST_BODY_CHARS, _MOST_TOPIC_CHARS = 40, 80
_ASKING = ("?", "？", "؟")

_Words = tuple[str, Span]
"""The id of a document, and a span of it."""


@dataclass(frozen=True, slots=True)
class RelatedContext:
    """What related questions are looked for with. `where`: what may be seen. `most`: how many are wanted."""

    search_context: SearchContext
    settings: AnswerSettings
    where: Filter | None = None
    most: int = MOST


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A question, and the words that answer it. `asked`: the document itself asks it there, and answers it."""

    question: str
    hit: Hit
    span: Span
    asked: bool = False


async def related_questions(
    question: str, cited: Mapping[str, Sequence[Span]], context: RelatedContext
) -> tuple[RelatedQuestion, ...]:
    """Return questions that the base answers from beside what an answer cites, the nearest first; none is usual.

    Each passes the gate of an answer, and what is found first for it is what it was made from. Costs two searches at
    least, one for each question that is looked at, and no model but the embedder.

    Args:
        question: the one that was answered.
        cited: chunk id → spans of its document that the answer cites. One that may not be seen is as if not there.
        context: what is worked with.

    Raises:
        ServiceError: the embedder failed.
    """
    hits = await _fetch_cited_hits(list(cited), context)
    if not hits or context.most < 1:
        return ()
    told = [(hit.chunk.document_id, span) for hit in hits for span in cited[hit.chunk.chunk_id]]
    kept: list[_Candidate] = []
    for one in (await _related_candidates(question, hits, told, context))[:_TRIED]:
        known = any(is_same(one.question, other) for other in (question, *(that.question for that in kept)))
        if not known and await _is_answered(one, told, context):
            kept.append(one)
        if len(kept) == context.most:
            break
    return tuple(
        RelatedQuestion(one.question, one.hit.chunk.document_id, one.hit.uri, one.hit.title, one.span) for one in kept
    )


async def _fetch_cited_hits(chunk_ids: Sequence[str], context: RelatedContext) -> list[Hit]:
    """Fetch the chunks that may be seen, as hits in the order that they were cited in."""
    documents = context.search_context.store.documents
    found = await asyncio.to_thread(documents.find, list(chunk_ids))
    if context.where is not None and found:
        owners = list({one.chunk.document_id for one in found.values()})
        seen = await asyncio.to_thread(documents.passing, owners, context.where)
        found = {chunk_id: one for chunk_id, one in found.items() if chunk_id in seen}
    return [Hit(one.chunk, 1.0, {}, one.uri, one.title) for one in found.values()]


async def _related_candidates(
    question: str, cited: Sequence[Hit], told: Sequence[_Words], context: RelatedContext
) -> list[_Candidate]:
    """Return what the documents ask near what was cited, then their headings there, the nearest first.

    What was found for the question elsewhere counts as near, too, where it is as near to it as something that is cited.
    """
    search_context = context.search_context
    found = await retrieve_passages("hybrid", search_context, Query(question, _AROUND, context.where))
    known = {hit.chunk.chunk_id for hit in cited}
    least = min((_cosine(hit) for hit in found if hit.chunk.chunk_id in known), default=1.0)
    near = [hit for hit in found if hit.chunk.chunk_id not in known and _cosine(hit) >= least]
    documents = await asyncio.to_thread(
        search_context.store.documents.wholes, list({hit.chunk.document_id for hit in (*cited, *near)})
    )
    texts = {document_id: document.text for document_id, document in documents.items()}
    answers = await stored_answers(search_context, question, [*cited, *near], texts, context.where, strict=True)
    asked = [_Candidate(one.question, one.hit, one.hit.chunk.span, asked=True) for one in answers]
    named = [
        _Candidate(_as_question(section), hit, section.span)
        for hit, section in _askable_sections([*cited, *near], len(cited), documents)
    ]
    return [one for one in (*asked, *named) if not _is_told(one.hit, one.span, told)]


def _cosine(hit: Hit) -> float:
    place = hit.sources.get("semantic")
    return place.score if place else -1.0


def _is_told(hit: Hit, span: Span, told: Sequence[_Words]) -> bool:
    """Say whether an answer cites some of the words of a document at a span."""
    return any(hit.chunk.document_id == one and span[0] < end and begin < span[1] for one, (begin, end) in told)


def _askable_sections(
    hits: Sequence[Hit], cited: int, documents: Mapping[str, Document]
) -> Iterator[tuple[Hit, Section]]:
    """Yield sections that can be asked about: those beside the first hits, which are cited, then those of the others.

    A heading that stands twice in these documents has two answers, and is left out.
    """
    counts = Counter(_as_question(one) for document in documents.values() for one in document.sections)
    for number, hit in enumerate(hits):
        if document := documents.get(hit.chunk.document_id):
            around = _holding(hit, document)
            for section in _neighbour_sections(hit, document, around) if number < cited else around[-1:]:
                if _has_askable_topic(section) and counts[_as_question(section)] == 1:
                    yield hit, section


def _holding(hit: Hit, document: Document) -> list[Section]:
    """The sections that a hit begins in, outermost first."""
    start = hit.chunk.span[0]
    return sorted((one for one in document.sections if one.span[0] <= start < one.span[1]), key=lambda one: one.level)


def _neighbour_sections(hit: Hit, document: Document, around: Sequence[Section]) -> list[Section]:
    """The sections within the one around a hit's own: those that follow it, the nearest first, then those before."""
    start = hit.chunk.span[0]
    first, last = around[-2].span if len(around) > 1 else (0, len(document.text))
    found = [one for one in document.sections if first <= one.span[0] < last]
    return sorted(found, key=lambda one: (one.span[0] < start, abs(one.span[0] - start)))


def _has_askable_topic(section: Section) -> bool:
    """Say whether a section has a topic that can be asked about, more than a code, and more than its heading."""
    topic = bare_topic(section.title)
    filled = section.span[1] - section.span[0] - len(section.title) >= _LEAST_BODY_CHARS
    return filled and len(topic) <= _MOST_TOPIC_CHARS and any(map(str.isalpha, CODE.sub("", topic)))


def _as_question(section: Section) -> str:
    """Ask about a heading in its own words: no other phrase is put around them, which the judge would look for, too."""
    topic = bare_topic(render(section.title).line)
    if topic.endswith(_ASKING):
        return topic
    return f"{topic}{'？' if is_unspaced(topic) else '?'}"


async def _is_answered(one: _Candidate, told: Sequence[_Words], context: RelatedContext) -> bool:
    """Say whether the base answers a question, and with the words that it was made from."""
    gate = Gate(context.search_context, context.settings)
    hits = await retrieve_passages("hybrid", context.search_context, Query(one.question, gate.looks_at, context.where))
    references = hits[: context.settings.references]
    if one.asked and context.settings.stored:
        answers = await answered_at_once(context.search_context, one.question, references, context.where)
        return any(_is_of(hit, one) for hit in answers[:1])
    if not references or not _is_of(references[0], one) or _is_told(references[0], references[0].chunk.span, told):
        return False
    return (await gate.judge(one.question, detect(one.question), hits)).passes


def _is_of(hit: Hit, one: _Candidate) -> bool:
    """Say whether a hit has words of what a question was made from."""
    return _is_told(hit, hit.chunk.span, [(one.hit.chunk.document_id, one.span)])
