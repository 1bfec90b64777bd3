"""What every document is given after its loader: a language, the source's own metadata, and what it tells of itself."""

from __future__ import annotations

from collections.abc import Iterator

from rove.errors import InputError
from rove.language.detect import detect
from rove.language.schema_text import SCHEMA, reads_as_schema, schema_of
from rove.load.text import is_storable
from rove.records import Document, Source
from rove.records.filter import BUILT_IN_NAMES, renamed_fields
from rove.records.metadata import stored_fields
from rove.records.source import Metadata

DETECT_CHARS = 4000
DESCRIBING = frozenset({"text", "markdown", "json"})
"""Kinds of documents that may describe a table of a database."""


def finish_documents(documents: Iterator[Document], source: Source) -> Iterator[Document]:
    """Give documents that no loader made their language, and see that they can be kept."""
    return (finished_one(document, source) for document in documents)


def finished_one(document: Document, source: Source) -> Document:
    """See `finish_documents`.

    Raises:
        InputError: no store can keep its text.
    """
    if not is_storable(document.text) or "\0" in document.text:
        message = f"The loader {source.kind!r} gave text of {source.name!r} that no store can keep."
        raise InputError(message, cure="Make the loader call rove.load.text.clean.", outcome="damaged")
    kind, told = _kind_and_schema_fields(document)
    return Document(
        document.document_id,
        document.source,
        kind,
        document.text,
        source.title or document.title,
        _language_of(document, kind),
        # each by itself: the source's win
        {**told, **_own_fields(document, source), **stored_fields(source.metadata)},
        document.sections,
        document.pages,
        document.blocks,
        document.boxes,
    )


def _own_fields(document: Document, source: Source) -> Metadata:
    """The fields that a document brings; what it only repeats of itself, as its title, is left out."""
    fields = stored_fields(document.metadata)
    if BUILT_IN_NAMES.isdisjoint(fields):
        return fields
    known = {"title": source.title or document.title, "language": document.language}
    return renamed_fields({name: value for name, value in fields.items() if known.get(name, ()) != value})


def _language_of(document: Document, kind: str) -> str:
    """The language of a document, which short names of a table in plain letters say nothing of."""
    if document.language != "und":
        return document.language
    return "en" if kind == SCHEMA and document.text.isascii() else detect(document.text[:DETECT_CHARS])


def _kind_and_schema_fields(document: Document) -> tuple[str, Metadata]:
    """The kind of a document, and what it tells of itself: one that describes a table of a database is a schema."""
    if document.kind not in DESCRIBING or not reads_as_schema(document.text):
        return document.kind, {}
    table = schema_of(document.text)
    return SCHEMA, {"table": table.name, "database": table.database} if table else {}
