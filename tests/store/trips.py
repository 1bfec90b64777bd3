"""Counts what reaches the catalog's database: each statement would be a round trip if that were a server."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

REVISION = ("PRAGMA data_version", "SELECT facts.value")
SETTING_UP = ("PRAGMA busy", "PRAGMA journal", "PRAGMA sync", "PRAGMA foreign", "PRAGMA secure", "PRAGMA page_count")


@dataclass(slots=True)
class Trips:
    """The statements that the driver ran, in order, and those of them that ran on the event loop's own thread."""

    statements: list[str] = field(default_factory=list[str])
    on_loop: list[str] = field(default_factory=list[str])

    def note(self, statement: str) -> None:
        """Take one down; what sets a new connection up is not counted."""
        if statement.startswith(SETTING_UP):
            return
        self.statements.append(" ".join(statement.split()))
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return
        self.on_loop.append(self.statements[-1])

    def clear(self) -> None:
        """Count from 0 again."""
        self.statements.clear()
        self.on_loop.clear()

    @property
    def looks(self) -> int:
        """How many of them look at the revision."""
        return sum(statement.startswith(REVISION) for statement in self.statements)

    def __len__(self) -> int:
        return len(self.statements)


@contextmanager
def counted_trips(monkeypatch: pytest.MonkeyPatch) -> Generator[Trips]:
    """Count what every base that is opened in the block asks of its catalog, by whatever way the statement comes."""
    trips = Trips()
    connect: Callable[..., sqlite3.Connection] = sqlite3.connect

    def counted(*arguments: Any, **named: Any) -> sqlite3.Connection:
        connection = connect(*arguments, **named)
        connection.set_trace_callback(trips.note)
        return connection

    monkeypatch.setattr(sqlite3, "connect", counted)
    yield trips
