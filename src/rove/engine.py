"""The path, in one screen: add → load → chunk → enrich → keep, and ask → retrieve → answer."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from typing import Self

from rove.answer.compose import Answerer
from rove.chunk import ChunkModels
from rove.errors import InputError
from rove.events import Listener, ignore
from rove.exchange import exported, imported
from rove.ingest.recipe import pool_of
from rove.ingest.remote import crawled, fetched, limits_of
from rove.ingest.run import Ingest
from rove.ingest.twins import Twins
from rove.ingest.watch import changes
from rove.language.detect import detect
from rove.load.discover import PAGE, Location, locate
from rove.load.web.crawl import CrawlPlan
from rove.models import CHAT_MODELS, EMBEDDERS, RERANKERS, ChatModel, Embedder, LateEmbedder
from rove.models.cache import remembering
from rove.records import Answer, Chunk, Document, DocumentInfo, Filter, Hit, LedgerEntry, Report, Text
from rove.records.ledger import UNFINISHED
from rove.retrieve import RETRIEVERS, Means, Query
from rove.settings import Settings, read_settings
from rove.store.duplicates import Duplicates
from rove.store.health import Health
from rove.store.store import Store

Given = str | Path | Text | Location
WINDOW = 5_000


class AsyncRove:
    """A knowledge base. `Rove` is the same with blocking calls.

    >>> kb = AsyncRove.open("kb/", embedder={"name": "fake"})  # doctest: +SKIP
    >>> await kb.add("docs/")  # doctest: +SKIP
    >>> answer = await kb.ask("Who approves remote work?")  # doctest: +SKIP
    """

    def __init__(self, settings: Settings, embedder: Embedder | None = None) -> None:
        self.settings = settings
        self.embedder = embedder or remembering(EMBEDDERS.get(settings.embedder.name)(settings.embedder))
        fingerprint = self.embedder.fingerprint
        self.store = Store(
            settings.path, model=str(fingerprint), dimension=fingerprint.dimension, settings=settings.store
        )
        late = isinstance(self.embedder, LateEmbedder)
        self._hybrid_reranks = late or bool(settings.search.reranker)
        reranker = RERANKERS.get(settings.search.reranker or ("late" if late else "embedder"))(
            self.embedder, self.store, settings.reranker
        )
        self.means = Means(self.store, self.embedder, reranker, settings.search)
        self.pool = pool_of(settings, str(fingerprint))
        self.twins = Twins(Duplicates(self.store.catalog.database), settings.load.duplicates)

    @classmethod
    def open(cls, location: str | Path = "kb", **settings: object) -> Self:
        """Open a knowledge base, or make it.

        Args:
            location: its folder, or a TOML file with settings.
            settings: what wins over the file and the environment, e.g. `search={"top_k": 5}`.

        Raises:
            ConfigError: wrong settings, or a base that was made with another embedder.
        """
        return cls(read_settings(location, **settings))

    # -- in --------------------------------------------------------------------------------------------------------

    async def add(
        self, *sources: Given | Iterable[Given], crawl: CrawlPlan | None = None, listener: Listener = ignore
    ) -> Report:
        """Take in files, folders, texts, pages and databases by address; what has not changed is left as it is.

        One bad source never stops the others: `report.failed` and the ledger say what failed, why, and what to do.

        Args:
            sources: paths, `Text`s, addresses ("https://…", "postgresql://…"), `Location`s, or iterables of these.
            crawl: take in the pages that an address leads to as well, so far; each is a source of its own.
            listener: told of each step.
        """
        ingest = self._ingest(listener)
        limits = limits_of(self.settings.load)
        for window in _windows(sources):
            found = await asyncio.to_thread(locate, window, self.settings.load.ignore)
            pages = [location for location in found if location.kind == PAGE]
            await ingest.run([location for location in found if location.kind != PAGE])
            for site in pages if crawl else ():
                await ingest.take_pages(crawled(site.address, crawl or CrawlPlan(), limits))
            if pages and not crawl:
                await ingest.take_pages(fetched(pages, limits), len(pages))
        return await ingest.finish()

    async def watch(
        self, *folders: str | Path, stop: asyncio.Event | None = None, listener: Listener = ignore
    ) -> AsyncGenerator[Report]:
        """Keep the base in step with folders: yields a report of the first `add`, then one for each change.

        What is deleted there is taken out of the base. `stop` ends it.
        """
        yield await self.add(*folders, listener=listener)
        async for _ in changes(folders, stop):
            yield await self._follow(folders, listener)

    async def _follow(self, folders: Sequence[str | Path], listener: Listener) -> Report:
        gone = await asyncio.to_thread(self._gone, folders)
        await self.store.remove(gone, erase=False)
        return replace(await self.add(*folders, listener=listener), removed=len(gone))

    def _gone(self, folders: Sequence[str | Path]) -> list[str]:
        """The documents of files that were in these folders and are no more."""
        here = {location.uri for location in locate(folders, self.settings.load.ignore)}
        roots = [f"{_absolute(str(folder))}{os.sep}" for folder in folders]
        held = {entry.source for entry in self.store.ledger.entries("live") if entry.source.startswith(tuple(roots))}
        return self.store.catalog.stale({source: () for source in held - here})

    async def resume(self, listener: Listener = ignore) -> Report:
        """Take up what an earlier `add` did not finish: sources that are neither live nor failed."""
        unfinished = await asyncio.to_thread(self.store.ledger.entries, *UNFINISHED)
        return await self.add(*(entry.source for entry in unfinished), listener=listener)

    # -- out -------------------------------------------------------------------------------------------------------

    async def search(
        self,
        question: str,
        *,
        top_k: int | None = None,
        where: Filter | None = None,
        mode: str = "hybrid",
        rerank: bool | None = None,
    ) -> list[Hit]:
        """Find chunks, best first.

        Args:
            question: what to look for, in any language.
            top_k: how many at most; the setting `search.top_k` if None.
            where: a filter, applied before the search: `field("topic") == "hr"`.
            mode: "keyword", "semantic", "hybrid" (both, fused), "gather" (the best of both and of a reranked pool),
                or a plug-in's name.
            rerank: let the reranker look at the best again ("gather" always does); None leaves it to the mode: "hybrid"
                does where the embedder keeps what late interaction compares, which costs a few milliseconds, or where
                the settings name a reranker.

        Raises:
            InputError: the question is blank.
        """
        if not question.strip():
            message = "The question is blank."
            raise InputError(message, cure="Ask something.", outcome="empty")
        top_k = self.settings.search.top_k if top_k is None else top_k
        if top_k < 1:
            message = f"top_k is {top_k}; it must be at least 1."
            raise InputError(message, cure="Ask for at least one hit.")
        retriever = RETRIEVERS.get(mode)(self.means)
        rerank = (mode == "hybrid" and self._hybrid_reranks) if rerank is None else rerank
        return await retriever.retrieve(Query(question, top_k, where, rerank))

    async def ask(self, question: str, *, where: Filter | None = None, listener: Listener = ignore) -> Answer:
        """Answer from the base, every sentence cited to exact words; without a chat model, by quoting them."""
        hits = await self.search(question, top_k=self.settings.answer.references, where=where, rerank=True)
        answerer = Answerer(self.embedder, self._chat(), self.settings.answer)
        language = detect(question)
        return await answerer.answer(question, hits, language=language, text_of=self.text, listener=listener)

    # -- care ------------------------------------------------------------------------------------------------------

    async def documents(self) -> list[DocumentInfo]:
        """List the documents, in the order they came."""
        return await asyncio.to_thread(self.store.catalog.documents)

    async def named(self, *names: str | Path) -> list[DocumentInfo]:
        """The documents of these ids or sources (paths); one path can hold many.

        Raises:
            InputError: a name is neither a document's id nor a source.
        """
        texts = [str(name) for name in names]
        places = {text: _absolute(text) for text in texts}
        sources = [*texts, *places.values()]
        found = await asyncio.to_thread(self.store.catalog.documents, ids=texts, sources=sources)
        held = {value for info in found for value in (info.document_id, info.source, info.source.rpartition("#")[0])}
        unknown = [text for text in texts if text not in held and places[text] not in held]
        if unknown:
            message = f"Nothing in the base is named {', '.join(map(repr, unknown))}."
            raise InputError(message, cure="List the documents with: rove inspect")
        return found

    async def document(self, document_id: str) -> tuple[Document, list[Chunk]]:
        """One document, with its canonical text and its chunks in order.

        Raises:
            InputError: there is no such document.
        """
        found = await asyncio.to_thread(self.store.catalog.document, document_id)
        if found is None:
            message = f"There is no document {document_id!r}."
            raise InputError(message, cure="List them with: rove inspect")
        return found

    async def text(self, document_id: str) -> str:
        """The canonical text of a document; spans are offsets into it."""
        return await asyncio.to_thread(self.store.catalog.text, document_id)

    async def ledger(self, *states: str) -> list[LedgerEntry]:
        """What became of every source that was given, or of those in these states."""
        return await asyncio.to_thread(self.store.ledger.entries, *states)

    async def delete(self, *names: str | Path, where: Filter | None = None) -> int:
        """Erase documents by id, by source (path, URL) or by a filter; their bytes leave the disk. Returns how many.

        Raises:
            InputError: a name is neither a document's id nor a source.
        """
        found = await self.named(*names) if names else []
        if where is not None:
            found += [info for info in await self.documents() if where.matches(info.fields)]
        ids = list(dict.fromkeys(info.document_id for info in found))
        await self.store.remove(ids, erase=True)
        return len(ids)

    async def doctor(self) -> Health:
        """Compare catalog and index chunk by chunk, and mend the index from the catalog."""
        return await self.store.heal()

    def export(self) -> AsyncIterator[str]:
        """Write the base as lines of JSON: documents with text, metadata and vectors. See `import_`."""
        return exported(self.store, self.embedder.fingerprint)

    async def import_(self, lines: Iterable[str], listener: Listener = ignore) -> Report:
        """Take in what `export` wrote; vectors are taken along where the embedder is the same."""
        ingest = self._ingest(listener)
        return await imported(lines, self.store, self.embedder.fingerprint, ingest)

    async def close(self) -> None:
        """Release files, threads and reading processes."""
        await asyncio.to_thread(self.pool.close)
        await self.store.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.close()

    # -- inside ----------------------------------------------------------------------------------------------------

    def _ingest(self, listener: Listener) -> Ingest:
        return Ingest(self.store, ChunkModels(self.embedder, self._chat()), self.pool, self.twins, listener)

    def _chat(self) -> ChatModel | None:
        chat = self.settings.chat
        if not chat.model:
            return None
        return CHAT_MODELS.get("fake" if chat.model == "fake" else "pydantic-ai")(chat)


def _windows(sources: Iterable[Given | Iterable[Given]]) -> Iterator[list[Given]]:
    """Flatten what was given, some thousands at a time, so that an endless iterable of texts takes no more memory."""
    items = chain.from_iterable([source] if isinstance(source, Given) else source for source in sources)
    while window := list(islice(items, WINDOW)):
        yield window


def _absolute(path: str) -> str:
    return os.path.abspath(path)  # noqa: PTH100 - a link is named by where it stands
