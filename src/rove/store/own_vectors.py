"""Vectors that hang on no chunk: of what walks have learned and asked, and of summaries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, bindparam, delete, func, select, update

from rove.store import Vector, tables
from rove.store.catalog_rows import blob_of
from rove.store.dialect import within
from rove.store.enriched_tables import summaries
from rove.store.summaries import readable_summary, written_out
from rove.store.tables import Table


@dataclass(frozen=True, slots=True, order=True)
class OwnText:
    """What a vector is of; `asks`: it was embedded as a question, not as a passage."""

    text: str
    asks: bool = False


@dataclass(frozen=True, slots=True)
class OwnVector:
    """Where such a vector is kept, and of what it is."""

    table: Table
    column: str
    seq: int
    text: OwnText


_F, _M, _W = tables.memory_facts.c, tables.memory_leads.c, tables.walks.c
_LEADS: Any = select(
    _M.seq,
    func.coalesce(_W.question, select(func.min(_F.question)).where(_F.walk_id == _M.walk_id).scalar_subquery()).label(
        "question"
    ),
).outerjoin(tables.walks, _W.walk_id == _M.walk_id)


def own_vectors(connection: Connection) -> list[OwnVector]:
    """List all that hang on no chunk, but for those of `forget_unasked`."""
    d = tables.documents.c
    found: list[OwnVector] = []
    for row in connection.execute(select(_F.seq, _F.text, _F.question)):
        found.append(OwnVector(tables.memory_facts, "vector", row.seq, OwnText(row.text)))
        found.append(OwnVector(tables.memory_facts, "asked", row.seq, OwnText(row.question, asks=True)))
    for row in connection.execute(_LEADS):
        if row.question is not None:
            found.append(OwnVector(tables.memory_leads, "asked", row.seq, OwnText(row.question, asks=True)))
    summed = select(summaries, d.document_id, d.title).join(tables.documents, d.seq == summaries.c.document)
    for row in connection.execute(summed):
        if summary := readable_summary(row):
            found.append(OwnVector(summaries, "vector", row.seq, OwnText(written_out(row.title, summary))))
    return found


def forget_unasked(connection: Connection) -> None:
    """Let go of leads of which nobody knows any more what was asked: their vectors cannot be made again."""
    gone = [row.seq for row in connection.execute(_LEADS) if row.question is None]
    connection.execute(delete(tables.memory_leads).where(within(_M.seq, gone)))


def replace_vectors(connection: Connection, own: Sequence[OwnVector], vectors: Mapping[OwnText, Vector]) -> None:
    """Let each have the vector of its text."""
    rows: dict[tuple[Table, str], list[dict[str, object]]] = {}
    for one in own:
        given: dict[str, object] = {"row": one.seq, "given": blob_of(vectors[one.text])}
        rows.setdefault((one.table, one.column), []).append(given)
    for (table, column), some in rows.items():
        changed = update(table).where(table.c.seq == bindparam("row")).values({column: bindparam("given")})
        connection.execute(changed, some)
