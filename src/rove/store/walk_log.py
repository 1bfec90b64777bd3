"""Walks in the catalog: a list of events each, kept for good before anybody hears of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from datetime import UTC, datetime

from sqlalchemy import delete, func, insert, or_, select, update
from sqlalchemy.exc import IntegrityError

from rove.argument_checks import check_id
from rove.errors import InputError
from rove.records.walk_events import WalkInfo
from rove.store import tables
from rove.store.catalog_rows import AnyRow
from rove.store.database import Database, insert_rows
from rove.store.word_scan import rows_holding

OWNED = "walk ", " of"
COLUMNS = tuple(tables.walks.c[field.name] for field in fields(WalkInfo))


def owner_fact(walk_id: str) -> str:
    """Name the fact of the catalog that says whose a walk is.

    >>> owner_fact("0a1b")
    'walk 0a1b of'
    """
    return walk_id.join(OWNED)


class WalkLog:
    """Reads and writes walks. Events are text here: what they say is for others to know. Calls block."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def append(self, info: WalkInfo, first: int, events: Sequence[str]) -> None:
        """Keep further events, the first of them as number `first`, and what the list shows; one transaction.

        Raises:
            InputError: another process has gone on with this walk meanwhile, or it was forgotten.
        """
        now = datetime.now(UTC).isoformat(timespec="seconds")
        w = tables.walks.c
        shown = {column.name: getattr(info, column.name) for column in COLUMNS if column.name != "started_at"}
        shown["updated_at"] = now
        rows = [(info.walk_id, first + place, event) for place, event in enumerate(events)]
        try:
            with self._database.write() as connection:
                if first == 1:
                    connection.execute(insert(tables.walks).values(started_at=now, **shown))
                else:
                    connection.execute(update(tables.walks).where(w.walk_id == info.walk_id).values(**shown))
                insert_rows(connection, tables.walk_events, rows)
        except IntegrityError as error:
            message = f"The walk {info.walk_id} has gone on elsewhere, or was forgotten."
            raise InputError(message, cure="Take it up again, or fork it.") from error

    def listed(self, *, owner: str | None = None, first: int = 0, most: int | None = None) -> list[WalkInfo]:
        """The walks, or those that have this owner (see `owner_fact`), the latest first: `most` from `first` on."""
        w, f = tables.walks.c, tables.facts.c
        query = select(*COLUMNS).order_by(w.updated_at.desc(), w.seq.desc()).offset(first).limit(most)
        if owner is not None:
            query = query.join(tables.facts, f.name == OWNED[0] + w.walk_id + OWNED[1]).where(f.value == owner)
        with self._database.read() as connection:
            return [_walk_info(row) for row in connection.execute(query)]

    def holds(self, walk_id: str) -> bool:
        """Whether there is a walk of this id."""
        query = select(tables.walks.c.seq).where(tables.walks.c.walk_id == walk_id)
        with self._database.read() as connection:
            return connection.execute(query).first() is not None

    def named(self, name: str) -> WalkInfo:
        """The walk of that id, or the only one whose id begins so; "last" is the latest.

        Raises:
            InputError: there is none, or more than one.
        """
        check_id(name, "The walk")
        w = tables.walks.c
        query = select(*COLUMNS).order_by(w.updated_at.desc(), w.seq.desc())
        if name != "last":
            query = query.where(or_(w.walk_id == name, func.substr(w.walk_id, 1, len(name)) == name))
        with self._database.read() as connection:
            found = [_walk_info(row) for row in connection.execute(query.limit(1 if name == "last" else 50))]
        exact = [info for info in found if info.walk_id == name] or found
        if len(exact) == 1 and name:
            return exact[0]
        message = f"{len(exact)} walks have ids that begin with {name!r}." if exact else f"There is no walk {name!r}."
        raise InputError(message, cure="List them with: rove walks")

    def events(self, walk_id: str, *, after: int = 0) -> list[str]:
        """The events of a walk, in their order; those `after` so many."""
        e = tables.walk_events.c
        with self._database.read() as connection:
            return list(
                connection.execute(select(e.event).where(e.walk_id == walk_id, e.seq > after).order_by(e.seq)).scalars()
            )

    def resting_on(self, words: Sequence[str]) -> list[str]:
        """The ids of walks in whose events one of these words stands, as events write it."""
        e = tables.walk_events.c
        with self._database.snapshot() as connection:
            return sorted({str(found) for (found,) in rows_holding(connection, e.event, words, e.walk_id)})

    def rewrite(self, walk_id: str, events: Mapping[int, str]) -> None:
        """Put other events in the place of those with these numbers."""
        e = tables.walk_events.c
        with self._database.write() as connection:
            for seq, event in events.items():
                where = (e.walk_id == walk_id) & (e.seq == seq)
                connection.execute(update(tables.walk_events).where(where).values(event=event))

    def forget(self, walk_id: str) -> None:
        """Delete a walk; its bytes leave the disk."""
        with self._database.write() as connection:
            connection.execute(delete(tables.walks).where(tables.walks.c.walk_id == walk_id))
        self._database.shrink()


def _walk_info(row: AnyRow) -> WalkInfo:
    return WalkInfo(*row)
