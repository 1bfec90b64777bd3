"""What walks have learned, in the catalog: each fact goes with its document, in the same transaction."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import Connection, delete, func, insert, null, select, union_all, update

from rove.records import Citation
from rove.records.graph import Triplet
from rove.records.learned import LeadEnd, Remembered
from rove.store import Vector, tables
from rove.store.catalog_rows import AnyRow, blob_of, read_vectors, usual_length
from rove.store.database import Database, insert_rows
from rove.store.dialect import within
from rove.store.shallow import HAS_EMBEDDER
from rove.store.triplets import insert_triplets

MOST_LEADS = 2_000
"""Leads of a space that are kept, the latest ones."""


@dataclass(frozen=True, slots=True)
class FactEntry:
    """A fact with what it is found by: its terms, its vector, and that of the question it was found for.

    `triplets`: what it says, for the graph of knowledge.
    """

    fact: Remembered
    terms: str
    vector: Vector
    asked: Vector
    triplets: Sequence[Triplet] = ()


@dataclass(frozen=True, slots=True)
class Handle:
    """What a fact is found by. See `FactEntry`."""

    terms: str
    vector: Vector
    asked: Vector
    relevance: float


@dataclass(frozen=True, slots=True)
class LeadEntry:
    """A lead's end, with the vector of the question that the walk was asked."""

    end: LeadEnd
    asked: Vector


class Memories:
    """Reads and writes what was learned, space by space. Calls block; each write is one durable transaction.

    `dimension`: of the vectors; where it is not known, 0, it is what most of them have.
    """

    def __init__(self, database: Database, dimension: int = 0) -> None:
        self._database = database
        self._dimension = dimension

    def keep(self, space: str, facts: Sequence[FactEntry], leads: Sequence[LeadEntry]) -> int:
        """Keep facts and leads; returns how many facts.

        A fact whose words do not stand in the live text of its document is not kept, nor a lead that comes from a
        document that is gone. A fact that is known already for the same question takes the new relevance.
        """
        now = datetime.now(UTC).isoformat(timespec="seconds")
        with self._database.write() as connection:
            ids = {entry.fact.citation.document_id for entry in facts} | {entry.end.document_id for entry in leads}
            live = _live_seqs_of_documents(connection, ids)
            kept = [entry for entry in facts if _keep_fact(connection, live, space, entry, now)]
            walks = {entry.end.walk_id for entry in leads}
            connection.execute(delete(tables.memory_leads).where(within(tables.memory_leads.c.walk_id, sorted(walks))))
            sourced = [entry for entry in leads if not entry.end.document_id or entry.end.document_id in live]
            insert_rows(connection, tables.memory_leads, [_lead_row(live, space, entry, now) for entry in sourced])
            learned = [entry.fact for entry in facts] + [entry.end for entry in leads]
            seen = {(one.walk_id, one.where) for one in learned if one.where is not None}
            insert_rows(connection, tables.memory_walks, sorted(seen), replace=True)
            _forget_old_leads(connection, space)
        return len(kept)

    def facts(self, space: str, seqs: Iterable[int] | None = None) -> dict[int, Remembered]:
        """The facts of a space, or those of them with these row numbers, in the order they were learned."""
        m, d = tables.memory_facts.c, tables.documents.c
        query = select(*_SHOWN, d.document_id, d.source, d.title, _WHERE)
        query = query.join(tables.documents, d.seq == m.document)
        query = query.outerjoin(tables.memory_walks, tables.memory_walks.c.walk_id == m.walk_id)
        query = query.where(m.space == space, d.revision > 0).order_by(m.seq)
        if seqs is not None:
            query = query.where(within(m.seq, list(seqs)))
        with self._database.read() as connection:
            return {row.seq: _fact_of(row) for row in connection.execute(query)}

    def found_by(self, seqs: Iterable[int]) -> dict[int, Handle]:
        """What facts are found by, in the order they were learned; of one that is damaged, nothing."""
        m = tables.memory_facts.c
        query = select(m.seq, m.terms, m.vector, m.asked, m.relevance, HAS_EMBEDDER).where(within(m.seq, list(seqs)))
        with self._database.read() as connection:
            rows = connection.execute(query.order_by(m.seq)).all()
        self._check(rows)
        dimension = self._dimension or usual_length([blob for row in rows for blob in (row.vector, row.asked)])
        own, asked = (
            read_vectors([getattr(row, name) for row in rows], dimension, zeros=True) for name in ("vector", "asked")
        )
        return {
            row.seq: Handle(row.terms, vector, question, row.relevance)
            for row, vector, question in zip(rows, own, asked, strict=True)
            if vector is not None and question is not None and isinstance(row.terms, str)
        }

    def leads(self, space: str) -> list[LeadEntry]:
        """How leads have ended, the latest walk's last."""
        return self.known(space)[1]

    def known(self, space: str) -> tuple[set[int], list[LeadEntry]]:
        """The row numbers of the facts of a space, and how leads have ended, the latest walk's last; in one query."""
        f, m, d = tables.memory_facts.c, tables.memory_leads.c, tables.documents.c
        leads = select(tables.memory_leads, d.document_id, _WHERE, HAS_EMBEDDER)
        leads = leads.outerjoin(tables.documents, d.seq == m.document)
        leads = leads.outerjoin(tables.memory_walks, tables.memory_walks.c.walk_id == m.walk_id)
        leads = leads.where(m.space == space)
        facts = select(f.seq, *(null() for _ in leads.selected_columns[1:])).where(f.space == space)
        with self._database.read() as connection:
            rows = connection.execute(union_all(leads, facts).order_by("seq")).all()
        self._check([row for row in rows if row.walk_id is not None])
        leads_of = [row for row in rows if row.walk_id is not None]
        blobs = [row.asked for row in leads_of]
        asked = read_vectors(blobs, self._dimension or usual_length(blobs), zeros=True)
        return {row.seq for row in rows if row.walk_id is None}, [
            LeadEntry(_lead_end_from_row(row), vector)
            for row, vector in zip(leads_of, asked, strict=True)
            if vector is not None
        ]

    def _check(self, rows: Sequence[AnyRow]) -> None:
        """See that vectors that were read are the embedder's that this process has."""
        if rows:
            self._database.check_known(rows[0].model)

    def edit(
        self, space: str, memory_id: str, text: str, terms: str, vector: Vector, triplets: Sequence[Triplet] = ()
    ) -> bool:
        """Put a fact otherwise; False where there is none of that id. It gets a new row number: see `known`."""
        m = tables.memory_facts.c
        where = (m.space == space) & (m.memory_id == memory_id)
        with self._database.write() as connection:
            before = connection.execute(select(tables.memory_facts).where(where)).mappings().first()
            if before is None:
                return False
            connection.execute(delete(tables.memory_facts).where(where))
            row = {name: value for name, value in before.items() if name != "seq"}
            row |= {"text": text, "terms": terms, "vector": blob_of(vector), "edited": True}
            connection.execute(insert(tables.memory_facts).values(**row))
            said = [(row["chunk_id"], triplet) for triplet in triplets]
            insert_triplets(connection, row["document"], said, memory_id)
        self._database.shrink()
        return True

    def forget(self, space: str, memory_ids: Sequence[str]) -> int:
        """Delete facts; their bytes leave the disk. Returns how many there were."""
        m = tables.memory_facts.c
        with self._database.write() as connection:
            where = (m.space == space) & within(m.memory_id, memory_ids)
            maimed = select(m.walk_id).where(where)
            connection.execute(update(tables.memory_facts).where(m.walk_id.in_(maimed)).values(stamp=""))
            gone = connection.execute(delete(tables.memory_facts).where(where)).rowcount
        self._database.shrink()
        return gone

    def forget_walks(self, walk_ids: Sequence[str]) -> None:
        """Delete what these walks have learned, in any space; its bytes leave the disk."""
        with self._database.write() as connection:
            for table in (tables.memory_facts, tables.memory_leads):
                connection.execute(delete(table).where(within(table.c.walk_id, walk_ids)))
            _forget_idle_walks(connection)
        self._database.shrink()

    def clear(self, space: str) -> int:
        """Delete all facts and leads of a space; their bytes leave the disk. Returns how many facts there were."""
        with self._database.write() as connection:
            facts = delete(tables.memory_facts).where(tables.memory_facts.c.space == space)
            gone = connection.execute(facts).rowcount
            connection.execute(delete(tables.memory_leads).where(tables.memory_leads.c.space == space))
            _forget_idle_walks(connection)
        self._database.shrink()
        return gone


_WHERE = tables.memory_walks.c["where"].label("seen")
_SHOWN = tuple(c for c in tables.memory_facts.columns if c.name not in {"terms", "vector", "asked"})


def _live_seqs_of_documents(connection: Connection, document_ids: Iterable[str]) -> dict[str, int]:
    d = tables.documents.c
    query = select(d.document_id, d.seq).where(within(d.document_id, sorted(document_ids)), d.revision > 0)
    return {row.document_id: row.seq for row in connection.execute(query)}


def _keep_fact(connection: Connection, live: Mapping[str, int], space: str, entry: FactEntry, now: str) -> bool:
    """Keep a fact; False where the live text does not hold its words."""
    fact, citation = entry.fact, entry.fact.citation
    document = live.get(citation.document_id)
    start, end = citation.span
    t = tables.texts.c
    words = select(func.substr(t.text, start + 1, end - start)).where(t.document == document)
    if document is None or connection.execute(words).scalar() != citation.quote:
        return False
    m = tables.memory_facts.c
    same = (m.space == space) & (m.question == fact.question) & (m.document == document) & (m.text == fact.text)
    same &= (m.start == start) & (m.end == end)
    known = connection.execute(select(m.memory_id).where(same | (m.memory_id == fact.memory_id))).scalar()
    renewed = {
        "relevance": fact.relevance,
        "next_source": fact.next_source,
        "expected_info": fact.expected_info,
        "walk_id": fact.walk_id,
        "used": fact.used,
        "stamp": fact.stamp,
    }
    if known:
        connection.execute(update(tables.memory_facts).where(m.memory_id == known).values(renewed))
        return True
    statement = insert(tables.memory_facts).values(
        memory_id=fact.memory_id,
        space=space,
        document=document,
        chunk_id=citation.chunk_id,
        start=start,
        end=end,
        page=citation.page,
        quote=citation.quote,
        text=fact.text,
        terms=entry.terms,
        vector=blob_of(entry.vector),
        question=fact.question,
        asked=blob_of(entry.asked),
        edited=fact.edited,
        created_at=now,
        **renewed,
    )
    connection.execute(statement)
    insert_triplets(connection, document, [(citation.chunk_id, one) for one in entry.triplets], fact.memory_id)
    return True


def _lead_row(live: Mapping[str, int], space: str, entry: LeadEntry, now: str) -> tuple[object, ...]:
    end = entry.end
    document = live.get(end.document_id)
    return (
        None, space, document, end.chunk_id, end.text, end.kind, end.terms, end.outcome, blob_of(entry.asked),
        end.walk_id, now,
    )  # fmt: skip


def _forget_old_leads(connection: Connection, space: str) -> None:
    m = tables.memory_leads.c
    latest = select(m.seq).where(m.space == space).order_by(m.seq.desc()).limit(MOST_LEADS)
    connection.execute(delete(tables.memory_leads).where(m.space == space, m.seq.not_in(latest)))
    _forget_idle_walks(connection)


def _forget_idle_walks(connection: Connection) -> None:
    """Forget what walks could see of which nothing is remembered."""
    w = tables.memory_walks.c.walk_id
    known = (table.c.walk_id for table in (tables.memory_facts, tables.memory_leads))
    idle = [w.not_in(select(walk_id)) for walk_id in known]
    connection.execute(delete(tables.memory_walks).where(*idle))


def _fact_of(row: AnyRow) -> Remembered:
    span = (row.start, row.end)
    citation = Citation(0, row.chunk_id, row.document_id, row.source, row.title, row.quote, span, row.page)
    return Remembered(
        row.memory_id,
        row.text,
        row.question,
        row.relevance,
        citation,
        walk_id=row.walk_id,
        space=row.space,
        next_source=row.next_source,
        expected_info=row.expected_info,
        used=bool(row.used),
        stamp=row.stamp,
        where=row.seen,
        edited=bool(row.edited),
        created_at=row.created_at,
    )


def _lead_end_from_row(row: AnyRow) -> LeadEnd:
    return LeadEnd(
        row.text,
        row.kind,
        row.outcome,
        row.terms,
        row.chunk_id,
        row.document_id or "",
        row.walk_id,
        row.seen,
        row.created_at,
    )
