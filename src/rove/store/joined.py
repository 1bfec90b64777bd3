"""Several bases read as one: found by one ranking, as if their documents were in one base.

What is written goes to the first base. A document that is in two is read from the one that is named first.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from threading import Lock
from typing import TypeVar

from sqlalchemy import select

from rove.errors import ConfigError
from rove.records import Chunk, Document, DocumentInfo, Filter, field
from rove.settings import Address
from rove.store import IndexRow, Vector, tables
from rove.store.catalog import Catalog
from rove.store.catalog_view import Along
from rove.store.document_query import DocumentQuery
from rove.store.documents import Documents
from rove.store.follower import Follower
from rove.store.home import Home, home_of
from rove.store.joined_summaries import JoinedSummaries
from rove.store.live_chunks import ChunkNames, Found
from rove.store.memory_index import MemoryIndex
from rove.store.resident import Resident
from rove.store.shallow import Depth, ShallowChunk, StandInNote
from rove.store.summaries import SummaryIndex

Value = TypeVar("Value")


def join_stores(first: Catalog, own: Home, places: Sequence[Path | Address], model: str) -> Documents:
    """Return what is read where these further bases are read with the first, in `own`; that alone, without them.

    Raises:
        ConfigError: there is no base in one of the places, it was made with another embedder, or is named twice.
    """
    homes = [home_of(place) for place in places]
    folders = [home.folder.resolve() for home in (own, *homes)]
    if twice := next((home for home in homes if folders.count(home.folder.resolve()) > 1), None):
        message = f"{twice} is named twice: it is the same base."
        raise ConfigError(message, cure="Name each base once.")
    others: list[Catalog] = []
    try:
        for home in homes:
            home.check_there()
            others.append(Catalog(home.dialect()))
            others[-1].check_model(home, model)
            others[-1].dimension = first.dimension
    except BaseException:
        for other in others:
            other.close()
        raise
    return JoinedDocuments(first, others) if others else first


class JoinedDocuments(Documents):
    """See `Documents`: the reading half, of several. What is not overridden here is asked of the first alone."""

    def __init__(self, first: Documents, others: Sequence[Documents]) -> None:
        self.database, self.dimension = first.database, first.dimension
        self._first = first
        self._others = tuple(others)
        self._lock = Lock()
        self._shadows: tuple[tuple[int, ...], Sequence[Collection[str]]] = ((), ())

    def close(self) -> None:
        """Close the others: the first belongs to whoever writes to it."""
        for other in self._others:
            other.close()

    @property
    def parts(self) -> Sequence[Documents]:
        """The bases that are read, the first first."""
        return (self._first, *self._others)

    def shadowed(self) -> Sequence[Collection[str]]:
        """See `Documents.shadowed`; looked at once for each state of the bases."""
        with self._lock:
            revisions = tuple(part.revision() for part in self.parts)
            if self._shadows[0] != revisions:
                before, found = set[str](), list[Collection[str]]()
                for ids in map(_live_document_ids, self.parts):
                    found.append(frozenset(before & ids))
                    before |= ids
                self._shadows = (revisions, found)
            return self._shadows[1]

    def removed_from(self, at: int, revision: int) -> list[str] | None:
        """See `Documents.removed_from`: a version of a document can stand in two."""
        removed = self.parts[at].removed_since(revision)
        if not removed or not self.shadowed()[at]:
            return removed
        held = set[str]().union(*(part.living(removed) for part in self.parts[:at]))
        return [chunk_id for chunk_id in removed if chunk_id not in held]

    def part_of(self, document_id: str) -> Documents:
        """The base that a document is read from; the first, where none has it."""
        return next((part for part in self.parts if part.holds([document_id])), self._first)

    # -- the state ---------------------------------------------------------------------------------------------------

    def revision(self) -> int:
        """See `Documents.revision`: it grows as any of them does."""
        return sum(part.revision() for part in self.parts)

    def newest_revision(self) -> int:
        """See `Documents.newest_revision`."""
        return sum(part.newest_revision() for part in self.parts)

    def versions(self) -> Iterator[tuple[DocumentInfo, str]]:
        """See `Documents.versions`."""
        for part, hidden in zip(self.parts, self.shadowed(), strict=True):
            yield from (one for one in part.versions() if one[0].document_id not in hidden)

    # -- by ids: each is asked for what those before it have not -----------------------------------------------------

    def find(self, chunk_ids: Sequence[str], along: Along = "") -> dict[str, Found]:
        """See `LiveChunks.find`."""
        return self._each(chunk_ids, lambda part, ids: part.find(ids, along))

    def find_chunks(self, document_id: str, where: Filter | None) -> list[Found]:
        """See `LiveChunks.find_chunks`."""
        return self.part_of(document_id).find_chunks(document_id, where)

    def living(self, chunk_ids: Collection[str]) -> set[str]:
        """See `LiveChunks.living`."""
        return set[str]().union(*(part.living(chunk_ids) for part in self.parts))

    def terms_of(self, chunk_ids: Sequence[str]) -> dict[str, list[str]]:
        """See `LiveChunks.terms_of`."""
        return self._each(chunk_ids, lambda part, ids: part.terms_of(ids))

    def names_of(self, chunk_ids: Sequence[str]) -> dict[str, ChunkNames]:
        """See `LiveChunks.names_of`."""
        return self._each(chunk_ids, lambda part, ids: part.names_of(ids))

    def chunk_vectors(self, chunk_ids: Sequence[str]) -> dict[str, Vector]:
        """See `LiveChunks.chunk_vectors`."""
        return self._each(chunk_ids, lambda part, ids: part.chunk_vectors(ids))

    def chunk_tokens(self, chunk_ids: Sequence[str]) -> dict[str, bytes]:
        """See `LiveChunks.chunk_tokens`."""
        return self._each(chunk_ids, lambda part, ids: part.chunk_tokens(ids))

    def shallow_of(self, chunk_ids: Collection[str]) -> dict[str, ShallowChunk]:
        """See `ShallowDocuments.shallow_of`."""
        return self._each(chunk_ids, lambda part, ids: part.shallow_of(ids))

    def check_embedder(self) -> None:
        """See `ShallowDocuments.check_embedder`."""
        for part in self.parts:
            part.check_embedder()

    def stand_in(self) -> StandInNote | None:
        """See `ShallowDocuments.stand_in`: of the first base that has one.

        Raises:
            ConfigError: two bases have documents of different ones.
        """
        notes = [note for part in self.parts if (note := part.stand_in()) and part.depth().shallow]
        if models := sorted({note.model for note in notes})[1:]:
            message = f"One base has passages of [{notes[0].model}] yet, another of [{models[-1]}]."
            raise ConfigError(message, cure="Wait for one: rove migrate, or rove add --resume.")
        return notes[0] if notes else None

    def depth(self) -> Depth:
        """See `ShallowDocuments.depth`."""
        each = [part.depth() for part in self.parts]
        return Depth(sum(one.chunks for one in each), sum(one.shallow for one in each))

    def texts(self, document_ids: Collection[str]) -> dict[str, str]:
        """See `Documents.texts`."""
        return self._each(document_ids, lambda part, ids: part.texts(ids))

    def wholes(self, document_ids: Collection[str]) -> dict[str, Document]:
        """See `Documents.wholes`."""
        return self._each(document_ids, lambda part, ids: part.wholes(ids))

    def document(self, document_id: str) -> tuple[Document, list[Chunk]] | None:
        """See `Documents.document`."""
        return self.part_of(document_id).document(document_id)

    def passing(self, document_ids: Sequence[str], where: Filter) -> dict[str, str]:
        """See `Documents.passing`."""
        found: dict[str, str] = {}
        for part, hidden in zip(self.parts, self.shadowed(), strict=True):
            found |= part.passing([one for one in document_ids if one not in hidden], where)
        return found

    def _each(
        self, ids: Collection[str], look: Callable[[Documents, Sequence[str]], Mapping[str, Value]]
    ) -> dict[str, Value]:
        found: dict[str, Value] = {}
        for part in self.parts:
            if missing := [one for one in ids if one not in found]:
                found |= look(part, missing)
        return found

    def documents(self, *, ids: Sequence[str] = (), sources: Sequence[str] = ()) -> list[DocumentInfo]:
        """See `Documents.documents`."""
        found: list[DocumentInfo] = []
        for part, hidden in zip(self.parts, self.shadowed(), strict=True):
            found += [info for info in part.documents(ids=ids, sources=sources) if info.document_id not in hidden]
        return found

    # -- all of them -------------------------------------------------------------------------------------------------

    def find_documents(self, queries: Sequence[DocumentQuery], limit: int | None = None) -> list[list[DocumentInfo]]:
        """See `Documents.find_documents`."""
        found: list[list[DocumentInfo]] = [[] for _ in queries]
        for part, hidden in zip(self.parts, self.shadowed(), strict=True):
            for infos, more in zip(found, part.find_documents(queries, None if hidden else limit), strict=True):
                infos += [info for info in more if info.document_id not in hidden]
        return [infos[:limit] for infos in found]

    def chunk_ids(self, where: Filter | None = None) -> list[str]:
        """See `Documents.chunk_ids`."""
        return list(chain.from_iterable(part.chunk_ids(within) for part, within in self._within(where)))

    def live_texts(self, where: Filter | None = None) -> Iterator[str]:
        """See `Documents.live_texts`."""
        return chain.from_iterable(part.live_texts(within) for part, within in self._within(where))

    def _within(self, where: Filter | None) -> list[tuple[Documents, Filter | None]]:
        """Each part, and the filter without what is not read from it."""
        found: list[tuple[Documents, Filter | None]] = []
        for part, hidden in zip(self.parts, self.shadowed(), strict=True):
            read = ~field("document_id").in_(sorted(hidden)) if hidden else None
            found.append((part, where & read if where is not None and read is not None else where or read))
        return found

    @property
    def summaries(self) -> SummaryIndex:  # pyright: ignore[reportIncompatibleVariableOverride] - of all parts
        """See `Documents.summaries`."""
        return JoinedSummaries(self)


class JoinedResident(Resident):
    """See `Resident`: one index, that follows all bases. The first one's snapshot is what it begins with."""

    def __init__(self, first: Catalog, documents: Documents, make: Callable[[], MemoryIndex], home: Home) -> None:
        super().__init__(first, make, home)
        self._documents = documents
        self._hidden: Sequence[Collection[str]] = ()
        self._beside: list[_Beside] = []

    def _follow(self) -> MemoryIndex:
        self._leave_touched()
        revision = self._documents.revision()
        if revision > self._looked:
            try:
                try:
                    self._catch_up()
                except _LostTrackError:
                    self._start_again()
                    self._catch_up()
            except BaseException:  # what is held now is a part of the bases, and must not be searched
                self._start_again()
                raise
            self._looked = revision
        return self._held.index

    def _catch_up(self) -> None:
        held, hidden = self._held, self._documents.shadowed()
        if hidden != self._hidden or held.index.dead > 1_000 + held.index.live:
            held.start_again()
            self._hidden = hidden
        self._follow_others()
        if not held.revision:
            self._begin()
        held.catch_up()
        if not self._beside or self._beside[0].index is not held.index:
            places = range(1, len(self._documents.parts))
            self._beside = [_Beside(self._documents, at, held.index, hidden[at]) for at in places]
        for beside in self._beside:
            beside.catch_up()


class _LostTrackError(Exception):
    """What was taken away from a base is no longer known."""


class _Beside(Follower):
    """A further base, taken into the index of the first."""

    def __init__(self, documents: Documents, at: int, index: MemoryIndex, hidden: Collection[str]) -> None:
        """`at`: which part. `hidden`: its documents that are not read."""
        self._documents, self._at, self._hidden = documents, at, hidden
        super().__init__(documents.parts[at], lambda: index, Path())

    def catch_up(self) -> None:
        """See `Follower.catch_up`.

        Raises:
            _LostTrackError: all bases have to be read anew.
        """
        if not self._followed():
            raise _LostTrackError

    def _removed(self) -> Collection[str] | None:
        return self._documents.removed_from(self._at, self.revision)

    def _taken(self, rows: Sequence[IndexRow]) -> Sequence[IndexRow]:
        return [row for row in rows if row.fields["document_id"] not in self._hidden] if self._hidden else rows


def _live_document_ids(part: Documents) -> set[str]:
    d = tables.documents.c
    with part.database.read() as connection:
        return set(connection.execute(select(d.document_id).where(d.revision > 0)).scalars())
