"""Follows the catalog: what an index in memory held at one revision is brought up to the next."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from threading import Event

from rove.store import IndexRow
from rove.store.documents import Documents
from rove.store.memory_index import MemoryIndex
from rove.store.snapshot import Mapped, read_snapshot, sweep, write_snapshot

SPILL = 131_072
"""Chunks newer than its snapshot that a process holds in memory; with more, it goes on from a newer snapshot."""
SPILL_SHARE = 8
"""Of a large base it may be one in so many of all: each move to the disk writes all of them."""


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

    def restore(self, before: Mapped | None = None, *, thorough: bool = False) -> bool:
        """Begin with the snapshot; False where there is none of this catalog by this embedder.

        `before`: what to begin with where there is none on the disk. `thorough`: see `snapshot.read`.
        """
        looks = range(2)  # it may be replaced between the two
        found = (read_snapshot(self.folder, self.catalog.fact(self._mark), thorough=thorough) for _ in looks)
        kept = next(filter(None, found), before)
        if kept and thorough and kept is before and not kept.is_sound(Event()):
            kept = None
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
        with self.catalog.database.snapshot() as connection:
            self.catalog.database.check_model(connection)
            removed = self._removed()
            if removed is None:
                return False
            self.index.discard(removed)
            self._take(since=self.revision)
            self.revision = int(self.catalog.fact("revision") or "0")
        return True

    def _take(self, *, since: int) -> None:
        for rows in self.catalog.index_rows(since=since, damaged=True):
            self.index.extend(self._taken(rows))
            if self._spills and self.index.added >= max(SPILL, self.index.live // SPILL_SHARE):
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
        mark = write_snapshot(place, self.index.packed(self.revision), source=self.begun)
        sweep(place, mark)
        if kept := read_snapshot(place, mark):
            self._begin(kept)
