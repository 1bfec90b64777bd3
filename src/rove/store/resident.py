"""A small base, held in memory beside its index: searched exactly, in well under a millisecond, always up to date."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Lock

from rove.records import Filter
from rove.spans import stage
from rove.store import Scored, Vector
from rove.store.catalog import Catalog
from rove.store.lists import Lists
from rove.store.memory import MemoryIndex


class Resident:
    """A `MemoryIndex` that follows the catalog's revision, whichever process moved it. Calls block."""

    def __init__(self, catalog: Catalog, make: Callable[[], MemoryIndex], *, limit: int) -> None:
        """`make` makes an empty index; up to `limit` chunks are held."""
        self.catalog = catalog
        self.limit = limit
        self._make = make
        self._index = make()
        self._seen = self._looked = 0
        self._fits = True
        self._lock = Lock()

    def search(
        self, *, terms: Sequence[str] | None, vector: Vector | None, top_k: int, where: Filter | None
    ) -> Lists | None:
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
                    nearness = self._index.nearness(vector, [chunk_id for chunk_id, _ in found])
            return Lists(ranked, covered, nearness)

    def _follow(self) -> bool:
        """Take in what has changed; False when the base is too large."""
        revision = self.catalog.revision()
        if revision == self._looked:
            return self._fits
        self._fits = self.catalog.count() <= self.limit
        if not self._fits:
            self._start_again()
            self._looked = revision
            return False
        if self._index.dead > 1_000 + self._index.live:
            self._start_again()
        if not self._catch_up():
            self._start_again()
            self._catch_up()
        return True

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
