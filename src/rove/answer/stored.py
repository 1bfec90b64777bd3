"""Answers that stand in a document beside their question: given at once, word for word."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rove.answer.cite import cite, marks
from rove.language.rendering import render
from rove.records import Answer, Hit, Sentence
from rove.records.document import Span

NOTE = "This question is answered in the source, so its words are given."
NOTE_ALIKE = "The source answers this in other words: “{question}”. Its answer is given word for word."
_FENCE = re.compile(r"[ \t]*(```|~~~)")


def stored_answer(question: str, hits: Sequence[Hit], language: str, *, equal: bool) -> Answer:
    """Make an answer of hits that are answers themselves (`Hit.question`): the first is given, the others referred to.

    `equal`: that the question stands there so, and not only one that means the same. Each paragraph, list, table and
    piece of code is cited by itself.
    """
    best = hits[0]
    sentences: list[Sentence] = []
    parts: list[str] = []
    for span in _blocks(best.chunk.text):
        citation = cite(best, 1, span)
        raw = citation.quote
        verbatim = raw.startswith("|") or _FENCE.match(raw)
        shown = raw if verbatim else render(raw).text
        sentences.append(Sentence(shown, (citation,)))
        parts.append(f"{shown}{chr(10) * 2 if verbatim else ' '}{marks([1])}")
    note = NOTE if equal else NOTE_ALIKE.format(question=best.question)
    return Answer(question, "\n\n".join(parts), "extractive", language, tuple(sentences), tuple(hits), note)


def _blocks(text: str) -> Iterator[Span]:
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
