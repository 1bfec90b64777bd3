"""A document as it was read: canonical text, and the map of its sections, pages, blocks and places on the page."""

from __future__ import annotations

from dataclasses import dataclass, field

from rove.records.identity import content_hash
from rove.records.source import Metadata, MetaValue

Span = tuple[int, int]
OF_PASSAGES = ("kind", "page")
"""Fields that a passage has, and no document: these names are the system's too."""


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and all that stands under it, its subsections included; level 1 is the highest."""

    title: str
    level: int
    span: Span


@dataclass(frozen=True, slots=True)
class Page:
    """One page: its number as counted from 1, and its span in the canonical text."""

    number: int
    span: Span


@dataclass(frozen=True, slots=True)
class Block:
    """A part of the text that is not prose; `kind` is "table", "image", "code" or "formula".

    `span` covers the block alone: the rows of a pipe table, a fence with its marks, one `![…](…)`. `caption` is what
    the document says it shows, "" where it says nothing; it stands in the text too, before or after the block.
    """

    kind: str
    span: Span
    caption: str = ""


@dataclass(frozen=True, slots=True)
class Box:
    """Where a span stands on its page: edges as shares of the page's width and height, 0..1 from the upper left.

    A paragraph has one box for each printed line, or one in all, as the format gives it.
    """

    span: Span
    page: int
    left: float
    top: float
    right: float
    bottom: float


@dataclass(frozen=True, slots=True)
class Document:
    """What one loader made of one source (a JSON source can hold many documents).

    `text` is the canonical, markdown-like text; every span anywhere in Rove is (start, end) offsets into it, in
    characters. `kind` is the type name that chooses the chunk strategy. `language` is ISO 639-1 or "und".

    `blocks`, apart and in order, are those of which the loader knows more than the text says (a caption); tables,
    fences, images and formulas that the text marks need not be among them. `boxes` are in the order of their spans.
    """

    document_id: str
    source: str
    kind: str
    text: str
    title: str = ""
    language: str = "und"
    metadata: Metadata = field(default_factory=dict[str, MetaValue])
    sections: tuple[Section, ...] = ()
    pages: tuple[Page, ...] = ()
    blocks: tuple[Block, ...] = ()
    boxes: tuple[Box, ...] = ()
    _version: str = field(init=False, default="", repr=False, compare=False)

    @property
    def version(self) -> str:
        """A hash of all that a reader of the document could notice; worked out when first asked for."""
        if not self._version:
            structure = (self.sections, self.pages, self.blocks, self.boxes)
            described = repr((self.title, sorted(self.metadata.items()), *structure))
            object.__setattr__(self, "_version", content_hash(self.kind, described, self.text))
        return self._version

    def headings_at(self, offset: int) -> tuple[str, ...]:
        """Titles of the sections that hold `offset`, outermost first."""
        inside = [s for s in self.sections if s.span[0] <= offset < s.span[1]]
        return tuple(s.title for s in sorted(inside, key=lambda s: (s.level, s.span[0])))

    def page_at(self, offset: int) -> int | None:
        """Number of the page that holds `offset`; None where the format has no pages."""
        return next((p.number for p in self.pages if p.span[0] <= offset < max(p.span[1], p.span[0] + 1)), None)

    def boxes_at(self, span: Span) -> tuple[Box, ...]:
        """Where the characters of `span` stand on their pages: every box that shares one with it."""
        return tuple(box for box in self.boxes if box.span[0] < span[1] and span[0] < box.span[1])


@dataclass(frozen=True, slots=True)
class DocumentInfo:
    """One line of `kb.documents()`. `chunks` is their number, `added_at` an ISO 8601 time in UTC."""

    document_id: str
    source: str
    kind: str
    title: str
    language: str
    chunks: int
    added_at: str
    metadata: Metadata = field(default_factory=dict[str, MetaValue])

    @property
    def fields(self) -> Metadata:
        """What a filter over documents can name; a built-in name is the system's, whatever the metadata say."""
        return {
            **{name: value for name, value in self.metadata.items() if name not in OF_PASSAGES},
            "document_id": self.document_id,
            "source": self.source,
            "title": self.title,
            "type": self.kind,
            "language": self.language,
        }
