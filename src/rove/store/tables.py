"""The catalog's tables, in SQLAlchemy Core."""

from __future__ import annotations

from sqlalchemy import (
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
)  # fmt: skip

from rove.store.text_values import String, Text

SCHEMA_VERSION = 6
MIGRATIONS = {
    2: (
        "ALTER TABLE ledger ADD COLUMN kind VARCHAR NOT NULL DEFAULT ''",
        "ALTER TABLE documents ADD COLUMN blocks TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE documents ADD COLUMN signature BLOB",
        "ALTER TABLE texts ADD COLUMN boxes BLOB",
        "ALTER TABLE chunks ADD COLUMN parent TEXT NOT NULL DEFAULT ''",
    ),
    3: ("ALTER TABLE chunks ADD COLUMN names TEXT NOT NULL DEFAULT ''",),
    4: (),  # vectors of 16 bits a number stand beside those of 32, which a Rove that reads version 4 would misread
    5: (),  # rows are counted as they come and go, which a Rove that reads version 5 does not do
}
"""From each older version to the next; new tables are made anyway. New columns stand last, so that both ways agree."""

metadata = MetaData()

facts = Table("facts", metadata, Column("name", String, primary_key=True), Column("value", Text, nullable=False))
"""Facts about the base itself: schema version, embedder fingerprint, revision."""

row_counts = Table(
    "row_counts", metadata, Column("name", String, primary_key=True), Column("rows", Integer, nullable=False)
)
"""How many rows each table has, all but this one: see `rove.store.row_counts`."""

ledger = Table(
    "ledger",
    metadata,
    Column("source", String, primary_key=True),
    Column("state", String, nullable=False, index=True),
    Column("outcome", String, nullable=False, default=""),
    Column("reason", Text, nullable=False, default=""),
    Column("cure", Text, nullable=False, default=""),
    Column("attempt", Integer, nullable=False, default=1),
    Column("fingerprint", String, nullable=False, default=""),
    Column("documents", Integer, nullable=False, default=0),
    Column("chunks", Integer, nullable=False, default=0),
    Column("updated_at", String, nullable=False, default=""),
    Column("kind", String, nullable=False, default=""),
)

documents = Table(
    "documents",
    metadata,
    Column("seq", Integer, primary_key=True),
    Column("document_id", String, nullable=False),
    Column("version", String, nullable=False),
    Column("fingerprint", String, nullable=False),
    Column("ledger_source", String, nullable=False, index=True),
    Column("source", String, nullable=False, index=True),
    Column("kind", String, nullable=False),
    Column("title", Text, nullable=False),
    Column("language", String, nullable=False),
    Column("metadata", Text, nullable=False),
    Column("sections", Text, nullable=False),
    Column("pages", Text, nullable=False),
    Column("chunks", Integer, nullable=False),
    Column("added_at", String, nullable=False),
    Column("revision", Integer, nullable=False, index=True),
    Column("blocks", Text, nullable=False),
    Column("signature", LargeBinary),
    Index("documents_of_id", "document_id", "version"),
)
"""`fingerprint` hashes all that the chunks depend on: the version and how it was cut.

`revision` is 0 for a version that is still on its way into the index; until then the version before it is shown."""

texts = Table(
    "texts",
    metadata,
    Column("document", Integer, ForeignKey("documents.seq"), primary_key=True),
    Column("text", Text, nullable=False),
    Column("boxes", LargeBinary),
)
"""Canonical texts, apart from `documents` so that publishing a version does not write the text again."""

transcripts = Table(
    "transcripts",
    metadata,
    Column("source", String, primary_key=True),
    Column("digest", String, primary_key=True),
    Column("transcript", LargeBinary, nullable=False),
)
"""What OCR has said of pictures of sources that are not read to their end, by the pictures' digests."""

originals = Table(
    "originals",
    metadata,
    Column("document", Integer, ForeignKey("documents.seq", ondelete="CASCADE"), primary_key=True),
    Column("digest", String, nullable=False, index=True),
    Column("kept_bytes", Integer, nullable=False, default=0),
)
"""The files that documents were read from, of those whose pages can be drawn: the SHA-256 of what was read, in hex.

`kept_bytes`: the size of the file where the base keeps it, in `originals/` under that name; 0 where it does not."""

vectors = Table(
    "vectors",
    metadata,
    Column("seq", Integer, primary_key=True),
    Column("key", String, nullable=False, unique=True),
    Column("vector", LargeBinary, nullable=False),
)
"""Vectors by content: the key hashes the embedder's fingerprint and the text. float32, little-endian."""

tokens = Table(
    "tokens",
    metadata,
    Column("vector", Integer, ForeignKey("vectors.seq", ondelete="CASCADE"), primary_key=True),
    Column("tokens", LargeBinary, nullable=False),
)
"""What late interaction compares, in the embedder's own form; apart from `vectors`, which are read many at a time."""

chunks = Table(
    "chunks",
    metadata,
    Column("seq", Integer, primary_key=True),
    Column("chunk_id", String, nullable=False, index=True),
    Column("document", Integer, ForeignKey("documents.seq"), nullable=False, index=True),
    Column("position", Integer, nullable=False),
    Column("start", Integer, nullable=False),
    Column("end", Integer, nullable=False),
    Column("kind", String, nullable=False),
    Column("prefix", Text, nullable=False),
    Column("headings", Text, nullable=False),
    Column("page", Integer),
    Column("language", String, nullable=False),
    Column("text", Text, nullable=False),
    Column("metadata", Text, nullable=False),
    Column("terms", Text, nullable=False),
    Column("vector", Integer, ForeignKey("vectors.seq"), nullable=False, index=True),
    Column("parent", Text, nullable=False),
    Column("names", Text, nullable=False),
)
"""`metadata` holds only what the document's own metadata does not. `names` are the keys of the names in the text,
space-joined, after a space where the text does not open with one.

A chunk id can stand twice for a moment: in the live version of a document and in one that is on its way in.
"""

enrichments = Table(
    "enrichments",
    metadata,
    Column("document", Integer, ForeignKey("documents.seq", ondelete="CASCADE"), primary_key=True),
    Column("fields", Text, nullable=False),
    Column("pending", Boolean, nullable=False, index=True),
)
"""Metadata that was worked out after a document went in; it wins over what the document came with.

Apart from `documents`, so that what came with a document stays as it came. `pending` until the index has it too.
"""

shallow = Table(
    "shallow",
    metadata,
    Column("document", Integer, ForeignKey("documents.seq", ondelete="CASCADE"), primary_key=True),
    Column("asked", Integer, nullable=False),
    Column("deepened", Boolean, nullable=False),
    Index("shallow_in_order", "deepened", "asked", "document"),
)
"""Documents that have the vectors of the stand-in: see `rove.store.shallow`. `asked`: how often they were found.

Those that are `deepened` have the embedder's own, and stand here until the index has these too."""

removals = Table(
    "removals",
    metadata,
    Column("seq", Integer, primary_key=True),
    Column("chunk_id", String, nullable=False),
    Column("revision", Integer, nullable=False, index=True),
    Column("pending", Boolean, nullable=False, index=True),
)
"""Chunks that were taken away: `pending` until the index has forgotten them too."""

walks = Table(
    "walks",
    metadata,
    Column("seq", Integer, primary_key=True),
    Column("walk_id", String, nullable=False, unique=True),
    Column("question", Text, nullable=False),
    Column("mode", String, nullable=False),
    Column("status", String, nullable=False),
    Column("rounds", Integer, nullable=False),
    Column("facts", Integer, nullable=False),
    Column("events", Integer, nullable=False),
    Column("started_at", String, nullable=False),
    Column("updated_at", String, nullable=False),
    Column("forked_from", String, nullable=False),
)
"""Walks, with what a list of them shows; all else is in their events. `status`: see `WalkInfo`."""

walk_events = Table(
    "walk_events",
    metadata,
    Column("walk_id", String, ForeignKey("walks.walk_id", ondelete="CASCADE"), primary_key=True),
    Column("seq", Integer, primary_key=True),
    Column("event", Text, nullable=False),
)
"""The events of walks as JSON, `seq` from 1 without gaps: two writers of one walk cannot both have the next number."""

flow_events = Table(
    "flow_events",
    metadata,
    Column("run_id", String, primary_key=True),
    Column("seq", Integer, primary_key=True),
    Column("at", String, nullable=False),
    Column("event", Text, nullable=False),
)
"""The events of runs of flows as JSON, `seq` from 1 without gaps: two processes cannot both go on with one run."""

memory_facts = Table(
    "memory_facts",
    metadata,
    Column("seq", Integer, primary_key=True),
    Column("memory_id", String, nullable=False, unique=True),
    Column("space", String, nullable=False, index=True),
    Column("document", Integer, ForeignKey("documents.seq", ondelete="CASCADE"), nullable=False, index=True),
    Column("chunk_id", String, nullable=False),
    Column("start", Integer, nullable=False),
    Column("end", Integer, nullable=False),
    Column("page", Integer),
    Column("quote", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("terms", Text, nullable=False),
    Column("vector", LargeBinary, nullable=False),
    Column("relevance", Float, nullable=False),
    Column("next_source", Text, nullable=False),
    Column("expected_info", Text, nullable=False),
    Column("question", Text, nullable=False),
    Column("asked", LargeBinary, nullable=False),
    Column("walk_id", String, nullable=False, index=True),
    Column("used", Boolean, nullable=False),
    Column("stamp", String, nullable=False),
    Column("edited", Boolean, nullable=False),
    Column("created_at", String, nullable=False),
    sqlite_autoincrement=True,
)
"""Facts that walks have found, for later ones. They go with the version of the document that they were read in.

`vector` is that of the text, `asked` that of the question that the walk was asked, `stamp` what it saw: "" where what
is kept of it is not all that it found. No row number comes twice, so that what is held of a row never is another's."""

memory_leads = Table(
    "memory_leads",
    metadata,
    Column("seq", Integer, primary_key=True),
    Column("space", String, nullable=False, index=True),
    Column("document", Integer, ForeignKey("documents.seq", ondelete="CASCADE"), index=True),
    Column("chunk_id", String, nullable=False),
    Column("text", Text, nullable=False),
    Column("kind", String, nullable=False),
    Column("terms", Text, nullable=False),
    Column("outcome", String, nullable=False),
    Column("asked", LargeBinary, nullable=False),
    Column("walk_id", String, nullable=False, index=True),
    Column("created_at", String, nullable=False),
)
"""Leads that walks have followed, and where they ended: "answer", "fact" or "nothing".

`document` is the one whose words gave the lead; NULL where the user gave it."""

memory_walks = Table(
    "memory_walks",
    metadata,
    Column("walk_id", String, primary_key=True),
    Column("where", Text, nullable=False),
)
"""The walks of which something is remembered, and what they could see: their filter, "" for all."""

asked = Table(
    "asked",
    metadata,
    Column("key", String, primary_key=True),
    Column("text", Text, nullable=False),
    Column("language", String, nullable=False),
    Column("count", Integer, nullable=False, index=True),
    Column("last", String, nullable=False),
)
"""Questions that were asked, where the settings allow that they are kept: how often, and when last.

`key`: the text without case, spaces and marks, so that the same question stands once.
"""

kept_questions = Table(
    "kept_questions",
    metadata,
    Column("seq", Integer, primary_key=True),
    Column("key", String, nullable=False, index=True),
    Column("text", Text, nullable=False),
    Column("document", Integer, ForeignKey("documents.seq", ondelete="CASCADE"), nullable=False, index=True),
    Column("start", Integer, nullable=False),
    Column("end", Integer, nullable=False),
    Column("quote", Text, nullable=False),
    Column("created_at", String, nullable=False),
)
"""Questions that people have said a span of a document answers. They go with that version of it. `key`: see `asked`."""

dictionary = Table(
    "dictionary", metadata, Column("word", String, primary_key=True), Column("others", Text, nullable=False)
)
"""The user's own words, each with the other words for it, one a line."""
