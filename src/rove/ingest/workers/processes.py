"""Workers as processes of this machine: no engine, no daemon, no network."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from tempfile import TemporaryFile
from typing import IO, BinaryIO, cast

from rove.errors import ConfigError, ServiceError
from rove.ingest.workers import Tell, WorkerDiedError
from rove.ingest.workers.making import Failed, Page, order_of, reply_of
from rove.models import free_cores
from rove.records import PageRead
from rove.sandbox.messages import read_frame, write_frame

MOST = 1_024
GOODBYE_S = 5.0
SAID_CHARS = 500
COMMAND = [sys.executable, "-P", "-m", "rove.ingest.workers.child"]


@dataclass(frozen=True, slots=True)
class _Process:
    """One worker, the pipes to it, and the file with what it prints."""

    process: subprocess.Popen[bytes]
    input: BinaryIO
    output: BinaryIO
    said: IO[bytes]

    @classmethod
    def start(cls, order: bytes) -> _Process:
        """Start it in a session of its own, so that Ctrl-C reaches the ingest alone, which ends it.

        Raises:
            ServiceError: the system does not let it start.
        """
        said = TemporaryFile()  # noqa: SIM115 - closed by `end`
        try:
            process = subprocess.Popen(
                COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=said, start_new_session=True
            )
        except OSError as error:
            said.close()
            message = f"A worker cannot be started: {error}."
            raise ServiceError(message, cure="Free memory, or ask for fewer workers.") from error
        made = cls(process, cast("BinaryIO", process.stdin), cast("BinaryIO", process.stdout), said)
        with suppress(BrokenPipeError):
            write_frame(made.input, order)
        return made

    def end(self, *, at_once: bool = True) -> str:
        """End it; returns how it ended, with the last that it printed."""
        for pipe in (self.input, self.output):
            with suppress(OSError):
                pipe.close()
        if not at_once:
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(timeout=GOODBYE_S)
        self.process.kill()
        status = self.process.wait()
        self.said.seek(0)
        said = self.said.read().decode(errors="replace").strip()[-SAID_CHARS:]
        self.said.close()
        how = signal.Signals(-status).name if status < 0 else f"status {status}"
        return f"{how}: {said}" if said else how


class ProcessWorkers:
    """See `WorkerPool`. `address` is the number of processes."""

    def __init__(self, address: str, order: bytes) -> None:
        """Raises ConfigError where the address is no number from 1 to 1,024."""
        self._count = int(address) if address.isdecimal() else 0
        if not 1 <= self._count <= MOST:
            message = f"load.workers asks for {address!r} processes."
            raise ConfigError(message, cure=f"Give a number from 1 to {MOST}.")
        self._order = order_of(order).with_threads(max(1, free_cores() // self._count))
        self._processes: list[_Process | None] = [None] * self._count

    def open(self) -> int:
        """See `WorkerPool.open`."""
        return self._count

    def start(self, slot: int, wanted: Callable[[], bool]) -> None:
        """See `WorkerPool.start`. There is always a place, so nothing is given up."""
        del wanted
        process = self._processes[slot]
        if process and process.process.poll() is None:
            return
        self._discard(slot)
        process = self._processes[slot] = _Process.start(self._order)
        hello = read_frame(process.output)
        if hello is not None and not hello.message:
            return
        how = self._discard(slot)
        if hello is not None:
            raise cast("Failed", reply_of(hello.message)).error
        if how.startswith("SIG"):  # killed before it could greet: another may do better
            raise WorkerDiedError(how)
        message = f"A worker does not run: {how}"
        raise ServiceError(message, cure=f"See that this runs: {' '.join(COMMAND)}", retryable=False)

    def make(self, slot: int, group: bytes, tell: Tell) -> bytes:
        """See `WorkerPool.make`."""
        process = cast("_Process", self._processes[slot])
        try:
            write_frame(process.input, group)
            while (frame := read_frame(process.output)) is not None:
                reply = reply_of(frame.message)
                if not isinstance(reply, Page):
                    return frame.message
                tell(PageRead(reply.source, reply.digest, reply.transcript, reply.page, reply.pages))
        except (OSError, ValueError):  # the pipe has gone, or was closed by `stop`
            pass
        raise WorkerDiedError(self._discard(slot))

    def stop(self) -> None:
        """See `WorkerPool.stop`."""
        for process in self._processes:
            if process:
                process.process.kill()  # who waits for it sees the end of its output

    def close(self) -> None:
        """See `WorkerPool.close`."""
        for process in self._processes:
            if process:
                process.input.close()  # all at once, then each is waited for
        for slot in range(self._count):
            self._discard(slot, at_once=False)

    def _discard(self, slot: int, *, at_once: bool = True) -> str:
        process, self._processes[slot] = self._processes[slot], None
        return process.end(at_once=at_once) if process else ""
