"""Questions that were asked: how often, and when last. Kept only where the settings allow it."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import delete, insert, select, update

from rove.store import tables
from rove.store.catalog_rows import slices
from rove.store.database import Database
from rove.store.dialect import within

MOST_CHARS = 500  # of a question that is kept: what is longer is a text, and nobody asks it again
MOST_KEPT = 20_000


@dataclass(frozen=True, slots=True)
class Frequent:
    """A question, its language, and how often it was asked."""

    text: str
    language: str
    count: int


class QuestionLog:
    """The table `asked`. Calls block for as long as the disk takes."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def note(self, text: str, language: str) -> None:
        """Count a question; one that differs by case, spaces or marks only is the same."""
        text = " ".join(text.split())
        key = key_of(text)
        if not key or len(text) > MOST_CHARS:
            return
        now = datetime.now(UTC).isoformat(timespec="seconds")
        asked = tables.asked.c
        again = update(tables.asked).where(asked.key == key).values(count=asked.count + 1, last=now)
        with self.database.write() as connection:
            if not connection.execute(again).rowcount:
                row = {"key": key, "text": text, "language": language, "count": 1, "last": now}
                connection.execute(insert(tables.asked).values(row))
            latest = select(asked.key).order_by(asked.last.desc()).limit(MOST_KEPT)
            connection.execute(delete(tables.asked).where(asked.key.not_in(latest)))

    def frequent(self, *, most: int, language: str = "") -> list[Frequent]:
        """Return the questions that were asked most often, the latest first among equals."""
        a = tables.asked.c
        query = (
            select(a.text, a.language, a.count.label("times"))
            .order_by(a.count.desc(), a.last.desc(), a.key)
            .limit(most)
        )
        if language:
            query = query.where(a.language == language)
        with self.database.read() as connection:
            return [Frequent(row.text, row.language, row.times) for row in connection.execute(query)]

    def forget(self, texts: Sequence[str] | None = None) -> int:
        """Erase these questions, or all of them; returns how many. Their bytes are overwritten (secure_delete)."""
        with self.database.write() as connection:
            if texts is None:
                gone = connection.execute(delete(tables.asked)).rowcount
            else:
                gone = sum(
                    connection.execute(delete(tables.asked).where(within(tables.asked.c.key, part))).rowcount
                    for part in slices([key_of(text) for text in texts])
                )
        self.database.shrink()
        return gone


def key_of(text: str) -> str:
    """Return what is the same in two ways to write a question.

    >>> key_of("Who  approves it?") == key_of("who approves it"), key_of("谁？")
    (True, '谁')
    """
    words = "".join(c if c.isalnum() else " " for c in unicodedata.normalize("NFKC", text).casefold())
    return " ".join(words.split())
