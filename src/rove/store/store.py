"""Catalog and index as one: a document is in both or in neither, whatever happens in between."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypeVar

import numpy as np
from filelock import FileLock, Timeout
from numpy.typing import NDArray

from rove.errors import ConfigError, RoveError, ServiceError
from rove.records import Filter
from rove.settings import StoreSettings
from rove.store import INDEXES, Index, IndexRow, Scored, Vector
from rove.store.catalog import Catalog, Found, Prepared, rows_of
from rove.store.failpoints import failpoint
from rove.store.ledger import Ledger
from rove.store.resident import Resident
from rove.store.vectors import VectorCache

T = TypeVar("T")
LOCK_TIMEOUT_S = 600.0
OPTIMIZE_EVERY = 64
"""Batches after which the index is tidied while an ingest still runs."""


@dataclass(frozen=True, slots=True)
class Health:
    """What `heal` found and did. Counts are of chunks. `problems` says each thing that was wrong, in words."""

    chunks: int
    missing: int = 0
    extra: int = 0
    twice: int = 0
    published: int = 0
    rebuilt: bool = False
    problems: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """True when nothing had to be healed."""
        return not self.problems


class Store:
    """One knowledge base on disk. Any number of processes may read and write it; commits take turns by a file lock."""

    def __init__(self, folder: Path, *, model: str, dimension: int, settings: StoreSettings) -> None:
        """Open or make the base.

        Raises:
            ConfigError: the base was made with another embedder, or is not a Rove base.
        """
        self.folder = folder
        self.catalog = Catalog(folder)
        self.ledger = Ledger(self.catalog.database)
        self.vectors = VectorCache(self.catalog.database)
        self._check_model(model)
        self._make_index = lambda: INDEXES.get(settings.index)(
            folder=folder / "index", dimension=dimension, k1=settings.k1, b=settings.b
        )
        limit = settings.resident_chunks
        self.resident = Resident(self.catalog, dimension=dimension, k1=settings.k1, b=settings.b, limit=limit)
        self._lock = FileLock(folder / "write.lock", timeout=LOCK_TIMEOUT_S, thread_local=False)
        self._turn = asyncio.Lock()
        self._checked = False
        self._batches = 0
        self._languages: tuple[int, list[str]] = (-1, [])

    @cached_property
    def index(self) -> Index:
        """The index, whose library is not loaded before it is needed: small bases are searched without it."""
        return self._make_index()

    def _check_model(self, model: str) -> None:
        known = self.catalog.fact("embedder")
        if not known:
            self.catalog.set_fact("embedder", model)
        elif known != model:
            self.catalog.close()
            message = f"{self.folder} was made with the embedder [{known}]; this one is [{model}]."
            cure = "Open it with the embedder that made it, or make a new base: rove export OLD | rove import NEW"
            raise ConfigError(message, cure=cure)

    # -- searching -----------------------------------------------------------------------------------------------

    async def search(
        self, *, terms: Sequence[str] | None, vector: Vector | None, top_k: int, where: Filter | None
    ) -> dict[str, list[Scored]]:
        """Search by terms, by vector, or both at once: {"keyword": [(chunk_id, score)…], "semantic": …}."""
        held = await asyncio.to_thread(self.resident.search, terms=terms, vector=vector, top_k=top_k, where=where)
        if held is not None:
            return held
        asked: dict[str, Awaitable[list[Scored]]] = {}
        if terms is not None:
            asked["keyword"] = self.index.keyword(terms, top_k=top_k, where=where)
        if vector is not None:
            asked["semantic"] = self.index.semantic(vector, top_k=top_k, where=where)
        return dict(zip(asked, await asyncio.gather(*asked.values()), strict=True))

    async def languages(self) -> list[str]:
        """The languages of the base, most frequent first."""
        revision = self.catalog.revision()
        if revision != self._languages[0]:
            self._languages = (revision, await asyncio.to_thread(self.catalog.languages))
        return self._languages[1]

    async def find(self, chunk_ids: Sequence[str]) -> dict[str, Found]:
        """Fetch live chunks by id. See `Catalog.find`."""
        return await asyncio.to_thread(self.catalog.find, chunk_ids)

    async def chunk_vectors(self, chunk_ids: Sequence[str]) -> NDArray[np.float32]:
        """The vectors of live chunks: (n, dimension) float32, in the order of the ids."""
        found = await asyncio.to_thread(self.catalog.chunk_vectors, chunk_ids)
        return np.stack([found[chunk_id] for chunk_id in chunk_ids])

    # -- writing -------------------------------------------------------------------------------------------------

    async def keep(self, prepared: Sequence[Prepared], vectors: Mapping[str, Vector], *, fresh: bool) -> None:
        """Make documents live: catalog, index, catalog. `fresh`: none of them has an older version.

        After a crash at any point, `heal` (run by the next writer) finishes what was begun.
        """
        async with self.writing():
            failpoint("before-stage")
            seqs = await asyncio.to_thread(self.catalog.stage, prepared, vectors)
            failpoint("staged")
            await self.index.add(rows_of(prepared, vectors), fresh=fresh)
            failpoint("indexed")
            removed = await asyncio.to_thread(self.catalog.publish, seqs)
            failpoint("published")
            await self._forget(removed)
            self._batches += 1
            if self._batches % OPTIMIZE_EVERY == 0:
                await self.index.optimize()

    def _staged_rows(self, seqs: Sequence[int]) -> list[list[IndexRow]]:
        return list(self.catalog.index_rows(seqs=seqs))

    async def remove(self, document_ids: Sequence[str], *, erase: bool) -> int:
        """Take documents away, from the index too; with `erase` no file holds their bytes afterwards."""
        async with self.writing():
            removed = await asyncio.to_thread(self.catalog.delete, document_ids)
            failpoint("deleted")
            await self._forget(removed)
            if erase and removed:
                await self.index.erase()
                await asyncio.to_thread(self.catalog.database.shrink)
            await asyncio.to_thread(self.ledger.forget_empty)
        return len(removed)

    async def _forget(self, chunk_ids: Sequence[str]) -> None:
        if chunk_ids:
            await self.index.remove(chunk_ids)
            await asyncio.to_thread(self.catalog.forgotten, chunk_ids)

    async def optimize(self) -> None:
        """Bring the index's search structures up to date."""
        async with self.writing():
            await self.index.optimize()

    @asynccontextmanager
    async def writing(self) -> AsyncGenerator[None]:
        """Hold the base for writing; the first time, heal what an interrupted writer left."""
        async with self._turn:
            try:
                await asyncio.to_thread(self._lock.acquire)
            except Timeout as error:
                message = f"Another process has been writing to {self.folder} for {LOCK_TIMEOUT_S:.0f} s."
                raise ServiceError(message, cure="Wait for it, or stop it.") from error
            try:
                await self._heal_once()
                yield
            finally:
                self._lock.release()

    # -- healing -------------------------------------------------------------------------------------------------

    async def _heal_once(self) -> None:
        if not self._checked:
            await self._heal(thorough=False)
            self._checked = True

    async def heal(self) -> Health:
        """Compare catalog and index chunk by chunk, and mend the index from the catalog."""
        async with self._turn:
            await asyncio.to_thread(self._lock.acquire)
            try:
                return await self._heal(thorough=True)
            finally:
                self._lock.release()

    async def _heal(self, *, thorough: bool) -> Health:
        problems: list[str] = []
        staged = await asyncio.to_thread(self.catalog.staged)
        pending = await asyncio.to_thread(self.catalog.unforgotten)
        expected = await asyncio.to_thread(self.catalog.count)
        try:
            if staged:
                problems.append(f"{len(staged)} documents were on their way in when a writer stopped")
                for rows in await asyncio.to_thread(self._staged_rows, staged):
                    await self.index.add(rows)
                pending = [*pending, *await asyncio.to_thread(self.catalog.publish, staged)]
                expected = await asyncio.to_thread(self.catalog.count)
            if pending:
                problems.append(f"{len(pending)} chunks were on their way out when a writer stopped")
                await self._forget(pending)
            held = await self.index.count()
            if not thorough and held == expected:
                return Health(chunks=expected, published=len(staged), problems=tuple(problems))
            missing, extra, twice = await self._compare()
            await self._mend(missing, extra, twice)
        except RoveError as error:
            problems.append(str(error))
            await self.index.rebuild(self._all_rows())
            if staged:
                await asyncio.to_thread(self.catalog.publish, await asyncio.to_thread(self.catalog.staged))
                await self.index.rebuild(self._all_rows())
            return Health(chunks=await self.index.count(), rebuilt=True, problems=tuple(problems))
        for count, words in ((missing, "missing from the index"), (extra, "in the index only"), (twice, "held twice")):
            if count:
                problems.append(f"{len(count)} chunks were {words}")
        return Health(
            chunks=expected,
            missing=len(missing),
            extra=len(extra),
            twice=len(twice),
            published=len(staged),
            problems=tuple(problems),
        )

    async def _compare(self) -> tuple[list[str], list[str], list[str]]:  # three lists of chunk ids: one diff
        wanted = set(await asyncio.to_thread(self.catalog.chunk_ids))
        held = await self.index.chunk_ids()
        seen: set[str] = set()
        twice = [chunk_id for chunk_id in held if chunk_id in seen or seen.add(chunk_id)]
        return sorted(wanted - seen), sorted(seen - wanted), sorted(set(twice) & wanted)

    async def _mend(self, missing: Sequence[str], extra: Sequence[str], twice: Sequence[str]) -> None:
        if extra or twice:
            await self.index.remove([*extra, *twice])
        again = [*missing, *twice]
        if again:
            for rows in await asyncio.to_thread(lambda: list(self.catalog.index_rows(ids=again))):
                await self.index.add(rows)
            await self.index.optimize()

    async def _all_rows(self) -> AsyncIterator[Sequence[IndexRow]]:
        batches = self.catalog.index_rows()
        while (rows := await asyncio.to_thread(_next, batches)) is not None:
            yield rows

    async def close(self) -> None:
        """Close the index and the catalog."""
        if "index" in self.__dict__:
            await self.index.close()
        self.catalog.close()


def _next(batches: Iterator[T]) -> T | None:
    return next(batches, None)
