"""A base whose catalog is lost or torn gets a new one: from an export, from a backup, or of what its folder holds.

The new catalog is made beside the old one and takes its place when it is whole; what was there is moved aside, never
deleted. An index holds no text: it says which sources there were, and those that are files of this machine are read
again, as are the originals that the base keeps.
"""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from sqlalchemy import delete, select

from rove.engine import AsyncRove
from rove.errors import ConfigError, ServiceError
from rove.events import Listener, ignore
from rove.ingest.batch import Item, batched
from rove.instances import Instances
from rove.load.discover import URL, Location
from rove.models import Embedder
from rove.records import LedgerEntry
from rove.records.ledger import UPLOADED
from rove.records.source import MetaValue
from rove.settings import Settings
from rove.store import Recalled, tables
from rove.store.carried import carry_memories
from rove.store.conversation_tables import conversation_turns, conversations
from rove.store.database import insert_rows
from rove.store.embedded import NAMES as EMBEDDED
from rove.store.enriched_tables import corrections, moved_sources, review_decisions, set_fields
from rove.store.folder_hold import base_alone
from rove.store.health import Health
from rove.store.originals import Offered
from rove.store.people_tables import made_keys, people, person_invitations, person_sessions
from rove.store.presence import CATALOG, ORIGINALS, remains_of
from rove.store.recalled import recalled
from rove.store.replace_catalog import FILES, catalog_in, swap
from rove.store.salvage import Salvage, copied_rows
from rove.store.store import Store

HERE = "here"
WORK = "rebuilding"
LOST, DOUBTFUL = "Its text was lost with the catalog.", "A part of it may have been changed on the disk."
AGAIN = "Add it again; what is still known of its vectors is not embedded again."
COPIED = (
    tables.walks, tables.walk_events, tables.flow_events, tables.asked, tables.transcripts, tables.memory_walks,
    conversations, conversation_turns, set_fields, corrections, review_decisions,
    moved_sources, people, made_keys,
)  # fmt: skip
VECTORS_AT_ONCE = 2_000


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """What came of a rebuild: what the new catalog holds, what is lost, and where that was put which was broken.

    `vectors` counts those that were saved; `lost` has each source that has to be added again, with the reason.
    """

    documents: int
    vectors: int
    lost: tuple[LedgerEntry, ...]
    aside: tuple[Path, ...]
    health: Health


async def rebuild(settings: Settings, source: str, listener: Listener = ignore) -> Rebuilt:
    """Give a base a new catalog. Nothing else may have the base open.

    Args:
        settings: those of the base.
        source: an export, a backup (a copy of a base's folder, or of its catalog), or "here".
        listener: told of what is read.

    Raises:
        ConfigError: there is no base, or `source` is nothing that a catalog could be made from.
        ServiceError: a server or another process has the base open, or the disk is full; the base is as it was.
    """
    folder = settings.folder
    if folder != settings.path:
        message = f"{settings.path} is kept by its database."
        raise ConfigError(message, cure="Restore the database from a backup, or import what rove export wrote.")
    if not folder.is_dir() or not ((folder / CATALOG).exists() or remains_of(folder).any):
        message = f"There is no base in {folder}, nor what is left of one."
        raise ConfigError(message, cure="Name the folder of the base with --kb.")
    rebuilding = _Rebuild(settings.model_copy(update={"also": ()}), folder / WORK, listener)
    try:
        with base_alone(folder):  # what others wrote meanwhile would be lost
            aside = await rebuilding.replace(source)
        return await rebuilding.finish(aside)
    except OSError as error:
        message = f"The catalog could not be made anew: {error}."
        raise ServiceError(message, cure="Make room on the disk, and run the same again.") from error


class _Rebuild:
    """One rebuild, in the folder `work` until the new catalog is whole. First `replace`, then `finish`."""

    def __init__(self, settings: Settings, work: Path, listener: Listener) -> None:
        self.settings = settings
        self.folder = settings.folder
        self.work = work
        self.listener = listener
        self.known: Mapping[str, Recalled] = {}
        self.offered: list[Offered] = []
        self.vectors = 0
        self.embedder: Embedder | None = None

    async def replace(self, source: str) -> list[Path]:
        """Make the new catalog, and put it in place; returns what was moved aside. The caller has the base alone."""
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir(mode=0o700)
        try:
            await self._make(source)
            claimed = {one.digest for one in self.offered}
            return await asyncio.to_thread(swap, self.folder, self.work / CATALOG, claimed)
        finally:
            shutil.rmtree(self.work, ignore_errors=True)

    async def finish(self, aside: Sequence[Path]) -> Rebuilt:
        """Bring the index to the new catalog, and read again what is lost, where that can be."""
        async with AsyncRove(self.settings, Instances(embedder=self.embedder)) as kb:
            return await self._finish(kb, aside)

    async def _make(self, source: str) -> None:
        self.known = await recalled(self.folder, self.settings.store)
        if source == HERE:
            await self._salvaged()
        elif backup := catalog_in(Path(source)):
            await asyncio.to_thread(self._restored, backup)
            async with self._building() as kb:  # says where it is of another embedder or a newer version
                await asyncio.to_thread(self._sign_out, kb.store)
        else:
            await self._imported(Path(source))

    async def _imported(self, file: Path) -> None:
        if not await asyncio.to_thread(file.is_file):
            message = f"There is no export or backup {file}."
            raise ConfigError(message, cure='Name a file of rove export, a copy of a base, or "here".')
        async with self._building() as kb:
            with file.open(encoding="utf-8", errors="replace") as lines:
                await kb.import_(lines, self.listener)
            self.offered = await asyncio.to_thread(self._kept, kb.store)

    def _restored(self, backup: Path) -> None:
        """Copy a backup's catalog as SQLite does, whatever is in its log, and the originals beside it."""
        address = f"{backup.absolute().as_uri()}?mode=ro"
        with closing(sqlite3.connect(address, uri=True)) as held, closing(sqlite3.connect(self.work / CATALOG)) as made:
            try:
                held.backup(made)
                sound = made.execute("PRAGMA quick_check(1)").fetchone()[0]
            except sqlite3.DatabaseError as error:
                sound = str(error)
        if sound != "ok":
            message = f"The backup {backup} is torn itself: {sound}."
            raise ConfigError(message, cure="Take another one, an export, or `here`.")
        for file in (backup.parent / ORIGINALS).glob("*"):
            target = self.folder / ORIGINALS / file.name
            if not target.exists():
                target.parent.mkdir(mode=0o700, exist_ok=True)
                shutil.copy2(file, target)

    def _sign_out(self, store: Store) -> None:
        """End the sessions and invitations of a backup: some of them were ended since it was made."""
        with store.catalog.database.write() as connection:
            for table in (person_sessions, person_invitations):
                connection.execute(delete(table))

    async def _salvaged(self) -> None:
        """Take what can be read of the torn catalog, and note what is lost."""
        for name in FILES[:2]:  # opening a torn database can write to it, so that a copy is opened
            if (self.folder / name).is_file():
                await asyncio.to_thread(shutil.copy2, self.folder / name, self.work / f"torn-{name}")
        salvage = Salvage(self.work / f"torn-{CATALOG}")
        async with self._building() as kb:
            model = str(kb.embedder.fingerprint)
            before = await asyncio.to_thread(salvage.embedder)
            if before not in {"", model} and not await asyncio.to_thread(salvage.is_made_with, model):
                message = f"{self.folder} was made with the embedder [{before}]; this one is [{model}]."
                raise ConfigError(message, cure="Name the embedder that made it in the settings.")
            await asyncio.to_thread(self._take_vectors, salvage, kb.store)
            ingest = kb._ingest(self.listener)  # pyright: ignore[reportPrivateUsage] - the engine's own way in
            rows: dict[str, int] = {}
            doubtful: set[str] = set()

            def items() -> Iterator[Item]:
                for row, document in salvage.documents():
                    rows[document.document_id] = row.seq
                    if row.version != document.version:
                        doubtful.add(row.ledger_source)
                    yield ingest.preparer.prepare(document, row.ledger_source)

            await ingest.take(batched(items()))
            await kb.store.enrich(await asyncio.to_thread(_enrichments, salvage, rows))
            await asyncio.to_thread(self._copy, salvage, kb.store, rows, doubtful)

    def _take_vectors(self, salvage: Salvage, store: Store) -> None:
        held = list(salvage.vectors(store.dimension))
        for at in range(0, len(held), VECTORS_AT_ONCE):
            some = held[at : at + VECTORS_AT_ONCE]
            store.vectors.put({key: v for key, v, _ in some}, {key: tokens for key, _, tokens in some if tokens})
        self.vectors = len(held)

    def _copy(self, salvage: Salvage, store: Store, rows: Mapping[str, int], doubtful: set[str]) -> None:
        """Take over what hangs on no document, say in the ledger what is lost, and claim the kept originals."""
        database = store.catalog.database
        for table in COPIED:
            copied = copied_rows(salvage, table)
            if table is tables.walk_events:
                with database.read() as connection:
                    whole = {row.walk_id for row in connection.execute(tables.walks.select())}
                copied = [row for row in copied if row[0] in whole]
            if table is conversation_turns:
                with database.read() as connection:
                    begun = {row.conversation_id for row in connection.execute(conversations.select())}
                copied = [row for row in copied if row[0] in begun]
            with database.write() as connection:
                insert_rows(connection, table, copied)
        carry_memories(salvage, database, rows, store.dimension)
        store.ledger.put(_ledger_after_rebuild(salvage.ledger(), store, doubtful))
        by_row = {seq: document_id for document_id, seq in rows.items()}
        for seq, digest in salvage.originals().items():
            file = self.folder / ORIGINALS / digest
            if seq in by_row and file.is_file():
                self.offered.append(Offered(by_row[seq], digest, file))

    def _kept(self, store: Store) -> list[Offered]:
        """What an import has kept, from where it can be kept again."""
        target = self.folder / ORIGINALS
        offered: list[Offered] = []
        kept = store.originals.of_documents([name for name, _ in store.catalog.sizes()], kept=True)
        for name, original in kept.items():
            target.mkdir(mode=0o700, exist_ok=True)
            file = target / original.digest
            if not file.exists():
                shutil.copy2(original.path, file)
            offered.append(Offered(name, original.digest, file))
        return offered

    def _building(self) -> AsyncRove:
        store = self.settings.store.model_copy(update={"index": EMBEDDED[0]})
        load = self.settings.load.model_copy(update={"duplicates": "report"})
        kb = AsyncRove(self.settings.model_copy(update={"path": self.work, "store": store, "load": load}))
        self.embedder = kb.embedder
        return kb

    async def _finish(self, kb: AsyncRove, aside: Sequence[Path]) -> Rebuilt:
        if self.offered:
            await kb.store.keep_originals(self.offered, sys.maxsize)
        found = await kb.doctor()
        await asyncio.to_thread(_note_unknown, kb.store, self.known)
        await self._read_again(kb, aside)
        health = replace(await kb.doctor(), problems=found.problems, rebuilt=found.rebuilt)
        lost = [entry for entry in await kb.ledger("failed") if entry.reason in {LOST, DOUBTFUL}]
        return Rebuilt(len(await kb.documents()), self.vectors, tuple(lost), tuple(aside), health)

    async def _read_again(self, kb: AsyncRove, aside: Sequence[Path]) -> None:
        """Read what is lost again from where it lies: files of this machine, and originals."""
        lost = [entry.source for entry in await kb.ledger("failed") if entry.reason in {LOST, DOUBTFUL}]
        places: list[Location | str] = [source for source in lost if await asyncio.to_thread(_is_file, source)]
        for folder in aside:
            for file in folder.glob("*") if folder.is_dir() else ():
                name = f"original-{file.name[:16]}"
                places.append(Location(f"{UPLOADED}/{name}", name, path=file))
        await kb.add(places, listener=self.listener)
        read = {at.uri: at.path for at in places if isinstance(at, Location) and at.path}
        offered = await asyncio.to_thread(kb.store.originals.offered, read)
        await kb.store.keep_originals(offered, sys.maxsize)


def _enrichments(salvage: Salvage, rows: Mapping[str, int]) -> dict[str, dict[str, MetaValue]]:
    fields = salvage.enrichments()
    return {document_id: fields[seq] for document_id, seq in rows.items() if seq in fields}


def _ledger_after_rebuild(before: Sequence[LedgerEntry], store: Store, doubtful: set[str]) -> list[LedgerEntry]:
    """The ledger of the new catalog: entries as they were where all of a source is there, else with what is lost."""
    held = _document_counts_by_source(store)
    entries = {source: LedgerEntry(source, "live", documents=count) for source, count in held.items()}
    for entry in before:
        whole = entry.state != "live" or held[entry.source] >= entry.documents
        entries[entry.source] = (
            entry if whole else replace(_entry_for_lost_source(entry.source), documents=held[entry.source])
        )
    for source in doubtful:
        entries[source] = replace(_entry_for_lost_source(source), reason=DOUBTFUL, documents=held[source])
    return list(entries.values())


def _note_unknown(store: Store, known: Mapping[str, Recalled]) -> None:
    """Note in the ledger which sources only the index remembers."""
    given = {entry.source for entry in store.ledger.entries()}
    there = {info.document_id for info in store.catalog.documents()}
    sources = {_file_of(one.source) for document_id, one in known.items() if document_id not in there}
    store.ledger.put([_entry_for_lost_source(source) for source in sorted(sources - given)])


def _document_counts_by_source(store: Store) -> Counter[str]:
    """How many documents there are of each source."""
    d = tables.documents.c
    with store.catalog.database.read() as connection:
        return Counter(connection.execute(select(d.ledger_source)).scalars())


def _entry_for_lost_source(source: str) -> LedgerEntry:
    return LedgerEntry(source, "failed", "damaged", LOST, AGAIN)


def _file_of(source: str) -> str:
    """The source that was given, of a member of an archive or a record of a file."""
    return source if URL.match(source) else source.partition("#")[0]


def _is_file(source: str) -> bool:
    return Path(source).is_absolute() and Path(source).is_file()
