"""Shallow documents: the embedder has not reached them yet, and a quicker one, the stand-in, has made their vectors.

All chunks of a document are shallow, or none. The keys of their vectors name the stand-in; what the embedder has made
of some of them meanwhile stands in `vectors` under its own keys, until the document as a whole is deep.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from sqlalchemy import ColumnElement, Connection, and_, func, not_, select

from rove.records import vector_key
from rove.records.chunk import indexed
from rove.store import tables
from rove.store.catalog_rows import slices
from rove.store.database import EMBEDDER, Database, get_fact, set_fact
from rove.store.dialect import within
from rove.store.lookup import Lookup

STAND_IN = "stand-in"
"""The fact that says which stand-in it is that has made the vectors of shallow documents."""
GROUP_CHUNKS = 512
"""Chunks of the documents that become deep together; a longer one is by itself."""
GROUP_DOCUMENTS = 256
HAS_EMBEDDER = select(tables.facts.c.value).where(tables.facts.c.name == EMBEDDER).scalar_subquery().label("model")
"""The base's embedder, as the statement sees it that reads vectors: see `Database.check_known`."""
_C, _D, _S = tables.chunks.c, tables.documents.c, tables.shallow.c


@dataclass(frozen=True, slots=True)
class StandInNote:
    """What a base knows of its stand-in: the name in `EMBEDDERS`, its fingerprint and its dimension.

    `previous`: it is the embedder that the base had before: see `rove.store.switching`.
    """

    name: str
    model: str
    dimension: int
    previous: bool = False


@dataclass(frozen=True, slots=True)
class Depth:
    """How many live chunks there are, and how many of them have the stand-in's vectors only."""

    chunks: int
    shallow: int

    @property
    def share(self) -> float:
        """The share that is deep, 0 to 1."""
        return 1 - self.shallow / self.chunks if self.chunks else 1.0


@dataclass(frozen=True, slots=True)
class ShallowGroup:
    """Documents to be made deep together: their row numbers, and what is to be embedded, by the embedder's keys."""

    seqs: Sequence[int] = ()
    texts: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class ShallowChunk:
    """A chunk whose vector the embedder has yet to make: the key that it will have, and of which text."""

    key: str
    text: str


def is_shallow(document: ColumnElement[int] = _C.document) -> ColumnElement[bool]:
    """Say that a document, or that of a chunk, has the stand-in's vectors."""
    return select(_S.document).where(_S.document == document, not_(_S.deepened)).exists()


_CHUNKS = Lookup(
    select(_C.chunk_id, _C.prefix, _C.text)
    .join(tables.documents, _D.seq == _C.document)
    .where(_D.revision > 0, is_shallow()),
    _C.chunk_id,
)


class ShallowDocuments:
    """The part of the catalog that reads what is shallow. Calls block for as long as the disk takes."""

    database: Database

    def check_embedder(self) -> None:
        """See `Database.check_embedder`."""
        self.database.check_embedder()

    def stand_in(self) -> StandInNote | None:
        """Which stand-in it is, None where nothing was ever shallow."""
        with self.database.read() as connection:
            return noted_stand_in(connection)

    def depth(self) -> Depth:
        """How far the embedder is."""
        with self.database.read() as connection:
            chunks = connection.execute(select(func.sum(_D.chunks)).where(_D.revision > 0)).scalar()
            return Depth(int(chunks or 0), shallow_chunks(connection))

    def shallow_count(self) -> int:
        """How many live chunks are shallow: quick where few are."""
        with self.database.read() as connection:
            return shallow_chunks(connection)

    def shallow_of(self, chunk_ids: Collection[str]) -> dict[str, ShallowChunk]:
        """Those of these live chunks that are shallow, by their ids."""
        rows = _CHUNKS.rows(self.database, chunk_ids)
        if not rows:
            return {}
        with self.database.read() as connection:
            self.database.check_model(connection)
            model = get_fact(connection, EMBEDDER)
        texts = {row.chunk_id: indexed(row.prefix, row.text) for row in rows}
        return {chunk_id: ShallowChunk(vector_key(model, text), text) for chunk_id, text in texts.items()}

    def next_shallow(self) -> ShallowGroup:
        """The documents that the embedder is to look at next: what was found first, then the latest."""
        query = select(_S.document, _D.chunks).join(tables.documents, _D.seq == _S.document)
        query = query.where(not_(_S.deepened), _D.revision > 0).order_by(_S.asked.desc(), _S.document.desc())
        seqs: list[int] = []
        room = GROUP_CHUNKS
        with self.database.snapshot() as connection:
            self.database.check_model(connection)
            for row in connection.execute(query.limit(GROUP_DOCUMENTS)):
                if seqs and row.chunks > room:
                    break
                seqs.append(int(row.document))
                room -= row.chunks
            model = get_fact(connection, EMBEDDER)
            chunks = select(_C.prefix, _C.text).where(within(_C.document, seqs)).order_by(_C.document, _C.position)
            texts = [indexed(row.prefix, row.text) for row in connection.execute(chunks)] if seqs else []
        return ShallowGroup(seqs, {vector_key(model, text): text for text in texts})

    def deep_count(self) -> int:
        """Number of live chunks that are not shallow: an index beside the catalog holds these."""
        depth = self.depth()
        return depth.chunks - depth.shallow

    def has_shallow(self) -> bool:
        """Whether there is anything that the embedder has yet to reach: quick, however large the base is."""
        query = select(_S.document).join(tables.documents, _D.seq == _S.document)
        with self.database.read() as connection:
            return connection.execute(query.where(not_(_S.deepened), _D.revision > 0).limit(1)).first() is not None

    def shallow_sources(self, sources: Sequence[str]) -> dict[str, int]:
        """How many chunks of these sources are shallow; one that has none is absent."""
        query = select(_D.ledger_source, func.sum(_D.chunks).label("chunks")).where(_D.revision > 0, is_shallow(_D.seq))
        query = query.group_by(_D.ledger_source)
        with self.database.read() as connection:
            return {
                row.ledger_source: int(row.chunks)
                for part in slices(sources)
                for row in connection.execute(query.where(within(_D.ledger_source, part)))
            }

    def deepened(self) -> list[int]:
        """Row numbers of live documents that have become deep, and of which the index has yet to be told."""
        query = select(_S.document).join(tables.documents, _D.seq == _S.document)
        with self.database.read() as connection:
            return list(connection.execute(query.where(_S.deepened, _D.revision > 0)).scalars())


def shallow_chunks(connection: Connection) -> int:
    """Count the live chunks that are shallow."""
    query = select(func.sum(_D.chunks)).join(tables.shallow, and_(_S.document == _D.seq, not_(_S.deepened)))
    return int(connection.execute(query.where(_D.revision > 0)).scalar() or 0)


def noted_stand_in(connection: Connection) -> StandInNote | None:
    """Read which stand-in it is."""
    noted = get_fact(connection, STAND_IN)
    return StandInNote(**json.loads(noted)) if noted else None


def note_stand_in(connection: Connection, note: StandInNote) -> None:
    """Keep which stand-in it is, unless it is known."""
    known = noted_stand_in(connection)
    if known is None or known.model != note.model:
        set_fact(connection, STAND_IN, json.dumps(asdict(note)))


def embedded_meanwhile(connection: Connection, documents: Sequence[int]) -> set[int]:
    """Row numbers of the vectors that the embedder has made of chunks of these documents, as far as they are shallow.

    No chunk has them yet.
    """
    if not connection.execute(select(_S.document).where(within(_S.document, documents)).limit(1)).first():
        return set()
    model, v = get_fact(connection, EMBEDDER), tables.vectors.c
    query: Any = select(_C.prefix, _C.text).where(within(_C.document, documents), is_shallow())
    keys = [vector_key(model, indexed(row.prefix, row.text)) for row in connection.execute(query)]
    return {
        int(seq)
        for part in slices(keys)
        for seq in connection.execute(select(v.seq).where(within(v.key, part))).scalars()
    }
