"""Decisions of reviewers, kept by what they are about: they stay when a document is read or enriched anew."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from typing import cast

from sqlalchemy import Connection, delete, select

from rove.records.reviewed import VERDICTS, ReviewDecision, ReviewKind
from rove.store.catalog_rows import AnyRow
from rove.store.database import Database, insert_rows
from rove.store.dialect import within
from rove.store.enriched_tables import review_decisions


class ReviewLog:
    """The table `review_decisions`. Calls block."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def all(self) -> list[ReviewDecision]:
        """Return all decisions, in the order in which they were made."""
        with self._database.read() as connection:
            return read_decisions(connection)

    def of(self, document_ids: Collection[str]) -> list[ReviewDecision]:
        """Return the decisions about what was found in these documents, in the order in which they were made."""
        with self._database.read() as connection:
            return read_decisions(connection, document_ids)

    def add(self, decisions: Sequence[ReviewDecision]) -> None:
        """Keep decisions; one that is there already stays once."""
        with self._database.write() as connection:
            add_decisions(connection, decisions)


def read_decisions(
    connection: Connection, document_ids: Collection[str] | None = None, *, kind: ReviewKind | None = None
) -> list[ReviewDecision]:
    """Return decisions, all or those of documents or of a kind, in the order in which they were made.

    One that is torn is absent.
    """
    r = review_decisions.c
    query = select(review_decisions).order_by(r.seq)
    if document_ids is not None:
        query = query.where(within(r.document_id, document_ids))
    if kind is not None:
        query = query.where(r.kind == kind)
    return [decision for row in connection.execute(query) if (decision := _decision_of(row))]


def add_decisions(connection: Connection, decisions: Sequence[ReviewDecision]) -> None:
    """See `ReviewLog.add`."""
    known = set(read_decisions(connection, {one.document_id for one in decisions}))
    rows = [
        (
            None,
            one.document_id,
            one.item_id.partition("-")[0],
            one.item_id,
            one.verdict,
            one.by,
            one.decided_at,
            _words_as_json(one.words),
            _words_as_json(one.edit),
        )  # fmt: skip
        for one in dict.fromkeys(decisions)
        if one not in known
    ]
    insert_rows(connection, review_decisions, rows)


def forget_decisions(connection: Connection, document_ids: Collection[str]) -> None:
    """Let go of the decisions about documents that go."""
    connection.execute(delete(review_decisions).where(within(review_decisions.c.document_id, document_ids)))


def _words_as_json(words: Sequence[str]) -> str:
    return json.dumps(words, ensure_ascii=False)


def _decision_of(row: AnyRow) -> ReviewDecision | None:
    try:
        words, edit = (tuple(map(str, cast("list[object]", json.loads(text)))) for text in (row.words, row.edit))
    except (TypeError, ValueError):
        return None
    if row.verdict not in VERDICTS:
        return None
    return ReviewDecision(row.item_id, row.verdict, row.by, row.decided_at, words, edit)
