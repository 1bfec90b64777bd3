"""Replies made of a document: its text with its sections, and what these say in few sentences."""

from __future__ import annotations

from rove.records import Document
from rove.records.document import Span
from rove.records.summary import Summary
from rove.serve.schema import Reply


class SectionOut(Reply):
    """A heading and the span of all that stands under it."""

    title: str
    level: int
    span: Span


class TextOut(Reply):
    """A part of a document's canonical text, `span` of `size_chars` characters, and the document's sections."""

    document_id: str
    title: str
    span: Span
    size_chars: int
    text: str
    sections: list[SectionOut]

    @classmethod
    def of(cls, document: Document, span: Span) -> TextOut:
        """Make it of a record."""
        return cls(
            document_id=document.document_id,
            title=document.title,
            span=span,
            size_chars=len(document.text),
            text=document.text[span[0] : span[1]],
            sections=[SectionOut(title=s.title, level=s.level, span=s.span) for s in document.sections],
        )


class SaidOut(Reply):
    """A sentence of a summary, and the spans of the document's canonical text that say it."""

    text: str
    spans: list[Span]


class SummaryOut(Reply):
    """What a document (no `headings`), or what stands at a span of it under these headings, says in few sentences.

    `by` is what has made it: a chat model's name stands there where one wrote.
    """

    headings: list[str]
    span: Span
    sentences: list[SaidOut]
    by: str

    @classmethod
    def of(cls, summary: Summary) -> SummaryOut:
        """Make it of a record."""
        sentences = [SaidOut(text=one.text, spans=list(one.spans)) for one in summary.sentences]
        return cls(headings=list(summary.headings), span=summary.span, sentences=sentences, by=summary.by)
