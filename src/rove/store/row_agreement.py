"""Do the tables of the catalog agree: what one says of another has to be there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlalchemy import Connection, Select, func, select

from rove.store import tables
from rove.store.dialect import Dialect
from rove.store.enriched_tables import metadata

NAMED = 5
"""Documents that are named at most."""
_D, _T, _C = tables.documents, tables.texts, tables.chunks


def check_agree(connection: Connection, dialect: Dialect) -> None:
    """Hold each table against those that its rows belong to: documents, texts, chunks, vectors and the rest.

    Raises:
        ConfigError: rows are missing; it says which, and of which documents.
    """
    if missing := [*_without_owner(connection), *_without_part(connection)]:
        raise dialect.torn("; ".join(missing))


def _without_owner(connection: Connection) -> Iterator[str]:
    """Say of each table how many rows belong to a row of another that is not there."""
    for table in metadata.tables.values():
        for key in table.foreign_keys:
            owner = key.column.table.alias("owner")
            there = select(1).where(owner.c[key.column.name] == key.parent).exists()
            lone = select(func.count()).select_from(table).where(key.parent.is_not(None), ~there)
            if count := int(connection.execute(lone).scalar_one()):
                yield f"{count:,} rows of {table.name} are of {owner.element.name} that are not there"  # pyright: ignore


def _without_part(connection: Connection) -> Iterator[str]:
    """Say which documents lack their text, or chunks."""
    text = select(_T.c.document).where(_T.c.document == _D.c.seq).exists()
    counted = select(_C.c.document, func.count().label("held")).group_by(_C.c.document).subquery()
    joined = _D.outerjoin(counted, counted.c.document == _D.c.seq)
    chunks = select(_D.c.document_id).select_from(joined).where(_D.c.chunks != func.coalesce(counted.c.held, 0))
    kinds: tuple[tuple[Select[Any], str], ...] = (
        (select(_D.c.document_id).where(~text), "no text"),
        (chunks, "not the chunks that they had"),
    )
    for query, lack in kinds:
        names = sorted(map(repr, connection.execute(query).scalars()))
        if names:
            shown = ", ".join(names[:NAMED]) + ", …" * (len(names) > NAMED)
            yield f"{len(names):,} documents have {lack}: {shown}"
