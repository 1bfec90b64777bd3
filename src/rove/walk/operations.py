"""The calls of the engine that concern walks: begin, list, take up, fork, replay, export, import, forget."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import replace
from weakref import WeakSet

from rove.errors import InputError, check_asked
from rove.language.detect import detect
from rove.models import ChatModel
from rove.records.filter import Where, as_filter
from rove.records.walk_events import Answered, Budget, Stopped, WalkEvent, WalkInfo, WalkStarted
from rove.retrieve import SearchContext
from rove.retrieve.long_term_memory import LongTermMemory
from rove.settings import Settings
from rove.store.store import Store
from rove.store.walk_log import WalkLog
from rove.walk import WalkContext
from rove.walk.earlier_walks import WalkMemory
from rove.walk.handle import AsyncWalk
from rove.walk.json_format import FORMAT, filter_to_text, from_line, head_of, to_line, walk_info
from rove.walk.state import folded

ID_BYTES = 5
SPACES = 64
"""Spaces whose memory is held at once; that of another is read again from the catalog."""


class WalkOperations:
    """The part of `AsyncRove` that walks. It holds the walks under way, and the memories that were asked for."""

    settings: Settings
    store: Store
    search_context: SearchContext
    chat_model: Callable[[], ChatModel | None]

    def __init__(self) -> None:
        self._memories: dict[str, LongTermMemory] = {}
        self._live_walks = WeakSet[AsyncWalk]()

    def walk(self, question: str, *, where: Where | None = None, budget: Budget | None = None) -> AsyncWalk:
        """Walk: search, read, follow what was read to where it leads, until enough is found; then answer.

        `async for event in kb.walk("…")` makes it go and tells facts, leads, rounds and the answer as they come. It
        can be paused, edited and resumed, and taken up again after a crash.

        Args:
            question: what to find out, in any language.
            where: a filter that holds at every step.
            budget: what it may use up; that of the settings if None.

        Raises:
            InputError: the question is blank.
        """
        check_asked(question)
        context = self._context()
        started = self._started(question, where, budget, context.mode)
        return self._under_way(AsyncWalk(context, self._walks, started=started))

    async def set_out(self, question: str, *, where: Where | None = None, budget: Budget | None = None) -> str:
        """Keep the beginning of a walk, which goes when it is taken up; returns its id. See `walk`."""
        check_asked(question)
        started = self._started(question, where, budget, self._context().mode)
        await self._keep_whole([started])
        return started.walk_id

    async def walks(self) -> list[WalkInfo]:
        """List the walks of the base, the latest first."""
        return await asyncio.to_thread(self._walks.listed)

    async def take_up(self, walk_id: str) -> AsyncWalk:
        """Go on with a walk after a pause, a restart or a crash; rounds that are done are not done again.

        Facts whose source has changed or is gone are dropped, and the walk says so.

        Args:
            walk_id: its id, the beginning of it, or "last".

        Raises:
            InputError: there is no such walk.
        """
        held = await self._events(walk_id)
        return self._under_way(AsyncWalk(self._context(), self._walks, started=_start_of(held), held=held))

    async def fork(self, walk_id: str, *, at: int | None = None) -> AsyncWalk:
        """Begin another walk that has gone the same way up to event `at`; up to where it ended if None.

        Raises:
            InputError: there is no such walk, or no such event.
        """
        held = await self._events(walk_id)
        if at is not None and not 1 <= at <= len(held):
            message = f"The walk has the events 1 to {len(held)}, and none that is number {at}."
            raise InputError(message, cure="List them with: rove walks replay ID")
        ending = next((seq for seq, event in enumerate(held) if isinstance(event, Stopped | Answered)), len(held))
        kept = held[: ending if at is None else at]
        started = _start_of(held)
        forked_from = f"{started.walk_id}:{len(kept)}"
        kept[0] = replace(
            started, walk_id=secrets.token_hex(ID_BYTES), mode=self._context().mode, forked_from=forked_from
        )
        await self._keep_whole(kept)
        return self._under_way(AsyncWalk(self._context(), self._walks, started=_start_of(kept), held=kept))

    async def replay(self, walk_id: str) -> AsyncIterator[WalkEvent]:
        """Tell the events of a walk again, without searching and without any model.

        Raises:
            InputError: there is no such walk.
        """
        for event in await self._events(walk_id):
            yield event

    async def export_walk(self, walk_id: str) -> AsyncIterator[str]:
        """Write a walk as lines of JSON, without line ends: a head, then its events.

        Raises:
            InputError: there is no such walk.
        """
        events = await self._events(walk_id)
        yield head_of(_start_of(events))
        for event in events:
            yield to_line(event)

    async def import_walk(self, lines: Iterable[str]) -> WalkInfo:
        """Take in what `export_walk` wrote. What its facts rest on is checked when it is taken up.

        Raises:
            InputError: it is no export of a walk, or the base holds a walk of this id.
        """
        texts = [line for line in lines if line.strip()]
        if not texts or texts[0] != head_of(_start_of(events := [from_line(line) for line in texts[1:]])):
            message = f"This is not a walk of format {FORMAT}."
            raise InputError(message, cure="Make one with: rove walks export ID")
        return await self._keep_whole(events)

    async def forget_walk(self, walk_id: str) -> None:
        """Delete a walk; its bytes leave the disk.

        Raises:
            InputError: there is no such walk.
        """
        info = await asyncio.to_thread(self._walks.named, walk_id)
        await asyncio.to_thread(self._walks.forget, info.walk_id)

    def memory(self, space: str = "") -> LongTermMemory:
        """What walks have learned: seen, searched, edited and erased here.

        Args:
            space: a part of the base whose memory is kept apart.
        """
        held = self._memories
        if space not in held:
            if len(held) == SPACES:
                del held[next(iter(held))]
            held[space] = LongTermMemory(self.store, self.search_context.embedder, space)
        return held[space]

    # -- inside ----------------------------------------------------------------------------------------------------

    @property
    def _walks(self) -> WalkLog:
        return WalkLog(self.store.catalog.database)

    async def _text_of(self, document_id: str) -> str:
        return await asyncio.to_thread(self.store.documents.text, document_id)

    def _context(self) -> WalkContext:
        memory = WalkMemory(self.memory()) if self.settings.walk.memory else None
        return WalkContext(
            self.search_context, self.chat_model(), self.settings.walk, self.settings.answer, self._text_of, memory
        )

    def _started(self, question: str, where: Where | None, budget: Budget | None, mode: str) -> WalkStarted:
        budget = budget or budget_of(self.settings)
        return WalkStarted(
            secrets.token_hex(ID_BYTES), question, detect(question), mode, budget, filter_to_text(as_filter(where))
        )

    def _under_way(self, walk: AsyncWalk) -> AsyncWalk:
        self._live_walks.add(walk)
        return walk

    async def _close_walks(self) -> None:
        """Let go of the walks that are under way."""
        for walk in list(self._live_walks):
            await walk.aclose()

    async def _events(self, walk_id: str) -> list[WalkEvent]:
        info = await asyncio.to_thread(self._walks.named, walk_id)
        return [from_line(line) for line in await asyncio.to_thread(self._walks.events, info.walk_id)]

    async def _keep_whole(self, events: list[WalkEvent]) -> WalkInfo:
        info = walk_info(folded(events))
        await asyncio.to_thread(self._walks.append, info, 1, [to_line(event) for event in events])
        return info


def budget_of(settings: Settings) -> Budget:
    """Return what a walk may use up where nobody says otherwise."""
    walk = settings.walk
    return Budget(walk.rounds, walk.calls, walk.tokens, walk.seconds, walk.money)


def _start_of(events: Iterable[WalkEvent]) -> WalkStarted:
    first = next(iter(events), None)
    if isinstance(first, WalkStarted):
        return first
    message = "This walk does not begin with its beginning."
    raise InputError(message, cure="Forget it, or import it again.")
