"""The way in, from what was given to what is live: read → load → chunk → enrich → keep, batch by batch.

Memory is bounded by the batch, not by the input: while one batch is embedded, the next is read. Nothing that was
acknowledged is lost by a crash, and running the same `add` again takes up where it stopped.
"""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import monotonic

from rove.chunk.cut import cut
from rove.enrich.terms import chunk_terms
from rove.enrich.vectors import Embedded, embed, vector_key
from rove.errors import InputError, ServiceError
from rove.events import AddStarted, ChunksEmbedded, Listener, SourceDone
from rove.language.detect import load_model
from rove.load.discover import Location, load_documents, read
from rove.models import Embedder
from rove.records import Document, LedgerEntry, Report, content_hash
from rove.settings import Settings
from rove.store.catalog import Prepared
from rove.store.store import Store

PIPELINE = "1"
"""Counts up when a loader, a chunker or the analyser changes what comes out of the same bytes."""
BATCH_CHUNKS = 2_048
BATCH_SOURCES = 4_096
BATCH_S = 1.0
MANY_SOURCES = 256
"""Sources from which on the language model is loaded while the first are read."""


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


class Ingest:
    """One `add`: `run` as often as there is more, then `finish`."""

    def __init__(self, store: Store, embedder: Embedder, settings: Settings, listener: Listener) -> None:
        self.store = store
        self.embedder = embedder
        self.settings = settings
        self.listener = listener
        chunk = settings.chunk.model_dump_json()
        self.model = str(embedder.fingerprint)
        self.pipeline = content_hash(PIPELINE, chunk, self.model)
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
        many = len(locations) >= MANY_SOURCES
        loading = [asyncio.create_task(asyncio.to_thread(load_model))] if many else []
        try:
            await self.take(batched(self._items(locations, known)))
        finally:
            await asyncio.gather(*loading)

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
        return replace(self._report, seconds=monotonic() - self._began)

    # -- reading: pure work in a thread ---------------------------------------------------------------------------

    def _items(self, locations: Sequence[Location], known: Mapping[str, LedgerEntry]) -> Iterator[Prepared | Finished]:
        for location in locations:
            yield from self._read(location, known.get(location.uri))

    def _read(self, location: Location, known: LedgerEntry | None) -> Iterator[Prepared | Finished]:
        """Read one source: its documents as they come, and how it ended last."""
        attempt = known.attempt + 1 if known and known.state != "live" else 1
        document_ids: set[str] = set()
        chunks = 0
        fingerprint = ""
        state, outcome, reason, cure = "live", "", "", ""
        try:
            source = read(location, max_bytes=self.settings.load.max_file_mb * 1_000_000)
            described = repr((source.kind, source.title, source.document_id, sorted(source.metadata.items())))
            fingerprint = content_hash(self.pipeline, source.data, described)
            if known and _queued(known).fingerprint == fingerprint:
                yield Finished(replace(known, state="live"), unchanged=True)
                return
            for document in load_documents(source):
                prepared = self.prepare(document, location.uri)
                chunks += len(prepared.chunks)
                document_ids.add(document.document_id)
                yield prepared
            if not document_ids:
                reason, cure = f"{location.uri} holds no text.", "Check that it is the file you meant."
                state, outcome = "failed", "empty"
        except InputError as error:
            state = "live" if error.outcome == "partial" else "failed"
            outcome, reason, cure = error.outcome, error.reason, error.cure
        entry = LedgerEntry(
            location.uri,
            state,
            outcome,
            reason,
            cure,
            attempt=attempt,
            fingerprint=fingerprint,
            documents=len(document_ids),
            chunks=chunks,
        )
        yield Finished(entry, document_ids=document_ids)

    def prepare(self, document: Document, ledger_source: str) -> Prepared:
        """Cut a document into chunks and give them their terms and the names of their vectors."""
        s = self.settings.chunk
        chunks = cut(
            document,
            strategy=s.strategy.get(document.kind, ""),
            size_chars=s.size_chars,
            overlap_chars=s.overlap_chars,
            separator=s.separator,
            merge=s.merge,
        )
        return Prepared(
            ledger_source=ledger_source,
            fingerprint=content_hash(self.pipeline, document.version),
            document=document,
            chunks=chunks,
            terms=[chunk_terms(chunk) for chunk in chunks],
            vector_keys=[vector_key(self.model, chunk.indexed_text) for chunk in chunks],
        )

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


def batched(items: Iterable[Prepared | Finished]) -> Iterator[Batch]:
    """Put items into batches that are worth a transaction, and none of which takes long to fill."""
    batch, began = Batch(), monotonic()
    for item in items:
        if isinstance(item, Finished):
            batch.finished.append(item)
        else:
            batch.prepared.append(item)
            batch.chunks += len(item.chunks)
        full = batch.chunks >= BATCH_CHUNKS or len(batch.finished) >= BATCH_SOURCES
        if full or (batch.prepared and monotonic() - began > BATCH_S):
            yield batch
            batch, began = Batch(), monotonic()
    if batch.prepared or batch.finished:
        yield batch
