"""The graph of knowledge where it is kept: in the catalog."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from sqlalchemy import func, or_, select

from rove.records.graph import ALIAS
from rove.settings import GraphSettings
from rove.store import enriched_tables, tables
from rove.store.database import Database
from rove.store.dialect import within
from rove.store.graph_store import Edge, End, Touch


class CatalogGraph:
    """See `GraphStore`. It finds what the catalog holds: adding and removing have nothing left to do."""

    def __init__(self, *, database: Database, settings: GraphSettings, base: str) -> None:
        del settings, base
        self._database = database

    def touching(
        self, keys: Collection[str], end: End, *, spaces: Collection[str], only_aliases: bool, most: int | None
    ) -> list[Touch]:
        """See `GraphStore.touching`."""
        t, d, m = enriched_tables.triplets.c, tables.documents.c, tables.memory_facts.c
        column = t.subject_key if end == "subject" else t.object_key
        learned = t.memory_id.in_(select(m.memory_id).where(within(m.space, spaces)))
        own = (t.memory_id.is_(None), learned) if "" in spaces else (learned,)
        query = select(column.label("key"), t.seq, t.chunk_id, d.document_id)
        query = query.join(tables.documents, d.seq == t.document).where(within(column, keys), or_(*own), d.revision > 0)
        if only_aliases:
            query = query.where(t.predicate == ALIAS)
        if most is None:
            query = query.order_by(t.seq)
        else:
            number = func.row_number().over(partition_by=column, order_by=t.seq).label("number")
            found = query.add_columns(number).subquery()
            query = select(found.c.key, found.c.seq, found.c.chunk_id, found.c.document_id)
            query = query.where(found.c.number <= most).order_by(found.c.seq)
        with self._database.read() as connection:
            return [Touch(*row) for row in connection.execute(query)]

    def add(self, edges: Sequence[Edge]) -> None:
        """See `GraphStore.add`."""

    def held(self) -> Mapping[int, str]:
        """See `GraphStore.held`."""
        t = enriched_tables.triplets.c
        with self._database.read() as connection:
            return {row.seq: row.subject_key for row in connection.execute(select(t.seq, t.subject_key))}

    def remove(self, edges: Mapping[int, str]) -> None:
        """See `GraphStore.remove`."""

    def close(self) -> None:
        """See `GraphStore.close`."""
