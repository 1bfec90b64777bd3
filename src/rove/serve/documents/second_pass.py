"""The second pass of a base that is served: what can be found already is embedded in the background.

Several servers of one base take turns at it: one embeds at a time, and another goes on where that one has ended.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress

from rove.engine import AsyncRove
from rove.errors import RoveError
from rove.events import ChunksDeepened, Event
from rove.ingest.two_speeds import deepen_all
from rove.serve.documents.job import Job

LOOK_S = 2.0
"""So often it looks whether there is something to do: other processes write to the base, too."""
RETRY_S, MAX_RETRY_S = 10.0, 600.0
PLACE = "second-pass"
REFUSED = "The embedder refused {count} passages, which are gone: see the ledger."
log = logging.getLogger("rove.serve")


class SecondPass:
    """What a server does to a base between jobs. `follow` is told of jobs that wait for nothing else."""

    def __init__(self, kb: AsyncRove) -> None:
        """Take the base; nothing is looked at before `start`."""
        self._kb = kb
        self._followed: list[Job] = []
        self._working: list[asyncio.Task[None]] = []
        self._wanted = asyncio.Event()
        self._told = asyncio.Event()
        self._held_up = ""

    def start(self) -> None:
        """Begin, with what earlier processes have left."""
        self._working = [asyncio.create_task(one) for one in (self._work(), self._tell())]

    async def stop(self) -> None:
        """End; what is not done is left to the next process, or to another server."""
        for task in self._working:
            task.cancel()
        await asyncio.gather(*self._working, return_exceptions=True)

    def left(self, job: Job) -> int:
        """How many chunks of a job's sources the embedder has yet to reach. Blocks."""
        return sum(self._kb.store.catalog.shallow_sources(job.sources).values())

    def follow(self, job: Job) -> None:
        """Have a job told of the second pass, to its end."""
        self._followed.append(job)
        job.trouble = job.trouble or self._held_up
        self._wanted.set()

    def let_go(self, job: Job) -> None:
        """Tell a job no longer, if it was."""
        if any(one is job for one in self._followed):
            self._followed = [one for one in self._followed if one is not job]
            job.let_go()

    async def _work(self) -> None:
        wait_s = RETRY_S
        while True:
            try:
                await self._pass()
            except RoveError as error:
                self._hold_up(error.reason)
                log.warning("second pass waits", extra={"reason": error.reason})
                await asyncio.sleep(wait_s)
                wait_s = min(MAX_RETRY_S, 2 * wait_s)
            except Exception:  # a fault of ours: jobs go on, and so does this, later
                log.exception("second pass failed")
                await asyncio.sleep(MAX_RETRY_S)
            else:
                wait_s = RETRY_S
                await _set_within(self._wanted, LOOK_S)

    async def _pass(self) -> None:
        """Embed everything that is shallow, if no other server does; end a switch that has nothing left to do."""
        store = self._kb.store
        tally = store.team.tally
        if not await asyncio.to_thread(store.catalog.has_shallow):
            await asyncio.to_thread(store.catalog.end_switch)  # where who was at it was killed just before that
            return
        if not await tally.enter(PLACE, 1):
            return
        try:
            lost = await deepen_all(store, self._kb.embedder, self._listen)
            await store.optimize()
        finally:
            tally.leave(PLACE)
        if lost:
            self._tell_of(REFUSED.format(count=len(lost)), "")
            log.warning("passages refused", extra={"count": len(lost)})
        self._told.set()

    def _listen(self, event: Event) -> None:
        if isinstance(event, ChunksDeepened):
            self._hold_up("")
            self._told.set()

    def _hold_up(self, trouble: str) -> None:
        """Say what holds it up, "" where nothing does, in place of what it has said before."""
        before, self._held_up = self._held_up, trouble
        self._tell_of(trouble, before)

    def _tell_of(self, trouble: str, before: str) -> None:
        for job in self._followed:
            if job.trouble == before != trouble:
                job.trouble = trouble
                job.changed()

    async def _tell(self) -> None:
        """Tell jobs how much of theirs is left, whichever server embeds it."""
        while True:
            await _set_within(self._told, LOOK_S)
            with suppress(RoveError):  # where the base cannot be read now, later
                await self._tell_now()

    async def _tell_now(self) -> None:
        jobs = list(self._followed)
        if not jobs:
            return
        sources = list({source for job in jobs for source in job.sources})
        left = await asyncio.to_thread(self._kb.store.catalog.shallow_sources, sources)
        for job in jobs:
            shallow = sum(left.get(source, 0) for source in set(job.sources))
            if not shallow:
                if job.trouble == self._held_up:  # that is over, also if nobody has said so yet
                    job.trouble = ""
                job.end()
            elif shallow != job.shallow:
                job.shallow = shallow
                job.changed()
        self._followed = [job for job in self._followed if not job.over]


async def _set_within(event: asyncio.Event, seconds: float) -> None:
    """Wait for an event, but only so long; then it is clear."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()
    event.clear()
