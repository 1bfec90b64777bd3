"""Which documents there are, how many, and which came in lately: said from the catalog, with a line of each."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from datetime import date, timedelta

from rove.answer.cite import marks
from rove.answer.extract import Candidate, list_candidates
from rove.answer.forms import MOST_LISTED, FormQuestion, References, form_sentence
from rove.answer.forms.naming import in_scope
from rove.language.relative_days import WEEK, days_in
from rove.language.rendering import render
from rove.language.words import query_terms, terms
from rove.question.form import names_documents, subject_words
from rove.records import Answer, Document, DocumentInfo, Hit, Note, Sentence
from rove.records.moment import place_text, time_at
from rove.retrieve import Query, retrieve_passages

READ = 300
"""Passages that are looked through for the documents that have the words."""
NEAREST = 5
FROM_CATALOG = Note("from-catalog")


async def list_mentioning(question: FormQuestion) -> Answer | None:
    """List the documents that mention what a question is about, each with a sentence; all where it names nothing.

    Where none has all of its words, the nearest in meaning are listed, and it is said so. None: it names no documents.

    Raises:
        ServiceError: the embedder failed.
    """
    return (
        await _list_subject_documents(question, nearest=True)
        if names_documents(question.text, question.language)
        else None
    )


async def count_mentioning(question: FormQuestion) -> Answer | None:
    """Say how many documents mention what a question is about, and which. None where none does, or it names none."""
    return (
        await _list_subject_documents(question, nearest=False)
        if names_documents(question.text, question.language)
        else None
    )


async def recent(question: FormQuestion) -> Answer | None:
    """List the documents that came last, or since the day that the question names, the newest first."""
    today = date.today()  # noqa: DTZ011 - the user's day
    named = days_in(question.text, question.language, today.isoformat())
    since = date.fromisoformat(named[0].value) if named else None
    while since and since > today:  # "since Monday" is the last one, where other questions mean the next
        since -= timedelta(WEEK)
    documents = sorted(await in_scope(question), key=lambda info: info.added_at, reverse=True)
    if not documents:
        return None
    day = since.isoformat() if since else documents[min(len(documents), MOST_LISTED) - 1].added_at[:10]
    new = [info for info in documents if info.added_at[:10] >= day]
    lines = [f"- {_entry_name(info)} ({info.added_at[:10]})" for info in new[:MOST_LISTED]]
    return _document_list_answer(
        question,
        [form_sentence("since", question.language, count=len(new), day=day), *lines],
        len(new),
        (FROM_CATALOG,),
    )


async def _list_subject_documents(question: FormQuestion, *, nearest: bool) -> Answer | None:
    documents = await in_scope(question)
    words = subject_words(question.text, question.language)
    if not words:
        lines = [
            form_sentence("all", question.language, count=len(documents)),
            *(f"- {_entry_name(one)}" for one in documents),
        ]
        return (
            _document_list_answer(question, lines[: MOST_LISTED + 1], len(documents), (FROM_CATALOG,))
            if documents
            else None
        )
    subject = " ".join(words)
    by_words = await _hits_by_document(question, "keyword", subject, READ)
    wanted = set(query_terms(subject, question.language))
    holding = {name: hits for name, hits in by_words.items() if wanted <= _document_hit_terms(hits, question.language)}
    named = ", ".join(f"“{word}”" for word in words)
    notes, head = (Note("documents-by-words", {"words": named}),), "mention"
    if not holding:
        if not nearest:
            return None
        holding = _with_most(by_words, wanted, question.language)
        if not 0 < len(holding) <= NEAREST:
            holding = dict(
                [*(await _hits_by_document(question, "hybrid", question.text, NEAREST * 2)).items()][:NEAREST]
            )
        notes, head = (), "nearest"
    infos = {info.document_id: info for info in documents}
    shown = [(infos[name], hits) for name, hits in holding.items() if name in infos]
    if not shown:
        return None
    references = References([])
    sentences = [
        await asyncio.to_thread(_subject_sentence, question, subject, *one, references) for one in shown[:MOST_LISTED]
    ]
    first = form_sentence(head, question.language, count=len(shown), all=len(documents), subject=f"“{subject}”")
    ids = [info.document_id for info, _ in shown[:MOST_LISTED]]
    wholes = await asyncio.to_thread(question.search_context.store.documents.wholes, ids)
    lines = [
        f"- {_entry_name(info)}{_place_note(wholes, sentence)}: {sentence.text} {marks([sentence.citations[0].number])}"
        for (info, _), sentence in zip(shown, sentences, strict=False)
    ]
    return _document_list_answer(question, [first, *lines], len(shown), notes, sentences, references.hits)


async def _hits_by_document(question: FormQuestion, mode: str, text: str, top_k: int) -> dict[str, list[Hit]]:
    """Search, and return the hits of each document, that with the best one first; copies of a passage count too."""
    query = Query(text, top_k, question.where, rerank=mode == "hybrid")
    found: dict[str, list[Hit]] = {}
    for hit in await retrieve_passages(mode, question.search_context, query):
        for one in (hit, *hit.same):
            found.setdefault(one.chunk.document_id, []).append(one)
    return found


def _document_hit_terms(hits: Sequence[Hit], language: str) -> set[str]:
    """Return the terms that the passages of a document have, with those of its title and their headings."""
    return set(terms(hits[0].title, language)).union(
        *(terms(" ".join((*hit.chunk.headings, hit.chunk.text)), language) for hit in hits)
    )


def _with_most(found: Mapping[str, list[Hit]], wanted: set[str], language: str) -> dict[str, list[Hit]]:
    """Return the documents that have most of the wanted terms, all that have as many."""
    counts = {name: len(wanted & _document_hit_terms(hits, language)) for name, hits in found.items()}
    most = max(counts.values(), default=0)
    return {name: hits for name, hits in found.items() if most and counts[name] == most}


def _subject_sentence(
    question: FormQuestion, subject: str, info: DocumentInfo, hits: Sequence[Hit], references: References
) -> Sentence:
    """Return the sentence of a document's passages that has most of the subject's words, cited."""
    asked = set(query_terms(subject, question.language))
    candidates = list_candidates("", hits, question.language)

    def fits(one: Candidate) -> tuple[int, int]:
        above = " ".join(one.hit.chunk.headings[-1:])
        own, place = (asked.intersection(terms(text, question.language)) for text in (one.text, above))
        return len(own | place), len(own)

    best = max(candidates, key=fits, default=None)
    hit = best.hit if best else hits[0]
    span = best.citation.span if best else hit.chunk.span
    citation = references.cite(info, hit.chunk, span)
    return Sentence(render(citation.quote).line, (citation,))


def _place_note(documents: Mapping[str, Document], sentence: Sentence) -> str:
    """Return the heading that a sentence stands under, where that is not its document's title; else its page."""
    citation = sentence.citations[0]
    document = documents.get(citation.document_id)
    if document is None:
        return ""
    heading = next(reversed(document.headings_at(citation.span[0])), "")
    at = place_text(document.page_at(citation.span[0]), time_at(document, citation.span))
    place = heading if heading and heading != citation.title else at
    return f" › {place}" if place else ""


def _entry_name(info: DocumentInfo) -> str:
    return f"{info.title} ({info.source})" if info.title and info.title != info.source else info.source


def _document_list_answer(
    question: FormQuestion,
    lines: Sequence[str],
    count: int,
    notes: tuple[Note, ...],
    sentences: Sequence[Sentence] = (),
    hits: Sequence[Hit] = (),
) -> Answer:
    rest = count - MOST_LISTED
    more = [form_sentence("more", question.language, count=rest)] if rest > 0 else []
    text = "\n".join((*lines, *more))
    return Answer(question.text, text, "extractive", question.language, tuple(sentences), tuple(hits), notes)
