"""What an interrupted writer left in the catalog: on its way in, on its way out, or not taken over by the index yet."""

from __future__ import annotations

from sqlalchemy import or_, select

from rove.store import tables
from rove.store.database import Database, get_fact

ERASING, SWEEPING = "erasing", "sweeping"
"""Facts that are not "" while bytes of what was taken away have yet to leave the disk: of the base; of originals."""

ERASED = "erased"
"""The fact that says at which revision documents were last erased: no machine keeps a snapshot from before."""

FORGOTTEN = "forgotten"
"""The fact that says up to which revision it is no longer known what was taken away."""


class Unfinished:
    """The part of the catalog that `heal` asks, and who follows it. Calls block for as long as the disk takes."""

    database: Database

    def is_finished(self) -> bool:
        """False where a writer, this one or another, stopped before it was done."""
        d, r, f, e = tables.documents.c, tables.removals.c, tables.facts.c, tables.enrichments.c
        left = (
            select(d.seq).where(d.revision == 0).exists(),
            select(e.document).where(e.pending).exists(),
            select(tables.shallow.c.document).where(tables.shallow.c.deepened).exists(),
            select(r.seq).where(r.pending).exists(),
            select(f.name).where(f.name.in_((ERASING, SWEEPING)), f.value != "").exists(),
        )
        with self.database.read() as connection:
            return not connection.execute(select(or_(*left))).scalar_one()

    def staged(self) -> list[int]:
        """Row numbers of documents that a crash left between `stage` and `publish`."""
        with self.database.read() as connection:
            query = select(tables.documents.c.seq).where(tables.documents.c.revision == 0)
            return list(connection.execute(query).scalars())

    def refreshing(self) -> list[int]:
        """Row numbers of live documents whose new fields the index may not have yet."""
        d, e = tables.documents.c, tables.enrichments.c
        query = select(e.document).join(tables.documents, d.seq == e.document).where(e.pending, d.revision > 0)
        with self.database.read() as connection:
            return list(connection.execute(query).scalars())

    def removed_since(self, revision: int) -> list[str] | None:
        """Chunks taken away after that revision; None where it is too long ago to be known."""
        r = tables.removals.c
        with self.database.snapshot() as connection:
            if revision < int(get_fact(connection, FORGOTTEN, "0")):
                return None
            return list(connection.execute(select(r.chunk_id).where(r.revision > revision)).scalars())

    def unforgotten(self) -> list[str]:
        """Chunks that are gone from the catalog and that the index may still hold."""
        r = tables.removals.c
        here = select(tables.chunks.c.seq).where(tables.chunks.c.chunk_id == r.chunk_id).exists()
        with self.database.read() as connection:
            return list(connection.execute(select(r.chunk_id).where(r.pending, ~here)).scalars())
