"""The embedded search: all live chunks, in memory or mapped from a snapshot, always up to date with the catalog."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from threading import Event, Lock, Thread
from typing import TypeVar

from filelock import FileLock

from rove.errors import RoveError, ServiceError
from rove.records import Filter
from rove.records.source import MetaValue
from rove.store import Scored, Vector
from rove.store.catalog import Catalog
from rove.store.failpoints import WRITING_SNAPSHOT, failpoint
from rove.store.follower import SPILL, Follower
from rove.store.home import Home
from rove.store.memory_index import MemoryIndex
from rove.store.presence import RESIDENT
from rove.store.private import file_mode, make_private
from rove.store.search_lists import SearchLists
from rove.store.shallow import Depth
from rove.store.snapshot import (
    Mapped,
    drop,
    drop_before,
    is_of_another_version,
    read_snapshot,
    revision,
    sweep,
    write_snapshot,
)
from rove.store.unfinished import ERASED
from rove.tracing import stage

Value = TypeVar("Value")
KEPT_FROM = 1_000
"""Chunks from which on a base has a snapshot; fewer are read from the catalog in less than a tenth of a second."""
GROWTH = 5
"""While chunks are added, a snapshot is written anew once a fifth of the base is newer than the last one."""
GROWTH_AT_REST = 50
"""At the end of an `add`, once a fiftieth is: so much at most is read from the catalog by a process that starts."""
NOTHING: Mapping[str, Sequence[Scored]] = {}
CHECKED_AFTER_S = 2.0
"""Seconds after which the rest of a large snapshot is checked: a command that searches once has ended by then."""
log = logging.getLogger("rove.store")


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
        self._until_due = 0
        self._tried = 0
        """How many rows were held in memory when a snapshot last could have taken them, and perhaps did not."""
        self._lock = Lock()
        self._rewriting: Thread | None = None
        self._outdated: Mapped | None = None
        """While a snapshot is rewritten: the one before, mapped still, though its files are gone."""
        self._checking: Thread | None = None
        self._closing = Event()

    def search(
        self,
        *,
        terms: Sequence[str] | None,
        vector: Vector | None,
        top_k: int,
        where: Filter | None,
        found: Mapping[str, Sequence[Scored]] = NOTHING,
        first: Vector | None = None,
    ) -> SearchLists:
        """Search by terms, by vector, or both. See `Store.search`.

        `found`: lists that another index has made.
        """
        with self._lock:
            index = self._follow()
            ranked: dict[str, list[Scored]] = {}
            nearness: dict[str, float] = {}
            covered = 1.0
            if terms is not None:
                with stage("keyword"):
                    given = found.get("keyword")
                    best = index.best_keyword(terms, top_k=top_k, where=where) if given is None else index.held(given)
                    ranked["keyword"] = best
                    covered = index.coverage(terms, best[0][0]) if best else covered
            if vector is not None:
                with stage("semantic"):
                    given = found.get("semantic")
                    best = index.best_semantic(vector, top_k=top_k, where=where) if given is None else index.held(given)
                    ranked["semantic"] = best
                    nearness = index.nearness(vector, [chunk_id for chunk_id, _ in best], where)
            shallow: list[Scored] = []
            if first is not None and index.shallow:
                shallow = index.best_shallow(first, top_k=top_k, where=where)
                nearness |= index.nearness(first, [name for name, _ in shallow], where, shallow=True)
            languages = index.languages_of(list(nearness))
            return SearchLists(
                ranked, covered, nearness, languages=languages, shallow=shallow, shallow_chunks=index.shallow
            )

    @property
    def shallow(self) -> int:
        """How many chunks were shallow when something was last looked for."""
        return self._held.index.shallow

    @property
    def damaged(self) -> Mapping[str, Mapping[str, MetaValue]]:
        """See `MemoryIndex.damaged`: what was when something was last looked for."""
        return self._held.index.damaged

    def seen(self, chunk_ids: Collection[str], access_filter: Filter) -> set[str]:
        """Return those of the live chunks that an access filter lets through."""
        return self.look(lambda index: index.seen(chunk_ids, access_filter))

    def look(self, at: Callable[[MemoryIndex], Value]) -> Value:
        """Return what a look at the live chunks gives."""
        with self._lock:
            return at(self._follow())

    def depth(self, access_filter: Filter) -> Depth:
        """See `Store.depth`."""
        return Depth(*self.look(lambda index: index.depth(access_filter)))

    def languages(self, access_filter: Filter | None) -> list[str]:
        """See `Store.languages`."""
        return self.look(lambda index: index.languages(access_filter))

    def count(self) -> int:
        """Number of live chunks."""
        return self.look(lambda index: index.live)

    def grew(self, chunks: int) -> None:
        """Hear that so many chunks were added, and `keep` the snapshot once it is due: only then is it looked at."""
        self._until_due -= chunks
        if self._until_due <= 0:
            self.keep(at_rest=False)

    def keep(self, *, at_rest: bool = True) -> None:
        """Write a snapshot if the last one is too far behind, see `GROWTH_AT_REST`. The caller holds the base.

        A disk that is full costs the snapshot only.
        """
        with self._alone():
            self._keep(at_rest=at_rest)

    def _keep(self, *, at_rest: bool) -> None:
        growth = GROWTH_AT_REST if at_rest else GROWTH
        mark = self.catalog.fact(self._home.mark)
        kept = read_snapshot(self.folder, mark) if at_rest else None
        behind = kept.revision if kept else -1 if at_rest else revision(self.folder, mark)
        serves = self._serves(behind)
        newer = self.catalog.count(since=behind) if serves else 0
        count = kept.rows + newer if kept and serves else self.catalog.count()  # which looks at every document
        if count < KEPT_FROM:
            drop(self.folder)
            self._until_due = KEPT_FROM - count
            return
        newer = newer if serves else count
        if growth * newer >= count:
            self._write()
            newer = 0
        self._until_due = (count - GROWTH * newer) // (GROWTH - 1)

    def _serves(self, kept: int) -> bool:
        """Say of a snapshot's revision whether what was taken away since is known, and none of it was erased."""
        return kept >= self._erased() and self.catalog.removed_since(kept) is not None

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
        if not mark or not self.folder.exists() or is_of_another_version(self.folder, mark):
            return []
        copy = self._follower()
        if not read_snapshot(self.folder, mark, thorough=True) or not copy.restore():
            return ["the snapshot was damaged"]
        copy.catch_up()
        wanted, held = set(self.catalog.chunk_ids()).difference(copy.index.damaged), set(copy.index.ids())
        kinds = ((wanted - held, "missing from the snapshot"), (held - wanted, "in the snapshot only"))
        return [f"{len(ids)} chunks were {words}" for ids, words in kinds if ids]

    def _start_again(self) -> None:
        self._held.start_again()
        self._looked = 0

    def _begin(self) -> None:
        """Begin with the snapshot, if there is one; the rest of a large one is checked later, once."""
        held = self._held
        held.restore(self._outdated)
        if held.begun and held.begun.is_partly_checked and not self._checking:
            self._checking = Thread(target=self._check_rest, args=(held.begun,), name="rove-check", daemon=True)
            self._checking.start()

    def _check_rest(self, begun: Mapped) -> None:
        """Check the rest of a snapshot once the first answers are out; where it is damaged, answer without it."""
        if not self._closing.wait(CHECKED_AFTER_S) and not begun.is_sound(self._closing):
            with self._lock:
                self._drop_damaged(begun)
        self._checking = None

    def _drop_damaged(self, begun: Mapped) -> None:
        """Go on without a snapshot, which the next `add` writes anew. The caller holds the lock."""
        log.info("The snapshot in %s was damaged: it is made anew.", self.folder)
        drop(self.folder / begun.mark)
        if self._held.begun is begun:
            self._start_again()

    def _leave_touched(self) -> None:
        """Go on without a snapshot that another program has cut or written to while it was mapped."""
        begun = self._held.begun
        if begun and not begun.is_untouched():
            self._drop_damaged(begun)

    def close(self) -> None:
        """Let go of what is held, once a snapshot that is being rewritten is there."""
        self._closing.set()
        with self._lock:
            rewriting, checking = self._rewriting, self._checking
        for thread in filter(None, (rewriting, checking)):
            thread.join()
        self._closing.clear()
        with self._lock:
            self._start_again()

    def _follower(self, *, spills: bool = False) -> Follower:
        return Follower(self.catalog, self._make, self.folder, self._home.mark, spills=spills)

    def _follow_others(self) -> None:
        """Where other machines write, see that this one's snapshot is near, and holds nothing that they have erased."""
        held = self._held
        if not self._home.is_shared or self._rewriting:
            return
        added = held.index.added
        if added - self._tried > SPILL and GROWTH * added >= held.index.live:
            self._tried = added
            self.keep(at_rest=False)
        elif not held.revision:
            self.keep(at_rest=False)
            held.start_again()
        else:
            self._let_go_erased()

    def _let_go_erased(self) -> None:
        """Take a snapshot that holds what was erased off the disk, and have it rewritten while searches go on.

        Until then they are answered by what is mapped, less what was taken away; then they go on from the new one.
        """
        begun, erased, mark = self._held.begun, self._erased(), self.catalog.fact(self._home.mark)
        kept = revision(self.folder, mark)
        if not 0 <= kept < erased and (not begun or self._serves(begun.revision)):
            return
        if self._serves(kept) or not self.folder.is_dir():  # it was rewritten; or that failed, or it is not worth it
            self._held.start_again()
            return
        self._outdated = begun or read_snapshot(self.folder, mark)
        drop_before(self.folder, erased)
        self._rewriting = Thread(target=self._rewrite, name="rove-snapshot")
        self._rewriting.start()

    def _rewrite(self) -> None:
        try:
            self.keep(at_rest=False)
        except RoveError:
            pass  # the database cannot be reached: the next look begins anew
        except BaseException:
            drop(self.folder)
            raise
        finally:
            with self._lock:
                self._rewriting = self._outdated = None
                self._looked = 0

    def _is_behind(self) -> bool:
        """Say whether much is held in memory that a newer snapshot has on the disk."""
        if self._held.index.added <= SPILL:
            return False
        mark = self.catalog.fact(self._home.mark)
        return bool(mark) and (not self._held.begun or self._held.begun.mark != mark)

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
        """Write a snapshot of the catalog as it is, from a copy of its own, so that searches go on meanwhile.

        Raises:
            ConfigError: the catalog has lost rows.
        """
        self.catalog.database.check_rows()
        try:
            make_private(self.folder)
            copy = self._follower(spills=True)
            copy.restore(self._outdated, thorough=True)  # what is written anew has checksums of its own
            copy.catch_up()
            mark = write_snapshot(self.folder, copy.index.packed(copy.revision), source=copy.begun)
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
        self._leave_touched()
        revision = self.catalog.revision()
        if revision > self._looked:
            held = self._held
            self._follow_others()
            if held.index.dead > 1_000 + held.index.live or self._is_behind():
                held.start_again()
            begins = not held.revision
            if begins:
                self._begin()
            held.catch_up()
            self._tried = held.index.added if begins else self._tried
            self._looked = revision  # what was erased since is held no more, but is in the snapshot: look once again
        return self._held.index
