"""Questions to databases without a chat model: foreign tables with rows, each question with the SQL that answers it."""

from __future__ import annotations

import asyncio
import sqlite3
import tempfile
import tomllib
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from bench.figures.outcomes import Case, Outcome
from bench.vectors import use_remembered
from rove.databases.ask import DatabaseAsker
from rove.databases.by_meaning import NameMeanings
from rove.databases.reply import rows_as_text
from rove.databases.targets import Result, target_of
from rove.models import EMBEDDERS, ChatModel
from rove.models.judge import judge_of
from rove.records.sql import SqlReply
from rove.settings import EmbedderSettings, JudgeSettings

FOLDER = Path(__file__).parent
SETS = {"seen": FOLDER / "databases_seen.toml", "unseen": FOLDER / "databases_unseen.toml"}


def run(name: str) -> Iterator[Case]:
    """Ask every question of a set, each of its database."""
    meanings = NameMeanings(EMBEDDERS.get(use_remembered())(EmbedderSettings(threads=1)), judge_of(JudgeSettings()))
    for database in tomllib.loads(SETS[name].read_text("utf-8"))["databases"]:
        yield from asked(database, meanings)


def asked(database: Mapping[str, Any], meanings: NameMeanings) -> Iterator[Case]:
    """Ask the questions of one database."""
    with opened(database, meanings=meanings) as (connection, asker):
        for language, question, *ways in database["questions"]:
            yield case_of(connection, language, ways, asyncio.run(asker.ask(question)))


@contextmanager
def opened(
    database: Mapping[str, Any], *, chat: ChatModel | None = None, meanings: NameMeanings | None = None
) -> Generator[tuple[sqlite3.Connection, DatabaseAsker]]:
    """Make a database of a set; gives it with what answers questions to it."""
    with tempfile.TemporaryDirectory(prefix="rove-bench-") as folder:
        path = Path(folder) / "made.sqlite"
        with closing(sqlite3.connect(path)) as connection:
            connection.executescript(database["script"])
            target = target_of(f"sqlite:///{path}")
            yield connection, DatabaseAsker(database["name"], target, target.tables(), chat=chat, meanings=meanings)


def case_of(connection: sqlite3.Connection, language: str, ways: Sequence[str], reply: SqlReply) -> Case:
    """Say what became of a question; `ways`: SQL of which each answers it, "" where nothing does."""
    wanted = [rows_of(connection, sql) for sql in ways if sql]
    kind = "answerable" if wanted else "not in the database"
    return Case(kind, language, judged(reply, wanted), f"{reply.question} → {reply.sql or reply.text} {reply.rows}")


def rows_of(connection: sqlite3.Connection, sql: str) -> Sequence[Sequence[str]]:
    """The rows of the SQL that answers a question, as a reply gives them."""
    return rows_as_text(Result((), tuple(connection.execute(sql))))


def judged(reply: SqlReply, wanted: Sequence[Sequence[Sequence[str]]]) -> Outcome:
    """Say what became of a question that any of some rows answer; more columns may be shown, and no other rows."""
    if not reply.answered:
        return "refused" if wanted else "right"
    return "right" if any(same_rows(reply.rows, rows) for rows in wanted) else "wrong"


def same_rows(shown: Sequence[Sequence[str]], wanted: Sequence[Sequence[str]]) -> bool:
    """Say whether rows are those that were wanted, in any order; they may have more columns."""
    left = list(shown)
    for row in wanted:
        found = next((one for one in left if set(row) <= set(one)), None)
        if found is None:
            return False
        left.remove(found)
    return not left
