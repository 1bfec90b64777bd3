"""Questions that people have said a passage answers; they go with that version of its document."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import Select, delete, insert, or_, select

from rove.records.document import Span
from rove.records.metadata import clean
from rove.store import tables
from rove.store.catalog_rows import slices
from rove.store.database import Database
from rove.store.dialect import within
from rove.store.question_log import MOST_CHARS, key_of


@dataclass(frozen=True, slots=True)
class KeptQuestion:
    """A question, and the span of the document's canonical text that answers it, with its words."""

    question: str
    document_id: str
    span: Span
    quote: str


class KeptQuestions:
    """The table `kept_questions`. Calls block for as long as the disk takes."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def keep(self, questions: Sequence[KeptQuestion]) -> int:
        """Keep questions of live documents; one that was kept for the same span is kept once. Returns how many."""
        k, d = tables.kept_questions.c, tables.documents.c
        now, count = datetime.now(UTC).isoformat(timespec="seconds"), 0
        with self.database.write() as connection:
            for one in questions:
                text = clean(one.question)
                key = key_of(text)
                document = connection.execute(
                    select(d.seq).where(d.document_id == one.document_id, d.revision > 0)
                ).scalar()
                if not key or document is None or len(text) > MOST_CHARS:
                    continue
                same = (k.key == key, k.document == document, k.start == one.span[0], k.end == one.span[1])
                connection.execute(delete(tables.kept_questions).where(*same))
                row = {"key": key, "text": text, "document": document, "created_at": now}
                connection.execute(
                    insert(tables.kept_questions).values(**row, start=one.span[0], end=one.span[1], quote=one.quote)
                )
                count += 1
        return count

    def near(self, question: str, document_ids: Collection[str]) -> list[KeptQuestion]:
        """Return those that are this question but for case, spaces and marks, and those of documents; latest first."""
        k, d = tables.kept_questions.c, tables.documents.c
        return self._read(_LIVE.where(or_(k.key == key_of(question), within(d.document_id, document_ids))))

    def all(self) -> list[KeptQuestion]:
        """Return all, the latest first."""
        return self._read(_LIVE)

    def forget(self, questions: Sequence[str] | None = None) -> int:
        """Erase these questions, or all; returns how many. Their bytes are overwritten (secure_delete)."""
        k = tables.kept_questions.c
        with self.database.write() as connection:
            if questions is None:
                gone = connection.execute(delete(tables.kept_questions)).rowcount
            else:
                keys = [key_of(text) for text in questions]
                gone = sum(
                    connection.execute(delete(tables.kept_questions).where(within(k.key, part))).rowcount
                    for part in slices(keys)
                )
        self.database.shrink()
        return gone

    def _read(self, query: Select[*tuple[object, ...]]) -> list[KeptQuestion]:
        with self.database.read() as connection:
            return [
                KeptQuestion(row.text, row.document_id, (row.start, row.end), row.quote)
                for row in connection.execute(query)
            ]


_LIVE: Select[*tuple[object, ...]] = (
    select(
        tables.kept_questions.c.text,
        tables.documents.c.document_id,
        tables.kept_questions.c.start,
        tables.kept_questions.c.end,
        tables.kept_questions.c.quote,
    )
    .join_from(tables.kept_questions, tables.documents)
    .where(tables.documents.c.revision > 0)
    .order_by(tables.kept_questions.c.seq.desc())
)
