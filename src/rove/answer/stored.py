"""Answers that stand in a document beside their question: given at once, word for word."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Mapping, Sequence

from rove.answer.cite import cite, marks
from rove.language.rendering import render
from rove.records import Answer, Filter, Hit, Note, Sentence
from rove.records.document import Span
from rove.retrieve import SearchContext
from rove.retrieve.outdated import outdated_filter
from rove.retrieve.stored_answers import same, stored_answers

LONGEST_AT_ONCE = 1_500
"""Characters of an answer that stands in a document, up to which it is given whole; of a longer one, the best."""
_FENCE = re.compile(r"[ \t]*(```|~~~)")


async def answered_at_once(
    search_context: SearchContext,
    question: str,
    hits: Sequence[Hit],
    where: Filter | None,
    texts: Mapping[str, str] | None = None,
) -> list[Hit]:
    """Return what stands as the answer beside this very question, in what was found for it, best first.

    `texts`: the canonical texts of the hits' documents by id, where they are known.
    """
    if texts is None:
        names = list({hit.chunk.document_id for hit in hits})
        texts = await asyncio.to_thread(search_context.store.documents.texts, names)
    where = await asyncio.to_thread(outdated_filter, where, search_context.settings, search_context.store)
    answers = await stored_answers(search_context, question, hits, texts, where, strict=True)
    return [hit for hit in same(question, answers) if len(hit.chunk.text) <= LONGEST_AT_ONCE]


def stored_answer(question: str, hits: Sequence[Hit], language: str, *, equal: bool) -> Answer:
    """Make an answer of hits that are answers themselves (`Hit.question`): the first is given, the others referred to.

    `equal`: that the question stands there so, and not only one that means the same. Each paragraph, list, table and
    piece of code is cited by itself.
    """
    best = hits[0]
    sentences: list[Sentence] = []
    parts: list[str] = []
    for span in _text_block_spans(best.chunk.text):
        citation = cite(best, 1, span)
        raw = citation.quote
        verbatim = raw.startswith("|") or _FENCE.match(raw)
        shown = raw if verbatim else render(raw).text
        sentences.append(Sentence(shown, (citation,)))
        parts.append(f"{shown}{chr(10) * 2 if verbatim else ' '}{marks([1])}")
    note = Note("stored-answer") if equal else Note("stored-alike", {"question": best.question})
    return Answer(question, "\n\n".join(parts), "extractive", language, tuple(sentences), tuple(hits), (note,))


def _text_block_spans(text: str) -> Iterator[Span]:
    """Yield the spans of the blocks of a text: what stands between blank lines, and code whole."""
    start, at, fence = -1, 0, ""
    for line in [*text.splitlines(keepends=True), ""]:
        marked = _FENCE.match(line)
        ends = not line.strip() and not fence
        if ends and start >= 0:
            yield start, start + len(text[start:at].rstrip())
            start = -1
        elif not ends and start < 0:
            start = at + len(line) - len(line.lstrip())
        if marked:
            fence = "" if marked[1] == fence else fence or marked[1]
        at += len(line)
    if start >= 0:
        yield start, start + len(text[start:].rstrip())
