"""One reading process and the pipes to it: how it is started, waits for the next pool, and ends."""

from __future__ import annotations

import atexit
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import BinaryIO, cast

from rove.errors import ServiceError
from rove.sandbox import Limits
from rove.sandbox.messages import PipeMessage, encoder, read_frame, write_frame

GOODBYE_S = 5.0
COMMAND = [sys.executable, "-P", "-m", "rove.sandbox.child"]
CURE = f"See that this works for this user: {' '.join(COMMAND)}"
# What a reading process may know of the environment: nothing that could be a secret.
ENVIRONMENT = ("PATH", "PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "HOME",
               "SYSTEMROOT", "LOCALAPPDATA", "XDG_CACHE_HOME", "ROVE_CACHE", "TMPDIR",
               "TESSDATA_PREFIX", "LD_LIBRARY_PATH")  # fmt: skip


@dataclass(slots=True)
class Worker:
    """One reading process and the pipes to it.

    While it is `waited_for`, `silent_s` counts since it was last heard of; `ended_by` is the signal that tells why
    it was ended from outside, 0 where it was not.
    """

    process: subprocess.Popen[bytes]
    input: BinaryIO
    output: BinaryIO
    environment: Mapping[str, str]
    greeted: bool = False
    waited_for: bool = False
    silent_s: float = 0.0
    patience: float = 1.0
    ended_by: int = 0

    @classmethod
    def start(cls, limits: Limits) -> Worker:
        """Start a process, which takes a third of a second; `ready` waits for it.

        Raises:
            ServiceError: the system does not let it start.
        """
        environment = _worker_environment()
        try:
            process = subprocess.Popen(
                COMMAND,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=environment,
                start_new_session=True,
            )
        except OSError as error:
            message = f"The reading process cannot be started: {error}."
            raise ServiceError(message, cure=CURE, retryable=False) from error
        worker = cls(process, cast("BinaryIO", process.stdin), cast("BinaryIO", process.stdout), environment)
        with suppress(BrokenPipeError):
            write_frame(worker.input, encoder.encode(limits))
        return worker

    def ready(self) -> None:
        """Wait until it can be given work.

        Raises:
            ServiceError: it does not run; the message says what it printed.
        """
        self.greeted = self.greeted or read_frame(self.output) is not None
        if self.greeted:
            return
        self.stop()
        said = subprocess.run(
            COMMAND, input=b"", capture_output=True, env=_worker_environment(), timeout=60, check=False
        )
        message = f"The reading process does not run: {said.stderr.decode(errors='replace').strip()[-500:]}"
        raise ServiceError(message, cure=CURE, retryable=False)

    def hear(self) -> PipeMessage | None:
        """Wait for the next message; None where it has ended."""
        self.silent_s, self.waited_for = 0.0, True
        try:
            return read_frame(self.output)
        finally:
            self.waited_for = False

    def silent_for(self, more_s: float) -> float:
        """Count so many more seconds of silence; returns all of it, by how long one of its sources may take."""
        self.silent_s = self.silent_s + more_s if self.waited_for else 0.0
        return self.silent_s / self.patience

    def stop(self) -> int:
        """End it, with all that it started; returns its status, negative for the signal that had ended it."""
        for pipe in (self.input, self.output):
            with suppress(OSError):
                pipe.close()
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(timeout=GOODBYE_S)
        self.kill()  # what it started too: its group is there as long as one of them is
        status = self.process.wait()
        return -self.ended_by or status

    def end(self, reason: int) -> None:
        """End it at once, for what this signal stands for."""
        self.ended_by = self.ended_by or reason
        self.kill()

    def kill(self) -> None:
        """End it at once, and all that it started: none of these can leave its group."""
        with suppress(ProcessLookupError, PermissionError):
            if hasattr(os, "killpg"):
                os.killpg(self.process.pid, signal.SIGKILL)
            else:
                self.process.kill()


def _worker_environment() -> dict[str, str]:
    known = {name: os.environ[name] for name in ENVIRONMENT if name in os.environ}
    return known | {"OMP_NUM_THREADS": "1", "OMP_THREAD_LIMIT": "1"}


_idle: list[tuple[Limits, Worker]] = []
"""Processes that no pool holds, since to start one takes a third of a second."""


def waiting(limits: Limits) -> Worker | None:
    """Take a process that waits, has these limits, and was started with what the environment is now."""
    environment = _worker_environment()
    for entry in reversed(_idle):
        if entry[0] == limits and entry[1].environment == environment:
            with suppress(ValueError):  # another thread has taken it
                _idle.remove(entry)
                return entry[1]
    return None


def let_go(workers: list[Worker | None], limits: Limits) -> None:
    """Leave processes to wait for another pool."""
    for at, worker in enumerate(workers):
        if worker:
            _idle.append((limits, worker))
        workers[at] = None


@atexit.register
def _end_all() -> None:
    for _, worker in _idle:
        worker.stop()
