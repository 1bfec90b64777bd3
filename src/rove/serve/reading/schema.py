"""What goes over the wire of documents that are read: trees of blocks, and places of words."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from rove.language.block_tree import BlockNode, NodeKind
from rove.language.block_window import Window
from rove.language.find_words import find_words
from rove.records import Document, DocumentInfo
from rove.records.document import Span
from rove.records.moment import time_at
from rove.serve.documents.texts import SectionOut
from rove.serve.questions.results import TimeOut
from rove.serve.redaction import public_source
from rove.serve.schema import Reply

MOST_FOUND = 1_000
AROUND = 40


class NodeOut(Reply):
    """A block of a document, what stands within one, or a run of text: only runs (kind "text") have `text`.

    A line ends at a "break", or at a "wrap", where that is perhaps for its length alone.
    `span`: where it stands in the document's text. A run as long as its span shows these very characters, any other
    shows its span as a whole. `level`: of a heading, 1 to 6; of a numbered list its first number; of a table the number
    of its first row below the header. `headed`: the first row of a table names its columns. `target`: where a link
    leads, and the file of an image, as the source has it; nobody has checked that.
    """

    kind: NodeKind
    span: Span
    text: str = ""
    children: Sequence[NodeOut] = ()
    level: int = 0
    headed: bool = False
    target: str = ""

    @classmethod
    def of(cls, node: BlockNode) -> NodeOut:
        """Make it of a record."""
        return cls.model_construct(
            kind=node.kind,
            span=node.span,
            text=node.text,
            children=[cls.of(child) for child in node.children],
            level=node.level,
            headed=node.headed,
            target=node.target,
        )


class BlocksOut(Reply):
    """A part of a document, `span` of its `size_chars` characters, as blocks; and its sections.

    `continues`: the first block goes on with one that began before `span`, whose header it repeats.
    """

    document_id: str
    title: str
    source: str
    type: str
    language: str
    size_chars: int
    span: Span
    continues: bool
    blocks: list[NodeOut]
    sections: list[SectionOut]

    @classmethod
    def of(cls, info: DocumentInfo, document: Document, shown: Window) -> BlocksOut:
        """Make it of records."""
        return cls(
            document_id=document.document_id,
            title=document.title,
            source=public_source(document.source),
            type=info.kind,
            language=document.language,
            size_chars=len(document.text),
            span=shown.span,
            continues=shown.continues,
            blocks=[NodeOut.of(block) for block in shown.blocks],
            sections=[SectionOut(title=s.title, level=s.level, span=s.span) for s in document.sections],
        )


class FoundOut(Reply):
    """A place where words stand: `text` is the document's text at `span`, with a little on both sides."""

    span: Span
    page: int | None
    time: TimeOut | None = None
    before: str
    text: str
    after: str


class FindOut(Reply):
    """Where words stand in a document, in its order; `cut`: there are more than these."""

    found: list[FoundOut]
    cut: bool

    @classmethod
    def of(cls, document: Document, words: str) -> FindOut:
        """Look for the words."""
        text = document.text
        spans = list(islice(find_words(text, words), MOST_FOUND + 1))
        found = [
            FoundOut(
                span=(start, end),
                page=document.page_at(start),
                time=TimeOut.of(time_at(document, (start, end))),
                before=text[max(0, start - AROUND) : start],
                text=text[start:end],
                after=text[end : end + AROUND],
            )
            for start, end in spans[:MOST_FOUND]
        ]
        return cls(found=found, cut=len(spans) > MOST_FOUND)
