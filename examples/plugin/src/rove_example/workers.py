"""Workers as a batch system runs them: each group of sources is a job of its own, which ends with its shard."""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from urllib.parse import unquote

from rove.errors import ServiceError
from rove.ingest.workers import Tell, WorkerDiedError
from rove.ingest.workers.making import Failed, Page, reply_of
from rove.records import PageRead
from rove.sandbox.messages import read_frame, write_frame

JOBS = 2
"""How many may run at once."""


class BatchWorkers:
    """See `rove.ingest.workers.WorkerPool`. Each job loads the embedder anew, so groups have to be large.

    `load.workers = "batch"` starts jobs on this machine, "batch://srun%20-c%204" by the command `srun -c 4`.
    """

    def __init__(self, address: str, order: bytes) -> None:
        before = shlex.split(unquote(address.partition("://")[2]))
        self._command = [*before, sys.executable, "-P", "-m", "rove.ingest.workers.child"]
        self._order = order
        self._running: dict[int, subprocess.Popen[bytes]] = {}

    def open(self) -> int:
        """See `WorkerPool.open`."""
        return JOBS

    def start(self, slot: int, wanted: Callable[[], bool]) -> None:
        """See `WorkerPool.start`: a job starts with its group."""

    def make(self, slot: int, group: bytes, tell: Tell) -> bytes:
        """See `WorkerPool.make`."""
        try:
            job = subprocess.Popen(self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
        except OSError as error:
            message = f"The job {shlex.join(self._command)} cannot be started: {error}."
            raise ServiceError(message, cure="See that the command runs, and load.workers.") from error
        assert job.stdin
        assert job.stdout
        self._running[slot] = job
        try:
            with suppress(BrokenPipeError):  # it has ended: what it said before is in the other pipe
                write_frame(job.stdin, self._order)
                write_frame(job.stdin, group)
            while (frame := read_frame(job.stdout)) is not None:
                reply = reply_of(frame.message) if frame.message else None
                if isinstance(reply, Failed):
                    raise reply.error
                if isinstance(reply, Page):
                    tell(PageRead(reply.source, reply.digest, reply.transcript, reply.page, reply.pages))
                elif reply:
                    return frame.message
            message = f"the job ended with status {job.wait()}"
            raise WorkerDiedError(message)
        finally:
            self._running.pop(slot, None)
            for pipe in (job.stdin, job.stdout):
                with suppress(BrokenPipeError):
                    pipe.close()
            job.wait()

    def stop(self) -> None:
        """See `WorkerPool.stop`."""
        for job in list(self._running.values()):
            job.kill()

    def close(self) -> None:
        """See `WorkerPool.close`: a job has ended with its group."""

    def pids(self) -> list[int]:
        """The processes of the jobs that are running."""
        return [job.pid for job in list(self._running.values())]
