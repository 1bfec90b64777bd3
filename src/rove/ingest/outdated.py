"""What becomes of documents whose file can no longer be read, or is gone: they stay, and say from when they are."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from rove.ingest.batch import FinishedSource
from rove.ingest.folders import FolderChanges, folder_changes
from rove.ingest.given import Given
from rove.load.discover import Location
from rove.load.folder_files import LeftOut
from rove.prepare import Recipe
from rove.records import LedgerEntry, Report
from rove.records.ledger import GONE
from rove.records.outdated import FILE_GONE, TEXT_AS_OF
from rove.store.moved_sources import move
from rove.store.outdated import Outdated
from rove.store.store import Store

AS_IT_WAS = "What is found of it is as it was on {day}."
IS_GONE = "The file is gone."
PRUNE = "Add its folder again with --prune to take it out."


async def note_outdated(store: Store, ended: Sequence[FinishedSource]) -> None:
    """Note of documents whose source was not read, or not to its end, from which day they are; and of others no more.

    The entries of these sources say so too.
    """
    old = [done for done in ended if done.entry.state == "live" and done.entry.outcome and not done.unchanged]
    old = [done for done in old if done.before and done.before.documents]
    outdated = Outdated(store.catalog.database)
    if old:
        days = await _days(store, [done.before for done in old if done.before])
        fresh = {done.entry.source: done.document_ids for done in old if done.document_ids}
        await store.enrich(partial(outdated.marked, days, fresh))
        for done in old:
            if not done.document_ids:
                done.entry = _as_it_was(done.entry, days[done.entry.source])
    there = [done for done in ended if done.before and done.before.outcome == GONE]
    if found := [done.entry.source for done in there if done.entry.outcome]:
        await store.enrich(partial(outdated.unmarked, found, FILE_GONE))
    back = [done.entry.source for done in ended if done.before and done.before.outcome and not done.entry.outcome]
    if back:
        await store.enrich(partial(outdated.unmarked, back, TEXT_AS_OF, FILE_GONE))


class FolderUpdate:
    """One `add` of folders that were added before: what has moved is found again, what is gone is told or removed."""

    def __init__(self, store: Store, recipe: Recipe, *, prune: bool) -> None:
        self._store = store
        self._recipe = recipe
        self._prune = prune
        self._moved = self._removed = 0
        self._vanished: list[str] = []

    async def compare(self, given: Sequence[Given], found: Sequence[Location], left_out: LeftOut) -> None:
        """Look at what the base holds of the folders, before they are read: see `folder_changes`."""
        look = partial(folder_changes, self._store, given, found, left_out, self._recipe)
        changes = await asyncio.to_thread(look)
        await move(self._store, changes.moves, changes.renamed)
        self._moved += len(changes.moves)
        if self._prune:
            await self._remove(changes)
        else:
            self._vanished += changes.vanished
            await self._note_gone(changes.gone)

    def told(self, report: Report) -> Report:
        """Return the report with what was found out."""
        return replace(report, moved=self._moved, removed=self._removed, vanished=tuple(self._vanished))

    async def _remove(self, changes: FolderChanges) -> None:
        stale = self._store.catalog.stale
        if changes.vanished:
            ids = await asyncio.to_thread(stale, {source: () for source in changes.vanished})
            await self._store.remove(ids, erase=False)
            await asyncio.to_thread(self._store.ledger.forget, changes.vanished)
            self._removed += len(ids)

    async def _note_gone(self, sources: Sequence[str]) -> None:
        known = await asyncio.to_thread(self._store.ledger.get, sources)
        gone = [entry for entry in known.values() if entry.documents]
        if gone:
            days = await _days(self._store, gone)
            await self._store.enrich(partial(Outdated(self._store.catalog.database).marked_gone, days))
            fresh = [entry for entry in gone if entry.outcome != GONE]
            told = [replace(entry, state="live", outcome=GONE, reason=IS_GONE, cure=PRUNE) for entry in fresh]
            entries = [_as_it_was(entry, days[entry.source]) for entry in told]
            await asyncio.to_thread(self._store.ledger.put, entries)


async def _days(store: Store, entries: Sequence[LedgerEntry]) -> dict[str, str]:
    """The day of the text of each source: when it was last seen to be as it is in the base."""
    known = await asyncio.to_thread(Outdated(store.catalog.database).days, [entry.source for entry in entries])
    return {entry.source: known.get(entry.source, entry.updated_at[:10]) for entry in entries}


def _as_it_was(entry: LedgerEntry, day: str) -> LedgerEntry:
    return replace(entry, reason=f"{entry.reason} {AS_IT_WAS.format(day=day)}".strip())
