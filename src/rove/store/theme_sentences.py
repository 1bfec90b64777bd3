"""What a chat model has written of themes, so that it is asked again only of those whose passages have changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import delete, insert, select

from rove.records import Hit
from rove.records.document import Span
from rove.records.identity import content_hash
from rove.store import tables
from rove.store.database import Database
from rove.store.dialect import within
from rove.store.enriched_tables import theme_sentences

T, D = theme_sentences.c, tables.documents.c
MOST_KEPT = 10_000
"""Sentences; the oldest go first."""


@dataclass(frozen=True, slots=True)
class ThemeSentence:
    """A sentence, and the words of a chunk that hold it, as a span of the chunk's text."""

    text: str
    chunk_id: str
    span: Span


class ThemeSentences:
    """Reads and writes the table `theme_sentences`. Calls block; each write is one durable transaction."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def known(self, model: str, passages: Sequence[Hit]) -> list[ThemeSentence]:
        """Return what this model has written of these passages; nothing where it has not, or not all is left."""
        query = select(theme_sentences).where(T.key == _theme_key(model, passages)).order_by(T.seq)
        with self.database.read() as connection:
            rows = connection.execute(query).all()
        if not rows or len(rows) < rows[0].total:
            return []
        return [ThemeSentence(row.text, row.chunk_id, (row.start, row.end)) for row in rows]

    def keep(self, model: str, passages: Sequence[Hit], sentences: Sequence[ThemeSentence]) -> None:
        """Keep what this model has written of these passages, of which all are live; else nothing is kept."""
        key, owners = _theme_key(model, passages), {hit.chunk.chunk_id: hit.chunk.document_id for hit in passages}
        with self.database.write() as connection:
            live = select(D.document_id, D.seq).where(within(D.document_id, set(owners.values())), D.revision > 0)
            rows = {row.document_id: row.seq for row in connection.execute(live)}
            if not sentences or set(owners.values()) - rows.keys():
                return
            connection.execute(delete(theme_sentences).where(T.key == key))
            given = [
                {
                    "key": key, "total": len(sentences), "document": rows[owners[one.chunk_id]],
                    "chunk_id": one.chunk_id, "start": one.span[0], "end": one.span[1], "text": one.text,
                }
                for one in sentences
            ]  # fmt: skip
            connection.execute(insert(theme_sentences), given)
            oldest = select(T.seq).order_by(T.seq.desc()).limit(1).offset(MOST_KEPT)
            if last := connection.execute(oldest).scalar():
                connection.execute(delete(theme_sentences).where(T.seq <= last))


def _theme_key(model: str, passages: Sequence[Hit]) -> str:
    return content_hash(model, *(hit.chunk.chunk_id for hit in passages))
