"""What a sweep has found, kept in one SQLite file: each write is whole or not there, whatever ends the process."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Lock
from typing import cast

from rove.errors import ServiceError

Place = tuple[str, int, int]
"""A document and the span of a chunk of it that was found."""
TABLES = """
CREATE TABLE IF NOT EXISTS outcomes (
    key TEXT NOT NULL, question TEXT NOT NULL, ranking TEXT NOT NULL, places TEXT NOT NULL,
    seconds REAL NOT NULL, error TEXT NOT NULL, PRIMARY KEY (key, question)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS ingests (key TEXT PRIMARY KEY, report TEXT NOT NULL) WITHOUT ROWID;
"""
BUSY_S = 60.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one way of asking found for one question.

    `key` names the way and the base (see `plan`), `question` the question's text. `ranking`: a document for each
    hit, best first, by the name that the gold gives it. `error` is why nothing was found, where that has a reason.
    """

    key: str
    question: str
    ranking: tuple[str, ...]
    places: tuple[Place, ...]
    seconds: float
    error: str = ""


@dataclass(frozen=True, slots=True)
class Ingested:
    """What it took to make a base. `embedding_s` is the embedder's part of `seconds`; `bytes` is its size on disk.

    `resumed`: it was made in more than one run, of which `seconds` counts the last.
    """

    seconds: float
    embedding_s: float
    documents: int
    chunks: int
    bytes: int
    failed: int = 0
    resumed: bool = False


class Results:
    """The file. Several processes may write to it at once."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        self._lock = Lock()
        try:
            self._database = sqlite3.connect(path, timeout=BUSY_S, isolation_level=None, check_same_thread=False)
            self._database.execute("PRAGMA journal_mode = WAL")
            self._database.execute("PRAGMA synchronous = FULL")
            self._database.executescript(TABLES)
        except sqlite3.Error as error:
            message = f"{path} cannot be used: {error}."
            raise ServiceError(message, cure="Make its folder writable, or choose another.", retryable=False) from error

    def keep(self, outcomes: Sequence[Outcome]) -> None:
        """Keep these, all or none; they are on the disk when this returns.

        Raises:
            ServiceError: the disk is full, or cannot be written to.
        """
        rows = [(o.key, o.question, json.dumps(o.ranking), json.dumps(o.places), o.seconds, o.error) for o in outcomes]
        with self._lock:
            try:
                self._database.execute("BEGIN IMMEDIATE")
                self._database.executemany("INSERT OR REPLACE INTO outcomes VALUES (?, ?, ?, ?, ?, ?)", rows)
                self._database.execute("COMMIT")
            except sqlite3.OperationalError as error:
                self._database.rollback()
                message = f"{self.path.name} could not be written: {error}."
                raise ServiceError(message, cure="Make room on the disk, and run the same again.") from error

    def keep_ingest(self, key: str, ingested: Ingested) -> None:
        """Keep what it took to make a base, which says that it is whole."""
        with self._lock:
            row = (key, json.dumps(asdict(ingested)))
            self._database.execute("INSERT OR REPLACE INTO ingests VALUES (?, ?)", row)

    def ingest(self, key: str) -> Ingested | None:
        """What it took to make that base; None where it is not whole."""
        with self._lock:
            row = self._database.execute("SELECT report FROM ingests WHERE key = ?", (key,)).fetchone()
        return Ingested(**json.loads(row[0])) if row else None

    def known(self, keys: Iterable[str]) -> set[tuple[str, str]]:
        """Which pairs of way and question are here."""
        with self._lock:
            return {
                (key, str(row[0]))
                for key in set(keys)
                for row in self._database.execute("SELECT question FROM outcomes WHERE key = ?", (key,))
            }

    def count(self) -> int:
        """How many outcomes are here."""
        with self._lock:
            return int(self._database.execute("SELECT COUNT(*) FROM outcomes").fetchone()[0])

    def outcomes(self, key: str) -> dict[str, Outcome]:
        """What one way of asking found, by question."""
        query = "SELECT question, ranking, places, seconds, error FROM outcomes WHERE key = ?"
        with self._lock:
            rows = cast("list[tuple[str, str, str, float, str]]", self._database.execute(query, (key,)).fetchall())
        return {
            question: Outcome(key, question, tuple(json.loads(ranking)), _places(places), seconds, error)
            for question, ranking, places, seconds, error in rows
        }

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._database.executescript("DELETE FROM outcomes; DELETE FROM ingests;")

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._database.close()


def _places(text: str) -> tuple[Place, ...]:
    return tuple((str(document), int(start), int(end)) for document, start, end in json.loads(text))


Kept = Mapping[str, Outcome]
"""The outcomes of one way, by the name of the question."""
