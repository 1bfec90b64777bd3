"""The path: add → load → chunk → enrich → keep, and ask → retrieve → answer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterable
from copy import copy
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Self

from rove.argument_checks import Positive, all_checked
from rove.chunk import ChunkModels
from rove.conversation.respond import Responder
from rove.database_operations import DatabaseOperations
from rove.document_operations import DocumentOperations, keep_originals
from rove.enrich import ENRICHERS, EnrichContext, Enriched, Estimate
from rove.enrich.run import enriched, estimated
from rove.errors import check_asked
from rove.events import Listener, ignore, note
from rove.exchange import imported
from rove.ingest.deduplicate import Deduplicator
from rove.ingest.given import Given, windows
from rove.ingest.pipeline import Ingest
from rove.ingest.readers import readers_of
from rove.ingest.remote import crawled, fetched, limits_of
from rove.ingest.watch import changes, vanished
from rove.instances import Instances
from rove.load.discover import PAGE, locate
from rove.load.web.plan import CrawlPlan
from rove.migration import Migrating
from rove.models import EMBEDDERS, RERANKERS, ChatModel, LateEmbedder, chat_model
from rove.models.cache import remembering
from rove.opening import NONE, Opening
from rove.plugins import check_names
from rove.records import Answer, Filter, Gathered, History, Hit, Report, Response, Understood
from rove.records.ledger import UNFINISHED, UPLOADED
from rove.retrieve import Query, SearchContext, reranks, retrieve, usual_top_k
from rove.retrieve.rules.apply_rules import ruled, rules_of
from rove.retrieve.stand_in import StandIn
from rove.settings import Settings
from rove.store.duplicates import Duplicates
from rove.store.home import home_of
from rove.store.store import Store
from rove.store.switching import READ_BY
from rove.tool_operations import ToolOperations
from rove.tracing import operation
from rove.walk.operations import WalkOperations

START = History()


@all_checked
class AsyncRove(DocumentOperations, DatabaseOperations, ToolOperations, WalkOperations, Migrating, Opening):
    """A knowledge base. `Rove` is the same with blocking calls.

    >>> kb = AsyncRove.open("kb/", embedder={"name": "fake"})  # doctest: +SKIP
    >>> await kb.add("docs/")  # doctest: +SKIP
    >>> answer = await kb.ask("Who approves remote work?")  # doctest: +SKIP
    """

    def __init__(self, settings: Settings, instances: Instances = NONE, *, create: bool = True) -> None:
        super().__init__()
        check_names(settings)
        if not create:
            home_of(settings.path).check_there()
        self.settings, self.instances = settings, instances
        self.rules = rules_of(settings.search)
        self.embedder = instances.embedder or remembering(EMBEDDERS.get(settings.embedder.name)(settings.embedder))
        fingerprint = self.embedder.fingerprint
        self.store = Store(
            settings.path,
            model=str(fingerprint),
            dimension=fingerprint.dimension,
            settings=settings.store,
            index=instances.index,
            also=settings.also,
        )
        self.stand_in = StandIn(settings.embedder)
        self._set_search_context()
        with_chat, own = bool(instances.chat or settings.chat.model), instances.embedder is not None
        first = self.store.catalog.fact(READ_BY)
        self.readers = readers_of(settings, str(fingerprint), with_chat=with_chat, own_embedder=own, read_by=first)
        self.deduplicator = Deduplicator(Duplicates(self.store.catalog.database), settings.load.duplicates)

    def chat_model(self) -> ChatModel | None:
        """The chat model that was handed in, else the one that the settings name, if any."""
        return self.instances.chat or chat_model(self.settings.chat)

    def _set_search_context(self) -> None:
        search, late, own = self.settings.search, isinstance(self.embedder, LateEmbedder), self.instances.reranker
        self._reranks = late or bool(search.reranker or own)
        reranker = own or RERANKERS.get(search.reranker or ("late" if late else "embedder"))(
            self.embedder, self.store, self.settings.reranker
        )
        self.search_context = SearchContext(
            self.store, self.embedder, reranker, search, self.settings.question, self.chat_model, self.stand_in
        )
        self._renew_tools()

    # -- in --------------------------------------------------------------------------------------------------------

    async def add(  # fmt: skip
        self,
        *sources: Given | Iterable[Given],
        crawl: CrawlPlan | None = None,
        listener: Listener = ignore,
        deep: bool = True,
    ) -> Report:
        """Take in files, folders, texts, pages and databases by address; what has not changed is left as it is.

        One bad source never stops the others: `report.failed` and the ledger say what failed, why, and what to do.

        Args:
            sources: paths, `Text`s, addresses ("https://…", "postgresql://…"), `Location`s, or iterables of these.
            crawl: take in the pages that an address leads to as well, so far; each is a source of its own.
            listener: told of each step.
            deep: with `embedder.first`, wait for the embedder too; without, that is left to the next `add`.
        """
        ingest, limits = self._ingest(listener), limits_of(self.settings.load)
        with operation("add") as adding:
            for window in windows(sources):
                found = await asyncio.to_thread(locate, window, self.settings.load.ignore)
                pages = [location for location in found if location.kind == PAGE]
                await ingest.run([location for location in found if location.kind != PAGE])
                for site in pages if crawl else ():
                    await ingest.take_pages(crawled(site.address, crawl or CrawlPlan(), limits))
                if pages and not crawl:
                    await ingest.take_pages(fetched(pages, limits), len(pages))
            report = await ingest.finish(deep=deep)
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
        yield await self.add(*folders, listener=listener)
        async for _ in changes(folders, stop):
            gone = await asyncio.to_thread(vanished, self.store, folders, self.settings.load.ignore)
            await self.store.remove(gone, erase=False)
            yield replace(await self.add(*folders, listener=listener), removed=len(gone))

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

    async def search(
        self,
        question: str,
        *,
        top_k: Positive | None = None,
        where: Filter | None = None,
        mode: str = "hybrid",
        rerank: bool | None = None,
        min_score: float | None = None,
        listener: Listener = ignore,
    ) -> list[Hit]:
        """Find chunks, best first.

        Args:
            question: what to look for, in any language.
            top_k: how many at most. None: the setting `search.top_k`, and in mode "gather" all that its five numbers
                allow. A number given here cuts what is returned, never what "gather" looks at.
            where: a filter, applied before the search: `field("topic") == "hr"`.
            mode: "keyword", "semantic", "hybrid" (both, fused), "sparse" (keywords, also in metadata), "gather" (the
                best of both and of a reranked pool), "walk" (what that leads to by names, hop by hop, too), "graph"
                (and by what `enrich("graph")` has read), "tree" (all below a heading that the question names, too),
                "questions" (what answers it in a document), "schema" (tables that it needs), "summaries" (sections as a
                whole), "themes" (what all is about), "rewrite" (in other words too), "chain", "together", or a plug-in.
            rerank: let the reranker look at the best again ("gather" and "walk" always do); None leaves it to the mode:
                "hybrid", "tree" and what is made of them do where the embedder keeps what late interaction compares,
                which costs a few milliseconds, or where the settings name a reranker.
            min_score: hits that score less are left out. What a score means depends on the mode: in "semantic" it is
                the cosine, in "keyword" BM25, in "questions" the nearness of the two questions; reranked, a z-score.
            listener: told of fields that the filter names and no document has; without one it is a `FieldWarning`.

        Raises:
            InputError: the question is blank, or an argument is nothing that can be meant.
        """
        check_asked(question)
        top_k = usual_top_k(mode, self.settings.search, top_k)
        rerank = (reranks(mode) and self._reranks) if rerank is None else rerank
        depth = max(top_k, self.settings.search.rule_pool) if self.rules else top_k
        with operation("search", mode=mode, top_k=top_k) as searching:
            searching.show(question=question)
            found = await retrieve(mode, self.search_context, Query(question, depth, where, rerank))
            found = [hit for hit in found if min_score is None or hit.score >= min_score]
            note(await self.notes_on(where), listener)
            return ruled(found, self.rules)[:top_k]

    async def ask(
        self, question: str, *, where: Filter | None = None, tools: bool = False, listener: Listener = ignore
    ) -> Answer:
        """Answer from the base, every sentence cited to exact words; without a chat model, by quoting them.

        `tools`: one that surely fits and only reads is run; what it gives is a source beside the documents.
        """
        if not tools:
            return (await self.respond(question, where=where, listener=listener)).answer
        return await self.ask_with_tools(question, where=where, listener=listener)

    async def respond(
        self, question: str, *, history: History = START, where: Filter | None = None, listener: Listener = ignore
    ) -> Response:
        """Answer one turn of a conversation; give its `history` with the next one. See `Responder.respond`.

        The answer's `note` says as well which fields the filter names and no document has.
        """
        response = await self._responder(question).respond(question, history=history, where=where, listener=listener)
        said = " ".join(filter(None, (*await self.notes_on(where), response.answer.note)))
        return replace(response, answer=replace(response.answer, note=said))

    async def understand(
        self, question: str, *, history: History = START, where: Filter | None = None, listener: Listener = ignore
    ) -> Understood:
        """Say what a question means, by the steps of the settings table "question", without answering it."""
        note(await self.notes_on(where), listener)
        return await self._responder(question).understand(question, history, where)

    async def gather(
        self, question: str, *, history: History = START, where: Filter | None = None, listener: Listener = ignore
    ) -> Gathered:
        """Gather what an exact answer needs, in at most two rounds, every chunk graded. See `Gatherer`."""
        note(await self.notes_on(where), listener)
        return await self._responder(question).gather(question, history, where)

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
