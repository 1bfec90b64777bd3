"""The blocking face of the engine: the same calls, run on an event loop of its own thread."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import AsyncIterator, Awaitable, Iterable, Iterator, Mapping
from pathlib import Path
from threading import Thread
from types import MappingProxyType
from typing import Self, TypeVar

from rove.argument_checks import Positive, closed_error, fits_hint
from rove.engine import START, AsyncRove, Given
from rove.enrich import Enriched, Estimate
from rove.errors import FieldWarning
from rove.events import Listener, but, ignore
from rove.instances import Instances
from rove.load.web.plan import CrawlPlan
from rove.models import ChatModel
from rove.models.judge import Judge
from rove.opening import NONE, Opening
from rove.records import (
    Answer,
    Gathered,
    History,
    Hit,
    Report,
    Response,
    Understood,
)
from rove.records.filter import Where
from rove.records.tool import ToolRun
from rove.records.walk_events import Budget, WalkEvent, WalkInfo
from rove.settings import Settings
from rove.sync.blocking_conversations import BlockingConversations
from rove.sync.blocking_documents import BlockingDocuments
from rove.sync.blocking_memory import Memory
from rove.sync.blocking_reviews import BlockingReviews
from rove.sync.blocking_tools import Tools
from rove.sync.blocking_walk import Walk
from rove.sync.docstrings import explained_by
from rove.sync.migrating import Migrating

T = TypeVar("T")
EMPTY: Mapping[str, object] = MappingProxyType({})


@explained_by(AsyncRove)
class Rove(BlockingDocuments, BlockingReviews, BlockingConversations, Migrating, Opening):
    """A knowledge base.

    >>> from rove import Rove, Text
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, Rove.open(folder, embedder={"name": "fake"}) as kb:
    ...     report = kb.add(Text("Remote work is approved by the head of unit.", id="policy"))
    ...     kb.search("Who approves remote work?")[0].chunk.document_id
    'policy'
    """

    def __init__(self, settings: Settings, instances: Instances = NONE, *, create: bool = True) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._loop.run_forever, name="rove", daemon=True)
        self._thread.start()
        try:
            self._kb = self._run(_open_async_engine(settings, instances, create))
        except BaseException:
            self._stop()
            raise

    @property
    def settings(self) -> Settings:
        """The settings that are in force."""
        return self._kb.settings

    def judge(self) -> Judge | None:
        """See `AsyncRove.judge`."""
        return self._kb.judge()

    def chat_model(self) -> ChatModel | None:
        """See `AsyncRove.chat_model`."""
        return self._kb.chat_model()

    def add(
        self,
        *sources: Given | Iterable[Given],
        crawl: CrawlPlan | None = None,
        deep: bool = True,
        prune: bool | None = None,
        listener: Listener = ignore,
    ) -> Report:
        """See `AsyncRove.add`."""
        return self._run(self._kb.add(*sources, crawl=crawl, deep=deep, prune=prune, listener=listener))

    def watch(self, *folders: str | Path, listener: Listener = ignore) -> Iterator[Report]:
        """See `AsyncRove.watch`. It goes on until the generator is closed, or Ctrl-C is pressed."""
        stop = asyncio.Event()
        reports = self._kb.watch(*folders, stop=stop, listener=listener)
        try:
            while (report := self._run(anext(reports, None))) is not None:
                yield report
        finally:
            self._loop.call_soon_threadsafe(stop.set)
            self._run(reports.aclose())

    def resume(self, listener: Listener = ignore) -> Report:
        """See `AsyncRove.resume`."""
        return self._run(self._kb.resume(listener))

    def enrich(self, name: str, *, listener: Listener = ignore) -> Enriched:
        """See `AsyncRove.enrich`."""
        return self._run(self._kb.enrich(name, listener=listener))

    def estimate_enrich(self, name: str) -> Estimate:
        """See `AsyncRove.estimate_enrich`."""
        return self._run(self._kb.estimate_enrich(name))

    def search(
        self,
        question: str,
        *,
        top_k: Positive | None = None,
        where: Where | None = None,
        mode: str = "hybrid",
        rerank: bool | None = None,
        min_score: float | None = None,
        listener: Listener = ignore,
    ) -> list[Hit]:
        """See `AsyncRove.search`."""
        heard = self._heard(where, listener)
        found = self._kb.search(
            question, top_k=top_k, where=where, mode=mode, rerank=rerank, min_score=min_score, listener=heard
        )
        return self._run(found)

    def ask(
        self, question: str, *, where: Where | None = None, tools: bool = False, listener: Listener = ignore
    ) -> Answer:
        """See `AsyncRove.ask`."""
        return self._run(self._kb.ask(question, where=where, tools=tools, listener=listener))

    @property
    def tools(self) -> Tools:
        """The base's tools, and those of the program: `kb.tools.add(my_function)`."""
        return Tools(self._kb.tools, self._run)

    def run_tool(
        self,
        request: str,
        *,
        tool: str = "",
        arguments: Mapping[str, object] = EMPTY,
        history: History = START,
        profile: Mapping[str, object] = EMPTY,
        dry_run: bool = False,
        confirm: bool = False,
        listener: Listener = ignore,
    ) -> ToolRun:
        """See `AsyncRove.run_tool`."""
        running = self._kb.run_tool(
            request,
            tool=tool,
            arguments=arguments,
            history=history,
            profile=profile,
            dry_run=dry_run,
            confirm=confirm,
            listener=listener,
        )
        return self._run(running)

    def ask_with_tools(
        self,
        question: str,
        *,
        history: History = START,
        profile: Mapping[str, object] = EMPTY,
        where: Where | None = None,
        listener: Listener = ignore,
    ) -> Answer:
        """See `AsyncRove.ask_with_tools`."""
        asking = self._kb.ask_with_tools(
            question, history=history, profile=profile, where=where, listener=self._heard(where, listener)
        )
        return self._run(asking)

    def walk(self, question: str, *, where: Where | None = None, budget: Budget | None = None) -> Walk:
        """See `AsyncRove.walk`: `for event in kb.walk("…")`."""
        return Walk(self._kb.walk(question, where=where, budget=budget), self._run)

    def set_out(self, question: str, *, where: Where | None = None, budget: Budget | None = None) -> str:
        """See `AsyncRove.set_out`."""
        return self._run(self._kb.set_out(question, where=where, budget=budget))

    def walks(self) -> list[WalkInfo]:
        """See `AsyncRove.walks`."""
        return self._run(self._kb.walks())

    def take_up(self, walk_id: str) -> Walk:
        """See `AsyncRove.take_up`."""
        return Walk(self._run(self._kb.take_up(walk_id)), self._run)

    def fork(self, walk_id: str, *, at: int | None = None) -> Walk:
        """See `AsyncRove.fork`."""
        return Walk(self._run(self._kb.fork(walk_id, at=at)), self._run)

    def replay(self, walk_id: str) -> Iterator[WalkEvent]:
        """See `AsyncRove.replay`."""
        return self._each(self._kb.replay(walk_id))

    def export_walk(self, walk_id: str) -> Iterator[str]:
        """See `AsyncRove.export_walk`."""
        return self._each(self._kb.export_walk(walk_id))

    def import_walk(self, lines: Iterable[str]) -> WalkInfo:
        """See `AsyncRove.import_walk`."""
        return self._run(self._kb.import_walk(lines))

    def forget_walk(self, walk_id: str) -> None:
        """See `AsyncRove.forget_walk`."""
        self._run(self._kb.forget_walk(walk_id))

    def memory(self, space: str = "") -> Memory:
        """See `AsyncRove.memory`."""
        return Memory(self._kb.memory(space), self._run)

    def respond(
        self,
        question: str,
        *,
        history: History = START,
        where: Where | None = None,
        listener: Listener = ignore,
    ) -> Response:
        """See `AsyncRove.respond`."""
        return self._run(self._kb.respond(question, history=history, where=where, listener=listener))

    def understand(
        self, question: str, *, history: History = START, where: Where | None = None, listener: Listener = ignore
    ) -> Understood:
        """See `AsyncRove.understand`."""
        heard = self._heard(where, listener)
        return self._run(self._kb.understand(question, history=history, where=where, listener=heard))

    def gather(
        self, question: str, *, history: History = START, where: Where | None = None, listener: Listener = ignore
    ) -> Gathered:
        """See `AsyncRove.gather`."""
        heard = self._heard(where, listener)
        return self._run(self._kb.gather(question, history=history, where=where, listener=heard))

    def import_(self, lines: Iterable[str], listener: Listener = ignore) -> Report:
        """See `AsyncRove.import_`."""
        return self._run(self._kb.import_(lines, listener))

    def close(self) -> None:
        """Release files and threads; the second time does nothing."""
        if self._thread.is_alive():
            self._run(self._kb.close())
            self.closed = True
            self._stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _run(self, work: Awaitable[T]) -> T:
        if self._loop.is_closed():
            getattr(work, "close", bool)()  # lest Python warns that nobody awaited it
            raise closed_error(self.settings.path)
        future = asyncio.run_coroutine_threadsafe(_coroutine_from_awaitable(work), self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def _heard(self, where: Where | None, listener: Listener) -> Listener:
        """Warn of fields that no document has here, where the warning names the caller's line, if nobody listens."""
        if where is None or listener is not ignore or not fits_hint(where, Where):
            return listener
        told = self.notes_on(where)
        for one in told:
            warnings.warn(one.text("en"), FieldWarning, stacklevel=3)
        return but(told)

    def _each(self, items: AsyncIterator[T]) -> Iterator[T]:
        while (item := self._run(anext(items, None))) is not None:
            yield item

    def _stop(self) -> None:
        self._run(self._loop.shutdown_default_executor())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


async def _open_async_engine(settings: Settings, instances: Instances, create: bool) -> AsyncRove:
    return AsyncRove(settings, instances, create=create)


async def _coroutine_from_awaitable(work: Awaitable[T]) -> T:
    return await work
