"""Chunks of the catalog by their ids: what a search fetches of those that it has found."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sqlalchemy import select

from rove.records import Chunk
from rove.store import Vector, tables
from rove.store.database import Database
from rove.store.lookup import Lookup
from rove.store.rows import chunk_of, enriched, vector_of

SHOWN = tuple(column for column in tables.chunks.columns if column.name not in {"terms", "vector", "names"})
"""What a reader sees of a chunk."""
ENRICHED = tables.enrichments.c.fields.label("enriched")

_C, _D = tables.chunks.c, tables.documents.c
_FOUND = Lookup(
    select(*SHOWN, _D.document_id, _D.source, _D.title, _D.metadata.label("document_metadata"), ENRICHED)
    .join(tables.documents, _D.seq == _C.document)
    .outerjoin(tables.enrichments, tables.enrichments.c.document == _D.seq)
    .where(_D.revision > 0),
    _C.chunk_id,
)
_LIVE = Lookup(select(_C.chunk_id).join(tables.documents, _D.seq == _C.document).where(_D.revision > 0), _C.chunk_id)
_TERMS = Lookup(select(_C.terms), _C.chunk_id)
_VECTORS = Lookup(
    select(_C.chunk_id, tables.vectors.c.vector).join(tables.vectors, tables.vectors.c.seq == _C.vector), _C.chunk_id
)
_TOKENS = Lookup(
    select(_C.chunk_id, tables.tokens.c.tokens).join(tables.tokens, tables.tokens.c.vector == _C.vector), _C.chunk_id
)


@dataclass(frozen=True, slots=True)
class Found:
    """A chunk that is live, with the place and title of its document."""

    chunk: Chunk
    uri: str
    title: str


class LiveChunks:
    """The part of the catalog that looks chunks up. Calls block for as long as the disk takes."""

    database: Database

    def find(self, chunk_ids: Sequence[str]) -> dict[str, Found]:
        """Fetch live chunks by id; one that is not live is absent."""
        return {
            row.chunk_id: Found(
                chunk_of(row, row.document_id, enriched(row.document_metadata, row.enriched)), row.source, row.title
            )
            for row in _FOUND.rows(self.database, chunk_ids)
        }

    def living(self, chunk_ids: Collection[str]) -> set[str]:
        """Those of these chunks that are live."""
        return {row.chunk_id for row in _LIVE.rows(self.database, chunk_ids)}

    def terms(self, chunk_id: str) -> list[str]:
        """The terms of a chunk, none where there is no such chunk."""
        found = _TERMS.rows(self.database, [chunk_id])
        return str(found[0].terms).split() if found else []

    def chunk_vectors(self, chunk_ids: Sequence[str]) -> dict[str, Vector]:
        """The vectors of chunks, (dimension,) float32 each."""
        return {row.chunk_id: vector_of(row.vector) for row in _VECTORS.rows(self.database, chunk_ids)}

    def chunk_tokens(self, chunk_ids: Sequence[str]) -> dict[str, bytes]:
        """What late interaction compares of chunks; one that has none is absent."""
        return {row.chunk_id: row.tokens for row in _TOKENS.rows(self.database, chunk_ids)}
