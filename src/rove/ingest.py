"""The way in, from what was given to what is live: read → load → chunk → enrich → keep, batch by batch.

Memory is bounded by the batch, not by the input: while one batch is embedded, the next is read. Nothing that was
acknowledged is lost by a crash, and running the same `add` again takes up where it stopped.
"""

from __future__ import annotations

import asyncio
import gc
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import monotonic

from rove.enrich.vectors import Embedded, embed
from rove.errors import ServiceError
from rove.events import AddStarted, ChunksEmbedded, Listener, SourceDone
from rove.load import INLINE
from rove.load.discover import Location
from rove.models import Embedder, free_cores
from rove.prepare import Preparer, Recipe
from rove.records import LedgerEntry, Prepared, Report, SourceEnd, content_hash
from rove.sandbox import Limits
from rove.sandbox.pool import Job, Pool
from rove.settings import Settings
from rove.store.store import Store

PIPELINE = "2"
"""Counts up when a loader, a chunker or the analyser changes what comes out of the same bytes."""
BATCH_CHUNKS = 2_048
BATCH_SOURCES = 4_096
BATCH_S = 1.0
MANY_SOURCES = 128
"""Sources of the quick kinds from which on they too are read in other processes, which take 0.3 s to start."""
QUICK = {*INLINE, ""}


@dataclass(slots=True)
class Finished:
    """A source that has been read to its end, or has failed.

    `document_ids`: all that it holds now, so that others that came from it once can go; None where that is not known.
    """

    entry: LedgerEntry
    unchanged: bool = False
    document_ids: set[str] | None = None


@dataclass(slots=True)
class Batch:
    """Documents to be kept together, and the sources that end within them."""

    prepared: list[Prepared] = field(default_factory=list[Prepared])
    finished: list[Finished] = field(default_factory=list[Finished])
    chunks: int = 0


Item = Prepared | Finished | None
"""What reading gives; None where nothing came for a while."""


def recipe_of(settings: Settings, model: str) -> Recipe:
    """Say how sources are read, by the settings and the embedder's fingerprint."""
    chunk = settings.chunk
    return Recipe(
        model=model,
        pipeline=content_hash(PIPELINE, chunk.model_dump_json(), model),
        max_file_bytes=settings.load.max_file_mb * 1_000_000,
        strategy=dict(chunk.strategy),
        size_chars=chunk.size_chars,
        overlap_chars=chunk.overlap_chars,
        separator=chunk.separator,
        merge=chunk.merge,
    )


def pool_of(settings: Settings, model: str) -> Pool:
    """Make the pool of reading processes; none is started before it is needed."""
    load = settings.load
    limits = Limits(cpu_s=load.max_cpu_s, wall_s=6 * load.max_cpu_s, memory_bytes=load.max_memory_mb * 1_000_000)
    return Pool(recipe_of(settings, model), limits, load.processes or free_cores())


class Ingest:
    """One `add`: `run` as often as there is more, then `finish`."""

    def __init__(self, store: Store, embedder: Embedder, pool: Pool, preparer: Preparer, listener: Listener) -> None:
        self.store = store
        self.embedder = embedder
        self.pool = pool
        self.preparer = preparer
        self.listener = listener
        self._report = Report()
        self._began = monotonic()
        self._broken: dict[str, tuple[str, str]] = {}

    async def run(self, locations: Sequence[Location]) -> None:
        """Take in everything that the locations hold.

        Raises:
            ServiceError: the embedder or the disk failed; what was live before stays, and the ledger says how far each
                source came.
        """
        self.listener(AddStarted(len(locations)))
        await self.store.mend()
        uris = [location.uri for location in locations]
        known = await asyncio.to_thread(self.store.ledger.get, uris)
        await asyncio.to_thread(self.store.ledger.put, [_queued(known.get(uri, LedgerEntry(uri, ""))) for uri in uris])
        items = self._items(locations, known)
        try:
            await self.take(batched(items))
        finally:
            await asyncio.to_thread(items.close)

    async def take(self, batches: Iterator[Batch]) -> None:
        """Keep batch after batch. While one is embedded the next is read, but not while one is written.

        SQLite gives up and takes back the interpreter's lock for every row, which beside a busy thread costs up to
        5 ms each time.
        """
        batch = await asyncio.to_thread(_next, batches)
        while batch is not None:
            reading = asyncio.create_task(asyncio.to_thread(_next, batches))
            try:
                fresh, found = await self._embed(batch.prepared)
            finally:
                await asyncio.wait([reading])
            await self._keep(fresh, found)
            await self._finish(batch.finished)
            batch = await reading

    async def finish(self) -> Report:
        """Bring the index up to date, and say what was done."""
        if self._report.documents:
            await self.store.optimize()
        failed = tuple(sorted(self._report.failed, key=lambda entry: entry.source))
        return replace(self._report, failed=failed, seconds=monotonic() - self._began)

    # -- reading: in a thread, and in other processes --------------------------------------------------------------

    def _items(self, locations: Sequence[Location], known: Mapping[str, LedgerEntry]) -> Generator[Item]:
        """Read the sources: documents as they come, and the ledger's entry of each source after its last."""
        held: dict[str, set[str]] = {}
        chunks = Counter[str]()
        for item in self._read(locations, known):
            if isinstance(item, Prepared):
                held.setdefault(item.ledger_source, set()).add(item.document.document_id)
                chunks[item.ledger_source] += len(item.chunks)
                yield item
            elif item is None:
                yield None
            else:
                document_ids = held.pop(item.source, set[str]())
                yield _finished(item, known.get(item.source), document_ids, chunks.pop(item.source, 0))

    def _read(
        self, locations: Sequence[Location], known: Mapping[str, LedgerEntry]
    ) -> Iterator[Prepared | SourceEnd | None]:
        """Read a few sources of the quick kinds here, and all others in the sandbox."""
        jobs = [(at, _queued(known[at.uri]).fingerprint if at.uri in known else "") for at in locations]
        quick = [at for at in locations if at.kind in QUICK]
        foreign: list[Job] = []
        for job in jobs:
            read = False
            if job[0].kind in QUICK and len(quick) < MANY_SOURCES:
                for item in self.preparer.read(*job, kinds=INLINE):
                    read = True
                    yield item
            if not read:
                foreign.append(job)
        if foreign:
            yield from self.pool.read(foreign)

    # -- keeping --------------------------------------------------------------------------------------------------

    async def _embed(self, prepared: Sequence[Prepared]) -> tuple[list[Prepared], Embedded]:
        """Find out which documents are new, and give their chunks vectors."""
        latest = {p.document.document_id: p for p in prepared}
        live = await asyncio.to_thread(self.store.catalog.fingerprints, list(latest))
        fresh = [p for p in latest.values() if live.get(p.document.document_id) != p.fingerprint]
        texts = {k: c.indexed_text for p in fresh for k, c in zip(p.vector_keys, p.chunks, strict=True)}
        found = await embed(texts, self.embedder, self.store.vectors, self._embedded)
        replaced = sum(p.document.document_id in live for p in fresh)
        self._report = replace(
            self._report,
            replaced=self._report.replaced + replaced,
            embed_seconds=self._report.embed_seconds + found.seconds,
        )
        return [p for p in fresh if not self._refused(p, found.refused)], found

    async def _keep(self, fresh: Sequence[Prepared], found: Embedded) -> None:
        if not fresh:
            return
        await self.store.keep(fresh, found.vectors, found.tokens)
        self._report = replace(
            self._report,
            documents=self._report.documents + len(fresh),
            chunks=self._report.chunks + sum(len(p.chunks) for p in fresh),
        )

    def _refused(self, prepared: Prepared, refused: Mapping[str, ServiceError]) -> bool:
        """Say whether the embedder refused a chunk of this document, and remember why for the ledger."""
        errors = [refused[key] for key in prepared.vector_keys if key in refused]
        if errors:
            reason = f"The embedder refused {len(errors)} chunks of {prepared.document.source}: {errors[0].reason}"
            self._broken[prepared.ledger_source] = (reason, errors[0].cure)
        return bool(errors)

    def _embedded(self, count: int) -> None:
        self.listener(ChunksEmbedded(count))

    async def _finish(self, finished: Sequence[Finished]) -> None:
        """Write the ends of sources into the ledger, and drop documents that a source no longer holds."""
        changed = [done for done in finished if not done.unchanged]
        for done in changed:
            if done.entry.source in self._broken and done.entry.state == "live":
                reason, cure = self._broken[done.entry.source]
                done.entry = replace(done.entry, state="failed", outcome="service", reason=reason, cure=cure)
        live = [done for done in changed if done.entry.state == "live" and done.entry.outcome != "partial"]
        held = {done.entry.source: done.document_ids for done in live if done.document_ids is not None}
        stale = await asyncio.to_thread(self.store.catalog.stale, held)
        if stale:
            await self.store.remove(stale, erase=False)
        await asyncio.to_thread(self.store.ledger.put, [done.entry for done in finished])
        failed = tuple(done.entry for done in changed if done.entry.outcome)
        self._report = replace(
            self._report,
            added=self._report.added + len(live),
            unchanged=self._report.unchanged + len(finished) - len(changed),
            failed=(*self._report.failed, *failed),
        )
        for done in finished:
            self.listener(SourceDone(done.entry, done.unchanged))


def _next(batches: Iterator[Batch]) -> Batch | None:
    """Make the next batch. Its many small records hold no cycles, so looking for cycles among them waits until then."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        return next(batches, None)
    finally:
        if collecting:
            gc.enable()


def _queued(entry: LedgerEntry) -> LedgerEntry:
    """Put a source in the queue. It keeps the fingerprint of what is live of it, if that is live whole."""
    return replace(entry, state="queued", fingerprint=entry.fingerprint if entry.state in {"live", "queued"} else "")


def _finished(end: SourceEnd, known: LedgerEntry | None, document_ids: set[str], chunks: int) -> Finished:
    """Make the ledger's entry for a source that has been read; what came of one that then failed is kept as a part."""
    if end.unchanged and known:
        return Finished(replace(known, state="live"), unchanged=True)
    entry = LedgerEntry(
        end.source,
        "live" if not end.outcome or document_ids else "failed",
        "partial" if end.outcome and document_ids else end.outcome,
        end.reason,
        end.cure,
        attempt=known.attempt + 1 if known and known.state != "live" else 1,
        fingerprint=end.fingerprint,
        documents=len(document_ids),
        chunks=chunks,
        kind=end.kind,
    )
    return Finished(entry, document_ids=document_ids)


def batched(items: Iterable[Item]) -> Iterator[Batch]:
    """Put items into batches that are worth a transaction, and none of which takes long to fill."""
    batch, began = Batch(), monotonic()
    for item in items:
        if isinstance(item, Finished):
            batch.finished.append(item)
        elif item is not None:
            batch.prepared.append(item)
            batch.chunks += len(item.chunks)
        full = batch.chunks >= BATCH_CHUNKS or len(batch.finished) >= BATCH_SOURCES
        late = (batch.prepared or batch.finished) and monotonic() - began > BATCH_S
        if full or late:
            yield batch
            batch, began = Batch(), monotonic()
    if batch.prepared or batch.finished:
        yield batch
