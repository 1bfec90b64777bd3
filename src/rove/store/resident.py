"""A small base, held in memory beside its index: searched exactly, in well under a millisecond, always up to date."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from threading import Lock

from rove.records import Filter
from rove.store import Scored, Vector
from rove.store.catalog import Catalog
from rove.store.memory_index import MemoryIndex
from rove.store.private import make_private
from rove.store.search_lists import SearchLists
from rove.store.snapshot import drop, read, write
from rove.tracing import stage

KEPT_FROM = 10_000
"""Chunks from which on a base has a snapshot; fewer are read from the catalog in under a second."""
GROWTH = 10
"""A snapshot is written anew once a tenth of the base has changed since."""
MARK = "resident"


class Resident:
    """A `MemoryIndex` that follows the catalog's revision, whichever process moved it. Calls block.

    A process that starts takes the snapshot in `folder`, and what has changed since from the catalog.
    """

    def __init__(
        self, catalog: Catalog, make: Callable[[], MemoryIndex], *, folder: Path, limit: int, read_limit: int
    ) -> None:
        """`make` makes an empty index; up to `limit` chunks are held, up to `read_limit` read from the catalog."""
        self.catalog = catalog
        self.folder = folder
        self.limit = limit
        self.read_limit = read_limit
        self._make = make
        self._index = make()
        self._seen = self._looked = 0
        self._fits = True
        self._lock = Lock()

    def search(
        self, *, terms: Sequence[str] | None, vector: Vector | None, top_k: int, where: Filter | None
    ) -> SearchLists | None:
        """Search what is live now, by terms, by vector, or both. See `Store.search`.

        None when the base is too large to be held.
        """
        with self._lock:
            if not self._follow():
                return None
            ranked: dict[str, list[Scored]] = {}
            nearness: dict[str, float] = {}
            covered = 1.0
            if terms is not None:
                with stage("keyword"):
                    found = ranked["keyword"] = self._index.best_keyword(terms, top_k=top_k, where=where)
                    covered = self._index.coverage(terms, found[0][0]) if found else covered
            if vector is not None:
                with stage("semantic"):
                    found = ranked["semantic"] = self._index.best_semantic(vector, top_k=top_k, where=where)
                    nearness = self._index.nearness(vector, [chunk_id for chunk_id, _ in found], where)
            return SearchLists(ranked, covered, nearness)

    def seen(self, chunk_ids: Collection[str], access_filter: Filter) -> set[str] | None:
        """Return the live chunks that an access filter lets through; None when the base is too large to be held."""
        with self._lock:
            return self._index.seen(chunk_ids, access_filter) if self._follow() else None

    def languages(self, access_filter: Filter) -> list[str] | None:
        """See `Store.languages`. None when the base is too large to be held."""
        with self._lock:
            return self._index.languages(access_filter) if self._follow() else None

    def keep(self, *, anew: bool = False) -> None:
        """Write a snapshot if the last one is far behind, or, with `anew`, in any case. The caller holds the base.

        A disk that is full costs the snapshot only.
        """
        count = self.catalog.count()
        if not KEPT_FROM <= count <= self.limit:
            drop(self.folder)
            return
        behind = read(self.folder, self.catalog.fact(MARK))
        since = behind.revision if behind else 0
        if not anew and behind and GROWTH * self.catalog.count(since=since) < count:
            return
        with self._lock:
            if not self._follow(unbounded=True):
                return
            snapshot = self._index.packed(self._seen)
        try:
            make_private(self.folder)
            mark = write(self.folder, snapshot)
        except OSError:
            drop(self.folder)
        else:
            self.catalog.set_fact(MARK, mark)

    def renew(self) -> None:
        """Take what was deleted out of the snapshot, if there is one; what goes wrong takes the snapshot away."""
        if not self.folder.exists():
            return
        try:
            self.keep(anew=True)
        except Exception:
            drop(self.folder)
            raise

    def _follow(self, *, unbounded: bool = False) -> bool:
        """Take in what has changed; False when the base is too large. `unbounded`: read whatever there is to read."""
        revision = self.catalog.revision()
        if revision == self._looked and (self._fits or not unbounded):
            return self._fits
        if self._index.dead > 1_000 + self._index.live:
            self._start_again()
        self._fits = self.catalog.count() <= self.limit
        if self._fits and not self._seen:
            self._restore()
        if self._fits and not unbounded:
            self._fits = self.catalog.count(since=self._seen) <= self.read_limit
        if not self._fits:
            self._start_again()
            self._looked = revision
            return False
        if not self._catch_up():
            self._start_again()
            self._catch_up()
        return True

    def _restore(self) -> None:
        """Begin with the snapshot, where there is one of this catalog and of this embedder."""
        kept = read(self.folder, self.catalog.fact(MARK))
        if kept and kept.facts["dimension"] == self._index.dimension:
            self._index.restore(kept)
            self._seen = kept.revision

    def _catch_up(self) -> bool:
        """Bring the index to what the catalog holds at one moment; False where it has seen too little to follow."""
        if not self._seen:  # read page by page, so that no reader holds up the log; what moves meanwhile comes below
            self._seen = self.catalog.revision()
            self._take(since=0)
        with self.catalog.database.snapshot():
            removed = self.catalog.removed_since(self._seen)
            if removed is None:
                return False
            self._index.discard(removed)
            self._take(since=self._seen)
            self._seen = self._looked = int(self.catalog.fact("revision") or "0")
        return True

    def _take(self, *, since: int) -> None:
        for rows in self.catalog.index_rows(since=since):
            self._index.extend(rows)

    def _start_again(self) -> None:
        self._index = self._make()
        self._seen = 0
