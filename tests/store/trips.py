"""Counts what reaches the catalog's database: each statement would be a round trip if that were a server."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pytest

SETTING_UP = ("PRAGMA busy", "PRAGMA journal", "PRAGMA sync", "PRAGMA foreign", "PRAGMA secure", "PRAGMA page_count")
REVISION = "WHERE name = 'revision'"


@dataclass(slots=True)
class Trips:
    """The statements that have read, how many transactions have written, and what ran on an event loop's own thread."""

    reads: list[str] = field(default_factory=list[str])
    writes: int = 0
    on_loop: list[str] = field(default_factory=list[str])
    _writing: set[int] = field(default_factory=set[int])

    def note(self, connection: int, statement: str) -> None:
        """Take a statement down; what sets a new connection up is not counted, a writing transaction is one."""
        if statement.startswith(SETTING_UP):
            return
        if _on_event_loop():
            self.on_loop.append(statement)
        if statement == "BEGIN IMMEDIATE":
            self._writing.add(connection)
            self.writes += 1
        elif connection not in self._writing:
            self.reads.append(statement)
        elif statement in {"COMMIT", "ROLLBACK"}:
            self._writing.remove(connection)

    def clear(self) -> None:
        """Count from 0 again."""
        self.reads.clear()
        self.on_loop.clear()
        self.writes = 0

    @property
    def looks(self) -> int:
        """How many of the reads look at the revision."""
        return sum(REVISION in statement for statement in self.reads)


def count_trips(monkeypatch: pytest.MonkeyPatch) -> Trips:
    """Count what every base that is opened from now on asks of its catalog, by whatever way the statement comes."""
    trips = Trips()
    connect: Callable[..., sqlite3.Connection] = sqlite3.connect

    def counted(*arguments: Any, **named: Any) -> sqlite3.Connection:
        connection = connect(*arguments, **named)
        connection.set_trace_callback(partial(trips.note, id(connection)))
        return connection

    monkeypatch.setattr(sqlite3, "connect", counted)
    return trips


def _on_event_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
