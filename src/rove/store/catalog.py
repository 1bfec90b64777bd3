"""The catalog: documents, their text and their chunks; the truth that every index is made from."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np
from sqlalchemy import Connection, Select, delete, func, insert, select, update

from rove.errors import RoveError
from rove.records import Prepared
from rove.records.ledger import LostChunk
from rove.records.metadata import stored_fields
from rove.records.source import Metadata, MetaValue
from rove.store import IndexRow, Vector, tables
from rove.store.catalog_rows import (
    AnyRow,
    chunk_row,
    column_json,
    document_row,
    fields_of,
    readable_metadata,
    slices,
    text_row,
)
from rove.store.corrections import forget_corrections
from rove.store.database import FREE_PAGES, get_fact, insert_rows, next_revision, set_fact
from rove.store.deepening import Deepening, keep_shallow
from rove.store.dialect import within
from rove.store.documents import Documents
from rove.store.fixed_point import fixed, floats
from rove.store.ledger import forget_empty
from rove.store.originals import kept_of
from rove.store.refusals import reason_of
from rove.store.review_log import forget_decisions
from rove.store.set_fields import forget_set, stand_beside
from rove.store.shallow import StandInNote, embedded_meanwhile
from rove.store.switching import Switching
from rove.store.unfinished import ERASED, ERASING, FORGOTTEN, SWEEPING
from rove.store.vectors import drop_unused, keep_vectors

REMOVALS = 16_384


def staged_rows(prepared: Sequence[Prepared], vectors: Mapping[str, Vector]) -> list[IndexRow]:
    """Make what an index keeps of documents that are being kept: the same as `Catalog.index_rows` says later."""
    kept = dict(zip(vectors, floats(*fixed(np.stack(list(vectors.values())))), strict=True)) if vectors else {}
    return [
        IndexRow(chunk.chunk_id, terms, kept[key], fields_of(item.document, chunk, chunk.metadata), chunk.language)
        for item in prepared
        for chunk, terms, key in zip(item.chunks, item.terms, item.vector_keys, strict=True)
    ]


class Catalog(Documents, Deepening, Switching):
    """Documents and chunks. Calls block for as long as the disk takes; each write is one durable transaction.

    A document goes in by two steps, so that a crash between them loses nothing and shows nothing twice: `stage` keeps
    it, the caller puts its chunks into the index, `publish` makes it live and takes the version before it away.
    """

    def set_fact(self, name: str, value: str) -> None:
        """Keep one fact about the base."""
        with self.database.write() as connection:
            set_fact(connection, name, value)

    def keep_fact(self, name: str, value: str) -> str:
        """Keep one fact about the base unless it is known; returns what is known."""
        with self.database.write() as connection:
            known = get_fact(connection, name)
            if not known:
                set_fact(connection, name, value)
        return known or value

    def stage(
        self,
        prepared: Sequence[Prepared],
        vectors: Mapping[str, Vector],
        tokens: Mapping[str, bytes],
        stand_in: StandInNote | None = None,
    ) -> list[int]:
        """Keep documents that are not live yet, and the vectors of their chunks; returns their row numbers.

        `stand_in`: whose vectors they are, if not the embedder's.
        """
        now = datetime.now(UTC).isoformat(timespec="seconds")
        with self.database.write() as connection:
            vector_seqs = keep_vectors(connection, vectors, tokens)
            first = _column_maximum(connection, tables.documents.c.seq) + 1
            chunk_seq = _column_maximum(connection, tables.chunks.c.seq)
            documents: list[tuple[object, ...]] = []
            chunks: list[tuple[object, ...]] = []
            for seq, item in enumerate(prepared, start=first):
                common = item.document.metadata
                documents.append(document_row(item, seq, added_at=now))
                every = item.names or [""] * len(item.chunks)
                for chunk, terms, key, names in zip(item.chunks, item.terms, item.vector_keys, every, strict=True):
                    chunk_seq += 1
                    own = _beyond(chunk.metadata, common)
                    chunks.append(chunk_row(chunk, chunk_seq, seq, own, terms, vector_seqs[key], names))
            texts = [text_row(item.document, seq) for seq, item in enumerate(prepared, start=first)]
            insert_rows(connection, tables.documents, documents)
            insert_rows(connection, tables.texts, texts)
            kept = kept_of(connection, [item.document.document_id for item in prepared if item.origin])
            read_from = [
                (seq, item.origin, kept.get((item.document.document_id, item.origin), 0))
                for seq, item in enumerate(prepared, start=first)
                if item.origin
            ]
            insert_rows(connection, tables.originals, read_from)
            insert_rows(connection, tables.chunks, chunks)
            stand_beside(connection, {item.document.document_id: seq for seq, item in enumerate(prepared, start=first)})
            if stand_in:
                keep_shallow(connection, range(first, first + len(documents)), stand_in)
            _set_state(connection, {item.ledger_source for item in prepared}, "embedded")
        return list(range(first, first + len(documents)))

    def publish(self, seqs: Sequence[int]) -> list[str]:
        """Make staged documents live, and take away the versions before them; returns the chunk ids taken away."""
        d = tables.documents.c
        with self.database.write() as connection:
            revision = next_revision(connection)
            removed: list[str] = []
            for part in slices(seqs):
                ids = select(d.document_id).where(within(d.seq, part))
                before = select(d.seq).where(d.document_id.in_(ids), ~within(d.seq, part))
                old = list(connection.execute(before).scalars())
                spared = embedded_meanwhile(connection, part) if old else set[int]()
                removed += self._remove(connection, old, revision, spared)
                connection.execute(update(tables.documents).where(within(d.seq, part)).values(revision=revision))
                _set_state(
                    connection,
                    connection.execute(select(d.ledger_source).where(within(d.seq, part))).scalars(),
                    "indexed",
                )
        return removed

    def let_go(self, seqs: Sequence[int], refused: Mapping[str, Exception]) -> list[LostChunk]:
        """Remove chunks that the index refuses from staged documents, and documents that have none left.

        A document that has lost chunks loses its fingerprint, so that it is read anew when it is added again.
        """
        c, d = tables.chunks.c, tables.documents.c
        with self.database.write() as connection:
            rows = connection.execute(_select_refused_chunks(refused).where(within(c.document, seqs))).all()
            connection.execute(delete(tables.chunks).where(within(c.seq, [row.seq for row in rows])))
            drop_unused(connection, {row.vector for row in rows})
            documents = list({row.document for row in rows})
            counted = select(func.count()).where(c.document == d.seq).scalar_subquery()
            touched = update(tables.documents).where(within(d.seq, documents))
            connection.execute(touched.values(chunks=counted, fingerprint=""))
            empty = list(connection.execute(select(d.seq).where(within(d.seq, documents), d.chunks == 0)).scalars())
            self._remove(connection, empty, 0)
        return [_lost_chunk_from_row(row, refused[row.chunk_id], whole=row.document in empty) for row in rows]

    def delete_refused(self, refused: Mapping[str, Exception]) -> tuple[list[LostChunk], list[str]]:
        """Take away live documents of which the index refuses chunks; returns these, and all chunks taken away."""
        with self.database.read() as connection:
            rows = connection.execute(_select_refused_chunks(refused).where(tables.documents.c.revision > 0)).all()
        removed = self.delete(list({row.document_id for row in rows}))
        return [_lost_chunk_from_row(row, refused[row.chunk_id], whole=True) for row in rows], removed

    def held_of(self, ledger_source: str) -> tuple[int, int]:
        """How many documents of a source there are, and how many chunks, live or on their way in."""
        d = tables.documents.c
        with self.database.read() as connection:
            query = select(func.count(), func.coalesce(func.sum(d.chunks), 0)).where(d.ledger_source == ledger_source)
            documents, chunks = connection.execute(query).one()
        return int(documents), int(chunks)

    def unenrich(self, chunk_ids: Sequence[str]) -> None:
        """Take away what was worked out for the documents of these chunks; the index has yet to take that over."""
        c, e = tables.chunks.c, tables.enrichments.c
        with self.database.write() as connection:
            owners = select(c.document).where(within(c.chunk_id, chunk_ids))
            connection.execute(delete(tables.enrichments).where(e.document.in_(owners)))
            next_revision(connection)

    def enrich(self, fields: Mapping[str, Mapping[str, MetaValue | None]]) -> list[int]:
        """Keep fields of live documents, by id, beside those that they have; None takes one away that was kept so.

        Returns the row numbers of the documents that this changed: the index has yet to take these over.
        """
        d, e = tables.documents.c, tables.enrichments.c
        changed: list[tuple[object, ...]] = []
        with self.database.write() as connection:
            for part in slices(list(fields)):
                query = select(d.seq, d.document_id, e.fields).where(within(d.document_id, part), d.revision > 0)
                query = query.outerjoin(tables.enrichments, e.document == d.seq)
                for row in connection.execute(query):
                    before = readable_metadata(row.fields or "") or {}
                    given = fields[row.document_id]
                    left = {name: value for name, value in before.items() if name not in given}
                    after = {**left, **stored_fields(given)}
                    if column_json(after) != column_json(before):  # which tells True from 1
                        changed.append((row.seq, column_json(after), True))
            if not changed:
                return []
            insert_rows(connection, tables.enrichments, changed, replace=True)
            seqs = [int(str(row[0])) for row in changed]
            revision = next_revision(connection)
            for part in slices(seqs):
                connection.execute(update(tables.documents).where(within(d.seq, part)).values(revision=revision))
        return seqs

    def refreshed(self, seqs: Sequence[int]) -> None:
        """Note that the index has the new fields of these documents."""
        e = tables.enrichments.c
        with self.database.write() as connection:
            for part in slices(seqs):
                connection.execute(update(tables.enrichments).where(within(e.document, part)).values(pending=False))

    def delete(self, document_ids: Sequence[str], *, erase: bool = False) -> list[str]:
        """Take documents away, their text, chunks and vectors; returns the ids of the chunks taken away.

        With `erase` the fact "erasing" says that their bytes have yet to leave the disk.
        """
        with self.database.write() as connection:
            d = tables.documents.c
            revision = next_revision(connection)
            if erase:
                set_fact(connection, ERASING, "yes")
                set_fact(connection, ERASED, str(revision))
            removed: list[str] = []
            for part in slices(document_ids):
                seqs = list(connection.execute(select(d.seq).where(within(d.document_id, part))).scalars())
                found = select(d.ledger_source).where(within(d.seq, seqs)).distinct()
                sources = list(connection.execute(found).scalars())
                connection.execute(delete(tables.transcripts).where(within(tables.transcripts.c.source, sources)))
                removed += self._remove(connection, seqs, revision)
                forget_set(connection, part)
                forget_corrections(connection, part)
                forget_decisions(connection, part)
                if erase:
                    forget_empty(connection, sources)
        return removed

    def forgotten(self, chunk_ids: Sequence[str]) -> None:
        """Note that the index has forgotten these chunks."""
        r = tables.removals.c
        with self.database.write() as connection:
            for part in slices(chunk_ids):
                connection.execute(update(tables.removals).where(within(r.chunk_id, part)).values(pending=False))

    def tidy(self, *, free_pages: int = FREE_PAGES) -> None:
        """Clear away what ordinary writing leaves behind: notes of old removals, and pages that hold nothing.

        At most `free_pages` stay free in the file. At least the latest `REMOVALS` removals stay noted, since readers
        follow by them; a reader that is further behind reads everything anew.
        """
        r = tables.removals.c
        with self.database.read() as connection:
            first, last = connection.execute(select(func.min(r.seq), func.max(r.seq))).one()
        if first is not None and last - first >= 2 * REMOVALS:
            with self.database.write() as connection:
                at = select(func.max(r.revision)).where(r.seq <= last - REMOVALS, ~r.pending)
                revision = int(connection.execute(at).scalar() or 0)
                connection.execute(delete(tables.removals).where(r.revision <= revision, ~r.pending))
                set_fact(connection, FORGOTTEN, str(max(revision, int(get_fact(connection, FORGOTTEN, "0")))))
        self.database.thin(free_pages)

    def _remove(
        self, connection: Connection, seqs: Sequence[int], revision: int, spared: Collection[int] = ()
    ) -> list[str]:
        """Delete document rows and all that hangs on them, vectors that nothing else uses included but for `spared`.

        The fact "sweeping" says that originals of theirs have yet to leave the disk.
        """
        c, o = tables.chunks.c, tables.originals.c
        removed: list[str] = []
        for part in slices(seqs, 500):
            rows = connection.execute(select(c.chunk_id, c.vector).where(within(c.document, part))).all()
            unused = embedded_meanwhile(connection, part) | {row.vector for row in rows}
            connection.execute(delete(tables.chunks).where(within(c.document, part)))
            if connection.execute(
                select(o.document).where(within(o.document, part), o.kept_bytes > 0).limit(1)
            ).first():
                set_fact(connection, SWEEPING, "yes")
            connection.execute(delete(tables.texts).where(within(tables.texts.c.document, part)))
            connection.execute(delete(tables.documents).where(within(tables.documents.c.seq, part)))
            drop_unused(connection, unused.difference(spared))
            kept = set(
                connection.execute(
                    select(c.chunk_id).where(within(c.chunk_id, [row.chunk_id for row in rows]))
                ).scalars()
            )
            removed += [row.chunk_id for row in rows if row.chunk_id not in kept]
        if removed:
            gone = [{"chunk_id": chunk_id, "revision": revision, "pending": True} for chunk_id in removed]
            connection.execute(insert(tables.removals), gone)
        return removed


def _select_refused_chunks(refused: Mapping[str, Exception]) -> Select[*tuple[Any, ...]]:
    """Select chunks of these ids, with their documents."""
    c, d = tables.chunks.c, tables.documents.c
    query = select(c.seq, c.chunk_id, c.document, c.start, c.end, c.vector, d.ledger_source, d.document_id)
    return query.join(tables.documents, d.seq == c.document).where(within(c.chunk_id, list(refused)))


def _lost_chunk_from_row(row: AnyRow, error: Exception, *, whole: bool) -> LostChunk:
    reason, cure = f"The index refused it: {reason_of(error)}", error.cure if isinstance(error, RoveError) else ""
    return LostChunk(row.ledger_source, row.document_id, (row.start, row.end), reason, cure, whole=whole)


def _beyond(fields: Metadata, common: Metadata) -> Metadata:
    """Return the fields that `common` lacks, or has with another value or another type: True is not 1."""
    if fields is common:
        return {}
    return {
        name: value
        for name, value in fields.items()
        if name not in common or type(common[name]) is not type(value) or common[name] != value
    }


def _set_state(connection: Connection, sources: Iterable[str], state: str) -> None:
    """Say in the ledger how far these sources have come."""
    for part in slices(list(set(sources))):
        connection.execute(update(tables.ledger).where(within(tables.ledger.c.source, part)).values(state=state))


def _column_maximum(connection: Connection, column: Any) -> int:  # noqa: ANN401 - an integer column
    return int(connection.execute(select(func.max(column))).scalar() or 0)
