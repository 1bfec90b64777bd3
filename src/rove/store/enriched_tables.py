"""The catalog's tables of what enrichers have found in documents and people have set, in SQLAlchemy Core."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Column, ForeignKey, Integer, LargeBinary, Table

from rove.store.tables import metadata
from rove.store.text_values import String, Text


def _triplet_columns() -> tuple[Column[Any], ...]:
    return (
        Column("seq", Integer, primary_key=True),
        Column("document", Integer, ForeignKey("documents.seq", ondelete="CASCADE"), nullable=False, index=True),
        Column("chunk_id", String, nullable=False, index=True),
        Column("start", Integer, nullable=False),
        Column("end", Integer, nullable=False),
        Column("subject", Text, nullable=False),
        Column("predicate", Text, nullable=False),
        Column("object", Text, nullable=False),
        Column("subject_key", String, nullable=False, index=True),
        Column("object_key", String, nullable=False, index=True),
    )


triplets = Table(
    "triplets",
    metadata,
    *_triplet_columns(),
    Column("memory_id", String, ForeignKey("memory_facts.memory_id", ondelete="CASCADE"), index=True),
    sqlite_autoincrement=True,
)
"""Who does what to whom, as spans of documents say it. They go with that version of the document.

`memory_id`: of the fact that a walk has learned, with which it goes; NULL for what was found in the document itself. No
row number comes twice, so that who follows the table never takes a row for another."""

withheld_triplets = Table("withheld_triplets", metadata, *_triplet_columns(), Column("stand_in", Integer))
"""Triplets that a person has rejected or edited, as they were found: see `store.reviewed_triplets`.

`stand_in`: the row of `triplets` that stands in the place of an edited one; NULL of a rejected one."""

graphed = Table(
    "graphed",
    metadata,
    Column("document", Integer, ForeignKey("documents.seq", ondelete="CASCADE"), primary_key=True),
    Column("by", String, nullable=False),
)
"""The documents whose triplets have been found, and what has found them."""

summaries = Table(
    "summaries",
    metadata,
    Column("seq", Integer, primary_key=True),
    Column("document", Integer, ForeignKey("documents.seq", ondelete="CASCADE"), nullable=False, index=True),
    Column("start", Integer, nullable=False),
    Column("end", Integer, nullable=False),
    Column("headings", Text, nullable=False),
    Column("sentences", Text, nullable=False),
    Column("by", String, nullable=False),
    Column("vector", LargeBinary, nullable=False),
    sqlite_autoincrement=True,
)
"""What documents and their sections say in few sentences. They go with that version of the document.

Each document in which an enricher has looked has one of all of it first, if without a sentence. `headings`: those that
lead to the section; `sentences`: each with the spans that it is made from; both as JSON. `vector`: of the sentences."""

theme_sentences = Table(
    "theme_sentences",
    metadata,
    Column("seq", Integer, primary_key=True),
    Column("key", String, nullable=False, index=True),
    Column("total", Integer, nullable=False),
    Column("document", Integer, ForeignKey("documents.seq", ondelete="CASCADE"), nullable=False, index=True),
    Column("chunk_id", String, nullable=False),
    Column("start", Integer, nullable=False),
    Column("end", Integer, nullable=False),
    Column("text", Text, nullable=False),
)
"""What a chat model has written of themes, sentence by sentence; each goes with the document that holds it.

`key` hashes the passages and the model; `total`: sentences of that theme, without all of which it is written anew;
`start`, `end`: the words of the chunk that hold the sentence."""

corrections = Table(
    "corrections",
    metadata,
    Column("seq", Integer, primary_key=True),
    Column("document_id", String, nullable=False, index=True),
    Column("start", Integer, nullable=False),
    Column("before", Text, nullable=False),
    Column("after", Text, nullable=False),
    Column("by", String, nullable=False),
    Column("made_at", String, nullable=False),
)
"""What people have corrected in documents, in the order in which they did: see `records.correction`."""

set_fields = Table(
    "set_fields",
    metadata,
    Column("document_id", String, primary_key=True),
    Column("fields", Text, nullable=False),
)
"""What people have set of documents, as JSON; it stays when another version of one comes. See `store.set_fields`."""

review_decisions = Table(
    "review_decisions",
    metadata,
    Column("seq", Integer, primary_key=True),
    Column("document_id", String, nullable=False, index=True),
    Column("kind", String, nullable=False, index=True),
    Column("item_id", String, nullable=False),
    Column("verdict", String, nullable=False),
    Column("by", String, nullable=False),
    Column("decided_at", String, nullable=False),
    Column("words", Text, nullable=False),
    Column("edit", Text, nullable=False),
)
"""What people have decided in review, in the order in which they did: see `records.reviewed`.

`words` and `edit` are lists, as JSON."""

moved_sources = Table(
    "moved_sources",
    metadata,
    Column("source", String, primary_key=True),
    Column("first_source", String, nullable=False, index=True),
)
"""Sources that have another name than the ids of their documents are made from: see `store.moved_sources`."""
