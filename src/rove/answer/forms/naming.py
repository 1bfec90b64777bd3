"""Which documents a question names: by file, by title, by what was chosen, or by where all that it finds stands."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import PurePath

from rove.answer.forms import LISTED, FormQuestion
from rove.language.words import terms
from rove.question.form import subject_words
from rove.records import DocumentInfo
from rove.retrieve import Query, retrieve_passages

LEAST_SHARE = 0.6
"""Of the terms of a document's name, those that the question must have to name it."""
LOOKED_AT = 40
FIRST = 8
MOST_OF_FIRST = 0.6
"""Of the first hits, those that stand in one document, for the question to be about it."""


async def in_scope(question: FormQuestion) -> list[DocumentInfo]:
    """Return the live documents that the question may see, in the order they came."""
    store = question.search_context.store
    listed = await asyncio.to_thread(store.documents.documents)
    if question.where is None:
        return listed
    ids = [info.document_id for info in listed]
    passing = set((await asyncio.to_thread(store.documents.passing, ids, question.where)).values())
    return [info for info in listed if info.document_id in passing]


async def named_documents(question: FormQuestion) -> list[DocumentInfo]:
    """Return the documents that a question is about, those that it names best first; none where it names none.

    One that alone is in scope is meant. Else those whose file name stands in the question, or most of whose title's
    words do; else the one that most of what is found stands in.

    Raises:
        ServiceError: the embedder failed.
    """
    documents = await in_scope(question)
    if len(documents) == 1 and question.sure:
        return documents
    if not subject_words(question.text, question.language) and not _FILE.search(question.text):
        return []
    hits = await retrieve_passages(
        "hybrid",
        question.search_context,
        Query(question.text, LOOKED_AT, question.where, rerank=True, counted=False),
    )
    found = [hit.chunk.document_id for hit in hits]
    looked_at = documents if len(documents) <= LISTED else [one for one in documents if one.document_id in found]
    named = by_name(question, looked_at)
    if not question.sure:
        return named if named and _says_no_more(question, named[0]) else []
    if named:
        return named
    first = Counter(found[:FIRST]).most_common(1)
    if first and first[0][1] >= MOST_OF_FIRST * min(FIRST, len(found)):
        return [one for one in documents if one.document_id == first[0][0]]
    return []


def _says_no_more(question: FormQuestion, document: DocumentInfo) -> bool:
    """Say whether all that a question is about is the document's name."""
    name = f"{document.title} {re.sub(r'[^a-zA-Z0-9]+', ' ', PurePath(document.source).name)} {document.source}"
    held = set(terms(name, question.language))
    return set(terms(" ".join(subject_words(question.text, question.language)), question.language)) <= held


_FILE = re.compile(r"(?<![\w.-])[\w-]{1,80}(?:\.[\w-]{1,80}){0,8}\.\w{2,5}\b")


def by_name(question: FormQuestion, documents: Sequence[DocumentInfo]) -> list[DocumentInfo]:
    """Return those documents that a question names best, all alike."""
    asked = question.text.casefold()
    held = set(terms(question.text, question.language))
    scores = {one.document_id: _name_match_score(one, asked, held, question.language) for one in documents}
    best = max(scores.values(), default=0.0)
    return [one for one in documents if scores[one.document_id] == best] if best >= LEAST_SHARE else []


def _name_match_score(document: DocumentInfo, asked: str, held: set[str], language: str) -> float:
    path = PurePath(document.source)
    if path.suffix and path.name.casefold() in asked:
        return 2.0
    names = (document.title, re.sub(r"[\W_]+", " ", path.stem))
    return max((_name_term_share(set(terms(name, language)), held) for name in names if name.strip()), default=0.0)


def _name_term_share(name: set[str], held: set[str]) -> float:
    """Share of a name's terms that are held; of names alike in that, the longer one is the better."""
    return len(name & held) / len(name) + min(len(name & held), 9) / 100 if name and name & held else 0.0
