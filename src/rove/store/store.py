"""Catalog and index as one: a document is in both or in neither, whatever happens in between."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import cached_property, partial
from pathlib import Path

from rove.errors import ServiceError
from rove.records import Filter, Prepared
from rove.records.filter import access_filter_of
from rove.records.ledger import LostChunk
from rove.records.source import MetaValue
from rove.settings import Address, StoreSettings, check_sub_vectors
from rove.store import Vector, VectorIndex
from rove.store.catalog import Catalog, staged_rows
from rove.store.embedded import EmbeddedIndex
from rove.store.failpoints import failpoint
from rove.store.fetching import Fetching
from rove.store.field_names import FieldNames
from rove.store.files_place import files_of
from rove.store.health import Health, deep_rows, drop_chunks, finish_erasing, finish_sweeping, heal, refresh
from rove.store.home import home_of
from rove.store.index_beside import IndexBeside
from rove.store.index_facts import WRITTEN_TO
from rove.store.joined import JoinedResident, join_stores
from rove.store.judged import Judged
from rove.store.knowledge_graph import KnowledgeGraph
from rove.store.ledger import Ledger
from rove.store.looking import look
from rove.store.memory_index import MemoryIndex
from rove.store.name_graph import NameGraph
from rove.store.originals import Offered, Originals
from rove.store.outdated import GoneFiles
from rove.store.presence import INDEX, SHARDS
from rove.store.private import keep_private
from rove.store.refusals import RowWriter
from rove.store.resident import Resident
from rove.store.search_lists import SearchLists
from rove.store.set_fields import as_set
from rove.store.shallow import StandInNote
from rove.store.stale_reads import note_gone
from rove.store.transcript_store import TranscriptStore
from rove.store.user_words import UserWords
from rove.store.vectors import VectorCache
from rove.store.visible_documents import VisibleDocuments
from rove.tracing import stage

OPTIMIZE_EVERY, FEW_CHUNKS = 16, 256
"""Writes after which the base is tidied where that is due, also amid an ingest; and chunks that wait until then."""
NewFields = Mapping[str, Mapping[str, MetaValue | None]]


class Store(Fetching):
    """One knowledge base. Any number of processes may read and write it; their commits take turns."""

    def __init__(
        self,
        place: Path | Address,
        *,
        model: str, dimension: int, settings: StoreSettings,
        index: VectorIndex | None = None, also: Sequence[Path | Address] = (),
    ) -> None:  # fmt: skip
        """Open or make the base that lives there; `index` is used in place of the one that the settings name.

        `also`: further bases that are read with it, see `join_stores`.

        Raises:
            ConfigError: a base was made with another embedder, or is not a Rove base.
        """
        self.home = home_of(place)
        self.folder = folder = self.home.folder
        self.dimension = dimension
        self.catalog = Catalog(self.home.dialect())
        self.ledger = Ledger(self.catalog.database)
        self.catalog.dimension = dimension
        self.vectors = VectorCache(self.catalog.database)
        self.transcripts = TranscriptStore(self.catalog.database)
        self.news = self.home.news(self.catalog.database.dialect)
        self.team = self.home.team(self.catalog.database)
        self.board = self.home.board(self.catalog.database)
        self.catalog.check_model(self.home, model)
        try:
            files = files_of(self.home, self.catalog.database, settings.files)
            self.originals = Originals(files, self.catalog.database)
            self.documents = join_stores(self.catalog, self.home, also, model)
        except BaseException:
            self.catalog.close()
            raise
        self.judged = Judged(self.catalog, self.documents)
        check_sub_vectors(settings, dimension)
        held = partial(MemoryIndex, dimension=dimension, settings=settings)
        self.resident = Resident(self.catalog, held, self.home)
        self.searched = JoinedResident(self.catalog, self.documents, held, self.home) if also else self.resident
        self._beside = IndexBeside(
            self.catalog, self.resident, settings,
            folder=folder / INDEX, dimension=dimension, index=index,
            address=place if isinstance(place, Address) else None,
        )  # fmt: skip
        self._looks_it_up = self._beside.is_named and not also
        self.names = NameGraph(self.searched)
        self.field_names = FieldNames(self.documents)
        self.words = UserWords(self.catalog)
        self.gone_files = GoneFiles(self.documents)
        self.graph = KnowledgeGraph(self.documents, self.catalog, settings.graph, self.writing)
        self._views = VisibleDocuments(self.documents)
        self.deepening = asyncio.Lock()
        self._turns, self._turn = self.home.turns(self.catalog.database.dialect), asyncio.Lock()
        self._checked, self._writes = False, 0
        self._loose = FEW_CHUNKS  # what earlier processes have left is not known

    @cached_property
    def index(self) -> VectorIndex:
        """The index, whose library is not loaded before it is needed."""
        if self._beside.is_named:
            return self._beside.open()
        return EmbeddedIndex(self.catalog, self.resident)

    @property
    def shallow(self) -> int:
        """How many chunks were shallow when something was last looked for."""
        return self.searched.shallow

    async def search(
        self, *, terms: Sequence[str] | None, vector: Vector | None, top_k: int, where: Filter | None,
        first: Vector | None = None,
    ) -> SearchLists:  # fmt: skip
        """Search by terms, by vector, or both at once; the lists that were asked for are there, if empty.

        `first`: the stand-in's vector, for what is shallow. `rove.retrieve.judging` makes one list of the two.
        """
        found = {} if not self._looks_it_up else await self._beside.search(
            lambda: self.index, terms=terms, vector=vector, top_k=top_k, where=where
        )  # fmt: skip
        look = partial(self.searched.search, terms=terms, vector=vector, top_k=top_k, where=where, first=first)
        lists = await asyncio.to_thread(look, found=found)
        for name, ranked in found.items():
            note_gone({chunk_id for chunk_id, _ in ranked}.difference(dict(lists.ranked[name])))
        return lists

    async def follow(self) -> None:
        """Take in what other machines have written, and off this one what they have erased, before anybody asks."""
        await asyncio.to_thread(self.searched.count)

    async def languages(self, where: Filter | None = None) -> list[str]:
        """The languages of the base, most frequent first; within its access filter, if it has one."""
        return await asyncio.to_thread(self.searched.languages, access_filter_of(where))

    def seen(self, owners: Mapping[str, str], access_filter: Filter) -> set[str]:
        """Return those of these chunks, given with their document's id, that an access filter lets through. Blocks."""
        return self.searched.seen(owners, access_filter)

    async def state(self, where: Filter | None = None) -> str:
        """A hash that changes with all that a search with this filter could notice, and with nothing else."""
        if access_filter := access_filter_of(where):
            return (await asyncio.to_thread(self._views.of, access_filter)).state
        return str(await asyncio.to_thread(self.documents.revision))

    async def keep(
        self, prepared: Sequence[Prepared], vectors: Mapping[str, Vector], tokens: Mapping[str, bytes],
        stand_in: StandInNote | None = None,
    ) -> list[LostChunk]:  # fmt: skip
        """Make documents live: catalog, index, catalog.

        `vectors` and `tokens` go by the chunks' `vector_keys`; a chunk need not have tokens. `stand_in`: whose vectors
        they are, if not the embedder's: `deepen` follows.
        After a crash at any point, `heal` (run by the next writer) finishes what was begun. Returns what it refused.
        """
        async with self.writing():
            failpoint("before-stage")
            prepared = await asyncio.to_thread(self.words.applied, prepared)
            known = await asyncio.to_thread(self.catalog.holds, [item.document.document_id for item in prepared])
            seqs = await asyncio.to_thread(self.catalog.stage, prepared, vectors, tokens, stand_in)
            failpoint("staged")
            writer = RowWriter(self.index)
            if not stand_in:
                beside = await asyncio.to_thread(as_set, self.catalog.database, prepared)
                await writer.add(staged_rows(beside, vectors), fresh=not known)
            elif known:
                await self.index.remove([chunk.chunk_id for item in prepared for chunk in item.chunks])
            lost = await asyncio.to_thread(self.catalog.let_go, seqs, writer.refused) if writer.refused else []
            failpoint("indexed")
            removed = await asyncio.to_thread(self.catalog.publish, seqs)
            failpoint("published")
            await drop_chunks(self.catalog, self.index, removed)
            await asyncio.to_thread(finish_sweeping, self.catalog, self.originals)
            await self.wrote(sum(len(item.chunks) for item in prepared))
        return lost

    async def enrich(self, fields: NewFields | Callable[[], NewFields]) -> int:
        """Keep fields of live documents, by id: catalog, index, catalog. See `Catalog.enrich`.

        A function is called once the base is held. Returns how many documents this changed; vectors and terms stay.

        Raises:
            ServiceError: the index refuses the new fields of some, which are taken away again; the others have theirs.
        """
        async with self.writing():
            found = await asyncio.to_thread(fields) if callable(fields) else fields
            seqs = await asyncio.to_thread(self.catalog.enrich, found)
            failpoint("enriched")
            refused = await refresh(self.catalog, self.index, seqs)
            await self.wrote()
        if refused:
            message = f"The index refused the new fields of documents: {refused[0]}."
            raise ServiceError(message, cure="Correct what the enricher makes; the rest is kept.", retryable=False)
        return len(seqs)

    async def renewed(self, seqs: Sequence[int]) -> None:
        """Let the index take over new vectors of these documents, by row number. The caller holds the base.

        What it refuses is found when it is next compared with the catalog.
        """
        writer = RowWriter(self.index)
        for rows in await asyncio.to_thread(lambda: list(deep_rows(self.catalog, seqs=seqs))):
            await writer.add(rows)
        await self.wrote()

    async def remove(self, document_ids: Sequence[str], *, erase: bool) -> int:
        """Take documents away, from the index too; with `erase` no file holds their bytes afterwards.

        Then shards of workers go too: what of them is still wanted is made again.
        """
        async with self.writing():
            if erase:
                self.judged.forget()
                await asyncio.to_thread(shutil.rmtree, self.folder / SHARDS, ignore_errors=True)
            removed = await asyncio.to_thread(self.catalog.delete, document_ids, erase=erase)
            failpoint("deleted")
            await drop_chunks(self.catalog, self.index, removed)
            failpoint("forgotten")
            try:
                await asyncio.to_thread(self.graph.let_go_held if erase else self.ledger.forget_empty)
                if erase and self.board:
                    await asyncio.to_thread(self.board.clear)
            finally:
                await finish_erasing(self.catalog, self.index, self.resident)
                await asyncio.to_thread(finish_sweeping, self.catalog, self.originals)
                await self.wrote()
        return len(removed)

    async def keep_originals(self, offered: Sequence[Offered], max_bytes: int) -> list[Offered]:
        """Keep the files that documents were read from. See `Originals.keep`."""
        async with self.writing():
            return await asyncio.to_thread(self.originals.keep, offered, max_bytes)

    async def optimize(self) -> None:
        """Bring search structures up to date: the index's, and what a fresh process starts from.

        Nothing is done where little was written since the last time.
        """
        if self._loose >= FEW_CHUNKS:
            async with self.writing():
                await self._optimize()
                await asyncio.to_thread(self.resident.keep)

    async def wrote(self, chunks: int = 0) -> None:
        """Count a write, of so many chunks; after some of them, tidy. The caller holds the base."""
        self._loose += chunks
        self._writes += 1
        if self._writes % OPTIMIZE_EVERY == 0:
            grown = self._loose
            await self._optimize()
            await asyncio.to_thread(self.resident.grew, grown)

    async def _optimize(self) -> None:
        with stage("optimise"):
            await self.index.optimize()
            await asyncio.to_thread(self.catalog.tidy)
        await asyncio.to_thread(keep_private, self.folder)
        self._loose = 0

    @asynccontextmanager
    async def writing(self, *, thorough: bool = False) -> AsyncGenerator[Health]:
        """Hold the base for writing, once what an interrupted writer left is mended."""
        async with self._turn:
            await asyncio.to_thread(self.catalog.database.check_place)  # the lock lies in the folder of that name
            await self._turns.take()
            try:
                health = Health(chunks=0)
                await asyncio.to_thread(self.catalog.database.check_embedder)
                given = await asyncio.to_thread(self.catalog.fact, WRITTEN_TO)
                settled = self._checked and given == self._beside.name
                if thorough or not settled or not await asyncio.to_thread(self.catalog.is_finished):
                    stale = self._beside.is_named and given not in {"", self._beside.name}
                    parts = self.catalog, self.index, self.originals, self.resident, self.graph
                    health = await heal(*parts, dimension=self.dimension, thorough=thorough, stale=stale)
                    if not settled:
                        await asyncio.to_thread(self._settle)
                    self._checked = True
                yield health
            finally:
                self._turns.give_back()

    def _settle(self) -> None:
        """See that the folder is private, and holds no index that nothing writes to any more."""
        keep_private(self.folder)
        self.catalog.set_fact(WRITTEN_TO, self._beside.name)
        if not self._beside.is_named:
            shutil.rmtree(self.folder / INDEX, ignore_errors=True)

    async def mend(self) -> None:
        """Finish what an interrupted writer left; what one that is still at work has yet to do is waited for."""
        if not self._checked or not await asyncio.to_thread(self.catalog.is_finished):
            async with self.writing():
                return

    async def heal(self) -> Health:
        """Compare catalog and index chunk by chunk, and mend the index from the catalog, where it can be written to."""
        try:
            async with self.writing(thorough=True) as health:
                return health
        except ServiceError as refused:
            return await look(self.catalog, self.index, self.originals, self.dimension, self.folder, refused)

    async def close(self) -> None:
        """Close the index and the catalog."""
        await self.judged.close()
        await self.team.close()
        await self.news.close()
        if self._checked:  # it has written, and LanceDB makes its files as the umask says
            await asyncio.to_thread(keep_private, self.folder)
        if "index" in self.__dict__:
            await self.index.close()
        for resident in {self.resident, self.searched}:
            await asyncio.to_thread(resident.close)
        await asyncio.to_thread(self.graph.close)
        if self.documents is not self.catalog:
            self.documents.close()
        self.catalog.close()
