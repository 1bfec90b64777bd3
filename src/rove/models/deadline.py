"""Time limits on asking models: set around an operation, and seen by every call to a model within it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from time import monotonic

from rove.errors import ServiceError

RULES_S = 30.0
"""Seconds for what is done by rules once the time for models is over."""
OVER = "It took more than {seconds:g} s."
OVER_CURE = "Look at the models' servers, or raise {setting}."

_until: ContextVar[float] = ContextVar("_until", default=float("inf"))


@contextmanager
def models_for(seconds: float) -> Generator[None]:
    """Let models be asked for so many seconds at most, in this task and those that it starts; 0: without a limit.

    >>> with models_for(5), models_for(60):
    ...     0 < seconds_left() <= 5
    True
    """
    until = monotonic() + seconds if seconds else float("inf")
    token = _until.set(min(until, _until.get()))
    try:
        yield
    finally:
        _until.reset(token)


def seconds_left() -> float:
    """Return how long a model may still be asked: infinite without a limit, 0 when the time is over."""
    return max(_until.get() - monotonic(), 0.0)


@asynccontextmanager
async def within(seconds: float, setting: str) -> AsyncGenerator[None]:
    """Let models be asked for so long, and end the block soon after, whatever hangs in it; 0: without a limit.

    Args:
        seconds: how long.
        setting: where that is set, for the cure.

    Raises:
        ServiceError: the block took `RULES_S` more.
    """
    try:
        with models_for(seconds):
            async with asyncio.timeout(seconds + RULES_S if seconds else None):
                yield
    except TimeoutError:
        message = OVER.format(seconds=seconds + RULES_S)
        raise ServiceError(message, cure=OVER_CURE.format(setting=setting)) from None
