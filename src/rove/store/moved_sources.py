"""Sources that have moved: their documents keep the ids that were made from where they lay first.

What hangs on a document by its id or its row (labels, corrections, kept questions, citations) goes along untouched.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Mapping, Sequence

from sqlalchemy import Connection, Integer, String, Text, bindparam, delete, select, update

from rove.store import tables
from rove.store.catalog_rows import AnyRow, column_json, readable_metadata, slices
from rove.store.database import Database, insert_rows, next_revision
from rove.store.dialect import within
from rove.store.enriched_tables import moved_sources
from rove.store.failpoints import MOVED, failpoint
from rove.store.health import refresh
from rove.store.ledger import COLUMNS
from rove.store.store import Store

NOTHING = "{}"
PARENT = "parent"
"""The metadata that names the file in which a document lay."""
AGAIN = "{source}#again-{number}"
"""What the ids of a new file are made from, where an earlier one of its name has taken its ids along."""


async def move(store: Store, moves: Mapping[str, str], renamed: Collection[str]) -> None:
    """Let the documents of sources be those of others, by old and new name; nothing is read or embedded.

    What was live of a new name, and does not move itself, goes. Names may be swapped, or passed on in a row.

    Args:
        store: the base.
        moves: the new name of each source that moved.
        renamed: those of the new names under which a source is read again, since what it is called has changed.
    """
    if not moves:
        return
    over = {new: () for new in moves.values() if new not in moves}
    await store.remove(await asyncio.to_thread(store.catalog.stale, over), erase=False)
    async with store.writing():
        seqs = await asyncio.to_thread(_move, store.catalog.database, moves, renamed)
        failpoint(MOVED)
        await refresh(store.catalog, store.index, seqs)
        await store.wrote()


class MovedSources:
    """From what the ids of documents are made, of sources where that is not their own name. Calls block."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def first_names(self, sources: Sequence[str]) -> dict[str, str]:
        """Return what ids are made from, of sources that have moved, or whose name another has taken along.

        The latter are noted, so that they keep theirs.
        """
        m = moved_sources.c
        with self._database.read() as connection:
            if connection.execute(select(m.source).limit(1)).first() is None:
                return {}
            known = _first_names(connection, sources)
            left = [source for source in sources if source not in known]
            rows = connection.execute(select(m.first_source).where(within(m.first_source, left)))
            taken = {str(row.first_source) for row in rows}
        if taken:
            known |= self._begin_again(taken)
        return known

    def noted(self, sources: Sequence[str]) -> dict[str, str]:
        """Return what ids are made from, of those of these sources where that is not their own name."""
        with self._database.read() as connection:
            return _first_names(connection, sources)

    def note(self, first: Mapping[str, str]) -> None:
        """Note what ids are made from, of sources of which that is not noted."""
        with self._database.write() as connection:
            known = _first_names(connection, list(first))
            insert_rows(connection, moved_sources, [row for row in first.items() if row[0] not in known])

    def _begin_again(self, sources: Iterable[str]) -> dict[str, str]:
        m = moved_sources.c
        made: dict[str, str] = {}
        with self._database.write() as connection:
            for source in sources:
                number = 2
                while connection.execute(
                    select(m.source).where(m.first_source == AGAIN.format(source=source, number=number))
                ).first():
                    number += 1
                made[source] = AGAIN.format(source=source, number=number)
                insert_rows(connection, moved_sources, [(source, made[source])], replace=True)
        return made


def _move(database: Database, moves: Mapping[str, str], renamed: Collection[str]) -> list[int]:
    """Write the moves down; returns the rows of the documents that the index has yet to take over."""
    d, e = tables.documents.c, tables.enrichments
    query = select(d.seq, d.source, d.ledger_source, d.metadata, e.c.fields).outerjoin(e, e.c.document == d.seq)
    with database.write() as connection:
        rows: list[AnyRow] = []
        for part in slices(list(moves)):
            rows += connection.execute(query.where(within(d.ledger_source, part), d.revision > 0)).all()
        _move_names(connection, moves)
        _move_entries(connection, moves, renamed)
        if not rows:
            return []
        values = [_source_move_values(row, moves[row.ledger_source]) for row in rows]
        to_change = update(tables.documents).where(d.seq == bindparam("row", type_=Integer))
        to_change = to_change.values(
            ledger_source=bindparam("new_ledger_source", type_=String),
            source=bindparam("new_source", type_=String),
            metadata=bindparam("new_metadata", type_=Text),
            revision=next_revision(connection),
        )
        connection.execute(to_change, values)
        pending = [(row.seq, row.fields or NOTHING, True) for row in rows]
        insert_rows(connection, tables.enrichments, pending, replace=True)
    return [row.seq for row in rows]


def _source_move_values(row: AnyRow, new: str) -> dict[str, object]:
    old, written = row.ledger_source, row.metadata
    metadata = readable_metadata(written) or {}
    if str(parent := metadata.get(PARENT, "")).startswith(old):
        written = column_json({**metadata, PARENT: new + str(parent).removeprefix(old)})
    source = new + row.source.removeprefix(old) if row.source.startswith(old) else row.source
    return {"row": row.seq, "new_ledger_source": new, "new_source": source, "new_metadata": written}


def _move_names(connection: Connection, moves: Mapping[str, str]) -> None:
    """Let the names that ids are made from go along."""
    m = moved_sources.c
    known = _first_names(connection, list(moves))
    first = {new: known.get(old, old) for old, new in moves.items()}
    for part in slices(list({*moves, *first})):
        connection.execute(delete(moved_sources).where(within(m.source, part)))
    # one that is back where it lay first stays too: its name may be another's second
    insert_rows(connection, moved_sources, [(new, name) for new, name in first.items() if new != name])


def _move_entries(connection: Connection, moves: Mapping[str, str], renamed: Collection[str]) -> None:
    """Let the ledger's entries go along; what OCR said of a source that was not read to its end is let go."""
    led, touched = tables.ledger.c, list({*moves, *moves.values()})
    entries: list[AnyRow] = []
    for part in slices(list(moves)):
        entries += connection.execute(select(tables.ledger).where(within(led.source, part))).all()
    for part in slices(touched):
        connection.execute(delete(tables.ledger).where(within(led.source, part)))
        connection.execute(delete(tables.transcripts).where(within(tables.transcripts.c.source, part)))
    rows: list[tuple[object, ...]] = []
    for entry in entries:
        new = moves[entry.source]
        values = {**entry._mapping, "source": new}  # pyright: ignore[reportPrivateUsage] - SQLAlchemy's public name
        if new in renamed:
            values["fingerprint"] = ""
        rows.append(tuple(values[name] for name in COLUMNS))
    insert_rows(connection, tables.ledger, rows)


def _first_names(connection: Connection, sources: Sequence[str]) -> dict[str, str]:
    m = moved_sources.c
    return {
        str(row.source): str(row.first_source)
        for part in slices(sources)
        for row in connection.execute(select(moved_sources).where(within(m.source, part)))
    }
