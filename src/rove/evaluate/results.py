"""What a sweep has found, kept in one SQLite file: each write is whole or not there, whatever ends the process."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Lock
from typing import cast

import msgspec

from rove.errors import ServiceError
from rove.models.usage import Usage

Place = tuple[str, int, int]
"""A document and the span of a chunk of it that was found."""
TABLES = """
CREATE TABLE IF NOT EXISTS outcomes (
    key TEXT NOT NULL, question TEXT NOT NULL, ranking TEXT NOT NULL, places TEXT NOT NULL,
    seconds REAL NOT NULL, error TEXT NOT NULL, PRIMARY KEY (key, question)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS answers (
    key TEXT NOT NULL, question TEXT NOT NULL, outcome TEXT NOT NULL, PRIMARY KEY (key, question)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS nearness (
    key TEXT NOT NULL, question TEXT NOT NULL, near TEXT NOT NULL, PRIMARY KEY (key, question)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS ingests (key TEXT PRIMARY KEY, report TEXT NOT NULL) WITHOUT ROWID;
"""
BUSY_S = 60.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one way of asking found for one question.

    `key` names the way and the base (see `plan`), `question` the question's text. `ranking`: a document for each
    hit, best first, by the name that the gold gives it. `error` is why nothing was found, where that has a reason.
    `near`: for each expected document, its cosine with each hit; None where nobody asked for it.
    """

    key: str
    question: str
    ranking: tuple[str, ...]
    places: tuple[Place, ...]
    seconds: float
    error: str = ""
    near: tuple[tuple[float, ...], ...] | None = None


@dataclass(frozen=True, slots=True)
class AnswerOutcome:
    """What one way of answering gave for one question: `values` are its scores by metric; see `answering.AnswerScores`.

    `usage` is the chat model's for the answer, `judging` the judge's; `graded_by`: who gave the relevancy, "" where
    nobody did. `error` is why there is no answer, where that has a reason.
    """

    key: str
    question: str
    values: Mapping[str, float | None]
    seconds: float
    usage: Usage = Usage()  # noqa: RUF009 - frozen
    judging: Usage = Usage()  # noqa: RUF009 - frozen
    graded_by: str = ""
    text: str = ""
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
        near = [(o.key, o.question, json.dumps(o.near)) for o in outcomes if o.near is not None]
        self._write("INSERT OR REPLACE INTO nearness VALUES (?, ?, ?)", near)
        self._write("INSERT OR REPLACE INTO outcomes VALUES (?, ?, ?, ?, ?, ?)", rows)

    def keep_answers(self, outcomes: Sequence[AnswerOutcome]) -> None:
        """Keep what was answered. See `keep`."""
        rows = [(o.key, o.question, msgspec.json.encode(o).decode()) for o in outcomes]
        self._write("INSERT OR REPLACE INTO answers VALUES (?, ?, ?)", rows)

    def _write(self, statement: str, rows: Sequence[tuple[object, ...]]) -> None:
        with self._lock:
            try:
                self._database.execute("BEGIN IMMEDIATE")
                self._database.executemany(statement, rows)
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

    def known(self, keys: Iterable[str], *, near: bool = False) -> set[tuple[str, str]]:
        """Which pairs of way and question are here; with `near`, those alone of which nearness is known too."""
        keys = set(keys)
        found = self._pairs("SELECT question FROM outcomes WHERE key = ?", keys)
        return found & self._pairs("SELECT question FROM nearness WHERE key = ?", keys) if near else found

    def known_answers(self, keys: Iterable[str]) -> set[tuple[str, str]]:
        """Which pairs of way and question have been answered."""
        return self._pairs("SELECT question FROM answers WHERE key = ?", keys)

    def _pairs(self, query: str, keys: Iterable[str]) -> set[tuple[str, str]]:
        with self._lock:
            return {(key, str(row[0])) for key in set(keys) for row in self._database.execute(query, (key,))}

    def count(self) -> int:
        """How many outcomes are here."""
        with self._lock:
            return int(self._database.execute("SELECT COUNT(*) FROM outcomes").fetchone()[0])

    def outcomes(self, key: str) -> dict[str, Outcome]:
        """What one way of asking found, by question."""
        query = """SELECT question, ranking, places, seconds, error, near FROM outcomes
            LEFT JOIN nearness USING (key, question) WHERE key = ?"""
        with self._lock:
            found = self._database.execute(query, (key,)).fetchall()
        rows = cast("list[tuple[str, str, str, float, str, str | None]]", found)
        return {
            question: Outcome(
                key,
                question,
                tuple(json.loads(ranking)),
                _places_from_json(places),
                seconds,
                error,
                _nearness_from_json(near),
            )
            for question, ranking, places, seconds, error, near in rows
        }

    def answers(self, key: str) -> dict[str, AnswerOutcome]:
        """What one way of answering gave, by question."""
        with self._lock:
            rows = self._database.execute("SELECT question, outcome FROM answers WHERE key = ?", (key,)).fetchall()
        return {str(question): msgspec.json.decode(kept, type=AnswerOutcome) for question, kept in rows}

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._database.executescript(
                "DELETE FROM outcomes; DELETE FROM answers; DELETE FROM nearness; DELETE FROM ingests;"
            )

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._database.close()


def _nearness_from_json(text: str | None) -> tuple[tuple[float, ...], ...] | None:
    return None if text is None else tuple(tuple(map(float, row)) for row in json.loads(text))


def _places_from_json(text: str) -> tuple[Place, ...]:
    return tuple((str(document), int(start), int(end)) for document, start, end in json.loads(text))


Kept = Mapping[str, Outcome]
"""The outcomes of one way, by the name of the question."""
