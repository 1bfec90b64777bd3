"""The embedded search: all live chunks, in memory or mapped from a snapshot, always up to date with the catalog."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from threading import Lock

from filelock import FileLock

from rove.errors import ServiceError
from rove.records import Filter
from rove.store import IndexRow, Scored, Vector
from rove.store.catalog import Catalog
from rove.store.documents import Documents
from rove.store.failpoints import WRITING_SNAPSHOT, failpoint
from rove.store.home import Home
from rove.store.memory_index import MemoryIndex
from rove.store.presence import RESIDENT
from rove.store.private import file_mode, make_private
from rove.store.search_lists import SearchLists
from rove.store.snapshot import Mapped, drop, read, sweep, write
from rove.store.unfinished import ERASED
from rove.tracing import stage

KEPT_FROM = 1_000
"""Chunks from which on a base has a snapshot; fewer are read from the catalog in less than a tenth of a second."""
GROWTH = 5
"""While chunks are added, a snapshot is written anew once a fifth of the base is newer than the last one."""
GROWTH_AT_REST = 50
"""At the end of an `add`, once a fiftieth is: so much at most is read from the catalog by a process that starts."""
SPILL = 131_072
"""Chunks newer than its snapshot that a process holds in memory; with more, it goes on from a newer snapshot."""


class Follower:
    """A `MemoryIndex` that follows the catalog: it holds what the catalog held at `revision`. Calls block.

    It begins with the snapshot in `folder`, and reads from the catalog what has changed since.
    """

    def __init__(
        self, catalog: Documents, make: Callable[[], MemoryIndex], folder: Path, mark: str = "", *, spills: bool = False
    ) -> None:
        """Follow a catalog, from the snapshot in `folder` that the fact `mark` names.

        `spills`: while much is read from the catalog, move it to `folder` now and then, to use little memory.
        """
        self.catalog = catalog
        self.folder = folder
        self._mark = mark
        self._make = make
        self._spills = spills
        self.start_again()

    def start_again(self) -> None:
        """Drop everything."""
        self.index = self._make()
        self.begun: Mapped | None = None
        self.revision = 0

    def restore(self) -> bool:
        """Begin with the snapshot; False where there is none of this catalog by this embedder."""
        looks = range(2)  # it may be replaced between the two
        found = (read(self.folder, self.catalog.fact(self._mark)) for _ in looks)
        kept = next(filter(None, found), None)
        if not kept or kept.facts["dimension"] != self.index.dimension:
            return False
        self._begin(kept)
        self.revision = kept.revision
        return True

    def _begin(self, kept: Mapped) -> None:
        self.index, self.begun = self._make(), kept
        self.index.restore(kept)

    def catch_up(self) -> None:
        """Take in what has changed in the catalog, as of one moment; hold nothing where it cannot be read."""
        try:
            if not self._followed():  # what was taken away since is no longer known
                self.start_again()
                self._followed()
        except BaseException:  # what is held now is half of the base, and must not be searched
            self.start_again()
            raise

    def _followed(self) -> bool:
        if not self.revision:  # page by page, lest a long read hold up the log; what changes meanwhile is read below
            revision = self.catalog.revision()
            self._take(since=0)
            self.revision = revision
        with self.catalog.database.snapshot():
            removed = self._removed()
            if removed is None:
                return False
            self.index.discard(removed)
            self._take(since=self.revision)
            self.revision = int(self.catalog.fact("revision") or "0")
        return True

    def _take(self, *, since: int) -> None:
        for rows in self.catalog.index_rows(since=since):
            self.index.extend(self._taken(rows))
            if self._spills and self.index.added >= SPILL:
                self._spill()

    def _taken(self, rows: Sequence[IndexRow]) -> Sequence[IndexRow]:
        """Those of new rows that are held."""
        return rows

    def _removed(self) -> Collection[str] | None:
        """Chunks that are no longer held; None where that is not known."""
        return self.catalog.removed_since(self.revision)

    def _spill(self) -> None:
        """Write what is held in memory to the disk, and map it from there."""
        place = self.folder / "spilled"
        mark = write(place, self.index.packed(self.revision), source=self.begun)
        sweep(place, mark)
        if kept := read(place, mark):
            self._begin(kept)


class Resident:
    """All live chunks, whichever process has written them. Calls block, and are carried out one at a time.

    The processes of a machine start from a snapshot in `folder`, and share it: it is mapped, not read.
    """

    def __init__(self, catalog: Catalog, make: Callable[[], MemoryIndex], home: Home) -> None:
        """`make` makes an empty index."""
        self.catalog = catalog
        self.folder = home.folder / RESIDENT
        self._home = home
        self._make = make
        self._held = self._follower()
        self._looked = 0
        self._lock = Lock()

    def search(
        self,
        *,
        terms: Sequence[str] | None,
        vector: Vector | None,
        top_k: int,
        where: Filter | None,
        nearest: Sequence[Scored] | None = None,
    ) -> SearchLists:
        """Search by terms, by vector, or both. See `Store.search`.

        `nearest`: what another index has found by `vector`; None: this one compares the vectors.
        """
        with self._lock:
            index = self._follow()
            ranked: dict[str, list[Scored]] = {}
            nearness: dict[str, float] = {}
            covered = 1.0
            if terms is not None:
                with stage("keyword"):
                    found = ranked["keyword"] = index.best_keyword(terms, top_k=top_k, where=where)
                    covered = index.coverage(terms, found[0][0]) if found else covered
            if vector is not None:
                with stage("semantic"):
                    if nearest is None:
                        found = index.best_semantic(vector, top_k=top_k, where=where)
                    else:
                        found = [scored for scored in nearest if index.holds(scored[0])]
                    ranked["semantic"] = found
                    nearness = index.nearness(vector, [chunk_id for chunk_id, _ in found], where)
            return SearchLists(ranked, covered, nearness)

    def seen(self, chunk_ids: Collection[str], access_filter: Filter) -> set[str]:
        """Return those of the live chunks that an access filter lets through."""
        with self._lock:
            return self._follow().seen(chunk_ids, access_filter)

    def languages(self, access_filter: Filter) -> list[str]:
        """See `Store.languages`."""
        with self._lock:
            return self._follow().languages(access_filter)

    def count(self) -> int:
        """Number of live chunks."""
        with self._lock:
            return self._follow().live

    def keep(self, *, at_rest: bool = True) -> None:
        """Write a snapshot if the last one is too far behind, see `GROWTH_AT_REST`. The caller holds the base.

        A disk that is full costs the snapshot only.
        """
        with self._alone():
            self._keep(at_rest=at_rest)

    def _keep(self, *, at_rest: bool) -> None:
        growth = GROWTH_AT_REST if at_rest else GROWTH
        count = self.catalog.count()
        if count < KEPT_FROM:
            drop(self.folder)
            return
        behind = read(self.folder, self.catalog.fact(self._home.mark))
        if not behind or not self._serves(behind) or growth * self.catalog.count(since=behind.revision) >= count:
            self._write()

    def _serves(self, kept: Mapped) -> bool:
        """Say whether what was taken away since is known, and nothing of it had to leave the disk."""
        return kept.revision >= self._erased() and self.catalog.removed_since(kept.revision) is not None

    def renew(self) -> None:
        """Take what was deleted out of the snapshot, if there is one. Where that fails, the snapshot is removed."""
        if not self.folder.exists():
            return
        with self._alone():
            if self.catalog.count() < KEPT_FROM:
                drop(self.folder)
                return
            try:
                self._write()
            except Exception:
                drop(self.folder)
                raise

    def mend(self) -> list[str]:
        """Read the snapshot through, hold it against the catalog, and write it anew where need be; say what was wrong.

        The caller holds the base.
        """
        problems = self._problems()
        if problems:
            drop(self.folder)
        with self._lock:
            self._start_again()
        self.keep()
        return problems

    def _problems(self) -> list[str]:
        mark = self.catalog.fact(self._home.mark)
        if not mark or not self.folder.exists():
            return []
        copy = self._follower()
        if not read(self.folder, mark, thorough=True) or not copy.restore():
            return ["the snapshot was damaged"]
        copy.catch_up()
        wanted, held = set(self.catalog.chunk_ids()), set(copy.index.ids())
        kinds = ((wanted - held, "missing from the snapshot"), (held - wanted, "in the snapshot only"))
        return [f"{len(ids)} chunks were {words}" for ids, words in kinds if ids]

    def _start_again(self) -> None:
        self._held.start_again()
        self._looked = 0

    def close(self) -> None:
        """Let go of what is held."""
        with self._lock:
            self._start_again()

    def _follower(self, *, spills: bool = False) -> Follower:
        return Follower(self.catalog, self._make, self.folder, self._home.mark, spills=spills)

    def _follow_others(self) -> None:
        """Where other machines write, see that this one's snapshot is near, and holds nothing that they have erased."""
        held = self._held
        if not self._home.is_shared:
            return
        if not held.revision or (held.begun and not self._serves(held.begun)):
            self.keep(at_rest=False)
            held.start_again()

    def _erased(self) -> int:
        """The revision at which documents were last erased."""
        return int(self.catalog.fact(ERASED) or "0")

    def _alone(self) -> AbstractContextManager[object]:
        """Keep other processes of this machine from writing a snapshot; where all writers are here, the base does."""
        if not self._home.is_shared:
            return nullcontext()
        self._home.folder.mkdir(parents=True, exist_ok=True)
        return FileLock(f"{self.folder}.lock", mode=file_mode(self._home.folder))

    def _write(self) -> None:
        """Write a snapshot of the catalog as it is, from a copy of its own, so that searches go on meanwhile."""
        try:
            make_private(self.folder)
            copy = self._follower(spills=True)
            copy.restore()
            copy.catch_up()
            mark = write(self.folder, copy.index.packed(copy.revision), source=copy.begun)
        except OSError:
            drop(self.folder)
            return
        failpoint(WRITING_SNAPSHOT)
        try:
            self.catalog.set_fact(self._home.mark, mark)
        except ServiceError as error:
            if error.retryable:
                raise
            drop(self.folder)  # who may only read has none
        else:
            sweep(self.folder, mark)

    def _follow(self) -> MemoryIndex:
        """Take in what has changed, and return what is searched."""
        revision = self.catalog.revision()
        if revision > self._looked:
            held = self._held
            self._follow_others()
            if held.index.dead > 1_000 + held.index.live or held.index.added > SPILL:
                held.start_again()
            if not held.revision:
                held.restore()
            held.catch_up()
            self._looked = held.revision
        return self._held.index
