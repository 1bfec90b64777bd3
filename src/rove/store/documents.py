"""Reading the catalog: documents, their text, and their chunks as an index or a reader wants them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from sqlalchemy import Select, func, literal, select, union_all

from rove.records import Chunk, Document, DocumentInfo, Filter
from rove.records.source import Metadata, MetaValue
from rove.store import IndexRow, Vector, tables
from rove.store.catalog_rows import (
    AnyRow,
    chunk_of,
    document_info,
    document_of,
    fields_of,
    index_row,
    names_of_document,
    read_vectors,
    readable_metadata,
    shown_metadata,
    slices,
    usual_length,
)
from rove.store.catalog_view import current
from rove.store.database import Database, get_fact
from rove.store.dialect import Dialect, within
from rove.store.document_query import DocumentQuery
from rove.store.live_chunks import ENRICHED, SHOWN, LiveChunks
from rove.store.lookup import Lookup
from rove.store.shallow import ShallowDocuments, is_shallow
from rove.store.summaries import SummaryIndex
from rove.store.taken_in import TakenIn
from rove.store.unfinished import Unfinished

BATCH = 2_000
MOST_AT_ONCE = 100
"""Queries for documents that are asked as one: SQLite takes 500."""
NO_VECTOR: Vector = np.zeros(0, np.float32)
_D = tables.documents.c
INFO = (_D.document_id, _D.source, _D.kind, _D.title, _D.language, _D.chunks, _D.added_at, _D.metadata)
"""What `document_info` reads."""
_TEXT = select(_D.document_id, tables.texts.c.text).join(tables.texts, tables.texts.c.document == _D.seq)
_TEXTS = Lookup(_TEXT.where(_D.revision > 0), _D.document_id)
_WITHOUT_TEXT = Lookup(
    select(_D.document_id)
    .outerjoin(tables.texts, tables.texts.c.document == _D.seq)
    .where(_D.revision > 0, tables.texts.c.document.is_(None)),
    _D.document_id,
)
_OWN = Lookup(select(_D.document_id, _D.metadata).where(_D.revision > 0), _D.document_id)


class Documents(LiveChunks, Unfinished, TakenIn, ShallowDocuments):
    """What is in the base. Calls block for as long as the disk takes. The writing half is `Catalog`.

    `dimension`: of the embedder's vectors; where it is not known, 0, it is what most of the vectors have.
    """

    dimension: int = 0

    def __init__(self, dialect: Dialect) -> None:
        """Open or make the catalog in a database.

        Raises:
            ConfigError: it is lost or damaged.
        """
        self.database = Database(dialect)

    @property
    def parts(self) -> Sequence[Documents]:
        """The bases that are read: this one."""
        return (self,)

    def part_of(self, document_id: str) -> Documents:
        """The part that a document is read from; the first, where none has it."""
        del document_id
        return self

    def shadowed(self) -> Sequence[Collection[str]]:
        """Of each part, the documents that are not read, since one of the same id stands in a part before it."""
        return ((),)

    def removed_from(self, at: int, revision: int) -> list[str] | None:
        """Chunks that no part holds any more since they left that one; see `removed_since`."""
        del at
        return self.removed_since(revision)

    @cached_property
    def summaries(self) -> SummaryIndex:
        """The search among summaries."""
        return SummaryIndex(self)

    def close(self) -> None:
        """Close the database."""
        self.database.close()

    def fact(self, name: str) -> str:
        """One fact about the base, "" where it is not known."""
        with self.database.read() as connection:
            return get_fact(connection, name)

    def revision(self) -> int:
        """A number that grows with every change that a search could notice; within a `reading`, as it was there."""
        view = current()
        return view.revision(self, self.newest_revision) if view else self.newest_revision()

    def newest_revision(self) -> int:
        """The revision as it is now, whatever the operation under way has read. Costs microseconds."""
        return self.database.revision()

    def text(self, document_id: str) -> str:
        """The canonical text of a live document, "" where there is none."""
        return self.texts([document_id]).get(document_id, "")

    def texts(self, document_ids: Collection[str]) -> dict[str, str]:
        """The canonical texts of live documents, by id; one that is not there is absent."""
        found = {row.document_id: row.text for row in _TEXTS.rows(self.database, document_ids)}
        self._check_texts(document_ids, found)
        return found

    def own_fields(self, document_ids: Collection[str]) -> dict[str, Metadata]:
        """The metadata that live documents came with, by id, without what was worked out later."""
        return {row.document_id: shown_metadata(row.metadata) for row in _OWN.rows(self.database, document_ids)}

    def wholes(self, document_ids: Collection[str]) -> dict[str, Document]:
        """Live documents by id, without their chunks, in one query; one that is not there is absent."""
        if not document_ids:
            return {}
        d, t = tables.documents.c, tables.texts.c
        query = _with_enrichments(*tables.documents.columns, t.text, t.boxes)
        query = query.join(tables.texts, t.document == d.seq).where(within(d.document_id, document_ids), d.revision > 0)
        with self.database.read() as connection:
            found = {row.document_id: document_of(row, row.text, row.boxes) for row in connection.execute(query)}
        self._check_texts(document_ids, found)
        return found

    def _check_texts(self, document_ids: Collection[str], found: Collection[str]) -> None:
        """See that those of these documents that were not found are not there.

        Raises:
            ConfigError: one is, and has no text: that was lost.
        """
        missing = [document_id for document_id in document_ids if document_id not in found]
        if missing and (lone := _WITHOUT_TEXT.rows(self.database, missing)):
            raise self._lost_text(lone[0].document_id)

    def _lost_text(self, document_id: str) -> Exception:
        return self.database.dialect.torn(f"the text of {document_id!r} is not there")

    def document(self, document_id: str) -> tuple[Document, list[Chunk]] | None:
        """A live document with its chunks in order; None where there is none of that id."""
        return self.with_chunks([document_id]).get(document_id)

    def with_chunks(self, document_ids: Collection[str]) -> dict[str, tuple[Document, list[Chunk]]]:
        """Live documents by id, each with its chunks in order; one that is not there is absent."""
        if not document_ids:
            return {}
        d, t, c = tables.documents.c, tables.texts.c, tables.chunks.c
        with self.database.snapshot() as connection:
            query = _with_enrichments().where(within(d.document_id, document_ids), d.revision > 0)
            rows = {row.seq: row for row in connection.execute(query)}
            held = select(t.document, t.text, t.boxes).where(within(t.document, list(rows)))
            documents = {
                one.document: document_of(rows[one.document], one.text, one.boxes) for one in connection.execute(held)
            }
            if lone := rows.keys() - documents.keys():
                raise self._lost_text(rows[min(lone)].document_id)
            chunks: dict[int, list[Chunk]] = {seq: [] for seq in documents}
            ordered = select(c.document, *SHOWN).where(within(c.document, list(documents)))
            for row in connection.execute(ordered.order_by(c.document, c.position)):
                own = documents[row.document]
                chunks[row.document].append(chunk_of(row, own.document_id, own.metadata))
        return {own.document_id: (own, chunks[seq]) for seq, own in documents.items()}

    def documents(self, *, ids: Sequence[str] = (), sources: Sequence[str] = ()) -> list[DocumentInfo]:
        """List live documents in the order they came: all, or those of the given ids or sources."""
        d = tables.documents.c
        query = _with_enrichments(*INFO).where(d.revision > 0).order_by(d.seq)
        if ids or sources:
            query = query.where(
                within(d.document_id, ids) | within(d.source, sources) | within(d.ledger_source, sources)
            )
        with self.database.read() as connection:
            return [document_info(row) for row in connection.execute(query)]

    def versions(self) -> Iterator[tuple[DocumentInfo, str]]:
        """Yield the live documents, each with its version (`Document.version`)."""
        with self.database.read() as connection:
            rows = connection.execute(_with_enrichments(*INFO, _D.version).where(_D.revision > 0)).all()
        yield from ((document_info(row), row.version) for row in rows)

    def find_documents(self, queries: Sequence[DocumentQuery], limit: int | None = None) -> list[list[DocumentInfo]]:
        """List the live documents of each query in the order they came, at most `limit`; all are one query in SQL."""
        found: list[list[DocumentInfo]] = [[] for _ in queries]
        for part in slices(list(enumerate(queries)), MOST_AT_ONCE):
            each = [
                select(literal(at).label("query"), _D.seq)
                .where(query.condition, _D.revision > 0)
                .order_by(_D.seq)
                .limit(limit)
                .subquery()
                for at, query in part
            ]
            every = union_all(*map(select, each)).subquery()
            joined = _with_enrichments(every.c.query, *INFO).join(every, every.c.seq == _D.seq).order_by(_D.seq)
            with self.database.read() as connection:
                for row in connection.execute(joined):
                    found[int(row.query)].append(document_info(row))
        return found

    def count(self, *, since: int = 0) -> int:
        """Number of live chunks; of the documents only that have changed after a revision."""
        d = tables.documents.c
        with self.database.read() as connection:
            return int(connection.execute(select(func.sum(d.chunks)).where(d.revision > since)).scalar() or 0)

    def size(self) -> tuple[int, int]:
        """Number of live documents, and of their chunks."""
        query = select(func.count(), func.coalesce(func.sum(_D.chunks), 0)).where(_D.revision > 0)
        with self.database.read() as connection:
            documents, chunks = connection.execute(query).one()
        return int(documents), int(chunks)

    def chunk_ids(self, where: Filter | None = None) -> list[str]:
        """Ids of all live chunks, or of those that a filter lets through."""
        if where is not None:
            return [str(row.chunk_id) for row, _ in self._passing(where, tables.chunks.c.chunk_id)]
        query = _join_live_documents(select(tables.chunks.c.seq, tables.chunks.c.chunk_id))
        return [str(row.chunk_id) for rows in self.pages(query) for row in rows]

    def deep_ids(self) -> list[str]:
        """Ids of all live chunks that are not shallow."""
        query = _join_live_documents(select(tables.chunks.c.seq, tables.chunks.c.chunk_id)).where(~is_shallow())
        return [str(row.chunk_id) for rows in self.pages(query) for row in rows]

    def live_texts(self, where: Filter | None = None) -> Iterator[str]:
        """What is indexed of each live chunk that a filter lets through, before it is analysed: prefix and text."""
        c = tables.chunks.c
        for row, _ in self._passing(where, c.prefix, c.text):
            yield f"{row.prefix}\n{row.text}"

    def passing(self, document_ids: Sequence[str], where: Filter) -> dict[str, str]:
        """The ids of the chunks of these live documents that a filter lets through, each with its document's."""
        found = self._passing(where, tables.chunks.c.chunk_id, ids=document_ids)
        return {chunk.chunk_id: document.document_id for chunk, document in found}

    def _passing(
        self,
        where: Filter | None,
        *columns: Any,  # noqa: ANN401 - of `chunks`
        ids: Sequence[str] | None = None,
    ) -> Iterator[tuple[AnyRow, AnyRow]]:
        """Yield the live chunks, of all documents or of these, that a filter lets through, each with its document."""
        c = tables.chunks.c
        query = _join_live_documents(select(c.seq, c.document, c.kind, c.page, c.language, c.metadata, *columns))
        if ids is not None:
            query = query.where(within(tables.documents.c.document_id, ids))
        for rows in self.pages(query):
            owners = self._owners(rows)
            for row in (row for row in rows if row.document in owners):
                document, common = owners[row.document]
                own = readable_metadata(row.metadata) if row.metadata else {}
                known = None if common is None or own is None else {**common, **own} if own else common
                if where is None or (known is not None and where.matches(fields_of(document, row, known))):
                    yield row, document

    def index_rows(
        self,
        *,
        since: int = 0,
        seqs: Sequence[int] | None = None,
        ids: Sequence[str] | None = None,
        damaged: bool = False,
    ) -> Iterator[list[IndexRow]]:
        """Give what an index keeps of chunks, in batches.

        Of all live ones newer than a revision; or of given document rows, staged ones too; or of given live chunks.
        What cannot be read of them is left out, unless it is asked for: see `IndexRow.damaged`.
        """
        c, d = tables.chunks.c, tables.documents.c
        if since:
            with self.database.read() as connection:
                seqs = list(connection.execute(select(d.seq).where(d.revision > since)).scalars())
        query = select(
            c.seq,
            c.chunk_id,
            c.document,
            c.kind,
            c.page,
            c.language,
            c.metadata,
            c.terms,
            c.names,
            c.position,
            tables.vectors.c.vector.label("blob"),
            is_shallow().label("shallow"),
        ).join(tables.vectors, tables.vectors.c.seq == c.vector)
        if seqs is not None:
            parts = [query.where(within(c.document, part)) for part in slices(seqs)]
        elif ids is not None:
            parts = [_join_live_documents(query).where(within(c.chunk_id, part)) for part in slices(ids)]
        else:
            parts = [_join_live_documents(query)]
        for part in parts:
            for rows in self.pages(part):
                made = self._index_rows(rows)
                yield made if damaged else [row for row in made if not row.damaged]

    def _index_rows(self, rows: Sequence[AnyRow]) -> list[IndexRow]:
        owners = self._owners(rows)
        made: list[IndexRow] = []
        entitled = set[int]()
        for row, vector in zip(rows, self._vectors(rows), strict=True):
            if row.document in owners:
                document, metadata = owners[row.document]
                new = row.document not in entitled
                made.append(_index_row(row, vector, document, metadata, entitles=new))
                entitled.add(row.document)
        return made

    def _vectors(self, rows: Sequence[AnyRow]) -> list[Vector | None]:
        """The vectors of chunks, in their order; None in place of one that cannot be read."""
        vectors: list[Vector | None] = [None] * len(rows)
        for shallow in (False, True):
            places = [place for place, row in enumerate(rows) if bool(row.shallow) == shallow]
            blobs = [rows[place].blob for place in places]
            found = read_vectors(blobs, self._dimension(blobs, shallow=shallow)) if blobs else ()
            for place, vector in zip(places, found, strict=True):
                vectors[place] = vector
        return vectors

    def _dimension(self, blobs: Sequence[object], *, shallow: bool) -> int:
        """Of how many numbers these vectors have to be."""
        note = self.stand_in() if shallow else None
        known = note.dimension if note else 0 if shallow else self.dimension
        return known or usual_length(blobs)

    def _owners(self, rows: Sequence[AnyRow]) -> dict[int, tuple[AnyRow, dict[str, MetaValue] | None]]:
        """The documents of chunks, by row number, each with its metadata, None where that cannot be read.

        One that has just gone is absent.
        """
        d = tables.documents.c
        seqs = list({row.document for row in rows})
        query = _with_enrichments(d.seq, d.document_id, d.source, d.title, d.kind, d.language, d.metadata)
        with self.database.read() as connection:
            found = connection.execute(query.where(within(d.seq, seqs)))
            return {row.seq: (row, readable_metadata(row.metadata, row.enriched)) for row in found}

    def pages(self, query: Select[*tuple[Any, ...]]) -> Iterator[Sequence[AnyRow]]:
        """Run a query over chunks page by page, each in a short transaction, so that no reader holds up the log."""
        c = tables.chunks.c
        last = 0
        while True:
            with self.database.read() as connection:
                rows = connection.execute(query.where(c.seq > last).order_by(c.seq).limit(BATCH)).all()
            if not rows:
                return
            if rows[-1].seq <= last:  # torn pages can lead back to where they came from
                raise self.database.dialect.torn("its chunks have no order")  # noqa: TRY003 - what was found
            last = rows[-1].seq
            yield rows
            if len(rows) < BATCH:
                return


def _index_row(
    row: AnyRow, vector: Vector | None, document: AnyRow, metadata: dict[str, MetaValue] | None, *, entitles: bool
) -> IndexRow:
    """Make what an index keeps of a chunk. `entitles`: with the titles of its document."""
    own = readable_metadata(row.metadata) if row.metadata else {}
    texts = row.chunk_id, row.terms, row.names, document.title
    if vector is None or metadata is None or own is None or not all(isinstance(text, str) for text in texts):
        fields = {**(metadata or {}), "document_id": document.document_id}
        return IndexRow(str(row.chunk_id), "", NO_VECTOR, fields, damaged=True)
    first = row.names if row.position == 0 else ""
    titles = names_of_document(document.title, document.language, first) if entitles else ()
    return index_row(row, vector, document, {**metadata, **own} if own else metadata, titles=titles)


def _with_enrichments(*columns: Any) -> Select[*tuple[Any, ...]]:  # noqa: ANN401 - columns of `documents`
    """Select documents, whole or these columns, with what was worked out for them later as `enriched`."""
    e = tables.enrichments
    joined = tables.documents.outerjoin(e, e.c.document == tables.documents.c.seq)
    return select(*(columns or tables.documents.columns), ENRICHED).select_from(joined)


def _join_live_documents(query: Select[*tuple[Any, ...]]) -> Select[*tuple[Any, ...]]:
    """Keep to chunks of live documents."""
    d = tables.documents.c
    return query.join(tables.documents, d.seq == tables.chunks.c.document).where(d.revision > 0)
