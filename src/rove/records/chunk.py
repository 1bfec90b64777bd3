"""A chunk: the piece of a document that is indexed, found and cited."""

from __future__ import annotations

from dataclasses import dataclass, field

from rove.records.document import Span
from rove.records.identity import content_hash
from rove.records.source import Metadata, MetaValue

QUERY_SLOT, ANSWER_SLOT = "{query}", "{answer}"
"""What stands in the template of chunks (`chunk.template`) for the prefix and for the text."""

CONTENTS = "contents"
"""The kind of a chunk that is a table of contents: it is found behind what it leads to, and nothing rests on it."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A span of a document's canonical text: `document.text[span[0]:span[1]] == text`, always.

    `prefix` (title and heading path) is indexed and embedded before the text and is not part of it. `position`
    counts the document's chunks from 0. `page` is the page where the span starts. `kind`: text, table, code, image,
    formula, contents. `parent` is the larger span to read where this one is found, None where the chunk is read as
    it is.
    """

    chunk_id: str
    document_id: str
    text: str
    span: Span
    position: int
    kind: str = "text"
    prefix: str = ""
    headings: tuple[str, ...] = ()
    page: int | None = None
    language: str = "und"
    metadata: Metadata = field(default_factory=dict[str, MetaValue])
    parent: Span | None = None

    @property
    def indexed_text(self) -> str:
        """What the keyword index and the embedder read: the prefix, a line break, the text.

        A prefix that ends in a space runs on into the text.
        """
        return indexed(self.prefix, self.text)


def indexed(prefix: str, text: str) -> str:
    """See `Chunk.indexed_text`."""
    if not prefix:
        return text
    return f"{prefix}{'' if prefix.endswith(' ') else chr(10)}{text}"


def chunk_id(document_id: str, version: str, span: Span, kind: str) -> str:
    """Return a chunk's id: the same text twice in one document gives two ids, the same document twice gives one."""
    return content_hash(document_id, version, f"{span[0]}:{span[1]}", kind)
