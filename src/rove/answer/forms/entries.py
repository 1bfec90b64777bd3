"""All entries of a table, or of a list, that a question asks for: each row cited."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from pathlib import PurePath

from rove.answer.cite import marks
from rove.answer.forms import MOST_LISTED, FormQuestion, References, form_sentence
from rove.language.pipe_rows import as_table, table_rows
from rove.language.rendering import render
from rove.language.words import query_terms, terms
from rove.records import Answer, Chunk, Citation, Document, DocumentInfo, Hit, Note, Sentence
from rove.records.document import Span
from rove.retrieve import Query, retrieve_passages

LOOKED_AT = 3
"""Hits, the best, in one of which the table must stand."""
LEAST_ITEMS = 3
"""Items from which on lines are a list."""
NOTE = Note("all-entries")
_ITEM = re.compile(r"^[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+(?=\S)(.+)$", re.MULTILINE)


async def all_entries(question: FormQuestion) -> Answer | None:
    """Give all rows of the table, or all items of the list, that a question comes nearest to; None: there is neither.

    Raises:
        ServiceError: the embedder failed.
    """
    query = Query(question.text, LOOKED_AT, question.where, rerank=True, counted=False)
    hits = await retrieve_passages("hybrid", question.search_context, query)
    holding = [hit for hit in hits if _chunk_column_names(hit.chunk) or len(_list_item_spans(hit.chunk)) >= LEAST_ITEMS]
    if not holding:
        return None
    asked = set(query_terms(question.text, question.language))
    best = max(holding, key=lambda hit: len(asked.intersection(_head_terms(hit, question.language))))
    return await asyncio.to_thread(_entries_answer, question, best)


def _entries_answer(question: FormQuestion, hit: Hit) -> Answer | None:
    documents = question.search_context.store.documents
    found = documents.document(hit.chunk.document_id)
    info = next((one for one in documents.documents() if one.document_id == hit.chunk.document_id), None)
    if found is None or info is None:
        return None
    names = _chunk_column_names(hit.chunk)
    beside = [chunk for chunk in found[1] if chunk.headings == hit.chunk.headings]
    references = References([])
    citations = (
        _cite_table_rows(info, beside, names, references)
        if names
        else _cite_list_items(info, hit.chunk, found[0], references)
    )
    shown = citations[:MOST_LISTED]
    if names:
        table = as_table(names, {one.quote: marks([one.number]) for one in shown})
    else:
        table = "\n".join(f"- {render(one.quote).line} {marks([one.number])}" for one in shown)
    name = PurePath(info.source).name or info.title
    lines = [form_sentence("entries", question.language, count=len(citations), name=f"“{name}”"), "", table]
    if len(citations) > MOST_LISTED:
        lines += ["", form_sentence("more", question.language, count=len(citations) - MOST_LISTED)]
    sentences = tuple(Sentence(render(one.quote).line, (one,)) for one in shown)
    return Answer(
        question.text, "\n".join(lines), "extractive", question.language, sentences, tuple(references.hits), (NOTE,)
    )


def _cite_table_rows(
    info: DocumentInfo, chunks: Sequence[Chunk], names: tuple[str, ...], references: References
) -> list[Citation]:
    """Return the citations of all rows of a table, each row once."""
    found: dict[Span, Citation] = {}
    for chunk in chunks:
        for row in table_rows(chunk.text, chunk.prefix):
            span = (chunk.span[0] + row.span[0], chunk.span[0] + row.span[1])
            if row.names == names and span not in found:
                found[span] = references.cite(info, chunk, span)
    return list(found.values())


def _cite_list_items(info: DocumentInfo, chunk: Chunk, document: Document, references: References) -> list[Citation]:
    begin = chunk.span[0]
    spans = [(begin + start, begin + end) for start, end in _list_item_spans(chunk)]
    return [references.cite(info, chunk, span) for span in spans if document.text[slice(*span)].strip()]


def entry_spans(chunk: Chunk) -> list[Span]:
    """Return where the rows of a chunk's tables stand in its text, and the items of a list."""
    items = _list_item_spans(chunk)
    return [row.span for row in table_rows(chunk.text, chunk.prefix)] + (items if len(items) >= LEAST_ITEMS else [])


def _chunk_column_names(chunk: Chunk) -> tuple[str, ...]:
    """Return the names of the columns of the first table of a chunk; none where it has no table."""
    return next((row.names for row in table_rows(chunk.text, chunk.prefix)), ())


def _list_item_spans(chunk: Chunk) -> list[Span]:
    return [match.span(1) for match in _ITEM.finditer(chunk.text)]


def _head_terms(hit: Hit, language: str) -> set[str]:
    name = re.sub(r"[\W_]+", " ", PurePath(hit.uri).stem)
    return set(terms(" ".join((hit.title, name, *hit.chunk.headings, *_chunk_column_names(hit.chunk))), language))
