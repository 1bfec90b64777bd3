"""Documents of a source that has moved keep their ids, which were made from where it lay first."""

from __future__ import annotations

from dataclasses import replace

from rove.language.schema_text import SCHEMA
from rove.records import Chunk, Prepared, content_hash
from rove.records.chunk import chunk_id


def with_kept_id(prepared: Prepared, first_source: str) -> Prepared:
    """Return a document with the id that it would have if its source still lay where it lay first.

    One whose id is not made from its source is returned as it is.
    """
    document, source = prepared.document, prepared.ledger_source
    first = first_source + document.source.removeprefix(source)
    for kind in ((), (SCHEMA,)):
        if document.document_id == content_hash(*kind, document.source):
            kept = content_hash(*kind, first)
            break
    else:
        return prepared

    def moved(chunk: Chunk) -> Chunk:
        return replace(chunk, document_id=kept, chunk_id=chunk_id(kept, document.version, chunk.span, chunk.kind))

    return replace(
        prepared, document=replace(document, document_id=kept), chunks=[moved(chunk) for chunk in prepared.chunks]
    )
