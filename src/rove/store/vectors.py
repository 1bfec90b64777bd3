"""Vectors by content: what was embedded once is not embedded again, not even after a crash."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np
from sqlalchemy import Connection, bindparam, delete, func, select, update

from rove.store import Vector, tables
from rove.store.catalog_rows import blob_of, blobs_of, is_whole, read_vectors, slices, usual_length
from rove.store.database import Database, insert_rows
from rove.store.dialect import within


class VectorCache:
    """Vectors in the catalog's database. A key hashes the embedder's fingerprint and the text.

    Of whichever length they are: who compares them knows it.
    """

    def __init__(self, database: Database) -> None:
        self.database = database

    def known(self, keys: Sequence[str]) -> set[str]:
        """Which of these keys have a vector."""
        v = tables.vectors.c
        with self.database.read() as connection:
            return {
                str(key)
                for part in slices(keys)
                for key in connection.execute(select(v.key).where(within(v.key, part))).scalars()
            }

    def get(self, keys: Sequence[str]) -> dict[str, Vector]:
        """The vectors of these keys, (dimension,) float32 each; one that is unknown or damaged is absent."""
        v = tables.vectors.c
        with self.database.read() as connection:
            query = select(v.key, v.vector)
            rows = [row for part in slices(keys) for row in connection.execute(query.where(within(v.key, part)))]
        blobs = [row.vector for row in rows]
        vectors = read_vectors(blobs, usual_length(blobs))
        return {row.key: vector for row, vector in zip(rows, vectors, strict=True) if vector is not None}

    def tokens(self, keys: Sequence[str]) -> dict[str, bytes]:
        """What late interaction compares, of the keys that have it."""
        v, t = tables.vectors.c, tables.tokens.c
        query = select(v.key, t.tokens).join(tables.tokens, t.vector == v.seq)
        with self.database.read() as connection:
            return {
                row.key: row.tokens
                for part in slices(keys)
                for row in connection.execute(query.where(within(v.key, part)))
                if isinstance(row.tokens, bytes)
            }

    def put(self, vectors: Mapping[str, Vector], tokens: Mapping[str, bytes]) -> None:
        """Keep vectors, and the tokens of some of them; see `keep_vectors`."""
        if vectors:
            with self.database.write() as connection:
                keep_vectors(connection, vectors, tokens)


def drop_unused(connection: Connection, vectors: Collection[int]) -> None:
    """Delete those of these vectors that no chunk has."""
    v = tables.vectors.c
    used = select(tables.chunks.c.seq).where(tables.chunks.c.vector == v.seq).exists()
    for some in slices(list(vectors)):
        connection.execute(delete(tables.vectors).where(within(v.seq, some), ~used))


def keep_vectors(connection: Connection, vectors: Mapping[str, Vector], tokens: Mapping[str, bytes]) -> dict[str, int]:
    """Keep vectors and tokens within a transaction; returns the row number of each key.

    A key that is known already keeps its vector, unless that is damaged.
    """
    v = tables.vectors.c
    query = select(v.key, v.seq, v.vector)
    known = [row for part in slices(list(vectors)) for row in connection.execute(query.where(within(v.key, part)))]
    seqs = {str(row.key): int(row.seq) for row in known}
    if damaged := [row for row in known if not is_whole(row.vector, len(vectors[row.key]), zeros=False)]:
        given = [{"row": row.seq, "given": blob_of(vectors[row.key])} for row in damaged]
        changed = update(tables.vectors).where(v.seq == bindparam("row")).values(vector=bindparam("given"))
        connection.execute(changed, given)
    last = int(connection.execute(select(func.max(v.seq))).scalar() or 0)
    fresh = {key: last + i for i, key in enumerate((key for key in vectors if key not in seqs), start=1)}
    if fresh:
        blobs = blobs_of(np.stack([vectors[key] for key in fresh]))
        rows = [(seq, key, blob) for (key, seq), blob in zip(fresh.items(), blobs, strict=True)]
        insert_rows(connection, tables.vectors, rows)
    seqs |= fresh
    insert_rows(connection, tables.tokens, [(seqs[key], blob) for key, blob in tokens.items()], replace=True)
    return seqs
