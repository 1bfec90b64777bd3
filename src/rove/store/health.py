"""Mending: what an interrupted writer left is finished, and the index is brought back to what the catalog says."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, replace

from rove.errors import ConfigError, ServiceError
from rove.records import LedgerEntry
from rove.records.ledger import LostChunk, without
from rove.store import IndexRow, VectorIndex
from rove.store.catalog import Catalog
from rove.store.catalog_check import check_catalog, damage_text
from rove.store.failpoints import failpoint
from rove.store.knowledge_graph import KnowledgeGraph
from rove.store.ledger import Ledger
from rove.store.originals import Originals
from rove.store.refusals import RowWriter, reason_of
from rove.store.resident import Resident
from rove.store.torn_values import torn_remark, torn_values
from rove.store.unfinished import ERASING, SWEEPING

HIDDEN = (
    "What has them is not found, and the rest is. They are made anew by rove doctor once the embedder takes these "
    "texts; or add these documents again."
)


@dataclass(frozen=True, slots=True)
class Health:
    """What `heal` found and did. Counts are of chunks, save `originals`, the files that the base keeps.

    `problems` says each thing that was wrong, in words, and `left` what is so still. That some are `shallow` is none:
    see `rove.store.shallow`.
    `unmended`: why nothing was, "" where it was.
    """

    chunks: int
    missing: int = 0
    extra: int = 0
    twice: int = 0
    published: int = 0
    rebuilt: bool = False
    originals: int = 0
    shallow: int = 0
    problems: tuple[str, ...] = ()
    unmended: str = ""
    left: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """True when nothing had to be healed."""
        return not self.problems and not self.left


@dataclass(frozen=True, slots=True)
class IndexDifference:
    """Chunk ids on which catalog and index do not agree."""

    missing: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()
    twice: tuple[str, ...] = ()

    def problems(self) -> list[str]:
        """Each kind that is there, in words."""
        kinds = (
            (self.missing, "missing from the index"),
            (self.extra, "in the index only"),
            (self.twice, "held twice"),
        )
        return [f"{len(ids)} chunks were {words}" for ids, words in kinds if ids]


async def heal(
    catalog: Catalog,
    index: VectorIndex,
    originals: Originals,
    resident: Resident,
    graph: KnowledgeGraph,
    *,
    dimension: int,
    thorough: bool,
    stale: bool = False,
) -> Health:
    """Finish what was begun, compare, mend. The caller holds the base for writing.

    Not `thorough`: chunks are compared one by one only where their counts differ, originals not at all. An index that
    cannot be read is made anew from the catalog; nothing is embedded again. So is one that is `stale`: writers have
    since written to the base without it. `dimension` is the embedder's.

    Raises:
        ConfigError: the catalog itself is torn.
    """
    problems, left = list[str](), tuple[str, ...]()
    if thorough:
        left = await asyncio.to_thread(damage_of, catalog, dimension)
        await asyncio.to_thread(catalog.database.count_rows)
    staged = await asyncio.to_thread(catalog.staged)
    difference, rebuilt = IndexDifference(), False
    erasing = bool(await asyncio.to_thread(catalog.fact, ERASING))
    try:
        if stale:
            problems.append("the index was left out by another writer")
            rebuilt = True
            await _make_anew(catalog, index, problems)
            staged = []
        await _finish_writing(catalog, index, staged, problems)
        if thorough:
            await index.check()
        if thorough or await index.count() != await asyncio.to_thread(catalog.deep_count):
            difference = await compare(catalog, index)
            problems += difference.problems()
            await _mend(catalog, index, difference)
        if thorough:
            await index.tidy()
        if await finish_erasing(catalog, index, resident):
            problems.append("an erasure was under way when a writer stopped")
    except Exception as error:  # noqa: BLE001 - whatever an index raises, it is a projection and is made anew
        _check_mendable(error)
        problems.append(str(error))
        rebuilt = True
        await _make_anew(catalog, index, problems)
        await finish_erasing(catalog, index, resident)
    if thorough:
        await asyncio.to_thread(catalog.tidy, free_pages=0)
    problems += await asyncio.to_thread(_originals, catalog, originals, thorough)
    if thorough:
        problems += await asyncio.to_thread(resident.mend)
    problems += await asyncio.to_thread(graph.follow, thorough=thorough) if thorough or erasing else ()
    return Health(
        chunks=await asyncio.to_thread(catalog.count),
        missing=len(difference.missing),
        extra=len(difference.extra),
        twice=len(difference.twice),
        published=len(staged),
        rebuilt=rebuilt,
        originals=await asyncio.to_thread(originals.count),
        shallow=await asyncio.to_thread(catalog.shallow_count),
        problems=tuple(problems),
        left=left,
    )


def damage_of(catalog: Catalog, dimension: int) -> tuple[str, ...]:
    """Read the whole catalog, and say which rows are damaged."""
    damaged = check_catalog(catalog.database, dimension)
    torn = torn_values(catalog.database)
    return (f"{damage_text(damaged)}. {HIDDEN}",) * bool(damaged) + (torn_remark(torn),) * bool(torn)


async def drop_chunks(catalog: Catalog, index: VectorIndex, chunk_ids: Sequence[str]) -> None:
    """Take chunks out of the index that the catalog has let go of."""
    if chunk_ids:
        await index.remove(chunk_ids)
        await asyncio.to_thread(catalog.forgotten, chunk_ids)


async def refresh(catalog: Catalog, index: VectorIndex, seqs: Sequence[int]) -> list[str]:
    """Let the index take over the fields of documents that have new ones; returns why it refused some.

    Those that it refuses are taken away again.
    """
    if not seqs:
        return []
    writer = RowWriter(index)
    for rows in await asyncio.to_thread(lambda: list(deep_rows(catalog, seqs=seqs))):
        await writer.add(rows)
    if writer.refused:
        await asyncio.to_thread(catalog.unenrich, list(writer.refused))
        for rows in await asyncio.to_thread(lambda: list(deep_rows(catalog, seqs=seqs))):
            await index.add(rows)
    failpoint("refreshed")
    await asyncio.to_thread(catalog.refreshed, seqs)
    return [reason_of(error) for error in writer.refused.values()]


async def tell_deepened(catalog: Catalog, index: VectorIndex, seqs: Sequence[int]) -> list[str]:
    """Give the index the chunks of documents that have become deep; returns why it refused some, which are let go."""
    writer = RowWriter(index)
    for rows in await asyncio.to_thread(lambda: list(deep_rows(catalog, seqs=seqs))):
        await writer.add(rows)
    if writer.refused:
        lost, removed = await asyncio.to_thread(catalog.delete_refused, writer.refused)
        await asyncio.to_thread(enter, catalog, lost)
        await drop_chunks(catalog, index, removed)
    failpoint("told")
    await asyncio.to_thread(catalog.told, seqs)
    return [reason_of(error) for error in writer.refused.values()]


async def finish_erasing(catalog: Catalog, index: VectorIndex, resident: Resident) -> bool:
    """Take the bytes of what was erased off the disk; False when nothing waits for it.

    Where a reader of another process holds on to the log of the catalog, the next writer tries again.
    """
    if not await asyncio.to_thread(catalog.fact, ERASING):
        return False
    try:
        await index.erase()
    finally:  # what lies on this machine goes all the same
        await asyncio.to_thread(resident.renew)
        shrunk = await asyncio.to_thread(catalog.database.shrink)
    if shrunk:
        await asyncio.to_thread(catalog.set_fact, ERASING, "")
    return True


def finish_sweeping(catalog: Catalog, originals: Originals) -> int:
    """Take originals off the disk whose documents have gone; returns how many files. Blocks."""
    return originals.sweep() if catalog.fact(SWEEPING) else 0


def _originals(catalog: Catalog, originals: Originals, thorough: bool) -> list[str]:
    """Bring originals and documents together, and say what was wrong."""
    stray = originals.sweep() if thorough else finish_sweeping(catalog, originals)
    lost = originals.forget_lost() if thorough else 0
    if lost:
        originals.sweep()  # what is left of them: no document shows it any more
    said = [f"{stray} originals lay there without a document"] * bool(stray)
    return said + [f"{lost} documents had lost their originals, and show as text"] * bool(lost)


async def _finish_writing(catalog: Catalog, index: VectorIndex, staged: Sequence[int], problems: list[str]) -> None:
    leaving = await asyncio.to_thread(catalog.unforgotten)
    if staged:
        problems.append(f"{len(staged)} documents were on their way in when a writer stopped")
        leaving += await _publish_staged_rows(catalog, index, staged, problems)
    if deepened := await asyncio.to_thread(catalog.deepened):
        problems.append(f"{len(deepened)} documents had new vectors when a writer stopped")
        problems += await tell_deepened(catalog, index, deepened)
    if stale := await asyncio.to_thread(catalog.refreshing):
        problems.append(f"{len(stale)} documents had new fields when a writer stopped")
        problems += await refresh(catalog, index, stale)
    if leaving:
        problems.append(f"{len(leaving)} chunks were on their way out when a writer stopped")
        await drop_chunks(catalog, index, leaving)


async def _publish_staged_rows(
    catalog: Catalog, index: VectorIndex, staged: Sequence[int], problems: list[str]
) -> list[str]:
    """Make staged documents live but for chunks that the index refuses; returns the chunks that they replace."""
    writer = RowWriter(index)
    for rows in await asyncio.to_thread(lambda: list(catalog.index_rows(seqs=staged))):
        await writer.add([row for row in rows if not row.shallow])
        await index.remove([row.chunk_id for row in rows if row.shallow])
    if writer.refused:
        lost = await asyncio.to_thread(catalog.let_go, staged, writer.refused)
        await asyncio.to_thread(enter, catalog, lost)
        problems.append(f"{len(lost)} chunks on their way in were refused by the index: {lost[0].reason}")
    return await asyncio.to_thread(catalog.publish, staged)


def _check_mendable(error: Exception) -> None:
    """Raise what a new index does not mend: a disk, a catalog that is torn, an index without room or out of reach."""
    if isinstance(error, OSError | ConfigError) or (isinstance(error, ServiceError) and error.retryable):
        raise error


async def _make_anew(catalog: Catalog, index: VectorIndex, problems: list[str]) -> None:
    """Make the index anew from what is live, then let in what is staged, chunk by chunk if need be."""
    staged = await asyncio.to_thread(catalog.staged)
    try:
        await index.rebuild(_iter_deep_row_batches(catalog))
    except Exception as error:  # noqa: BLE001 - a live chunk that it refuses, or the index itself: an empty one tells
        _check_mendable(error)
        await _make_anew_without(catalog, index, problems)
    await asyncio.to_thread(catalog.refreshed, await asyncio.to_thread(catalog.refreshing))
    await asyncio.to_thread(catalog.told, await asyncio.to_thread(catalog.deepened))
    leaving = await _publish_staged_rows(catalog, index, staged, problems) if staged else []
    await index.remove(leaving)
    await asyncio.to_thread(catalog.forgotten, [*leaving, *await asyncio.to_thread(catalog.unforgotten)])


async def _make_anew_without(catalog: Catalog, index: VectorIndex, problems: list[str]) -> None:
    """Make the index anew, and let go of the documents whose chunks it refuses."""
    await index.rebuild(_no_index_rows())
    writer = RowWriter(index)
    async for rows in _iter_deep_row_batches(catalog):
        await writer.add(rows)
    if writer.refused:
        lost, removed = await asyncio.to_thread(catalog.delete_refused, writer.refused)
        await asyncio.to_thread(enter, catalog, lost)
        await index.remove(removed)
        count = len({one.document_id for one in lost})
        problems.append(f"{count} documents were let go: {lost[0].reason}")


def enter(catalog: Catalog, lost: Sequence[LostChunk]) -> None:
    """Say in the ledger of each source which chunks could not be kept. Blocks."""
    if not lost:
        return
    ledger = Ledger(catalog.database)
    by_source: dict[str, list[LostChunk]] = {}
    for one in lost:
        by_source.setdefault(one.ledger_source, []).append(one)
    known = ledger.get(list(by_source))
    entries: list[LedgerEntry] = []
    for name, some in by_source.items():
        documents, chunks = catalog.held_of(name)
        gone = len({one.document_id for one in some if one.whole})
        entry = known.get(name, LedgerEntry(name, "live"))
        entries.append(without(replace(entry, documents=documents + gone, chunks=chunks + len(some)), some))
    ledger.put(entries)


async def compare(catalog: Catalog, index: VectorIndex) -> IndexDifference:
    """Hold an index against the catalog."""
    wanted = set(await asyncio.to_thread(catalog.deep_ids))
    seen: set[str] = set()
    twice: set[str] = set()
    for chunk_id in await index.chunk_ids():
        (twice if chunk_id in seen else seen).add(chunk_id)
    return IndexDifference(tuple(sorted(wanted - seen)), tuple(sorted(seen - wanted)), tuple(sorted(twice & wanted)))


async def _mend(catalog: Catalog, index: VectorIndex, difference: IndexDifference) -> None:
    if difference.extra or difference.twice:
        await index.remove([*difference.extra, *difference.twice])
    again = [*difference.missing, *difference.twice]
    if again:
        for rows in await asyncio.to_thread(lambda: list(deep_rows(catalog, ids=again))):
            await index.add(rows)
        await index.optimize()


def deep_rows(
    catalog: Catalog, *, seqs: Sequence[int] | None = None, ids: Sequence[str] | None = None
) -> Iterator[list[IndexRow]]:
    """See `Catalog.index_rows`; without what is shallow, which no index but the embedded one holds."""
    for rows in catalog.index_rows(seqs=seqs, ids=ids):
        yield [row for row in rows if not row.shallow]


async def _no_index_rows() -> AsyncIterator[Sequence[IndexRow]]:
    for rows in list[list[IndexRow]]():
        yield rows


async def _iter_deep_row_batches(catalog: Catalog) -> AsyncIterator[Sequence[IndexRow]]:
    batches = deep_rows(catalog)
    while (rows := await asyncio.to_thread(next, batches, None)) is not None:
        yield rows
