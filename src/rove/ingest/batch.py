"""Batches: documents that are kept together, and the sources that end within them."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from time import monotonic

from rove.enrich.vectors import Embedded
from rove.ingest.held import HeldIds
from rove.ingest.workers import Ready, ShardTaken
from rove.load.discover import Location
from rove.records import LedgerEntry, PageRead, Prepared, SourceEnd
from rove.records.ledger import GONE
from rove.tracing import stage

BATCH_CHUNKS = 2_048
BATCH_SOURCES = 4_096
BATCH_S = 1.0


@dataclass(slots=True)
class FinishedSource:
    """A source that has been read to its end, or has failed.

    `document_ids`: all that it holds now, so that others that came from it once can go; None where that is not known.
    `before`: its entry before it was read, if it had one.
    """

    entry: LedgerEntry
    unchanged: bool = False
    document_ids: HeldIds | None = None
    before: LedgerEntry | None = None


@dataclass(slots=True)
class Batch:
    """Documents to be kept together, the sources that end within them, and pages of sources that are still read.

    `made`: what workers have embedded of the documents; `shards`: those of which the batch has the last item.
    """

    prepared: list[Prepared] = field(default_factory=list[Prepared])
    pages: list[PageRead] = field(default_factory=list[PageRead])
    finished: list[FinishedSource] = field(default_factory=list[FinishedSource])
    chunks: int = 0
    made: Embedded = field(default_factory=Embedded)
    shards: list[str] = field(default_factory=list[str])

    @property
    def is_empty(self) -> bool:
        """Say whether there is nothing to keep."""
        return not (self.prepared or self.finished or self.pages or self.shards)

    def put(self, item: Item) -> None:
        """Take one item."""
        match item:
            case FinishedSource():
                self.finished.append(item)
            case PageRead():
                self.pages.append(item)
            case ShardTaken():
                self.shards.append(item.name)
                self.made.seconds += item.seconds
            case Ready():
                self.made.vectors.update(item.vectors)
                self.made.tokens.update(item.tokens)
                self.put(item.prepared)
            case Prepared():
                self.prepared.append(item)
                self.chunks += len(item.chunks)
            case None:
                pass


Item = Prepared | Ready | PageRead | FinishedSource | ShardTaken | None
"""What reading gives; None where nothing came for a while."""


def batched(items: Iterable[Item]) -> Iterator[Batch]:
    """Put items into batches that are worth a transaction, and none of which takes long to fill."""
    batch, began = Batch(), monotonic()
    for item in items:
        batch.put(item)
        full = batch.chunks >= BATCH_CHUNKS or len(batch.finished) >= BATCH_SOURCES
        late = not batch.is_empty and monotonic() - began > BATCH_S
        if full or late:
            yield batch
            batch, began = Batch(), monotonic()
    if not batch.is_empty:
        yield batch


def next_batch(batches: Iterator[Batch]) -> Batch | None:
    """Make the next batch. Its many small records hold no cycles, so looking for cycles among them waits until then."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        with stage("add.read") as reading:
            batch = next(batches, None)
            reading.tell(documents=len(batch.prepared) if batch else 0, chunks=batch.chunks if batch else 0)
        return batch
    finally:
        if collecting:
            gc.enable()


def queued(source: str, known: LedgerEntry | None) -> LedgerEntry:
    """Put a source in the queue. It keeps the fingerprint of what is live of it, if that is live whole."""
    if known is None:
        return LedgerEntry(source, "queued")
    return replace(known, state="queued", fingerprint=known.fingerprint if known.state in {"live", "queued"} else "")


def ledger_entry(end: SourceEnd, known: LedgerEntry | None, document_ids: HeldIds, chunks: int) -> FinishedSource:
    """Make the ledger's entry for a source that has been read; what came of one that then failed is kept as a part.

    One of which nothing could be read stays live with what is there of it from before.
    """
    if end.unchanged and known:
        back = {"outcome": "", "reason": "", "cure": ""} if known.outcome == GONE else {}
        return FinishedSource(replace(known, state="live", **back), unchanged=True, before=known)
    failed = bool(end.outcome) and not document_ids
    held = known if failed and known and known.documents else None
    entry = LedgerEntry(
        end.source,
        "failed" if failed and not held else "live",
        "partial" if end.outcome and document_ids else end.outcome,
        end.reason,
        end.cure,
        attempt=known.attempt + 1 if known and (known.state != "live" or known.outcome) else 1,
        fingerprint="" if held else end.fingerprint,
        documents=held.documents if held else len(document_ids),
        chunks=held.chunks if held else chunks,
        kind=end.kind,
    )
    return FinishedSource(entry, document_ids=document_ids, before=known)


def size_of(locations: Sequence[Location]) -> int:
    """The bytes of the files among some places; what is none, or is gone, counts nothing. Blocks."""
    total = 0
    for path in (location.path for location in locations if location.path is not None):
        with suppress(OSError, ValueError):
            total += path.stat().st_size
    return total
