"""Questions of the documents themselves that are the one that is asked: each with the words that answer it there."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from os.path import commonprefix

import regex

from rove.language.cue_words import asks_for, directions, negates
from rove.language.detect import UNKNOWN, detect
from rove.language.scripts import is_unspaced
from rove.language.words import query_terms
from rove.models import Embedder
from rove.models.e5 import UnsuitableError
from rove.models.judge import Judge
from rove.records import Filter, Hit, Place
from rove.records.document import Span
from rove.retrieve import SearchContext
from rove.retrieve.question_pairs import LONGEST_ANSWER, is_same, pairs_in
from rove.store.kept_questions import KeptQuestion, KeptQuestions
from rove.store.live_chunks import Found

AROUND = LONGEST_ANSWER
"""Characters before and behind what was found in which a question and its answer are looked for."""
MOST = 60
"""Questions that are compared by meaning, at most."""
NEAR = 0.35
"""Of the embedder's `max_distance`: how far two questions in one language may be."""
SHARED = 0.8
"""Share of the terms of both that they must have in common."""
NEAR_JUDGED, SURELY = 0.5, 0.95
"""How far two questions may be that a judge reads, and how surely it must find each said by the other."""
FEW_WORDS = 3
"""Words of a question whose language, if none of the documents is in it, is guessed among theirs."""
LEAST_STEM, ENDING = 3, 2
"""Letters that a term's forms have in common at least, and may differ in at their ends."""
NEAR_ABROAD, LEAD_ABROAD = 0.7, 0.25
"""In two languages, of the same: how far it may be, and how much nearer than any other question. docs/questions.md"""
_NUMBER = regex.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """A question, and a hit whose chunk is what answers it: its text and its span are the answer's."""

    question: str
    hit: Hit


async def stored_answers(
    search_context: SearchContext,
    question: str,
    hits: Sequence[Hit],
    texts: Mapping[str, str],
    where: Filter | None,
    *,
    strict: bool,
) -> list[StoredAnswer]:
    """Return the questions that are answered in what was found, and those that people have kept, each answer once.

    Kept ones are those of the same words, wherever their documents are, and all of the documents that were found.

    Args:
        search_context: what retrievers work with.
        question: the one that is asked.
        hits: what was found for it.
        texts: the canonical texts of their documents, by id.
        where: what a passage that was kept must be seen through.
        strict: only what is marked as a question (`Pair.sure`); else a paragraph that asks, too, and the title of a
            record for a question that its text answers.
    """
    kept: list[KeptQuestion] = []
    for part in search_context.store.documents.parts:
        kept += await asyncio.to_thread(KeptQuestions(part.database).near, question, list(texts))
    answers: dict[tuple[str, str, Span], StoredAnswer] = {}
    for one in [*await _answers_to_kept_questions(search_context, kept, where), *_answers_in(hits, texts, strict)]:
        chunk = one.hit.chunk
        answers.setdefault((one.question, chunk.document_id, chunk.span), one)
    return list(answers.values())


def same(question: str, answers: Sequence[StoredAnswer]) -> list[Hit]:
    """Return the answers to the very question, but for case, spaces and marks; by place as `Hit.sources` says."""
    return _hits_from_answers([(one, 1.0) for one in answers if is_same(question, one.question)])


async def alike(
    question: str, answers: Sequence[StoredAnswer], embedder: Embedder, judge: Judge | None = None
) -> list[Hit]:
    """Return the answers to questions that mean the same, the nearest first.

    Nearness alone would take "When does it close?" for "When does it open?". Both must ask for the same (`asks_for`),
    with the same numbers, both or neither denying. In one language they must also share all that say whence or whither
    ("log in", "log out"), and `SHARED` of their terms; where these have other ends ("keret", "kerete"), a `judge` must
    find each question said by the other. In two languages, where terms say nothing, none other may be nearly as near.

    Raises:
        ServiceError: the embedder failed, or the judge's endpoint did.
    """
    compared = answers[:MOST]
    if not compared:
        return []
    vectors = await embedder.queries([question, *(one.question for one in compared)])
    distances = (1.0 - vectors[1:] @ vectors[0]).tolist()
    languages = {one.hit.chunk.language for one in compared}
    read = {language: _Asked.of(question, {language}) for language in languages}
    others = [_Asked.of(one.question, {one.hit.chunk.language}) for one in compared]
    near: list[tuple[StoredAnswer, float]] = []
    for one, other, distance in zip(compared, others, distances, strict=True):
        rest = (far for far, that in zip(distances, compared, strict=True) if not is_same(that.question, one.question))
        lead = min(rest, default=2.0) - distance
        far, asked = distance / embedder.max_distance, read[one.hit.chunk.language]
        if asked.means(other, far, lead / embedder.max_distance) or (
            judge is not None and asked.may_mean(other, far) and await _say_the_same(question, one.question, judge)
        ):
            near.append((one, 1.0 - distance))
    return _hits_from_answers(sorted(near, key=lambda pair: -pair[1]))


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question, and what tells it from one that only looks alike."""

    text: str
    language: str
    kinds: frozenset[str]
    denies: bool
    numbers: tuple[str, ...]

    @classmethod
    def of(cls, text: str, languages: Collection[str]) -> _Asked:
        """Read a question; what language a short one is in is told by those of the documents."""
        spoken = detect(text)
        short = spoken not in languages and len(text.split()) <= FEW_WORDS and not is_unspaced(text)
        language = detect(text, languages) if short or spoken == UNKNOWN else spoken
        numbers = tuple(sorted(_NUMBER.findall(text)))
        return cls(text, language, asks_for(text, language), negates(text, language), numbers)

    def means(self, other: _Asked, distance: float, lead: float) -> bool:
        """Say whether another question means the same; distance and lead in units of the embedder's `max_distance`."""
        if self.language != other.language:
            return self._asks_as(other) and distance <= NEAR_ABROAD and lead >= LEAD_ABROAD
        if not self._asks_as(other) or not self._goes_as(other):
            return False
        terms, others = (Counter(query_terms(one.text, one.language)) for one in (self, other))
        return distance <= NEAR and (terms & others).total() >= SHARED * (terms | others).total()

    def may_mean(self, other: _Asked, distance: float) -> bool:
        """Say whether a judge is to read both: in one language, near, of the same terms but for their ends."""
        if self.language != other.language or distance > NEAR_JUDGED:
            return False
        own, others = (set(query_terms(one.text, one.language)) for one in (self, other))
        shared = all(
            sum(any(_inflects(term, that) for that in those) for term in these) >= SHARED * len(these)
            for these, those in ((own, others), (others, own))
        )
        return shared and self._asks_as(other) and self._goes_as(other)

    def _asks_as(self, other: _Asked) -> bool:
        return (self.kinds, self.denies, self.numbers) == (other.kinds, other.denies, other.numbers)

    def _goes_as(self, other: _Asked) -> bool:
        return directions(self.text, self.language) == directions(other.text, other.language)


def _inflects(term: str, other: str) -> bool:
    """Say whether two terms are one but for their ends."""
    common = len(commonprefix([term, other]))
    return term == other or (common >= LEAST_STEM and max(len(term), len(other)) - common <= ENDING)


async def _say_the_same(question: str, other: str, judge: Judge) -> bool:
    """Say whether each of two questions says what the other does, as far as the judge is sure (`SURELY`)."""
    try:
        return all(
            [(await judge.supported(*pair)).supported >= SURELY for pair in ((question, other), (other, question))]
        )
    except UnsuitableError:
        return False


def _hits_from_answers(answers: Sequence[tuple[StoredAnswer, float]]) -> list[Hit]:
    best: dict[tuple[str, Span], Hit] = {}
    for one, nearness in answers:
        chunk = one.hit.chunk
        place = Place(len(best) + 1, nearness)
        hit = replace(one.hit, score=nearness, sources={**one.hit.sources, "questions": place}, question=one.question)
        best.setdefault((chunk.document_id, chunk.span), hit)
    return list(best.values())


def _answers_in(hits: Sequence[Hit], texts: Mapping[str, str], strict: bool) -> list[StoredAnswer]:
    """Return what is asked and answered around the hits, in their order."""
    answers: list[StoredAnswer] = []
    for hit in hits:
        text, (start, end) = texts.get(hit.chunk.document_id, ""), hit.chunk.span
        if text[start:end] != hit.chunk.text:  # it was replaced meanwhile
            continue
        if not strict and "record_id" in hit.chunk.metadata and hit.title:
            span = (0, len(text)) if len(text) <= LONGEST_ANSWER else hit.chunk.span
            answers.append(StoredAnswer(hit.title, _narrow_hit_to_span(hit, text, span)))
        begin = text.rfind("\n", 0, max(0, start - AROUND)) + 1
        for pair in pairs_in(text[begin : end + AROUND]):
            if strict and not pair.sure:
                continue
            if pair.asked[0] + begin < end and pair.answer[1] + begin > start:
                span = (pair.answer[0] + begin, pair.answer[1] + begin)
                answers.append(StoredAnswer(pair.question, _narrow_hit_to_span(hit, text, span)))
    return answers


async def _answers_to_kept_questions(
    search_context: SearchContext, kept: Sequence[KeptQuestion], where: Filter | None
) -> list[StoredAnswer]:
    """Return what was kept, as far as the filter lets its passage be seen and its words stand where they stood."""
    documents = search_context.store.documents
    answers: list[StoredAnswer] = []
    for document_id in dict.fromkeys(one.document_id for one in kept):
        chunks, texts = await asyncio.gather(
            asyncio.to_thread(documents.find_chunks, document_id, where),
            asyncio.to_thread(documents.texts, [document_id]),
        )
        text = texts.get(document_id, "")
        for one in kept:
            if one.document_id != document_id or text[slice(*one.span)] != one.quote:
                continue
            if found := _chunk_at(chunks, one.span):
                hit = Hit(found.chunk, 1.0, {}, found.uri, found.title)
                answers.append(StoredAnswer(one.question, _narrow_hit_to_span(hit, text, one.span)))
    return answers


def _chunk_at(chunks: Sequence[Found], span: Span) -> Found | None:
    """Return the chunk that has most of a span; None where none has any."""
    overlaps = [(min(one.chunk.span[1], span[1]) - max(one.chunk.span[0], span[0]), one) for one in chunks]
    most, best = max(overlaps, key=lambda pair: pair[0], default=(0, None))
    return best if most > 0 else None


def _narrow_hit_to_span(hit: Hit, text: str, span: Span) -> Hit:
    """Return the hit with these words of its document in place of its chunk's own."""
    chunk = hit.chunk
    page = chunk.page if chunk.span[0] <= span[0] < chunk.span[1] else None
    return replace(hit, chunk=replace(chunk, text=text[slice(*span)], span=span, page=page, parent=None), same=())
