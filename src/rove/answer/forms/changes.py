"""How two versions of a document differ: their sentences side by side, what is gone, what is new, each cited."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import combinations
from pathlib import PurePath

from rapidfuzz import fuzz

from rove.answer.cite import marks
from rove.answer.forms import FormQuestion, References, form_sentence
from rove.answer.forms.naming import by_name, in_scope
from rove.answer.versions import version_of
from rove.language.rendering import render
from rove.language.sentences import sentence_spans
from rove.question.form import subject_words
from rove.records import Answer, Chunk, Citation, Document, DocumentInfo, Note, Sentence
from rove.records.document import Span
from rove.retrieve import Query, retrieve_passages

LOOKED_AT = 8
"""Documents among which two versions of one are looked for."""
ABOUT = 2
"""Documents, those found first, of which one must have another version where the question names none by its title."""
ALIKE = 0.3
"""Share of the shorter document's sentences that the other must have, or nearly have, to be a version of it."""
REWRITTEN = 55.0
"""Likeness (rapidfuzz ratio, 0 to 100) from which on a sentence is another one rewritten."""
MOST = 12


@dataclass(frozen=True, slots=True)
class _Version:
    info: DocumentInfo
    document: Document
    chunks: Sequence[Chunk]
    spans: tuple[Span, ...]
    lines: tuple[str, ...]


async def changed(question: FormQuestion) -> Answer | None:
    """Show where two versions of the document that a question names differ; None where there are no two versions.

    Raises:
        ServiceError: the embedder failed.
    """
    query = Query(question.text, LOOKED_AT * 4, question.where, rerank=True, counted=False)
    hits = await retrieve_passages("hybrid", question.search_context, query)
    documents = {info.document_id: info for info in await in_scope(question)}
    named = [one.document_id for one in by_name(question, list(documents.values()))]
    found = dict.fromkeys([*named, *(hit.chunk.document_id for hit in hits)])
    names = [name for name in found if name in documents][:LOOKED_AT]
    about = named or names[:ABOUT] if subject_words(question.text, question.language) else names
    return await asyncio.to_thread(_changes_answer, question, [documents[name] for name in names], set(about))


def _changes_answer(question: FormQuestion, infos: Sequence[DocumentInfo], about: set[str]) -> Answer | None:
    """Compare the first two versions of which one is among the documents that the question is about."""
    read = question.search_context.store.documents.with_chunks([info.document_id for info in infos])
    versions = [_read_version_lines(info, *read[info.document_id]) for info in infos if info.document_id in read]
    pairs = (pair for pair in combinations(versions, 2) if not about.isdisjoint(one.info.document_id for one in pair))
    pair = next((pair for pair in pairs if _are_versions(*pair)), None)
    if pair is None:
        return None
    old, new = sorted(pair, key=_age)
    references = References([])
    places = list(_difference_places(old, new))
    sentences = [_sentence(old, new, place, references) for place in places[:MOST]]
    lines = [
        form_sentence(
            "changed",
            question.language,
            old=f"“{_version_file_name(old.info)}”",
            new=f"“{_version_file_name(new.info)}”",
            count=len(places),
        ),
        *(f"- {one.text} {marks([citation.number for citation in one.citations])}" for one in sentences),
    ]
    if len(places) > MOST:
        lines.append(form_sentence("more", question.language, count=len(places) - MOST))
    note = Note("versions-taken", {"old": _version_file_name(old.info), "new": _version_file_name(new.info)})
    text = "\n".join(lines)
    return Answer(
        question.text, text, "extractive", question.language, tuple(sentences), tuple(references.hits), (note,)
    )


def _read_version_lines(info: DocumentInfo, document: Document, chunks: Sequence[Chunk]) -> _Version:
    spans = tuple(
        (start, end)
        for start, end in sentence_spans(document.text, document.language)
        if any(map(str.isalnum, document.text[start:end]))
    )
    lines = tuple(" ".join(document.text[start:end].split()) for start, end in spans)
    return _Version(info, document, chunks, spans, lines)


def _are_versions(one: _Version, other: _Version) -> bool:
    """Say whether two documents share so much, and differ at all, that they are versions of one."""
    shorter, longer = sorted((set(one.lines), set(other.lines)), key=len)
    return bool(shorter) and shorter != longer and len(shorter & longer) >= ALIKE * len(shorter)


def _age(one: _Version) -> tuple[tuple[int, str, tuple[int, ...]], str]:
    """What sorts versions: the day each holds from, else words and numbers of its name; then when it came."""
    info, document = one.info, one.document
    return version_of(info.document_id, info.source, document.text, document.language).age, info.added_at


def _difference_places(old: _Version, new: _Version) -> Iterator[tuple[int | None, int | None]]:
    """Yield where they differ, in order: (sentence of the old, of the new); None where it has none there."""
    matcher = SequenceMatcher(None, old.lines, new.lines, autojunk=False)
    for what, first, last, begin, end in matcher.get_opcodes():
        if what == "equal":
            continue
        left, right = list(range(first, last)), list(range(begin, end))
        for here in left:
            likely = max(right, key=lambda there: fuzz.ratio(old.lines[here], new.lines[there]), default=None)  # noqa: B023
            if likely is not None and fuzz.ratio(old.lines[here], new.lines[likely]) >= REWRITTEN:
                right.remove(likely)
                yield here, likely
            else:
                yield here, None
        yield from ((None, there) for there in right)


def _sentence(old: _Version, new: _Version, place: tuple[int | None, int | None], references: References) -> Sentence:
    sides = [(side, at) for side, at in zip((old, new), place, strict=True) if at is not None]
    quoted = [f"“{render(side.document.text[slice(*side.spans[at])]).line}”" for side, at in sides]
    text = " → ".join(quoted) if len(quoted) > 1 else f"{'−' if place[1] is None else '+'} {quoted[0]}"
    citations = (_cite_version_sentence(side, at, references) for side, at in sides)
    return Sentence(text, tuple(one for one in citations if one))


def _cite_version_sentence(side: _Version, at: int, references: References) -> Citation | None:
    start, end = side.spans[at]
    chunk = next((one for one in side.chunks if one.span[0] <= start < one.span[1]), None)
    return references.cite(side.info, chunk, (start, min(end, chunk.span[1]))) if chunk else None


def _version_file_name(info: DocumentInfo) -> str:
    return PurePath(info.source).name or info.title
