"""One `add`: sources are read, embedded and kept, batch by batch.

Memory is bounded by the batch, not by the input: while one batch is embedded, the next is read. Nothing that was
acknowledged is lost by a crash, and running the same `add` again takes up where it stopped.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Container, Generator, Iterator, Mapping, Sequence
from contextvars import copy_context
from dataclasses import replace
from threading import Event as Flag
from time import monotonic
from typing import TypeVar

from rove.chunk import ChunkModels
from rove.enrich.vectors import Embedded, embed
from rove.events import (
    AddStarted,
    ChunksCut,
    ChunksEmbedded,
    Listener,
    Noted,
    PageReached,
    SourceDone,
    SourcesAt,
    Stage,
)
from rove.ingest.batch import Batch, FinishedSource, Item, batched, ledger_entry, next_batch, queued, size_of
from rove.ingest.corrected import with_corrections
from rove.ingest.deduplicate import Deduplicator
from rove.ingest.held import HeldIds
from rove.ingest.kept_ids import with_kept_id
from rove.ingest.model_cutting import cut_deferred
from rove.ingest.outdated import note_outdated
from rove.ingest.readers import Readers
from rove.ingest.refused_chunks import without_refused
from rove.ingest.remote import Fetched
from rove.ingest.report_builder import ReportBuilder
from rove.ingest.two_speeds import deepen_all, keep_first
from rove.ingest.workers import Ready, ShardTaken
from rove.load import INLINE
from rove.load.discover import DATABASE, DATABASE_SCHEMA, Location
from rove.load.folder_files import LeftOut
from rove.models import Embedder
from rove.models.cache import remembering
from rove.prepare import Preparer
from rove.records import LedgerEntry, PageRead, Prepared, Report, SourceEnd
from rove.records.ledger import LostChunk, without
from rove.sandbox.pool import Job
from rove.store.failpoints import FINISHED, failpoint
from rove.store.moved_sources import MovedSources
from rove.store.shallow import StandInNote
from rove.store.store import Store
from rove.tracing import stage

T = TypeVar("T")
MANY_SOURCES = 128
"""Sources of the quick kinds from which on they too are read in other processes, which take 0.3 s to start."""
EMBEDDER = "embedder"
"""What a report calls the source of a remark on the embedder."""
CUT_SHORT = {"partial", "too-slow", "too-large", "service"}
"""Outcomes after which a source may be read again, and what OCR said of it is of use."""
LEFT_OUT = ("failed", "duplicate")
QUICK = {*INLINE, "", DATABASE, DATABASE_SCHEMA}


class Ingest:
    """One `add`: `run` and `take_pages` as often as there is more, then `finish`."""

    def __init__(
        self,
        store: Store,
        models: ChunkModels,
        readers: Readers,
        deduplicator: Deduplicator,
        listener: Listener,
        first: tuple[Embedder, StandInNote] | None = None,
    ) -> None:
        """`first`: the stand-in, which reaches all before the embedder does: see `rove.ingest.two_speeds`."""
        self.store = store
        self.models = models
        self.readers = readers
        self.preparer = Preparer(readers.recipe)
        self.deduplicator = deduplicator
        self.listener = listener
        self.first = first
        self.report = ReportBuilder()
        self.left_out = LeftOut(store.folder)
        self._began = monotonic()
        self._loop = asyncio.get_running_loop()
        self._lost: dict[str, list[LostChunk]] = {}
        self._stopped = Flag()

    async def run(self, locations: Sequence[Location]) -> None:
        """Take in everything that the locations hold.

        Raises:
            ServiceError: the embedder or the disk failed; what was live before stays, and the ledger says how far each
                source came.
        """
        self.listener(AddStarted(len(locations), await asyncio.to_thread(size_of, locations)))
        await self._run(locations)

    async def take_pages(self, pages: AsyncIterator[Fetched], expected: int = 0) -> None:
        """Take in pages as they are fetched; the ledger has each from when it is there. Raises as `run` does."""
        self.listener(AddStarted(expected))
        async for some in pages:
            self.listener(AddStarted(0 if expected else len(some)))
            await self._run(some)

    async def _run(self, sources: Sequence[Location | SourceEnd]) -> None:
        locations = [source for source in sources if isinstance(source, Location)]
        ends = [source for source in sources if isinstance(source, SourceEnd)]
        if not self.readers.for_many(locations):
            quick = sum(at.kind in QUICK for at in locations)
            self.readers.pool.warm(len(locations) - (quick if quick < MANY_SOURCES else 0))
        await self.store.mend()  # the first time this imports the index's library, while those processes start
        uris = [source.uri for source in locations] + [end.source for end in ends]
        known = await asyncio.to_thread(self.store.ledger.get, uris)
        await asyncio.to_thread(self.store.ledger.put, [queued(uri, known.get(uri)) for uri in uris])
        items = self._items(locations, ends, known)
        try:
            await self.take(batched(items))
        finally:
            await asyncio.to_thread(items.close)

    async def take(self, batches: Iterator[Batch]) -> None:
        """Keep batch after batch. While one is embedded the next is read, but not while one is written.

        SQLite gives back the interpreter's lock for every row: beside a busy thread that costs up to 5 ms each time.
        """
        await self._settle_first()
        reading = _start_reading_batch(batches)
        try:
            while (batch := await asyncio.shield(reading)) is not None:
                reading = _start_reading_batch(batches)
                fresh, found = await self._embed(batch)
                await asyncio.wait([reading])
                await self._keep(fresh, found)
                with stage("add.finish", sources=len(batch.finished)):
                    await asyncio.to_thread(self.store.transcripts.put, batch.pages)
                    await self._finish(batch.finished)
                if self.readers.workers and batch.shards:
                    failpoint(FINISHED)
                    await asyncio.to_thread(self.readers.workers.taken, batch.shards)
        except BaseException:
            self._stopped.set()
            await asyncio.wait([reading])  # a thread cannot be cancelled, and holds what is to be closed
            raise

    async def _settle_first(self) -> None:
        """See that what is shallow is all of one stand-in: what another has reached becomes deep before.

        While the base is moved to another embedder, that would be all of it: then the embedder alone takes in the new.
        """
        if self.first:
            known = await asyncio.to_thread(self.store.catalog.stand_in)
            if known and known.model != self.first[1].model:
                if known.previous and (await asyncio.to_thread(self.store.catalog.depth)).shallow:
                    self.first = None
                else:
                    await self._deepen()

    async def _deepen(self) -> None:
        lost = await deepen_all(self.store, self.models.embedder, self.listener)
        if sources := sorted({one.ledger_source for one in lost}):
            self.report.lost(list((await asyncio.to_thread(self.store.ledger.get, sources)).values()))

    async def finish(self, *, deep: bool = True) -> Report:
        """Bring the index up to date, and say what was done; `deep`: once the embedder has reached all."""
        if deep:
            await self._deepen()
        if self.report.documents:
            await self.store.optimize()
        if self.readers.workers:
            await asyncio.to_thread(self.readers.workers.finish)
        embedders = [self.models.embedder, *([self.first[0]] if self.first else [])]
        for one in (note for embedder in embedders for note in remembering(embedder).take_notes()):
            self.listener(Noted(one.text("en"), one))
            self.report.noted(LedgerEntry(EMBEDDER, "live", reason=one.text("en")))
        return self.report.report(monotonic() - self._began, self.left_out)

    # -- reading: in a thread, and in other processes --------------------------------------------------------------

    def _items(
        self, locations: Sequence[Location], ends: Sequence[SourceEnd], known: Mapping[str, LedgerEntry]
    ) -> Generator[Item]:
        """Read the sources: documents as they come, and the ledger's entry of each source after its last."""
        held: dict[str, HeldIds] = {}
        chunks = Counter[str]()
        first = MovedSources(self.store.catalog.database).first_names([at.uri for at in locations])
        for end in ends:
            yield ledger_entry(end, known.get(end.source), HeldIds(), 0)
        for item in self._read(locations, known):
            if self._stopped.is_set():
                return
            if isinstance(item, Prepared | Ready):
                prepared = item.prepared if isinstance(item, Ready) else item
                if prepared.ledger_source in first:
                    prepared = with_kept_id(prepared, first[prepared.ledger_source])
                    item = replace(item, prepared=prepared) if isinstance(item, Ready) else prepared
                held.setdefault(prepared.ledger_source, HeldIds()).add(prepared.document.document_id)
                chunks[prepared.ledger_source] += len(prepared.chunks)
                yield item
            elif isinstance(item, PageRead):
                self._tell(PageReached(item.source, item.page, item.pages))
                yield item
            elif isinstance(item, SourceEnd):
                document_ids = held.pop(item.source, None) or HeldIds()
                yield ledger_entry(item, known.get(item.source), document_ids, chunks.pop(item.source, 0))
            else:
                yield item

    def _read(
        self, locations: Sequence[Location], known: Mapping[str, LedgerEntry]
    ) -> Iterator[Prepared | Ready | PageRead | SourceEnd | ShardTaken | None]:
        """Read a few sources of the quick kinds here, and all others in the sandbox or by workers."""
        jobs = [(at, queued(at.uri, known.get(at.uri)).fingerprint) for at in locations]
        workers = self.readers.for_many(locations)
        few = not workers and sum(at.kind in QUICK for at in locations) < MANY_SOURCES
        foreign: list[Job] = []
        for job in jobs:
            read = False
            if job[0].kind in {DATABASE, DATABASE_SCHEMA} or (few and job[0].kind in QUICK):
                self._reading([job[0].uri])
                for item in self.preparer.read(*job, kinds=INLINE):
                    read = True
                    yield item
            if not read:
                foreign.append(job)
        if foreign:
            transcripts = self.store.transcripts.get([location.uri for location, _ in foreign])
            yield from (workers or self.readers.pool).read(foreign, self._reading, transcripts)

    def _reading(self, sources: Sequence[str]) -> None:
        self._tell(SourcesAt("reading", tuple(sources)))

    def _tell(self, event: SourcesAt | PageReached) -> None:
        """Tell the listener from another thread."""
        self._loop.call_soon_threadsafe(self.listener, event)

    # -- keeping --------------------------------------------------------------------------------------------------

    async def _embed(self, batch: Batch) -> tuple[list[Prepared], Embedded]:
        """Find out which documents are new, and give their chunks vectors."""
        self._at("chunked", batch.prepared)
        latest, said = await with_corrections(self.store, self.preparer, batch.prepared)
        live = await asyncio.to_thread(self.store.catalog.fingerprints, list(latest))
        fresh = [p for p in latest.values() if live.get(p.document.document_id) != p.fingerprint]
        fresh, alike = await asyncio.to_thread(self.deduplicator.sift, fresh)
        with stage("add.cut", documents=len(fresh)):
            fresh, notes = await cut_deferred(fresh, self.models, self.preparer)
        self.report.noticed(alike, notes, said)
        replaced = sum(p.document.document_id in live for p in fresh)
        fresh = await self._keep_first(fresh, batch.made)
        texts = {k: c.indexed_text for p in fresh for k, c in zip(p.vector_keys, p.chunks, strict=True)}
        self.listener(ChunksCut(len(texts)))
        with stage("add.embed", chunks=len(texts)):
            found = await embed(texts, self.models.embedder, self.store.vectors, self._embedded, batch.made)
        self.report.embedded(replaced, found.seconds)
        whole = [without_refused(p, found.refused, self._lost) for p in fresh]
        return [left for left in whole if left.chunks], found

    async def _keep(self, fresh: Sequence[Prepared], found: Embedded) -> None:
        if fresh:
            self._at("embedded", fresh)
            with stage("add.keep", documents=len(fresh)):
                lost = await self.store.keep(fresh, found.vectors, found.tokens)
            self._kept(fresh, lost)

    def _kept(self, fresh: Sequence[Prepared], lost: Sequence[LostChunk]) -> None:
        for one in lost:
            self._lost.setdefault(one.ledger_source, []).append(one)
        self._at("indexed", fresh)
        self.report.kept(fresh, lost)

    async def _keep_first(self, fresh: list[Prepared], made: Embedded) -> list[Prepared]:
        """Let documents be found at once, if there is a stand-in; returns those that are left to the embedder."""
        if not self.first or not fresh:
            return fresh
        with stage("add.first", documents=len(fresh)):
            quick, lost, left = await keep_first(self.store, fresh, *self.first, made.vectors)
        self._embedded(sum(len(item.chunks) for item in quick))
        self._kept(quick, lost)
        return left

    def _at(self, reached: Stage, prepared: Sequence[Prepared]) -> None:
        if prepared:
            self.listener(SourcesAt(reached, tuple(dict.fromkeys(item.ledger_source for item in prepared))))

    def _embedded(self, count: int) -> None:
        self.listener(ChunksEmbedded(count))

    async def _finish(self, ended: Sequence[FinishedSource]) -> None:
        """Write the ends of sources into the ledger, and drop documents that a source no longer holds."""
        for done in ended:
            if not done.unchanged:
                done.entry = self.report.settled(done.entry)
        changed = [done for done in ended if not done.unchanged]
        whole = [done for done in changed if done.entry.state == "live" and not done.entry.outcome]
        held: dict[str, Container[str]] = {
            done.entry.source: done.document_ids for done in whole if done.document_ids is not None
        }
        # what says the same as another by now leaves nothing of its own
        held |= {done.entry.source: () for done in changed if (done.entry.state, done.entry.outcome) == LEFT_OUT}
        for done in changed:
            if done.entry.state == "live" and (lost := self._lost.pop(done.entry.source, [])):
                done.entry = without(done.entry, lost)
        if stale := await asyncio.to_thread(self.store.catalog.stale, held):
            await self.store.remove(stale, erase=False)
        await note_outdated(self.store, ended)
        await asyncio.to_thread(self.store.ledger.put, [done.entry for done in ended])
        settled = [done.entry.source for done in ended if done.entry.outcome not in CUT_SHORT]
        await asyncio.to_thread(self.store.transcripts.drop, settled)
        self.report.ended(ended)
        for done in ended:
            self.listener(SourceDone(done.entry, done.unchanged))


def _start_reading_batch(batches: Iterator[Batch]) -> asyncio.Future[Batch | None]:
    """Read the next batch in a thread. The future is no task, so that a loop that ends does not let go of it."""
    context = copy_context()
    return asyncio.get_running_loop().run_in_executor(None, lambda: context.run(next_batch, batches))
