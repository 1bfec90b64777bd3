"""Chunks of the catalog by their ids: what a search fetches of those that it has found."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sqlalchemy import and_, null, select

from rove.records import Chunk, Filter
from rove.records.source import MetaValue
from rove.store import Vector, tables
from rove.store.catalog_rows import (
    AnyRow,
    chunk_of,
    fields_of,
    names_of_document,
    read_vectors,
    shown_metadata,
    usual_length,
)
from rove.store.catalog_view import Along, current
from rove.store.database import Database
from rove.store.lookup import Lookup
from rove.store.shallow import HAS_EMBEDDER, is_shallow

SHOWN = tuple(column for column in tables.chunks.columns if column.name not in {"terms", "vector", "names"})
"""What a reader sees of a chunk."""
ENRICHED = tables.enrichments.c.fields.label("enriched")

_C, _D = tables.chunks.c, tables.documents.c
_T, _V = tables.tokens, tables.vectors
_FOUND = (
    select(*SHOWN, _D.document_id, _D.source, _D.title, _D.metadata.label("document_metadata"), ENRICHED)
    .join(tables.documents, _D.seq == _C.document)
    .outerjoin(tables.enrichments, tables.enrichments.c.document == _D.seq)
    .where(_D.revision > 0)
)
_FINDS: dict[Along, Lookup] = {
    "": Lookup(_FOUND.add_columns(null().label("along")), _C.chunk_id),
    "tokens": Lookup(
        _FOUND.outerjoin(_T, and_(_T.c.vector == _C.vector, ~is_shallow())).add_columns(
            _T.c.tokens.label("along"), HAS_EMBEDDER
        ),
        _C.chunk_id,
    ),
    "vectors": Lookup(
        _FOUND.outerjoin(_V, and_(_V.c.seq == _C.vector, ~is_shallow())).add_columns(
            _V.c.vector.label("along"), HAS_EMBEDDER
        ),
        _C.chunk_id,
    ),
}
_OF_DOCUMENT = Lookup(_FOUND.add_columns(_D.kind.label("type")).order_by(_C.position), _D.document_id)
_LIVE = Lookup(select(_C.chunk_id).join(tables.documents, _D.seq == _C.document).where(_D.revision > 0), _C.chunk_id)
_TERMS = Lookup(select(_C.chunk_id, _C.terms), _C.chunk_id)
_FIRST = tables.chunks.alias()
_NAMES = Lookup(
    select(_C.chunk_id, _C.names, _D.title, _D.language, _FIRST.c.names.label("first"))
    .join(tables.documents, _D.seq == _C.document)
    .join(_FIRST, and_(_FIRST.c.document == _D.seq, _FIRST.c.position == 0), isouter=True),
    _C.chunk_id,
)
_VECTORS = Lookup(
    select(_C.chunk_id, _V.c.vector, HAS_EMBEDDER).join(_V, _V.c.seq == _C.vector).where(~is_shallow()), _C.chunk_id
)
_TOKENS = Lookup(
    select(_C.chunk_id, _T.c.tokens, HAS_EMBEDDER).join(_T, _T.c.vector == _C.vector).where(~is_shallow()), _C.chunk_id
)


@dataclass(frozen=True, slots=True)
class Found:
    """A chunk that is live, with the place and title of its document."""

    chunk: Chunk
    uri: str
    title: str


@dataclass(frozen=True, slots=True)
class ChunkNames:
    """The keys of the names in a chunk, in their order, and those that its document answers to."""

    names: Sequence[str]
    titles: Sequence[str]


class LiveChunks:
    """The part of the catalog that looks chunks up. Calls block for as long as the disk takes."""

    database: Database
    dimension: int

    def find(self, chunk_ids: Sequence[str], along: Along = "") -> dict[str, Found]:
        """Fetch live chunks by id; one that is not live is absent.

        `along`: what is fetched in the same query, and kept for the operation under way.
        """
        rows = self._checked(_FINDS[along].rows(self.database, chunk_ids), along)
        if along and (view := current()) is not None:
            kept = view.along(self.database, along)
            kept.update((row.chunk_id, row.along) for row in rows if row.along is not None)
        return {row.chunk_id: _live_chunk_from_row(row) for row in rows}

    def find_chunks(self, document_id: str, where: Filter | None) -> list[Found]:
        """Fetch the live chunks of a document that a filter lets through, in their order."""
        rows = [(row, _live_chunk_from_row(row)) for row in _OF_DOCUMENT.rows(self.database, [document_id])]
        return [
            found for row, found in rows if where is None or where.matches(_filterable_chunk_fields(row, found.chunk))
        ]

    def living(self, chunk_ids: Collection[str]) -> set[str]:
        """Those of these chunks that are live."""
        return {row.chunk_id for row in _LIVE.rows(self.database, chunk_ids)}

    def terms(self, chunk_id: str) -> list[str]:
        """The terms of a chunk, none where there is no such chunk."""
        return self.terms_of([chunk_id]).get(chunk_id, [])

    def terms_of(self, chunk_ids: Sequence[str]) -> dict[str, list[str]]:
        """The terms of chunks; one that is not there is absent."""
        return {row.chunk_id: str(row.terms).split() for row in _TERMS.rows(self.database, chunk_ids)}

    def names_of(self, chunk_ids: Sequence[str]) -> dict[str, ChunkNames]:
        """The names in chunks, and those of their documents; a chunk that is not there is absent."""
        return {
            row.chunk_id: ChunkNames(row.names.split(), names_of_document(row.title, row.language, row.first or ""))
            for row in _NAMES.rows(self.database, chunk_ids)
        }

    def chunk_vectors(self, chunk_ids: Sequence[str]) -> dict[str, Vector]:
        """The embedder's vectors of chunks, (dimension,) float32 each; one that is shallow or damaged is absent."""
        found, missing = self._came_along(chunk_ids, "vectors")
        found |= {row.chunk_id: row.vector for row in self._checked(_VECTORS.rows(self.database, missing))}
        blobs = list(found.values())
        vectors = read_vectors(blobs, self.dimension or usual_length(blobs))
        return {chunk_id: vector for chunk_id, vector in zip(found, vectors, strict=True) if vector is not None}

    def chunk_tokens(self, chunk_ids: Sequence[str]) -> dict[str, bytes]:
        """What late interaction compares, the packed token vectors of chunks; a chunk that has none is absent."""
        found, missing = self._came_along(chunk_ids, "tokens")
        found |= {row.chunk_id: row.tokens for row in self._checked(_TOKENS.rows(self.database, missing))}
        return {chunk_id: tokens for chunk_id, tokens in found.items() if type(tokens) is bytes}

    def _checked(self, rows: Sequence[AnyRow], along: Along = "vectors") -> Sequence[AnyRow]:
        """Return rows with vectors or tokens, once it is sure that these are the embedder's that this process has."""
        if rows and along:
            self.database.check_known(rows[0].model)
        return rows

    def _came_along(self, chunk_ids: Sequence[str], along: Along) -> tuple[dict[str, bytes], list[str]]:
        """What came along with these chunks earlier in the operation under way, and the chunks without it."""
        view = current()
        kept = view.along(self.database, along) if view else {}
        found = {chunk_id: kept[chunk_id] for chunk_id in chunk_ids if chunk_id in kept}
        return found, [chunk_id for chunk_id in chunk_ids if chunk_id not in found]


def _live_chunk_from_row(row: AnyRow) -> Found:
    metadata = shown_metadata(row.document_metadata, row.enriched)
    return Found(chunk_of(row, row.document_id, metadata), row.source, row.title)


def _filterable_chunk_fields(row: AnyRow, chunk: Chunk) -> dict[str, MetaValue]:
    """The fields of a chunk that a filter can name; `kind` of the row is the chunk's, `type` its document's."""
    return {**fields_of(row, chunk, chunk.metadata), "type": row.type}
