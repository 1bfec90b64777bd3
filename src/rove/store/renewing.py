"""Vectors that are damaged in the catalog get new ones, made of the texts that they were made of."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from sqlalchemy import Connection, delete, select, update

from rove.records import vector_key
from rove.records.chunk import indexed
from rove.store import Vector, tables
from rove.store.catalog_check import DamagedRow
from rove.store.catalog_rows import AnyRow, slices
from rove.store.database import EMBEDDER, Database, get_fact, next_revision
from rove.store.deepening import give
from rove.store.dialect import within
from rove.store.own_vectors import OwnText, own_vectors, replace_vectors
from rove.store.shallow import is_shallow
from rove.store.vectors import drop_unused

_C, _D = tables.chunks.c, tables.documents.c


@dataclass(frozen=True, slots=True)
class ToEmbed:
    """What damaged vectors were made of: texts of chunks by key, and what hangs on no chunk."""

    chunks: Mapping[str, str] = field(default_factory=dict[str, str])
    own: Collection[OwnText] = ()


def to_embed(database: Database, rows: Sequence[DamagedRow]) -> ToEmbed:
    """Look up what is to be embedded anew. Blocks.

    What the stand-in has made is left to the embedder, which follows: see `rove.store.shallow`.
    """
    seqs = [row.seq for row in rows if row.table == tables.vectors.name]
    others = {(row.table, row.seq) for row in rows if row.table != tables.vectors.name}
    with database.snapshot() as connection:
        texts = {key: indexed(row.prefix, row.text) for row, key in _chunks_with_vector_keys(connection, seqs)}
        own = {one.text for one in own_vectors(connection) if (one.table.name, one.seq) in others} if others else ()
    return ToEmbed(texts, own)


def renew(
    database: Database,
    rows: Sequence[DamagedRow],
    vectors: Mapping[str, Vector],
    tokens: Mapping[str, bytes],
    own: Mapping[OwnText, Vector],
) -> list[int]:
    """Give these rows new vectors, as far as there are any, and drop those that nothing uses. Blocks.

    Returns the row numbers of the documents that this changed: the index has yet to take them over.
    """
    seqs = [row.seq for row in rows if row.table == tables.vectors.name]
    others = {(row.table, row.seq) for row in rows if row.table != tables.vectors.name}
    with database.write() as connection:
        keyed = [(row, key) for row, key in _chunks_with_vector_keys(connection, seqs) if key in vectors]
        give(connection, keyed, vectors, tokens)
        drop_unused(connection, seqs)
        if others:
            held = [one for one in own_vectors(connection) if (one.table.name, one.seq) in others and one.text in own]
            replace_vectors(connection, held, own)
            _forget_unknown(connection, rows)
        documents = sorted({int(row.document) for row, _ in keyed})
        revision = next_revision(connection)
        for part in slices(documents):
            live = within(_D.seq, part), _D.revision > 0
            connection.execute(update(tables.documents).where(*live).values(revision=revision))
    return documents


def _chunks_with_vector_keys(connection: Connection, vectors: Sequence[int]) -> list[tuple[AnyRow, str]]:
    """The chunks that have these vectors, each with the embedder's key; shallow ones are left out."""
    model = get_fact(connection, EMBEDDER)
    query = select(_C.seq, _C.document, _C.prefix, _C.text).where(~is_shallow())
    found = [row for part in slices(vectors) for row in connection.execute(query.where(within(_C.vector, part)))]
    return [(row, vector_key(model, indexed(row.prefix, row.text))) for row in found]


def _forget_unknown(connection: Connection, rows: Sequence[DamagedRow]) -> None:
    """Let go of leads of which nobody knows any more what was asked: their vectors cannot be made again."""
    known = {one.seq for one in own_vectors(connection) if one.table is tables.memory_leads}
    leads = [row.seq for row in rows if row.table == tables.memory_leads.name and row.seq not in known]
    connection.execute(delete(tables.memory_leads).where(within(tables.memory_leads.c.seq, leads)))
