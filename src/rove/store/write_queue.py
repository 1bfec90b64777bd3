"""Turns at writing to a base: whoever came first goes first, among processes, threads and tasks alike."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import Protocol

from filelock import FileLock, Timeout

from rove.errors import ServiceError
from rove.store.presence import LOCK, TURNS
from rove.store.private import file_mode, make_private

try:
    import fcntl
except ImportError:  # Windows: writers exclude one another there too, but in no order
    fcntl = None

LOCK_TIMEOUT_S = 600.0
SOONEST_S, LATEST_S, SHARE = 0.003, 0.01, 0.05
"""How often a waiter looks: every `SHARE` of the time that it has waited, within these bounds."""


class Turns(Protocol):
    """What the writers of a base take turns by, whichever process, thread or machine they are in."""

    async def take(self) -> None:
        """Wait for the turn; `give_back` ends it. One who is cancelled while waiting leaves the queue.

        Raises:
            ServiceError: it did not come within `LOCK_TIMEOUT_S`, or nobody may write here.
        """
        ...

    def give_back(self) -> None:
        """Let the next one have its turn."""
        ...


class WriteQueue:
    """The lock `write.lock`, and before it a queue of tickets: files in `write.turns/`, numbered as they were drawn.

    A waiter holds its ticket locked until the turn is its own. The kernel lets go of the locks of a process that ends,
    however it ends, so that nobody waits for one that is gone. Who knows nothing of the queue is kept out by the lock.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._queue = folder / TURNS
        self._lock = FileLock(folder / LOCK, timeout=0, thread_local=False, mode=file_mode(folder))

    async def take(self) -> None:
        """See `Turns.take`."""
        try:
            if self._is_waited_for() or not self._is_free():
                await self._wait()
        except OSError as error:
            message = f"{self._folder} cannot be written to: {error.strerror}."
            raise ServiceError(message, cure="Give this user the right to write there.", retryable=False) from error

    def give_back(self) -> None:
        """Let the next one have its turn."""
        self._lock.release()

    async def _wait(self) -> None:
        ends = monotonic() + LOCK_TIMEOUT_S
        ticket = _Ticket(self._queue)
        try:
            for number in ticket.ahead:
                await self._until(lambda number=number: ticket.has_gone(number), ends)
            await self._until(self._is_free, ends)
        finally:
            ticket.give_back()

    async def _until(self, done: Callable[[], bool], ends: float) -> None:
        began = monotonic()
        while not done():
            now = monotonic()
            if now > ends:
                message = f"Another process has been writing to {self._folder} for {LOCK_TIMEOUT_S:.0f} s."
                raise ServiceError(message, cure="Wait for it, or stop it.")
            await asyncio.sleep(min(max(SHARE * (now - began), SOONEST_S), LATEST_S))

    def _is_waited_for(self) -> bool:
        try:
            return bool(os.listdir(self._queue))  # noqa: PTH208 - three times as quick
        except FileNotFoundError:
            return False

    def _is_free(self) -> bool:
        """Take the lock if nobody has it."""
        try:
            self._lock.acquire()
        except Timeout:
            return False
        return True


def is_written(folder: Path) -> bool:
    """Say whether somebody is writing to the base in a folder at this moment."""
    if not (folder / LOCK).exists():
        return False
    try:
        with FileLock(folder / LOCK, timeout=0, thread_local=False, mode=file_mode(folder)):
            return False
    except Timeout:
        return True
    except OSError:  # who may not write there hears so when it tries
        return False


class _Ticket:
    """A place in the queue. `ahead`: the numbers before it, the nearest first."""

    def __init__(self, queue: Path) -> None:
        self._queue = queue
        self.ahead: list[int] = []
        self._handle = -1
        if fcntl is None:
            return
        make_private(queue)
        while self._handle < 0:
            self.ahead = sorted((int(p.name) for p in queue.iterdir() if p.name.isdecimal()), reverse=True)
            self._path = queue / str(self.ahead[0] + 1 if self.ahead else 1)
            self._handle = _make_locked_ticket(self._path)

    def has_gone(self, number: int) -> bool:
        """Say whether that ticket was given back; one whose owner has ended without is taken away."""
        path = self._queue / str(number)
        try:
            handle = os.open(path, os.O_RDONLY)
        except FileNotFoundError:
            return True
        try:
            if not _locks(handle, wait=False):
                return False
            if _is_at(handle, path):
                path.unlink(missing_ok=True)
            return True
        finally:
            os.close(handle)

    def give_back(self) -> None:
        """Leave the queue."""
        if self._handle >= 0:
            self._path.unlink(missing_ok=True)
            os.close(self._handle)


def _make_locked_ticket(path: Path) -> int:
    """Make a ticket and lock it; returns -1 where another was quicker, or took it for one that nobody holds."""
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o644)
    except FileExistsError:
        return -1
    _locks(handle, wait=True)  # at most while another looks whether it is held
    if _is_at(handle, path):
        return handle
    os.close(handle)
    return -1


def _is_at(handle: int, path: Path) -> bool:
    """Say whether the open file is still the one of that name."""
    try:
        return os.path.samestat(path.stat(), os.fstat(handle))
    except FileNotFoundError:
        return False


def _locks(handle: int, *, wait: bool) -> bool:
    if fcntl is None:
        return True
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        return False
    return True
