"""A walk under way: listened to, paused, edited, resumed; every event is on the disk before anybody hears of it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Self

from rove.errors import CutReplyError, ServiceError
from rove.models.usage import metered
from rove.records import Answer, Note
from rove.records.walk_events import (
    Edit,
    Edited,
    FactDelta,
    Paused,
    Resumed,
    Stopped,
    Used,
    WalkEvent,
    WalkStarted,
    Warned,
)
from rove.store.catalog_view import reading
from rove.store.walk_log import WalkLog
from rove.tracing import operation, stage
from rove.walk import EXTRACTIVE, WalkContext, why
from rove.walk.budget import may_call, seconds_left, stop_reason
from rove.walk.clock import WalkClock
from rove.walk.editing import WalkEditing
from rove.walk.edits import settled
from rove.walk.json_format import to_line, walk_info
from rove.walk.loop import Loop, quote_facts
from rove.walk.revisit import revisited
from rove.walk.state import State, advanced, folded
from rove.walk.step import Begin, Compose, Judge, Read, Rest, Step, next_step

ANSWER_S = 20.0  # for an answer without a model, past the deadline too
STUCK_S = 2.0  # the same, where the search that it may need has just been waited for in vain
SHARE = 0.5  # of the seconds that are left, for one call of a model: a model that hangs leaves time to do without it
FAILURES = 2  # of a model, in a row or not; then it is not asked any more


class AsyncWalk(WalkEditing):
    """A walk. `async for event in walk` makes it go, as far as it is listened to.

    The iteration ends when the walk is over or paused; after `resume` it goes on. One listener at a time.
    """

    def __init__(
        self, context: WalkContext, walks: WalkLog, *, started: WalkStarted, held: Sequence[WalkEvent] = ()
    ) -> None:
        self.walk_id = started.walk_id
        self.state: State = folded(held)
        self._context = context
        self._walks = walks
        self._started = started
        self._taken_up = bool(held)
        self._told: asyncio.Queue[WalkEvent | None] = asyncio.Queue()
        self._listening = asyncio.Event()
        self._turn = asyncio.Lock()
        self._steering = asyncio.Lock()
        self._driver: asyncio.Task[None] | None = None
        self._clock = WalkClock()
        self._resting = False
        self._failures = 0
        self._stuck = False

    @property
    def answer(self) -> Answer | None:
        """The answer; None before the walk is over."""
        return self.state.answer

    # -- listening -------------------------------------------------------------------------------------------------

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> WalkEvent:
        while True:
            async with self._steering:  # who steers is heard before it is said that nothing more comes
                idle = self._told.empty()
            if idle:
                self._go()
                if not self._driver or self._driver.done():
                    self._raise_failure()
                    raise StopAsyncIteration
                self._listening.set()
            event = await self._told.get()
            if event is not None:
                return event

    async def answered(self) -> Answer:
        """Go on to the end, whatever is told on the way, and return the answer.

        Raises:
            ServiceError: the walk was paused meanwhile.
        """
        async for _ in self:
            pass
        if self.state.answer is None:
            message = f"The walk {self.walk_id} rests."
            raise ServiceError(message, cure="Resume it.")
        return self.state.answer

    # -- steering --------------------------------------------------------------------------------------------------

    async def pause(self) -> None:
        """Let the walk rest, now, even while a model writes: what it has finished saying is kept."""
        async with self._steering:
            if self.state.over or self._resting:
                return
            self._resting = True
            await self._halt()
            await self._begin()
            await self._keep([*self._used(), Paused(self.state.round)])

    async def edit(self, edit: Edit) -> None:
        """Change facts, leads, the question or the budget; what was over can go on.

        A fact or lead without an id is given one. A fact keeps its citation as long as that holds what it says.

        Raises:
            InputError: it names what is not there.
        """
        async with self._steering:
            edit = settled(edit, self.state)
            await self._halt()
            await self._begin()
            await self._keep([*self._used(), Edited(edit)])

    async def resume(self) -> None:
        """Let the walk go on; it does when it is listened to."""
        async with self._steering:
            self._resting = False
            if self.state.paused:
                await self._keep([Resumed(self.state.round)])

    async def stop(self) -> None:
        """Follow nothing further; the walk ends with its answer when it is listened to."""
        async with self._steering:
            await self._halt()
            await self._begin()
            self._resting = False
            if not self.state.stopped:
                reason = stop_reason("user", self.state.budget, self.state.language)
                await self._keep([*self._used(), Stopped("user", reason, self.state.spent)])

    async def aclose(self) -> None:
        """Let go of it where it stands; it can be taken up later."""
        async with self._steering:
            self._resting = True
            await self._halt()

    # -- inside ----------------------------------------------------------------------------------------------------

    def _go(self) -> None:
        if not self._resting and not self.state.over and (self._driver is None or self._driver.done()):
            self._raise_failure()
            self._driver = asyncio.create_task(self._drive(), name=f"walk {self.walk_id}")
            self._driver.add_done_callback(lambda _: self._told.put_nowait(None))

    def _raise_failure(self) -> None:
        driver, self._driver = self._driver, None
        if driver and driver.done() and not driver.cancelled() and (error := driver.exception()):
            raise error

    async def _halt(self) -> None:
        """Stop the work where it is; a batch that is being kept is kept whole."""
        if self._driver and not self._driver.done():
            self._driver.cancel()
            with suppress(asyncio.CancelledError):
                await self._driver
        async with self._turn:
            return

    async def _drive(self) -> None:
        with (
            operation("walk", mode=self._context.mode, taken_up=self._taken_up) as walking,
            reading() as view,
            metered() as meter,
        ):
            walking.show(question=self._started.question)
            self._clock.start(meter)
            await self._begin()
            if self.state.paused:
                await self._tell([Resumed(self.state.round)])
            if self._taken_up:
                self._taken_up = False
                await self._tell(await revisited(self.state, self._context))
            while not isinstance(step := await self._next(), Rest):
                if isinstance(step, Begin):
                    view.renew()
                with stage(f"walk.{type(step).__name__.lower()}", round=self.state.round):
                    await self._perform(step)
            walking.tell(rounds=self.state.round, facts=len(self.state.facts))
        await self._learn()

    async def _learn(self) -> None:
        """Keep for later walks what this one has found; that it could not be kept is no reason to fail."""
        if self._context.memory and self.state.over and not self._stuck:
            try:
                async with asyncio.timeout(ANSWER_S):
                    await self._context.memory.keep(self.state)
            except (ServiceError, TimeoutError) as error:
                note = Note("not-remembered", {"problem": str(error)})
                await self._tell([Warned(self.state.round, *why(self.state.language, note))])

    async def _begin(self) -> None:
        if not self.state.events:
            await self._keep([self._started])

    async def _next(self) -> Step:
        """Return the step that comes next; one that no time is left for is not begun."""
        if not self.state.stopped and self._clock.pending >= seconds_left(self.state.spent, self.state.budget):
            await self._tell(self._used())
        return next_step(self.state, self._context.settings.leads)

    async def _perform(self, step: Step) -> None:
        """Carry out a step within its time; one that a model failed in is done without it."""
        asks = self._asks_model(step)
        deadline = asyncio.timeout(self._limit(step, asks))
        try:
            async with deadline:
                batches = Loop(self._context, model=asks).perform(step, self.state)
                try:
                    async for batch in batches:
                        used = self._used() if isinstance(step, Compose) else []
                        await self._tell([*used, *batch], deadline)
                finally:
                    await batches.aclose()
        except TimeoutError:
            if deadline.expired():
                await self._late(step, asks=asks)
            else:  # of a model or an embedder that lets its own out
                await self._failed(step, ServiceError("It took too long."), asks=asks)
        except ServiceError as error:
            await self._failed(step, error, asks=asks)
        finally:
            self._clock.step()
        if isinstance(step, Read | Judge):
            await self._tell(self._used())

    async def _late(self, step: Step, *, asks: bool) -> None:
        """Go on after a step whose time was over: without the model if that was late before, or to the walk's end."""
        if asks:
            self._failures += 1
            code = "model-slow-once" if self._failures < FAILURES else "model-slow"
            await self._warn(Note(code, {"model": self._context.mode, "seconds": self._clock.elapsed}))
        else:  # `_next` counts it
            self._stuck = True
            if isinstance(step, Compose):
                await self._tell([quote_facts(self.state, "")])

    async def _failed(self, step: Step, error: ServiceError, *, asks: bool) -> None:
        """Go on after a step that failed: without the model that failed, with what is there, or not at all."""
        if asks:
            self._failures += 1 if error.retryable or isinstance(error, CutReplyError) else FAILURES
            await self._warn(Note("step-without-model", {"problem": str(error)}))
        elif isinstance(step, Compose):
            await self._tell([quote_facts(self.state, str(error))])
        else:
            reason = stop_reason("failed", self.state.budget, self.state.language, str(error))
            await self._tell([*self._used(), Stopped("failed", reason, self.state.spent)])

    def _asks_model(self, step: Step) -> bool:
        if self._context.chat is None or self.state.mode == EXTRACTIVE or self._failures >= FAILURES:
            return False
        if isinstance(step, Compose):
            return may_call(self.state.spent, self.state.budget)
        return isinstance(step, Read | Judge)

    def _limit(self, step: Step, asks: bool) -> float | None:
        left = max(seconds_left(self.state.spent, self.state.budget) - self._clock.pending, 0.0)
        if isinstance(step, Compose) and not asks:
            return STUCK_S if self._stuck else ANSWER_S
        if left == float("inf"):
            return None
        return left * (SHARE if asks else 1.0)

    async def _warn(self, note: Note) -> None:
        await self._tell([*self._used(), Warned(self.state.round, *why(self.state.language, note))])

    def _used(self) -> list[WalkEvent]:
        """Say what was used up since this was last asked."""
        settings = self._context.settings
        spent = self._clock.spent(self.state.spent, settings.price_input, settings.price_output)
        return [Used(replace(spent, rounds=self.state.round))] if self.state.events else []

    async def _tell(self, events: Sequence[WalkEvent], deadline: asyncio.Timeout | None = None) -> None:
        """Keep events, hand them on, and wait until more are wanted; this waiting is not the walk's time."""
        if not events:
            return
        self._listening.clear()
        await self._keep(events)
        with self._clock.held(deadline):
            await self._listening.wait()

    async def _keep(self, events: Sequence[WalkEvent]) -> None:
        """Write a batch down and then hand it on: wholly, even if whoever waits for it is cancelled."""
        work = asyncio.ensure_future(self._write(events))
        try:
            await asyncio.shield(work)
        except asyncio.CancelledError:
            await work
            raise

    async def _write(self, events: Sequence[WalkEvent]) -> None:
        async with self._turn:
            state = self.state
            for event in events:
                state = advanced(state, event)
            lines = [to_line(event) for event in events if not isinstance(event, FactDelta)]
            if lines:
                await asyncio.to_thread(self._walks.append, walk_info(state), self.state.events + 1, lines)
            self.state = state
            for event in events:
                self._told.put_nowait(event)
