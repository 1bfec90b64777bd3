"""The catalog: documents, their text and their chunks; the truth that every index is made from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, delete, func, insert, select, update

from rove.records import Prepared
from rove.records.source import MetaValue
from rove.store import IndexRow, Vector, tables
from rove.store.database import FREE_PAGES, insert_rows, next_revision, set_fact
from rove.store.documents import Documents
from rove.store.rows import chunk_row, document_row, fields_of, metadata_of, slices, text_row, to_json, within
from rove.store.unfinished import ERASING, FORGOTTEN, SWEEPING
from rove.store.vectors import keep_vectors

REMOVALS = 16_384


def rows_of(prepared: Sequence[Prepared], vectors: Mapping[str, Vector]) -> list[IndexRow]:
    """Make what an index keeps of documents that are being kept: the same as `Catalog.index_rows` says later."""
    return [
        IndexRow(chunk.chunk_id, terms, vectors[key], fields_of(item.document, chunk, chunk.metadata))
        for item in prepared
        for chunk, terms, key in zip(item.chunks, item.terms, item.vector_keys, strict=True)
    ]


class Catalog(Documents):
    """Documents and chunks. Calls block for as long as the disk takes; each write is one durable transaction.

    A document goes in by two steps, so that a crash between them loses nothing and shows nothing twice: `stage` keeps
    it, the caller puts its chunks into the index, `publish` makes it live and takes the version before it away.
    """

    def set_fact(self, name: str, value: str) -> None:
        """Keep one fact about the base."""
        with self.database.write() as connection:
            set_fact(connection, name, value)

    def stage(
        self, prepared: Sequence[Prepared], vectors: Mapping[str, Vector], tokens: Mapping[str, bytes]
    ) -> list[int]:
        """Keep documents that are not live yet, and the vectors of their chunks; returns their row numbers."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        with self.database.write() as connection:
            vector_seqs = keep_vectors(connection, vectors, tokens)
            first = _last(connection, tables.documents.c.seq) + 1
            chunk_seq = _last(connection, tables.chunks.c.seq)
            documents: list[tuple[object, ...]] = []
            chunks: list[tuple[object, ...]] = []
            for seq, item in enumerate(prepared, start=first):
                common = item.document.metadata
                documents.append(document_row(item, seq, added_at=now))
                every = item.names or [""] * len(item.chunks)
                for chunk, terms, key, names in zip(item.chunks, item.terms, item.vector_keys, every, strict=True):
                    chunk_seq += 1
                    own = {} if chunk.metadata is common else dict(chunk.metadata.items() - common.items())
                    chunks.append(chunk_row(chunk, chunk_seq, seq, own, terms, vector_seqs[key], names))
            texts = [text_row(item.document, seq) for seq, item in enumerate(prepared, start=first)]
            insert_rows(connection, tables.documents, documents)
            insert_rows(connection, tables.texts, texts)
            read_from = [(seq, item.origin, 0) for seq, item in enumerate(prepared, start=first) if item.origin]
            insert_rows(connection, tables.originals, read_from)
            insert_rows(connection, tables.chunks, chunks)
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
                removed += self._remove(connection, old, revision)
                connection.execute(update(tables.documents).where(within(d.seq, part)).values(revision=revision))
                _set_state(
                    connection,
                    connection.execute(select(d.ledger_source).where(within(d.seq, part))).scalars(),
                    "indexed",
                )
        return removed

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
                    before = metadata_of(row.fields or "")
                    after = {name: v for name, v in {**before, **fields[row.document_id]}.items() if v is not None}
                    if after != before:
                        changed.append((row.seq, to_json(after), True))
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
            if erase:
                set_fact(connection, ERASING, "yes")
            revision = next_revision(connection)
            removed: list[str] = []
            for part in slices(document_ids):
                seqs = list(connection.execute(select(d.seq).where(within(d.document_id, part))).scalars())
                sources = select(d.ledger_source).where(within(d.seq, seqs))
                connection.execute(delete(tables.transcripts).where(tables.transcripts.c.source.in_(sources)))
                removed += self._remove(connection, seqs, revision)
        return removed

    def forgotten(self, chunk_ids: Sequence[str]) -> None:
        """Note that the index has forgotten these chunks."""
        r = tables.removals.c
        with self.database.write() as connection:
            for part in slices(chunk_ids):
                connection.execute(update(tables.removals).where(within(r.chunk_id, part)).values(pending=False))

    def tidy(self, *, free_pages: int = FREE_PAGES) -> None:
        """Let go of what ordinary writing leaves behind: what was taken away long ago, and pages that hold nothing.

        `free_pages` may lie free in the file. Of removals the latest `REMOVALS` at least stay, by which readers follow;
        who has seen less starts again.
        """
        r = tables.removals.c
        with self.database.read() as connection:
            first, last = connection.execute(select(func.min(r.seq), func.max(r.seq))).one()
        if first is not None and last - first >= 2 * REMOVALS:
            with self.database.write() as connection:
                at = select(func.max(r.revision)).where(r.seq <= last - REMOVALS, ~r.pending)
                revision = int(connection.execute(at).scalar() or 0)
                connection.execute(delete(tables.removals).where(r.revision <= revision, ~r.pending))
                set_fact(connection, FORGOTTEN, str(revision))
        self.database.thin(free_pages)

    def _remove(self, connection: Connection, seqs: Sequence[int], revision: int) -> list[str]:
        """Delete document rows and all that hangs on them, vectors that nothing else uses included.

        The fact "sweeping" says that originals of theirs have yet to leave the disk.
        """
        c, v, o = tables.chunks.c, tables.vectors.c, tables.originals.c
        removed: list[str] = []
        for part in slices(seqs, 500):
            rows = connection.execute(select(c.chunk_id, c.vector).where(within(c.document, part))).all()
            connection.execute(delete(tables.chunks).where(within(c.document, part)))
            if connection.execute(
                select(o.document).where(within(o.document, part), o.kept_bytes > 0).limit(1)
            ).first():
                set_fact(connection, SWEEPING, "yes")
            connection.execute(delete(tables.texts).where(within(tables.texts.c.document, part)))
            connection.execute(delete(tables.documents).where(within(tables.documents.c.seq, part)))
            used = select(c.seq).where(c.vector == v.seq).exists()
            for some in slices(list({row.vector for row in rows})):
                connection.execute(delete(tables.vectors).where(within(v.seq, some), ~used))
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


def _set_state(connection: Connection, sources: Iterable[str], state: str) -> None:
    """Say in the ledger how far these sources have come."""
    for part in slices(list(set(sources))):
        connection.execute(update(tables.ledger).where(within(tables.ledger.c.source, part)).values(state=state))


def _last(connection: Connection, column: Any) -> int:  # noqa: ANN401 - an integer column
    return int(connection.execute(select(func.max(column))).scalar() or 0)
