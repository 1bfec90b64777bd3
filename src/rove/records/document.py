"""A document as it was read: canonical text, and the map of its sections and pages."""

from __future__ import annotations

from dataclasses import dataclass, field

from rove.records.identity import content_hash
from rove.records.source import Metadata, MetaValue

Span = tuple[int, int]


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
class Document:
    """What one loader made of one source (a JSON source can hold many documents).

    `text` is the canonical, markdown-like text; every span anywhere in Rove is (start, end) offsets into it, in
    characters. `kind` is the type name that chooses the chunk strategy. `language` is ISO 639-1 or "und".
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
    _version: str = field(init=False, default="", repr=False, compare=False)

    @property
    def version(self) -> str:
        """A hash of all that a reader of the document could notice; worked out when first asked for."""
        if not self._version:
            described = repr((self.title, sorted(self.metadata.items()), self.sections, self.pages))
            object.__setattr__(self, "_version", content_hash(self.kind, described, self.text))
        return self._version

    def headings_at(self, offset: int) -> tuple[str, ...]:
        """Titles of the sections that hold `offset`, outermost first."""
        inside = [s for s in self.sections if s.span[0] <= offset < s.span[1]]
        return tuple(s.title for s in sorted(inside, key=lambda s: (s.level, s.span[0])))

    def page_at(self, offset: int) -> int | None:
        """Number of the page that holds `offset`; None where the format has no pages."""
        return next((p.number for p in self.pages if p.span[0] <= offset < max(p.span[1], p.span[0] + 1)), None)


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
        """What a filter over documents can name; the document's own metadata wins over a built-in name."""
        return {
            "document_id": self.document_id,
            "source": self.source,
            "title": self.title,
            "type": self.kind,
            "language": self.language,
            **self.metadata,
        }
