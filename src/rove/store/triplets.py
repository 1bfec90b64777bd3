"""The graph of knowledge in the catalog: triplets of documents, and of facts that walks have learned."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, delete, func, insert, or_, select, union_all

from rove.records.graph import Relation, Triplet
from rove.store import enriched_tables, tables
from rove.store.catalog_rows import AnyRow, slices
from rove.store.database import Database, insert_rows
from rove.store.dialect import within
from rove.store.reviewed_triplets import found_triplets, settle_triplets

WALK = "walk"
"""What has found the triplets of facts that walks have learned."""


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """What was found in one version of a document: `row` is its row number; each triplet comes with its chunk's id."""

    row: int
    triplets: Sequence[tuple[str, Triplet]]


class Triplets:
    """Reads and writes the tables `triplets` and `graphed`. Calls block; each write is one durable transaction."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def unread(self, by: str) -> list[tuple[int, str]]:
        """Return the live documents in which `by` has not looked yet: row number and id, in the order they came."""
        d, g = tables.documents.c, enriched_tables.graphed.c
        read = select(g.document).where(g.by == by)
        query = select(d.seq, d.document_id).where(d.revision > 0, d.seq.not_in(read)).order_by(d.seq)
        with self.database.read() as connection:
            return [(row.seq, row.document_id) for row in connection.execute(query)]

    def keep(self, documents: Sequence[ReadDocument], by: str) -> int:
        """Keep what was found in documents, in place of what was known of them; returns how many are still live.

        What walks have learned of them stays, and so does what reviewers have decided.
        """
        t, g, d = enriched_tables.triplets.c, enriched_tables.graphed.c, tables.documents.c
        with self.database.write() as connection:
            rows = [document.row for document in documents]
            live = set(connection.execute(select(d.seq).where(within(d.seq, rows), d.revision > 0)).scalars())
            connection.execute(
                delete(enriched_tables.triplets).where(within(t.document, sorted(live)), t.memory_id.is_(None))
            )
            withheld = enriched_tables.withheld_triplets
            connection.execute(delete(withheld).where(within(withheld.c.document, sorted(live))))
            connection.execute(delete(enriched_tables.graphed).where(within(g.document, sorted(live))))
            insert_rows(connection, enriched_tables.graphed, [(row, by) for row in sorted(live)])
            for document in documents:
                if document.row in live:
                    insert_triplets(connection, document.row, document.triplets)
            settle_triplets(connection, live)
        return len(live)

    def of_documents(self, document_ids: Collection[str], *, space: str = "") -> list[Relation]:
        """Return what these documents say, in the order of their text."""
        d, t = tables.documents.c, enriched_tables.triplets.c
        rows = select(d.seq).where(within(d.document_id, document_ids), d.revision > 0)
        return self._read(t.document.in_(rows) & _of_space(space))

    def of_chunks(self, chunk_ids: Collection[str], *, space: str = "") -> list[Relation]:
        """Return what these chunks say."""
        return self._read(within(enriched_tables.triplets.c.chunk_id, chunk_ids) & _of_space(space))

    def begun_by(self, key: str, most: int) -> list[str]:
        """Return names in the graph whose key begins with this one, or ends with it, the most frequent first."""
        t = enriched_tables.triplets.c
        parts = [
            select(name.label("name")).where(
                or_(of.startswith(f"{key}_", autoescape=True), of.endswith(f"_{key}", autoescape=True))
            )
            for of, name in ((t.subject_key, t.subject), (t.object_key, t.object))
        ]
        every = union_all(*parts).subquery()
        count = func.count().label("count")
        query = select(every.c.name, count).group_by(every.c.name).order_by(count.desc(), every.c.name).limit(most)
        with self.database.read() as connection:
            return [str(row.name) for row in connection.execute(query)]

    def counts(self) -> tuple[int, int]:
        """Return how many triplets there are, and of how many documents."""
        t = enriched_tables.triplets.c
        with self.database.read() as connection:
            row = connection.execute(select(func.count(), func.count(t.document.distinct()))).one()
        return int(row[0]), int(row[1])

    def written(self, document_ids: Collection[str]) -> dict[str, tuple[str, list[Triplet]]]:
        """Return what was found in live documents, by id, and by what: to carry it elsewhere.

        It is as it was found, whatever reviewers made of it. A document in which nobody has looked is absent.
        """
        d, g = tables.documents.c, enriched_tables.graphed.c
        query = select(d.seq, d.document_id, g.by).join(enriched_tables.graphed, g.document == d.seq)
        with self.database.read() as connection:
            looked = connection.execute(query.where(within(d.document_id, document_ids), d.revision > 0)).all()
            found = {row.seq: (str(row.by), list[Triplet]()) for row in looked}
            for one in found_triplets(connection, list(found)) if found else ():
                found[one.row.document][1].append(_triplet_of(one.row))
        return {row.document_id: found[row.seq] for row in looked}

    def rows_of(self, document_ids: Collection[str]) -> Mapping[str, int]:
        """Return the row number of each of these documents that is live."""
        d = tables.documents.c
        query = select(d.document_id, d.seq).where(within(d.document_id, document_ids), d.revision > 0)
        with self.database.read() as connection:
            return {row.document_id: row.seq for row in connection.execute(query)}

    def relations(self, seqs: Collection[int]) -> list[Relation]:
        """Return live relations by their row numbers, in the order they were kept."""
        return self._read(within(enriched_tables.triplets.c.seq, seqs))

    def _read(self, wanted: ColumnElement[bool]) -> list[Relation]:
        """Fetch live relations by a condition, in the order they were kept, each once."""
        t, d, g, x = enriched_tables.triplets.c, tables.documents.c, enriched_tables.graphed.c, tables.texts.c
        words = func.substr(x.text, t.start + 1, t.end - t.start).label("quote")
        query = select(enriched_tables.triplets, d.document_id, d.title, d.source, g.by, words)
        query = query.join(tables.documents, d.seq == t.document).join(tables.texts, x.document == t.document)
        query = query.outerjoin(enriched_tables.graphed, g.document == t.document)
        query = query.where(wanted)
        with self.database.read() as connection:
            return [_relation_of(row) for row in connection.execute(query.where(d.revision > 0).order_by(t.seq))]


def insert_triplets(
    connection: Connection, document: int, triplets: Sequence[tuple[str, Triplet]], memory_id: str | None = None
) -> None:
    """Keep triplets of a document's row, each with its chunk's id."""
    rows = [
        {
            "document": document, "chunk_id": chunk_id, "start": one.span[0], "end": one.span[1],
            "subject": one.subject, "predicate": one.predicate, "object": one.object, "subject_key": one.subject_key,
            "object_key": one.object_key, "memory_id": memory_id,
        }
        for chunk_id, one in triplets
    ]  # fmt: skip
    for part in slices(rows, 1_000):
        connection.execute(insert(enriched_tables.triplets), list(part))


def _of_space(space: str) -> ColumnElement[bool]:
    """Say that a triplet is of a document itself, or of a fact of this space."""
    t, m = enriched_tables.triplets.c, tables.memory_facts.c
    return t.memory_id.is_(None) | t.memory_id.in_(select(m.memory_id).where(m.space == space))


def _triplet_of(row: AnyRow) -> Triplet:
    span = (row.start, row.end)
    return Triplet(row.subject, row.predicate, row.object, span, row.subject_key, row.object_key)


def _relation_of(row: AnyRow) -> Relation:
    by = WALK if row.memory_id else row.by or ""
    parts = (row.document_id, row.chunk_id, by, row.title, row.source, row.quote, row.memory_id or "")
    return Relation(_triplet_of(row), *parts)
