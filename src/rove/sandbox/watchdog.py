"""Watches reading processes from outside: what they and all they have started hold, and whether they answer."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator, Sequence
from contextlib import suppress
from threading import Event

from rove.sandbox import Limits
from rove.sandbox.worker import Worker

WATCH_S = 0.5
MAX_PROCESSES = 32
MEMORY_SHARE = 2  # a reading process and what it starts (OCR) may together hold twice what it may hold itself
PATIENCE, MORE_PATIENCE_S = 1.5, 5.0  # how much longer than a source may take a process may be silent


def watch(workers: Sequence[Worker | None], limits: Limits, stop: Event) -> None:
    """End what a process has left behind, and a process that holds too much or is silent for too long.

    The limits that a process sets itself are for parsers that go wrong; these also hold for one that was taken over,
    which can fork, stop its own clock, or leave a child that keeps the pipe open.
    """
    while not stop.wait(WATCH_S):
        for worker in workers:
            if worker is not None:
                _check_worker_limits(worker, limits)


def _check_worker_limits(worker: Worker, limits: Limits) -> None:
    if worker.process.poll() is not None:
        worker.kill()
        return
    if holds_too_much(worker.process.pid, limits):
        worker.end(signal.SIGKILL)
    elif worker.silent_for(WATCH_S) > (PATIENCE * limits.wall_s + MORE_PATIENCE_S):
        worker.end(signal.SIGALRM)


def holds_too_much(pid: int, limits: Limits) -> bool:
    """Say whether a process and all below it are too many, or hold too much together."""
    held, count = 0, 0
    for one in tree(pid):
        held, count = held + _anonymous_memory_bytes(one), count + 1
        if held > MEMORY_SHARE * limits.memory_bytes or count > MAX_PROCESSES:
            return True
    return False


def tree(pid: int) -> Iterator[int]:
    """Yield the process and all below it; no more than the process itself where the system does not tell."""
    yield pid
    with suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208 - light, as below
            with open(f"/proc/{pid}/task/{thread}/children", encoding="ascii") as children:  # noqa: PTH123
                below = children.read().split()
            for child in below:
                yield from tree(int(child))


def _anonymous_memory_bytes(pid: int) -> int:
    """The memory, in bytes, that is of no file: of its own and shared."""
    with suppress(OSError), open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as status:  # noqa: PTH123
        return sum(
            int(line.split()[1]) * 1024 for line in status if line.startswith(("RssAnon:", "RssShmem:", "VmSwap:"))
        )
    return 0
