"""Runs what is of no open base to its end, also where the caller's thread has an event loop that runs already."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")


def run_apart(work: Coroutine[Any, Any, T]) -> T:
    """Run `work` here, where Ctrl-C ends it; beside a running event loop (a notebook's) in a thread of its own."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    with ThreadPoolExecutor(1, "rove") as apart:
        return apart.submit(asyncio.run, work).result()
