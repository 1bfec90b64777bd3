"""Questions that people have said a passage answers; they go with that version of its document.

A question that a reviewer has rejected is kept, and is not one to answer by; one that is edited goes by its new words.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from sqlalchemy import Select, delete, insert, or_, select

from rove.records.document import Span
from rove.records.metadata import clean
from rove.records.reviewed import ReviewDecision, latest_decisions, review_id
from rove.store import tables
from rove.store.catalog_rows import slices
from rove.store.database import Database
from rove.store.dialect import within
from rove.store.enriched_tables import review_decisions
from rove.store.question_log import MOST_CHARS, key_of
from rove.store.review_log import read_decisions


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
        """Return those that are this question but for case, spaces and marks, and those of documents; latest first.

        They are as reviewed.
        """
        k, d, key = tables.kept_questions.c, tables.documents.c, key_of(question)
        with self.database.read() as connection:
            decisions = latest_decisions(read_decisions(connection, kind="question"))
        edited = {one.document_id for one in decisions.values() if one.verdict == "edit"}
        found = self._read(_LIVE.where(or_(k.key == key, within(d.document_id, {*document_ids, *edited}))))
        reviewed = _apply_review_decisions(found, decisions)
        return [one for one in reviewed if one.document_id in document_ids or key_of(one.question) == key]

    def all(self) -> list[KeptQuestion]:
        """Return all as reviewed, the latest first."""
        with self.database.read() as connection:
            decisions = latest_decisions(read_decisions(connection, kind="question"))
        return _apply_review_decisions(self._read(_LIVE), decisions)

    def as_kept(self, document_ids: Collection[str] | None = None) -> list[KeptQuestion]:
        """Return all, or those of documents, as people have kept them, whatever reviewers said; the latest first."""
        d = tables.documents.c
        return self._read(_LIVE if document_ids is None else _LIVE.where(within(d.document_id, document_ids)))

    def decision_about(self, kept: KeptQuestion) -> ReviewDecision | None:
        """Return what is in force about a question that is kept, or is going to be; None where nobody decided."""
        with self.database.read() as connection:
            decisions = read_decisions(connection, [kept.document_id], kind="question")
        return latest_decisions(decisions).get(id_of_kept(kept))

    def forget(self, questions: Sequence[str] | None = None) -> int:
        """Erase these questions, or all, with what reviewers said of them; returns how many.

        Their bytes are overwritten (secure_delete). One that was edited goes by both its names.
        """
        k, r = tables.kept_questions.c, review_decisions.c
        with self.database.write() as connection:
            decisions = read_decisions(connection, kind="question")
            if questions is None:
                forgotten = decisions
                gone = connection.execute(delete(tables.kept_questions)).rowcount
            else:
                named = {key_of(text) for text in questions}
                forgotten = [one for one in decisions if named & {key_of(text) for text in (*one.words, *one.edit)}]
                edited = [one for one in latest_decisions(forgotten).values() if one.verdict == "edit"]
                keys = sorted(named | {key_of(text) for one in edited for text in one.words})
                gone = sum(
                    connection.execute(delete(tables.kept_questions).where(within(k.key, part))).rowcount
                    for part in slices(keys)
                )
            connection.execute(delete(review_decisions).where(within(r.item_id, {one.item_id for one in forgotten})))
        self.database.shrink()
        return gone

    def _read(self, query: Select[*tuple[object, ...]]) -> list[KeptQuestion]:
        with self.database.read() as connection:
            return [
                KeptQuestion(row.text, row.document_id, (row.start, row.end), row.quote)
                for row in connection.execute(query)
            ]


def id_of_kept(kept: KeptQuestion) -> str:
    """Return the id by which reviewers decide about a question that is kept."""
    return review_id("question", kept.document_id, (kept.question,), kept.quote)


def _apply_review_decisions(
    kept: Sequence[KeptQuestion], decisions: Mapping[str, ReviewDecision]
) -> list[KeptQuestion]:
    """Leave out what was rejected, and let what was edited go by its new words."""
    reviewed: list[KeptQuestion] = []
    for one in kept:
        decision = decisions.get(id_of_kept(one)) if decisions else None
        if decision is None or decision.verdict == "accept":
            reviewed.append(one)
        elif decision.edit:
            reviewed.append(replace(one, question=decision.edit[0]))
    return reviewed


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
