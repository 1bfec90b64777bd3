"""CPU time that work may take: on a slow machine more, and what a busy one loses to others is no fault of the work."""

from __future__ import annotations

import gc
import math
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager

from campaign.machine import slowness

TRIES = 3
PAUSE_S = 0.5
SHORTEST_S = 0.03
"""What is too short to be measured counts as this."""


@contextmanager
def at_most(seconds: float) -> Generator[None]:
    """Fail where what is done within takes more CPU time than this, on the machine where limits are set."""
    began = time.process_time()
    with uncollected():
        yield
    took = time.process_time() - began
    assert took < seconds or took < seconds * slowness(), f"{took:.2f} s of CPU, where {seconds} s are allowed"


@contextmanager
def uncollected() -> Generator[None]:
    """Let no garbage be looked for meanwhile: in a process that has run thousands of tests that takes its time."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def growth(work: Callable[[int], object], few: int, many: int) -> float:
    """How many times as much CPU time is taken by work of the size `many` as of the size `few`, at best.

    Both are measured in turn, and again after a pause where the growth is far from `many / few`: a busy machine slows
    down whatever it does for a while.
    """
    most = shortest = math.inf
    for tried in range(TRIES):
        time.sleep(tried * PAUSE_S)
        shortest = max(min(shortest, least_s(lambda: work(few))), SHORTEST_S)
        most = min(most, least_s(lambda: work(many)))
        if most < 1.5 * many / few * shortest:
            break
    return most / shortest


def least_s(work: Callable[[], object]) -> float:
    """The least CPU time, in seconds, that work took of several times."""

    def once() -> float:
        began = time.process_time()
        work()
        return time.process_time() - began

    with uncollected():
        return min(once() for _ in range(TRIES))
