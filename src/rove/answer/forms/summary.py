"""The whole of documents that a question names, in few sentences, each cited."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath

import numpy as np

from rove.answer.cite import marks
from rove.answer.extract import list_candidates
from rove.answer.forms import FormQuestion, References
from rove.answer.forms.naming import named_documents
from rove.answer.summarize import SENTENCES, SENTENCES_OF_ALL, Candidate, SummaryModel, telling
from rove.language.words import query_terms, terms
from rove.question.form import subject_words
from rove.records import Answer, Chunk, Document, DocumentInfo, Hit, Note, Sentence
from rove.records.document import Section, Span
from rove.records.summary import SummarySentence
from rove.retrieve.judging import judge_now
from rove.store.summaries import Summaries

MOST_DOCUMENTS = 3
CHUNKS = 16
"""Chunks of a long document that are read: those nearest to all of it, and its first ones."""
LINES = 80
"""Sentences that are looked at."""


async def summarised(question: FormQuestion) -> Answer | None:
    """Sum up the documents that a question names; None where it names none.

    Where a heading has all the words of the question that the document's name lacks, its section is summed up alone.
    A summary that `rove enrich summaries` has kept is given; else it is made: by the chat model, as far as the text
    holds what it writes, or of the text's telling sentences.

    Raises:
        ServiceError: the embedder failed.
    """
    named = (await named_documents(question))[:MOST_DOCUMENTS]
    parts = [one for info in named if (one := await asyncio.to_thread(_read_named_part, question, info))]
    return await summary_of(question, parts, SENTENCES if len(parts) > 1 else SENTENCES_OF_ALL)


@dataclass(frozen=True, slots=True)
class SummedPart:
    """What is summed up: a document as it is listed and read, the span of it that is meant, and the chunks that it has.

    `heading`: of that span; "" where all of the document is meant. `is_seen`: no chunk of the document is hidden.
    """

    info: DocumentInfo
    document: Document
    chunks: Sequence[Chunk]
    span: Span
    heading: str
    is_seen: bool


def read_part(
    question: FormQuestion, info: DocumentInfo, document: Document, span: Span | None, heading: str = ""
) -> SummedPart | None:
    """Read a span of a document, or all of it; None where the question may see nothing of it."""
    found = question.search_context.store.documents.find_chunks(info.document_id, question.where)
    span = span or (0, len(document.text))
    chunks = [one.chunk for one in found if one.chunk.span[0] < span[1] and span[0] < one.chunk.span[1]]
    heading = "" if heading == info.title else heading
    return SummedPart(info, document, chunks, span, heading, len(found) == info.chunks) if chunks else None


def _read_named_part(question: FormQuestion, info: DocumentInfo) -> SummedPart | None:
    document = question.search_context.store.documents.wholes([info.document_id]).get(info.document_id)
    if document is None:
        return None
    section = named_section(question, document)
    return read_part(question, info, document, *((section.span, section.title) if section else (None, "")))


async def summary_of(question: FormQuestion, parts: Sequence[SummedPart], most: int) -> Answer | None:
    """Sum up each part in so many sentences at most, in its order; None where none has a sentence.

    Raises:
        ServiceError: the embedder failed.
    """
    references = References([])
    titles = Counter(one.info.title for one in parts)
    names: list[str] = []
    sentences: list[Sentence] = []
    lines: list[str] = []
    for one in parts:
        title = one.info.title if titles[one.info.title] == 1 and one.info.title else one.info.source
        told = await _of_part(question, one, references, most)
        if not told:
            continue
        names.append(" › ".join(filter(None, (title, one.heading))))
        if len(parts) > 1:
            lines.append(f"**{names[-1]}**")
        lines += [f"- {one.text} {marks([c.number for c in one.citations])}" for one in told]
        sentences += told
    if not sentences:
        return None
    note = Note("summed-up", {"titles": ", ".join(f"“{name}”" for name in names)})
    quoted = all(one.verdict == "quoted" for one in sentences) or question.chat is None
    mode = "extractive" if quoted or question.chat is None else question.chat.name
    return Answer(
        question.text, "\n".join(lines), mode, question.language, tuple(sentences), tuple(references.hits), (note,)
    )


def named_section(question: FormQuestion, document: Document) -> Section | None:
    """Return the section whose heading has all that a question asks about beside the document's name; None: no one has.

    Of several it is the one with the fewest other words in its heading.
    """
    language = document.language
    file = re.sub(r"[\W_]+", " ", PurePath(document.source).stem)
    asked = query_terms(" ".join(subject_words(question.text, question.language)), language)
    wanted = set(asked) - set(terms(f"{document.title} {file}", language))
    found = [(held, one) for one in document.sections if wanted and wanted <= (held := set(terms(one.title, language)))]
    return min(found, key=lambda one: len(one[0]))[1] if found else None


async def _of_part(question: FormQuestion, part: SummedPart, references: References, most: int) -> list[Sentence]:
    store = question.search_context.store
    kept = await asyncio.to_thread(Summaries(store.catalog.database).of_document, part.info.document_id)
    whole = [one.sentences for one in kept if one.span == part.span and part.is_seen]
    lines = list(whole[0][:most]) if whole else await _summarize_part(question, part, most)
    return [one for line in lines if (one := _cite_summary_line(line, part, references))]


async def _summarize_part(question: FormQuestion, part: SummedPart, most: int) -> list[SummarySentence]:
    context, language = question.search_context, part.document.language
    chunks = part.chunks
    ids = [chunk.chunk_id for chunk in chunks]
    await judge_now(context, ids)
    vectors = await context.store.chunk_vectors(ids)
    mean = vectors.mean(axis=0)
    mean /= max(float(np.linalg.norm(mean)), 1e-9)
    near = np.argsort(-(vectors @ mean), kind="stable")[: CHUNKS - CHUNKS // 4].tolist()
    read = sorted({*near, *range(min(CHUNKS // 4, len(chunks)))})
    hits = [Hit(chunks[place], 0.0, uri=part.info.source, title=part.info.title) for place in read]
    listed = await asyncio.to_thread(list_candidates, "", hits, language)
    start, end = part.span
    listed = [one for one in listed if start <= one.citation.span[0] and one.citation.span[1] <= end]
    whole = listed if len(listed) <= most else [one for one in listed if not one.is_row] or listed
    lines = [SummarySentence(one.text, (one.citation.span,)) for one in whole[:LINES]]
    if question.chat is not None and lines:
        told = await SummaryModel(question.chat).summed(lines, most, language)
        if told:
            return told
    if len(lines) <= most:
        return lines
    known = await context.embedder.passages([line.text for line in lines])
    candidates = [Candidate(line, vector) for line, vector in zip(lines, known, strict=True)]
    return [one.sentence for one in telling(candidates, mean, most)]


def _cite_summary_line(line: SummarySentence, part: SummedPart, references: References) -> Sentence | None:
    """Tie a sentence to the passages that hold it."""
    citations = tuple(
        references.cite(part.info, chunk, span)
        for span in line.spans
        if (chunk := next((one for one in part.chunks if one.span[0] <= span[0] and span[1] <= one.span[1]), None))
    )
    own = len(citations) == 1 and " ".join(part.document.text[slice(*line.spans[0])].split()) == line.text
    return Sentence(line.text, citations, "quoted" if own else "supported") if citations else None
