"""The whole of documents that a question names, in few sentences, each cited."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence

import numpy as np

from rove.answer.cite import marks
from rove.answer.extract import list_candidates
from rove.answer.forms import FormQuestion, References
from rove.answer.forms.naming import named_documents
from rove.answer.summarize import SENTENCES, SENTENCES_OF_ALL, Candidate, SummaryModel, telling
from rove.records import Answer, Chunk, Document, DocumentInfo, Hit, Sentence
from rove.records.summary import SummarySentence
from rove.retrieve.judging import judge_now
from rove.store.summaries import Summaries

MOST_DOCUMENTS = 3
CHUNKS = 16
"""Chunks of a long document that are read: those nearest to all of it, and its first ones."""
LINES = 80
"""Sentences that are looked at."""
NOTE = "This sums up {titles}; each sentence stands there."


async def summarised(question: FormQuestion) -> Answer | None:
    """Sum up the documents that a question names; None where it names none.

    A summary that `rove enrich summaries` has kept is given; else it is made: by the chat model, as far as the text
    holds what it writes, or of the text's telling sentences.

    Raises:
        ServiceError: the embedder failed.
    """
    documents = (await named_documents(question))[:MOST_DOCUMENTS]
    references = References([])
    titles = Counter(info.title for info in documents)
    names = {
        info.document_id: info.title if titles[info.title] == 1 and info.title else info.source for info in documents
    }
    sentences: list[Sentence] = []
    lines: list[str] = []
    for info in documents:
        told = await _of_document(question, info, references, SENTENCES if len(documents) > 1 else SENTENCES_OF_ALL)
        if told and len(documents) > 1:
            lines.append(f"**{names[info.document_id]}**")
        lines += [f"- {one.text} {marks([c.number for c in one.citations])}" for one in told]
        sentences += told
    if not sentences:
        return None
    note = NOTE.format(titles=", ".join(f"“{name}”" for name in names.values()))
    quoted = all(one.verdict == "quoted" for one in sentences) or question.chat is None
    mode = "extractive" if quoted or question.chat is None else question.chat.name
    return Answer(
        question.text, "\n".join(lines), mode, question.language, tuple(sentences), tuple(references.hits), note
    )


async def _of_document(question: FormQuestion, info: DocumentInfo, references: References, most: int) -> list[Sentence]:
    store = question.search_context.store
    found = await asyncio.to_thread(store.documents.document, info.document_id)
    if found is None:
        return []
    document, chunks = found
    kept = await asyncio.to_thread(Summaries(store.catalog.database).of_document, info.document_id)
    whole = [one.sentences for one in kept if one.span == (0, len(document.text))]
    lines = list(whole[0][:most]) if whole else await _made(question, info, document, chunks, most)
    return [one for line in lines if (one := _cited(line, info, document, chunks, references))]


async def _made(
    question: FormQuestion, info: DocumentInfo, document: Document, chunks: Sequence[Chunk], most: int
) -> list[SummarySentence]:
    context = question.search_context
    if not chunks:
        return []
    ids = [chunk.chunk_id for chunk in chunks]
    await judge_now(context, ids)
    vectors = await context.store.chunk_vectors(ids)
    mean = vectors.mean(axis=0)
    mean /= max(float(np.linalg.norm(mean)), 1e-9)
    near = np.argsort(-(vectors @ mean), kind="stable")[: CHUNKS - CHUNKS // 4].tolist()
    read = sorted({*near, *range(min(CHUNKS // 4, len(chunks)))})
    hits = [Hit(chunks[place], 0.0, uri=info.source, title=info.title) for place in read]
    listed = await asyncio.to_thread(list_candidates, "", hits, document.language)
    whole = [one for one in listed if not one.is_row] or listed
    lines = [SummarySentence(one.text, (one.citation.span,)) for one in whole[:LINES]]
    if question.chat is not None and lines:
        told = await SummaryModel(question.chat).summed(lines, most, document.language)
        if told:
            return told
    known = await context.embedder.passages([line.text for line in lines]) if lines else vectors[:0]
    candidates = [Candidate(line, vector) for line, vector in zip(lines, known, strict=True)]
    return [one.sentence for one in telling(candidates, mean, most)]


def _cited(
    line: SummarySentence, info: DocumentInfo, document: Document, chunks: Sequence[Chunk], references: References
) -> Sentence | None:
    """Tie a sentence to the passages that hold it."""
    citations = tuple(
        references.cite(info, chunk, span)
        for span in line.spans
        if (chunk := next((one for one in chunks if one.span[0] <= span[0] and span[1] <= one.span[1]), None))
    )
    own = len(citations) == 1 and " ".join(document.text[slice(*line.spans[0])].split()) == line.text
    return Sentence(line.text, citations, "quoted" if own else "supported") if citations else None
