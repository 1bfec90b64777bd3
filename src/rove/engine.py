"""The path: add → load → chunk → enrich → keep, and ask → retrieve → answer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterable
from copy import copy
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Self

from rove.argument_checks import all_checked
from rove.chunk import ChunkModels
from rove.conversation.respond import Responder
from rove.conversation_operations import ConversationOperations
from rove.correction_operations import CorrectionOperations
from rove.database_operations import DatabaseOperations
from rove.document_operations import DocumentOperations, keep_originals
from rove.enrich import ENRICHERS, EnrichContext, Enriched, Estimate
from rove.enrich.run import enriched, estimated
from rove.errors import check_asked
from rove.events import Listener, ignore, note
from rove.exchange import imported
from rove.ingest.deduplicate import Deduplicator
from rove.ingest.given import Given, windows
from rove.ingest.outdated import FolderUpdate
from rove.ingest.pipeline import Ingest
from rove.ingest.readers import readers_of
from rove.ingest.remote import crawled, fetched, limits_of
from rove.ingest.watch import changes
from rove.instances import Instances
from rove.language.detect import detect
from rove.load.discover import PAGE, locate
from rove.load.web.plan import CrawlPlan
from rove.migration import Migrating
from rove.opening import NONE, Opening
from rove.records import Answer, Gathered, History, Report, Response, Understood
from rove.records.filter import Where, as_filter
from rove.records.ledger import UNFINISHED, UPLOADED
from rove.retrieve.rules.apply_rules import rules_of
from rove.review_operations import ReviewOperations
from rove.search_operations import SearchOperations
from rove.settings import Settings
from rove.store.duplicates import Duplicates
from rove.store.switching import READ_BY
from rove.tool_operations import ToolOperations
from rove.tracing import operation
from rove.walk.operations import WalkOperations

START = History()


@all_checked
class AsyncRove(
    SearchOperations,
    DocumentOperations,
    CorrectionOperations,
    ReviewOperations,
    ConversationOperations,
    DatabaseOperations,
    ToolOperations,
    WalkOperations,
    Migrating,
    Opening,
):
    """A knowledge base. `Rove` is the same with blocking calls.

    >>> kb = AsyncRove.open("kb/", embedder={"name": "fake"})  # doctest: +SKIP
    >>> await kb.add("docs/")  # doctest: +SKIP
    >>> answer = await kb.ask("Who approves remote work?")  # doctest: +SKIP
    """

    def __init__(self, settings: Settings, instances: Instances = NONE, *, create: bool = True) -> None:
        super().__init__(settings, instances, create=create)
        fingerprint = str(self.embedder.fingerprint)
        with_chat, own = bool(instances.chat or settings.chat.model), instances.embedder is not None
        first = self.store.catalog.fact(READ_BY)
        self.readers = readers_of(settings, fingerprint, with_chat=with_chat, own_embedder=own, read_by=first)
        self.deduplicator = Deduplicator(Duplicates(self.store.catalog.database), settings.load.duplicates)

    def _set_search_context(self) -> None:
        super()._set_search_context()
        self._renew_tools()

    # -- in --------------------------------------------------------------------------------------------------------

    async def add(  # fmt: skip
        self,
        *sources: Given | Iterable[Given],
        crawl: CrawlPlan | None = None,
        listener: Listener = ignore,
        deep: bool = True,
        prune: bool | None = None,
    ) -> Report:
        """Take in files, folders, texts, pages and databases by address; what has not changed is left as it is.

        One bad source never stops the others: `report.failed` and the ledger say what failed, why, and what to do.

        Args:
            sources: paths, `Text`s, addresses ("https://…", "postgresql://…"), `Location`s, or iterables of these.
            crawl: take in the pages that an address leads to as well, so far; each is a source of its own.
            listener: told of each step.
            deep: with `embedder.first`, wait for the embedder too; without, that is left to the next `add`.
            prune: of folders that were added before, take out what is gone from them; without, `report.vanished` tells
                of it. None leaves it to the setting `load.prune`. What has moved stays the document that it is.
        """
        ingest, limits = self._ingest(listener), limits_of(self.settings.load)
        load = self.settings.load
        folders = FolderUpdate(self.store, self.readers.recipe, prune=load.prune if prune is None else prune)
        with operation("add") as adding:
            for window in windows(sources):
                look = partial(locate, window, load.ignore, ingest.left_out, follow_links=load.follow_links)
                found = await asyncio.to_thread(look)
                await folders.compare(window, found, ingest.left_out)
                pages = [location for location in found if location.kind == PAGE]
                await ingest.run([location for location in found if location.kind != PAGE])
                for site in pages if crawl else ():
                    await ingest.take_pages(crawled(site.address, crawl or CrawlPlan(), limits))
                if pages and not crawl:
                    await ingest.take_pages(fetched(pages, limits), len(pages))
            report = folders.told(await ingest.finish(deep=deep))
            for name in self.settings.enrich.after_add:
                await self.enrich(name, listener=listener)
            adding.tell(documents=report.documents, chunks=report.chunks, failed=len(report.failed))
        return report

    async def enrich(self, name: str, *, listener: Listener = ignore) -> Enriched:
        """Work more out of documents that are in the base: "fields", "replies" (to each post), "graph" (triplets).

        Nothing is embedded again; a run that was cut off is simply repeated.

        Raises:
            ConfigError: no enricher has that name, or its settings are wrong.
        """
        with operation("enrich", enricher=name):
            context = self._enrich_context()
            return await enriched(ENRICHERS.get(name)(context), context, listener)

    async def estimate_enrich(self, name: str) -> Estimate:
        """Say how many documents a run of `enrich` will look at, and what it will ask of the chat model."""
        return await estimated(ENRICHERS.get(name)(self._enrich_context()), self.settings.chat)

    async def watch(
        self, *folders: str | Path, stop: asyncio.Event | None = None, listener: Listener = ignore
    ) -> AsyncGenerator[Report]:
        """Keep the base in step with folders: yields a report of the first `add`, then one for each change.

        What is deleted there is taken out of the base. `stop` ends it.
        """
        yield await self.add(*folders, listener=listener, prune=True)
        async for _ in changes(folders, self.store.folder, stop):
            yield await self.add(*folders, listener=listener, prune=True)

    async def resume(self, listener: Listener = ignore) -> Report:
        """Take up what an earlier `add` did not finish: sources that are neither live nor failed.

        What was handed in to a server is left to the server, which has the files.
        """
        left = await asyncio.to_thread(self.store.ledger.entries, *UNFINISHED)
        return await self.add(*(e.source for e in left if not e.source.startswith(UPLOADED)), listener=listener)

    async def import_(self, lines: Iterable[str], listener: Listener = ignore) -> Report:
        """Take in what `export` wrote; vectors are taken along where the embedder is the same."""
        keep = partial(keep_originals, self.store, self.settings.serve)
        return await imported(lines, self.store, self.embedder, self._ingest(listener), keep)

    # -- out -------------------------------------------------------------------------------------------------------

    async def ask(
        self, question: str, *, where: Where | None = None, tools: bool = False, listener: Listener = ignore
    ) -> Answer:
        """Answer from the base, every sentence cited to exact words; without a chat model, by quoting them.

        `tools`: one that surely fits and only reads is run; what it gives is a source beside the documents.
        """
        if not tools:
            return (await self.respond(question, where=where, listener=listener)).answer
        return await self.ask_with_tools(question, where=where, listener=listener)

    async def respond(
        self, question: str, *, history: History = START, where: Where | None = None, listener: Listener = ignore
    ) -> Response:
        """Answer one turn of a conversation; give its `history` with the next one. See `Responder.respond`.

        The answer's `notes` say as well which fields the filter names and no document has, and what `_untold` says.
        """
        response = await self._responder(question).respond(
            question, history=history, where=as_filter(where), listener=listener
        )
        notes = (*await self.notes_on(where), *self._untold(where), *response.answer.notes)
        return replace(response, answer=replace(response.answer, notes=notes))

    async def understand(
        self, question: str, *, history: History = START, where: Where | None = None, listener: Listener = ignore
    ) -> Understood:
        """Say what a question means, by the steps of the settings table "question", without answering it."""
        note(await self.notes_on(where), listener, detect(question))
        return await self._responder(question).understand(question, history, as_filter(where))

    async def gather(
        self, question: str, *, history: History = START, where: Where | None = None, listener: Listener = ignore
    ) -> Gathered:
        """Gather what an exact answer needs, in at most two rounds, every chunk graded. See `Gatherer`."""
        note(await self.notes_on(where), listener, detect(question))
        return await self._responder(question).gather(question, history, as_filter(where))

    async def close(self) -> None:
        """Release files, threads and reading processes."""
        await asyncio.gather(self._close_walks(), self.tools.close())
        await asyncio.to_thread(self.readers.close)
        await self.store.close()
        self.closed = True

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.close()

    def _ingest(self, listener: Listener) -> Ingest:
        models, first = ChunkModels(self.embedder, self.chat_model()), self.stand_in.wanted()
        return Ingest(self.store, models, self.readers, self.deduplicator, listener, first)

    def _enrich_context(self) -> EnrichContext:
        enrich, label = self.settings.enrich, self.settings.serve.access_field
        return EnrichContext(self.store, self.embedder, enrich, label, self.chat_model)

    def _responder(self, question: str) -> Responder:
        check_asked(question)
        return Responder(self.search_context, self.chat_model(), self.settings, self._text_of)


def varied(kb: AsyncRove, settings: Settings) -> AsyncRove:
    """Return the same base with other settings of search, reranker, answer and chat; `kb` alone is closed."""
    other = copy(kb)
    other.settings = settings
    other.rules = rules_of(settings.search)
    other._set_search_context()  # pyright: ignore[reportPrivateUsage] - one module
    return other
