"""The writing half of shallow documents: they are kept with the stand-in's vectors, and become deep."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, bindparam, delete, func, insert, not_, select, update

from rove.errors import RoveError
from rove.records import vector_key
from rove.records.chunk import indexed
from rove.records.ledger import LostChunk
from rove.store import Vector, tables
from rove.store.catalog_rows import AnyRow, slices
from rove.store.database import EMBEDDER, Database, get_fact, insert_rows, next_revision
from rove.store.dialect import within
from rove.store.refusals import reason_of
from rove.store.shallow import StandInNote, note_stand_in
from rove.store.vectors import drop_unused, keep_vectors

_C, _D, _S = tables.chunks.c, tables.documents.c, tables.shallow.c


class Deepening:
    """The part of the catalog that writes what is shallow. Each call is one durable transaction."""

    database: Database

    def deepen(
        self,
        seqs: Sequence[int],
        vectors: Mapping[str, Vector],
        tokens: Mapping[str, bytes],
        refused: Mapping[str, RoveError],
    ) -> tuple[list[int], list[LostChunk]]:
        """Give shallow documents the embedder's vectors, by its keys; what it refused is taken away, by key too.

        Returns the documents that this changed, of which the index has yet to be told, and the chunks that are lost.
        One that has gone meanwhile, or has chunks that are in neither mapping, is left as it is.
        """
        query = select(_C.seq, _C.chunk_id, _C.document, _C.prefix, _C.text, _C.start, _C.end, _C.vector)
        query = query.add_columns(_D.ledger_source, _D.document_id).join(tables.documents, _D.seq == _C.document)
        query = query.join(tables.shallow, _S.document == _D.seq)
        with self.database.write() as connection:
            model = get_fact(connection, EMBEDDER)
            found = connection.execute(query.where(within(_S.document, seqs), not_(_S.deepened), _D.revision > 0))
            keyed = [(row, vector_key(model, indexed(row.prefix, row.text))) for row in found]
            missing = {row.document for row, key in keyed if key not in vectors and key not in refused}
            keyed = [(row, key) for row, key in keyed if row.document not in missing]
            documents = sorted({row.document for row, _ in keyed})
            if not documents:
                _drop_strays(connection, vectors)
                return [], []
            revision = next_revision(connection)
            give(connection, [(row, key) for row, key in keyed if key not in refused], vectors, tokens)
            lost = _let_go(connection, [(row, refused[key]) for row, key in keyed if key in refused], revision)
            drop_unused(connection, {row.vector for row, _ in keyed})
            _drop_strays(connection, vectors)
            connection.execute(update(tables.shallow).where(within(_S.document, documents)).values(deepened=True))
            connection.execute(update(tables.documents).where(within(_D.seq, documents)).values(revision=revision))
            empty = select(_D.seq).where(within(_D.seq, documents), _D.chunks == 0)
            self._remove(connection, list(connection.execute(empty).scalars()), revision)
        return documents, lost

    def told(self, seqs: Sequence[int]) -> None:
        """Note that the index has what has become deep."""
        with self.database.write() as connection:
            for part in slices(seqs):
                connection.execute(delete(tables.shallow).where(within(_S.document, part), _S.deepened))

    def keep_judged(self, keys: Mapping[str, str], vectors: Mapping[str, Vector], tokens: Mapping[str, bytes]) -> None:
        """Keep what the embedder has made of shallow chunks that were found; their documents are to be next.

        Args:
            keys: chunk id → the embedder's key of its text.
            vectors: by key.
            tokens: by key.
        """
        query = select(_C.chunk_id, _C.document).join(tables.shallow, _S.document == _C.document)
        with self.database.write() as connection:
            found = connection.execute(query.where(within(_C.chunk_id, list(keys)), not_(_S.deepened))).all()
            held = {keys[row.chunk_id] for row in found} & vectors.keys()
            if held:
                own = {key: tokens[key] for key in held if key in tokens}
                keep_vectors(connection, {key: vectors[key] for key in held}, own)
            asked = within(_S.document, sorted({row.document for row in found}))
            connection.execute(update(tables.shallow).where(asked).values(asked=_S.asked + 1))

    def _remove(self, connection: Connection, seqs: Sequence[int], revision: int) -> list[str]:
        """Delete documents; see `Catalog`."""
        raise NotImplementedError


def keep_shallow(connection: Connection, seqs: Sequence[int], note: StandInNote) -> None:
    """Note that these documents have the vectors of this stand-in."""
    insert_rows(connection, tables.shallow, [(seq, 0, False) for seq in seqs])
    note_stand_in(connection, note)


def give(
    connection: Connection,
    keyed: Sequence[tuple[AnyRow, str]],
    vectors: Mapping[str, Vector],
    tokens: Mapping[str, bytes],
) -> None:
    """Let chunks have the vectors of these keys."""
    keys = {key for _, key in keyed}
    own = {key: tokens[key] for key in keys if key in tokens}
    seqs = keep_vectors(connection, {key: vectors[key] for key in keys}, own)
    given = [{"chunk": row.seq, "given": seqs[key]} for row, key in keyed]
    if given:
        changed = update(tables.chunks).where(_C.seq == bindparam("chunk")).values(vector=bindparam("given"))
        connection.execute(changed, given)


def _drop_strays(connection: Connection, vectors: Mapping[str, Vector]) -> None:
    """Delete what was kept while it was made, of documents that have gone meanwhile, and are not shallow any more."""
    v = tables.vectors.c
    seqs = [
        seq
        for part in slices(list(vectors))
        for seq in connection.execute(select(v.seq).where(within(v.key, part))).scalars()
    ]
    drop_unused(connection, seqs)


def _let_go(connection: Connection, refused: Sequence[tuple[AnyRow, RoveError]], revision: int) -> list[LostChunk]:
    """Take chunks away from live documents, which lose their fingerprint: they are read anew when added again."""
    if not refused:
        return []
    connection.execute(delete(tables.chunks).where(within(_C.seq, [row.seq for row, _ in refused])))
    gone = [{"chunk_id": row.chunk_id, "revision": revision, "pending": True} for row, _ in refused]
    connection.execute(insert(tables.removals), gone)
    documents = list({row.document for row, _ in refused})
    counted: Any = select(func.count()).where(_C.document == _D.seq).scalar_subquery()
    touched = update(tables.documents).where(within(_D.seq, documents)).values(chunks=counted, fingerprint="")
    connection.execute(touched)
    empty = select(_D.seq).where(within(_D.seq, documents), _D.chunks == 0)
    none_left = set(connection.execute(empty).scalars())
    return [
        LostChunk(
            row.ledger_source,
            row.document_id,
            (row.start, row.end),
            f"The embedder refused it: {reason_of(error)}",
            error.cure,
            whole=row.document in none_left,
        )
        for row, error in refused
    ]
