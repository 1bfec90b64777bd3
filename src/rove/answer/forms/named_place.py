"""What stands at a place that a question names: "What does § 3 say?", "Summarise the chapter on storage"."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath

from rove.answer.answerer import refused
from rove.answer.forms import LISTED, FormQuestion, form_sentence
from rove.answer.forms.naming import by_name, in_scope
from rove.answer.forms.summary import SummedPart, read_part, summary_of
from rove.language.stopwords import stop_words
from rove.language.words import terms
from rove.question.asked_place import LEAST, asked_place, chance_of_all
from rove.records import Answer, Document, DocumentInfo, Note
from rove.records.document import Span
from rove.references.document_labels import is_labelled
from rove.references.numbered_places import HAN_NUMBER
from rove.references.place_words import place_words
from rove.references.places_within import Spot, bare_heading, names_place, spot_within
from rove.references.targets import ReferenceTargets
from rove.references.text_references import Reference, heading_number
from rove.retrieve import Query, retrieve_passages

LOOKED_INTO = 300
"""Documents that are looked into at most: of more, where a question names none, those that have words of it."""
MOST_ENDS = 5
"""Words at one of which the name of a described place may end."""
BY_LINE, TOLD = 2, 3
"""Ranks of a line that begins with a place's number, as items of lists do: meant in a document that is meant alone;
and of one that only names the place."""
UNLIKELY = 0.1
"""Chance below which a question does not ask for all of a place, whatever names stand in it."""
BATCH = 8
SENTENCES, SENTENCES_OF_SEVERAL = 12, 3
"""Of a place that is told, and of each of several."""
MOST_PLACES = 5
LABELLED = 2
"""How surely a document is a numbered annex or schedule itself: see `is_labelled`."""
LINE_CHARS, BEGINNING_CHARS = 160, 40
"""Of a line that may be a heading which was not read as one, and of its beginning, where its number stands."""


@dataclass(frozen=True, slots=True)
class _Documents:
    """The documents that may have a place: those that the question names, else `likely` ones, `LOOKED_INTO` at most.

    `is_all`: no other one may be meant.
    """

    named: Sequence[DocumentInfo]
    likely: Sequence[DocumentInfo]
    is_all: bool

    @property
    def meant(self) -> Sequence[DocumentInfo]:
        return self.named or self.likely


@dataclass(frozen=True, slots=True)
class _Found:
    """Where a place was found: `rank` 0 where it is called as in the question, 1 by its number, or see below."""

    info: DocumentInfo
    spot: Spot
    rank: int


async def placed(question: FormQuestion) -> Answer | None:
    """Give what stands at the place that a question names, if it asks for nothing else, of each document that has it.

    Of documents that the question does not name, those in its own language come before all others. A short place is
    given whole, of a long one its telling sentences, or what the chat model sums up. A refusal that says so where no
    document has the number; of more than `LOOKED_INTO` documents that is not known. None where the question asks for
    something else, or nothing was found and nothing is known.

    Raises:
        ServiceError: the embedder failed.
    """
    place = asked_place(question.text, question.language)
    if place is None:
        return None
    embedder, is_numbered = question.search_context.embedder, place.kind != "section"
    chances = [await chance_of_all(question.text, span, embedder) for span in _spans_of(place)]
    if max(chances) < (UNLIKELY if is_numbered else LEAST):
        return None
    documents = await _place_documents(question, place)
    span = with_names(question, place.span, documents.named)
    if is_numbered and await chance_of_all(question.text, span, embedder) < LEAST:
        return None
    found = await _locate_place(question, place, documents)
    there = _select_meant_places(question, place, documents, found)
    if there and not is_numbered:
        span = with_names(question, _place_name_span(place, there[0].spot.title), documents.named)
        if await chance_of_all(question.text, span, embedder) < LEAST:
            return None
    parts, more = await asyncio.to_thread(_read_place_parts, question, there)
    if parts:
        told = await summary_of(question, parts, SENTENCES if len(parts) == 1 else SENTENCES_OF_SEVERAL)
        return _with_rest(told, more) if told and more else told
    is_told = any(one.rank == TOLD for one in found)
    return _nowhere(question, place, documents.named) if is_numbered and documents.is_all and not is_told else None


async def _place_documents(question: FormQuestion, place: Reference) -> _Documents:
    every = await in_scope(question)
    likely = every
    if len(every) > LOOKED_INTO:
        query = Query(question.text, LOOKED_INTO, question.where, counted=False)
        hits = await retrieve_passages("keyword", question.search_context, query)
        held = {hit.chunk.document_id for hit in hits}
        likely = [one for one in every if one.document_id in held]
    with_work = replace(question, text=f"{question.text} {place.work}")
    named = by_name(with_work, every if len(every) <= LISTED else likely)
    named = [one for one in named if _name_shared(question, place, one)]  # and not "3.pdf" by the 3 of "clause 3"
    is_all = len(named) <= LOOKED_INTO if named else len(likely) == len(every) and not place.work
    return _Documents(named[:LOOKED_INTO], likely, is_all)


async def _locate_place(question: FormQuestion, place: Reference, documents: _Documents) -> list[_Found]:
    """Return where a place is, or may be: what is numbered in other documents that those which are named refer to."""
    wanted = replace(place, span=(0, 0), work="")
    found = await asyncio.to_thread(_find_in_batches, question, wanted, documents.meant)
    if not documents.named or any(one.rank < TOLD for one in found):
        return found
    if place.kind == "section":
        return await asyncio.to_thread(_find_in_batches, question, wanted, documents.likely)
    return [*found, *await _places_referred_to(question, wanted, documents.named)]


def _select_meant_places(
    question: FormQuestion, place: Reference, documents: _Documents, found: Sequence[_Found]
) -> Sequence[_Found]:
    """Of several places choose those that a question means, all alike."""
    found = [one for one in found if one.rank < (TOLD if len(documents.meant) == 1 else BY_LINE)]
    if found and not documents.named:
        found = _best_named(question, place, found)
        found = [one for one in found if one.info.language == question.language] or found
    return [one for one in found if one.rank == min(other.rank for other in found)]


def _nowhere(question: FormQuestion, place: Reference, named: Sequence[DocumentInfo]) -> Answer:
    called = f"“{place.label}”"
    if not named:
        return refused(question.text, (), question.language, Note("place-nowhere", {"place": called}))
    titles = ", ".join(f"“{one.title or one.source}”" for one in named)
    return refused(question.text, (), question.language, Note("place-not-in", {"place": called, "titles": titles}))


def _best_named(question: FormQuestion, place: Reference, found: list[_Found]) -> list[_Found]:
    """Of several documents keep those whose names have most of the question's words that not all of them have."""
    names = [_name_shared(question, place, one.info) for one in found]
    common = names[0].intersection(*names)
    most = max(len(held - common) for held in names)
    return [one for one, held in zip(found, names, strict=True) if len(held - common) == most]


def _name_shared(question: FormQuestion, place: Reference, info: DocumentInfo) -> frozenset[str]:
    """Return the terms that a document's name shares with a question, those by which a place is numbered left out."""
    language = question.language
    own = set(terms(place.label, language) if place.kind != "section" else ())
    asked = frozenset(terms(f"{question.text} {place.work}", language)) - own.difference(terms(place.work, language))
    return asked.intersection(terms(f"{info.title} {_file_words(info)}", language))


def _file_words(info: DocumentInfo) -> str:
    return re.sub(r"[\W_]+", " ", PurePath(info.source).stem)


def _spans_of(place: Reference) -> list[Span]:
    """Return the spans that a place's name may have: of one that is described it is not known where it ends."""
    start, end = place.span
    if place.unit != "described":
        return [place.span]
    ends = [start + one.end() for one in re.finditer(r"\w+", place.label)][-MOST_ENDS:]
    return [*((start, one) for one in ends), (start, end)]


def _place_name_span(place: Reference, title: str) -> Span:
    """Return the span of a described place's name up to the last word of the heading that it was found to mean."""
    start, end = place.span
    words = bare_heading(title).split()
    at = place.label.casefold().rfind(words[-1]) if words else -1
    return (start, start + at + len(words[-1])) if at >= 0 else (start, end)


async def _places_referred_to(question: FormQuestion, place: Reference, named: Sequence[DocumentInfo]) -> list[_Found]:
    """Return what the documents that are named refer to by that place: an annex that is a document of its own."""
    store = question.search_context.store
    documents = (await asyncio.to_thread(store.documents.wholes, [one.document_id for one in named[:BATCH]])).values()
    spots = await ReferenceTargets(store, question.where).spots([(place, one) for one in documents])
    infos = {one.document_id: one for one in await in_scope(question)} if any(spots) else {}
    return [_Found(infos[spot.document_id], spot, 0) for spot in spots if spot and spot.document_id in infos]


def with_names(question: FormQuestion, span: Span, named: Sequence[DocumentInfo]) -> Span:
    """Return the span of a place with the name of its document that stands beside it: "§ 4 of the Harbour Rules"."""
    text, language = question.text, question.language
    names = [name for one in named for name in (one.title, _file_words(one)) if name]
    held = set(terms(" ".join(names), language))
    joints = {*stop_words(language), *place_words().words["of"], *place_words().words["the"]}
    spans = [found.span() for name in names for found in re.finditer(re.escape(name), text, re.IGNORECASE)]
    words = [found.span() for found in re.finditer(r"\w+", text) if not held.isdisjoint(terms(found[0], language))]
    for name in sorted([*spans, *words], key=lambda one: abs(one[0] - span[0])):
        between = text[min(name[1], span[1]) : max(name[0], span[0])]
        if all(word.casefold() in joints for word in re.findall(r"\w+", between)):
            span = (min(name[0], span[0]), max(name[1], span[1]))
    return span


def _find_in_batches(question: FormQuestion, place: Reference, infos: Sequence[DocumentInfo]) -> list[_Found]:
    """Look into documents, a few at a time."""
    found: list[_Found] = []
    for first in range(0, len(infos), BATCH):
        batch = infos[first : first + BATCH]
        documents = question.search_context.store.documents.wholes([info.document_id for info in batch])
        found += [
            one
            for info in batch
            if (own := documents.get(info.document_id)) and (one := _find_in_document(own, place, info))
        ]
    return found


def _find_in_document(document: Document, place: Reference, info: DocumentInfo) -> _Found | None:
    spot = spot_within(place, document)
    if spot and spot.span:
        return _Found(info, spot, _place_match_rank(place, spot, document))
    whole = Spot(info.document_id, None, "")
    if is_labelled(info, place) >= LABELLED:
        return _Found(info, whole, 0)
    return _Found(info, whole, TOLD) if place.kind != "section" and _has_place_line(document.text, place) else None


def _place_match_rank(place: Reference, spot: Spot, document: Document) -> int:
    if place.kind == "page" or heading_number(spot.title)[0] == place.unit:
        return 0
    return 1 if any(one.title == spot.title for one in document.sections) else BY_LINE


def _has_place_line(text: str, place: Reference) -> bool:
    """Say whether the beginning of a line that is no heading names a place: it may well be there."""
    for line in re.finditer(rf"^[^\n]{{0,{LINE_CHARS}}}$", text, re.MULTILINE):
        begun = line[0][:BEGINNING_CHARS]
        may_be = place.target in begun or not place.target.isdigit() or not set(HAN_NUMBER).isdisjoint(begun)
        if may_be and names_place(begun, place):
            return True
    return False


def _read_place_parts(question: FormQuestion, found: Sequence[_Found]) -> tuple[list[SummedPart], int]:
    """Read the first places of which something may be seen, and say how many more there are."""
    documents = question.search_context.store.documents
    parts: list[SummedPart] = []
    for at, one in enumerate(found):
        if len(parts) == MOST_PLACES:
            return parts, len(found) - at
        read = documents.wholes([one.info.document_id]).get(one.info.document_id)
        part = read_part(question, one.info, read, one.spot.span, one.spot.title) if read else None
        parts += [part] if part else []
    return parts, 0


def _with_rest(answer: Answer, more: int) -> Answer:
    """Say how many more documents have the place."""
    return replace(answer, text=f"{answer.text}\n\n{form_sentence('more', answer.language, count=more)}")
