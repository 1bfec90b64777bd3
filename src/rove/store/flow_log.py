"""Runs of flows in the catalog: a list of events each, of which this module knows the text alone."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import msgspec
from sqlalchemy import Select, delete, func, select, update
from sqlalchemy.exc import IntegrityError

from rove.errors import InputError
from rove.store import tables
from rove.store.database import Database, insert_rows
from rove.store.word_scan import rows_holding

ERASED = "Erased"
HOLDING = frozenset({"Finished", "Failed", "Asked"})
"""The kinds of events that hold what documents say, or what was made of it: see `rove.flow.journal`."""


@dataclass(frozen=True, slots=True)
class KeptRun:
    """A run: its id, when it began and when something last happened (ISO 8601)."""

    run_id: str
    started_at: str
    updated_at: str


class FlowLog:
    """The table `flow_events`. Calls block for as long as the disk takes."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def append(self, run_id: str, first: int, events: Sequence[str]) -> None:
        """Keep further events, the first of them as number `first`; one transaction.

        Raises:
            InputError: another process has gone on with this run meanwhile.
        """
        now = datetime.now(UTC).isoformat(timespec="seconds")
        rows = [(run_id, first + place, now, event) for place, event in enumerate(events)]
        try:
            with self._database.write() as connection:
                insert_rows(connection, tables.flow_events, rows)
        except IntegrityError as error:
            message = f"The run {run_id} has gone on elsewhere."
            raise InputError(message, cure="Resume it when that is done.") from error

    def listed(self) -> list[KeptRun]:
        """All runs, the latest first."""
        e = tables.flow_events.c
        with self._database.read() as connection:
            found = connection.execute(_times().order_by(func.max(e.at).desc(), e.run_id))
            return [KeptRun(*row) for row in found]

    def get(self, run_id: str) -> KeptRun | None:
        """The run of this id, None where there is none."""
        with self._database.read() as connection:
            row = connection.execute(_times().where(tables.flow_events.c.run_id == run_id)).first()
        return KeptRun(*row) if row else None

    def named(self, name: str) -> str:
        """The id of the run whose id begins so; "last" is the latest.

        Raises:
            InputError: there is none, or more than one.
        """
        runs = [one.run_id for one in self.listed()]
        found = runs[:1] if name == "last" else [one for one in runs if name and one.startswith(name)]
        if len(found) == 1:
            return found[0]
        message = f"{len(found)} runs have ids that begin with {name!r}." if found else f"There is no run {name!r}."
        raise InputError(message, cure="List them with: rove flow runs")

    def events(self, run_id: str) -> list[str]:
        """The events of a run, in their order."""
        e = tables.flow_events.c
        with self._database.read() as connection:
            return list(connection.execute(select(e.event).where(e.run_id == run_id).order_by(e.seq)).scalars())

    def erase(self, document_ids: Sequence[str]) -> int:
        """Erase what runs have kept since one of these documents first stood in it; returns in how many runs.

        What models wrote after that may hold anything that they were shown. What the user gave stays.
        """
        e = tables.flow_events.c
        first: dict[str, int] = {}
        with self._database.write() as connection:
            words = [msgspec.json.encode(document_id).decode() for document_id in document_ids]
            for run_id, seq in rows_holding(connection, e.event, words, e.run_id, e.seq):
                first[run_id] = min(seq, first.get(run_id, seq))
            for run_id, start in first.items():
                later = (e.run_id == run_id) & (e.seq >= start)
                for seq, event in connection.execute(select(e.seq, e.event).where(later)).all():
                    one = (e.run_id == run_id) & (e.seq == seq)
                    connection.execute(update(tables.flow_events).where(one).values(event=_scrub_flow_event(event)))
        return len(first)

    def forget(self, run_id: str) -> None:
        """Delete a run; its bytes leave the disk."""
        with self._database.write() as connection:
            connection.execute(delete(tables.flow_events).where(tables.flow_events.c.run_id == run_id))
        self._database.shrink()


def _times() -> Select[Any, Any, Any]:
    e = tables.flow_events.c
    return select(e.run_id, func.min(e.at), func.max(e.at)).group_by(e.run_id)


def _scrub_flow_event(event: str) -> str:
    told: dict[str, object]
    try:
        told = json.loads(event)
        holds = told["type"] in HOLDING
    except (ValueError, RecursionError, TypeError, KeyError):  # damaged: nobody knows what it holds
        told, holds = {}, True
    if holds:
        return json.dumps({"type": ERASED})
    return json.dumps({**told, "reason": ""}) if told.get("reason") else event
