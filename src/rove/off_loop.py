"""Work on long texts leaves the event loop, which meanwhile answers others."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from contextvars import copy_context
from functools import partial
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

LONG_CHARS = 20_000
"""What is done with a text of so many characters takes milliseconds; with a shorter one a thread would cost more."""


async def off_loop(chars: int, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Do work on texts of so many characters in all: in a thread where they are long, else at once."""
    if chars < LONG_CHARS:
        return work(*args, **kwargs)
    return await asyncio.to_thread(work, *args, **kwargs)


async def in_pool(pool: Executor, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Do work in a pool of threads of its own: however much of it there is, other work does not wait for a thread."""
    held = partial(copy_context().run, work, *args, **kwargs)
    return await asyncio.get_running_loop().run_in_executor(pool, held)


def chars_of(texts: Iterable[str]) -> int:
    """Count the characters of texts."""
    return sum(map(len, texts))
