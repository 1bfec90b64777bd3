"""Jobs: uploads are added to the base one after the other, and whoever asks is told the progress."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from time import monotonic

from rove.document_operations import keep_originals
from rove.engine import AsyncRove
from rove.errors import EmbedderMovedError, RoveError, ServiceError
from rove.serve.documents.again import read_again
from rove.serve.documents.job import PINNED_S, Job, JobElsewhere
from rove.serve.documents.second_pass import SecondPass
from rove.serve.documents.shared_spool import SharedSpool
from rove.serve.documents.spool import Spool, Spooled, files_of
from rove.serve.problems import AbsentError, ThrottledError
from rove.store.job_board import JobBoard

REMEMBERED = 1_000
REMEMBERED_EVENTS = 100_000  # of all jobs that are done: an archive can have so many members that one job is enough
FULL = "You have {most} jobs that wait."
FULL_CURE = "Wait until some are done, or raise serve.max_queued."
RETRY_S = 10.0
TAKE_OVER_S = 2.0
"""So often a server looks for jobs of others that have ended."""
MAX_RETRY_S = 600.0
FAULT = "Something went wrong; the next start tries again."
PINNING_SHARE = 0.05
"""Jobs are pinned for at most this share of the time."""
log = logging.getLogger("rove.serve")


class Jobs:
    """The jobs of one base, `most` of each caller's at once. `start` takes up those that an earlier process left."""

    def __init__(self, kb: AsyncRove, most: int) -> None:
        incoming, folder = kb.store.team.incoming, kb.settings.folder
        self.spool = SharedSpool(folder, incoming) if incoming else Spool(folder)
        self._most = most
        self._kb = kb
        self._known: dict[str, Job] = {}
        self._board = kb.store.board
        self._second = SecondPass(kb)
        self._pinning: dict[asyncio.Task[None], Job] = {}
        self._queue: asyncio.Queue[tuple[Job, Spooled]] = asyncio.Queue()
        self._worker: asyncio.Task[None] | None = None
        self._taking: asyncio.Task[None] | None = None
        self._idle = asyncio.Event()
        self._idle.set()

    def start(self) -> None:
        """Begin to work, with what was left first."""
        for spooled in self.spool.waiting():
            self.put(spooled)
        self._worker = asyncio.create_task(self._work())
        self._second.start()
        if self._board:
            self._taking = asyncio.create_task(self._take_over())

    @property
    def unfinished(self) -> list[Job]:
        """The jobs of this server that are not done."""
        return [job for job in self._known.values() if not job.over]

    async def check_room(self, caller: str) -> None:
        """See that a caller may hand in more.

        Raises:
            ThrottledError: as many of its jobs as may wait are not done.
            CatalogReplacedError: the base would not get what is handed in.
            ServiceError: it cannot be written to, or the other servers' jobs cannot be counted.
        """
        await asyncio.to_thread(self._kb.store.catalog.database.check_place)
        here = sum(job.caller == caller and not job.is_taken_in for job in self._known.values())
        if here >= self._most or await self.spool.waiting_elsewhere(caller) >= self._most:
            raise ThrottledError(FULL.format(most=self._most), cure=FULL_CURE, retry_after_s=RETRY_S)

    def put(self, spooled: Spooled) -> Job:
        """Queue a job that was acknowledged."""
        job = Job(spooled.job_id, spooled.caller)
        self._known[job.job_id] = job
        done = [known for known in self._known.values() if known.is_taken_in]
        events = sum(len(known.events) for known in done)
        while done and (len(self._known) > REMEMBERED or events > REMEMBERED_EVENTS):
            forgotten = done.pop(0)
            events -= len(forgotten.events)
            self._second.let_go(forgotten)
            del self._known[forgotten.job_id]
        self._queue.put_nowait((job, spooled))
        if self._board:
            task = asyncio.create_task(_pin(job, self._board))
            self._pinning[task] = job
            task.add_done_callback(self._pinning.pop)
        return job

    async def get(self, job_id: str, caller: str | None) -> Job:
        """Return a job of this caller's, or of anyone's if None; where servers share a base, of another server too.

        Raises:
            AbsentError: there is none.
        """
        job = self._known.get(job_id)
        if job is None and self._board and (found := await asyncio.to_thread(self._board.read, job_id)):
            job = await asyncio.to_thread(
                JobElsewhere(job_id, found[0], board=self._board, left=self._second.left).look
            )
        if job is None or (caller is not None and job.caller != caller):
            message = "There is no such job."
            raise AbsentError(message, cure="Jobs are remembered until the server stops; see the documents.")
        return job

    async def stop(self, drain_s: float) -> None:
        """Let the job that runs come to its end, for so long; what is left stays for the next process, or another."""
        if self._taking:
            self._taking.cancel()
            await asyncio.gather(self._taking, return_exceptions=True)
        if self._worker is None:
            self.spool.close()
            return
        with suppress(TimeoutError):
            async with asyncio.timeout(drain_s):
                await self._idle.wait()
        self._worker.cancel()
        with suppress(asyncio.CancelledError):
            await self._worker
        await self._second.stop()
        if ended := [task for task, job in self._pinning.items() if job.over]:
            await asyncio.wait(ended, timeout=2 * PINNED_S)
        for task in (left := list(self._pinning)):
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)
        self.spool.close()

    async def _take_over(self) -> None:
        """Take over, again and again, what servers that have ended left in the base."""
        while True:
            with suppress(ServiceError):  # where it cannot be reached, later
                for spooled in await self.spool.taken_over():
                    if spooled.job_id not in self._known:  # this server's own, where it could not be heard of
                        log.info("job taken over", extra={"job": spooled.job_id})
                        self.put(spooled)
            await asyncio.sleep(TAKE_OVER_S)

    async def _work(self) -> None:
        while True:
            job, spooled = await self._queue.get()
            self._idle.clear()
            try:
                await self._run(job, spooled)
            except Exception:  # a fault of ours: others wait, and what was handed in is kept for the next start
                log.exception("job failed", extra={"job": job.job_id})
                job.state, job.trouble = "waiting", FAULT
                job.changed()
                if (task := asyncio.current_task()) and task.cancelling():
                    return
            finally:
                self._idle.set()

    async def _run(self, job: Job, spooled: Spooled) -> None:
        wait_s = RETRY_S
        while True:
            job.begin()
            try:
                if not await self.spool.is_ours(spooled):
                    await self._leave(job, spooled)
                    return
                items = await self.spool.items(spooled)
                await read_again(self._kb, items, job.listen)
                given = [item.location(spooled.folder) for item in items if not item.is_cut_only]
                await self._kb.add(given, listener=job.listen, deep=False)
                files = files_of(items, spooled.folder)
                offered = await asyncio.to_thread(self._kb.store.originals.offered, files)
                job.trouble = await keep_originals(self._kb.store, self._kb.settings.serve, offered)
            except (
                ServiceError,
                EmbedderMovedError,
            ) as error:  # nothing handed in is given up for it
                job.state, job.trouble = "waiting", error.reason
                log.warning("job waits", extra={"job": job.job_id, "reason": error.reason})
            except RoveError as error:
                job.trouble = error.reason
                log.error("job failed", extra={"job": job.job_id, "reason": error.reason})  # noqa: TRY400 - no stack
                break
            else:
                break
            job.changed()
            self._idle.set()
            await asyncio.sleep(wait_s)
            self._idle.clear()
            wait_s = min(MAX_RETRY_S, 2 * wait_s)
        shallow = await self._shallow(job)
        state = "searchable" if shallow else "done"
        if self._board:  # before it goes off the disk: one that is killed now does it again, and says so
            with suppress(ServiceError):
                told = job.told(state=state, shallow=shallow)
                await asyncio.to_thread(self._board.pin, job.job_id, job.caller, told)
                job.is_end_pinned = state == "done"
        await self._finish(spooled)
        job.end(shallow=shallow)
        if shallow:
            self._second.follow(job)

    async def _shallow(self, job: Job) -> int:
        """See `SecondPass.left`; where the base cannot be read now, some."""
        try:
            return await asyncio.to_thread(self._second.left, job)
        except ServiceError:
            return max(job.chunks, 1)

    async def _finish(self, spooled: Spooled) -> None:
        """Let go of a job, however long the base cannot be reached: another server would do it again."""
        while True:
            try:
                await self.spool.finish(spooled)
            except ServiceError:
                await asyncio.sleep(RETRY_S)
            else:
                return

    async def _leave(self, job: Job, spooled: Spooled) -> None:
        """Leave a job to the server that took it over, while this one could not be heard of; that tells of it now."""
        for task in [task for task, pinned in self._pinning.items() if pinned is job]:
            task.cancel()
        self._known.pop(job.job_id, None)
        await self.spool.drop(spooled)
        job.end()


async def _pin(job: Job, board: JobBoard) -> None:
    """Tell other servers how far a job is, until it is done; where the base cannot be reached, later."""
    async for now in job.watch():
        began = monotonic()
        with suppress(ServiceError):
            if now.over and now.is_end_pinned:  # and perhaps taken off since: what it names was erased
                await asyncio.to_thread(board.pin_again, now.job_id, now.told())
            else:
                await asyncio.to_thread(board.pin, now.job_id, now.caller, now.told())
        if not now.over:
            await asyncio.sleep(max(PINNED_S, (monotonic() - began) / PINNING_SHARE))
