"""Corrections: words of a document that a person has changed, and how they are put into its text when it is read."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace

from rove.records.document import Document, Section, Span

CONTEXT_CHARS = 40
"""So many characters on each side are kept with a change, by which its place is found again."""


@dataclass(frozen=True, slots=True)
class Correction:
    """At `start` of a document's text `before` stood, and `after` is to stand; by whom, and when (ISO 8601, UTC)."""

    document_id: str
    start: int
    before: str
    after: str
    by: str = ""
    made_at: str = ""


def correction_of(document: Document, span: Span, text: str) -> Correction:
    """Return what has to change for `text` to stand at a span, with a little of what stands around it.

    >>> made = correction_of(Document("d", "s", "text", "It reins in May."), (3, 8), "rains")
    >>> made.before, made.after
    ('It reins in May.', 'It rains in May.')
    """
    whole, (start, end) = document.text, span
    old, new = whole[start:end], text
    same = len(os.path.commonprefix([old, new]))
    first = max(0, start + same - CONTEXT_CHARS)
    alike = len(os.path.commonprefix([old[same:][::-1], new[same:][::-1]]))
    last = min(len(whole), end - alike + CONTEXT_CHARS)
    fresh = whole[:start] + new + whole[end:]
    return Correction(document.document_id, first, whole[first:last], fresh[first : last + len(new) - len(old)])


def corrected(document: Document, corrections: Sequence[Correction]) -> tuple[Document, list[Correction]]:
    """Put corrections into a document, one after the other; returned with those that it has now, at their places.

    They are put where they were made, or else where their words stand exactly once; one whose words are not there is
    left out. A document that has all of them is returned as it is.
    """
    if _has_all(document.text, corrections):
        return document, list(corrections)
    made: list[Correction] = []
    for one in corrections:
        place = _locate_correction(document.text, one)
        if place is not None:
            made.append(replace(one, start=place))
            if not _is_correction_applied(document.text, one, place):
                document = spliced(document, (place, place + len(one.before)), one.after)
    return document, made


def spliced(document: Document, span: Span, text: str) -> Document:
    """Return a document with other words at a span, and all that is told of its places moved along."""
    start, end = span
    moved = len(text) - (end - start)

    def at(place: int) -> int:
        if place <= start:
            return place
        return place + moved if place >= end else min(place, start + len(text))

    def over(held: Span) -> Span:
        return at(held[0]), at(held[1])

    whole = document.text[:start] + text + document.text[end:]
    return replace(
        document,
        text=whole,
        sections=tuple(_retitle_section(one, over(one.span), document.text, whole) for one in document.sections),
        pages=tuple(replace(one, span=over(one.span)) for one in document.pages),
        blocks=tuple(replace(one, span=over(one.span)) for one in document.blocks),
        boxes=tuple(replace(one, span=over(one.span)) for one in document.boxes),
    )


def _has_all(text: str, corrections: Sequence[Correction]) -> bool:
    """Whether all corrections can be taken back, from the last to the first."""
    for one in reversed(corrections):
        if not _is_correction_applied(text, one, one.start):
            return False
        text = text[: one.start] + one.before + text[one.start + len(one.after) :]
    return True


def _is_correction_applied(text: str, one: Correction, place: int) -> bool:
    """Whether what a correction says stands at a place, and not what it was made in: of two that fit, the longer."""
    made, there = text.startswith(one.after, place), text.startswith(one.before, place)
    return made and (not there or len(one.after) > len(one.before))


def _locate_correction(text: str, one: Correction) -> int | None:
    """Where a correction belongs, or stands already; None where its words are not there, or more than once."""
    if text.startswith(one.before, one.start) or text.startswith(one.after, one.start):
        return one.start
    for words in (one.before, one.after):
        if words and text.count(words) == 1:
            return text.index(words)
    return None


def _retitle_section(section: Section, span: Span, before: str, after: str) -> Section:
    """A section whose heading was corrected is called by what its line says now."""
    old, new = _heading(before, section.span), _heading(after, span)
    return replace(section, span=span, title=new if new and old == section.title else section.title)


def _heading(text: str, span: Span) -> str:
    return text[slice(*span)].lstrip().partition("\n")[0].strip("# \t")
