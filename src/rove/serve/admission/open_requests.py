"""Open requests by caller, so that they end when the caller's key is taken back."""

from __future__ import annotations

import asyncio
from collections.abc import Generator, Iterable
from contextlib import contextmanager

from rove.serve.problems import UnknownCallerError


class OpenRequests:
    """Who is being answered."""

    def __init__(self) -> None:
        self._tasks: dict[str, set[asyncio.Task[object]]] = {}
        self._ended: set[asyncio.Task[object]] = set()

    def __len__(self) -> int:
        return sum(map(len, self._tasks.values()))

    @contextmanager
    def noted(self, name: str) -> Generator[None]:
        """Note that the task that runs answers a caller, for the length of the block.

        Raises:
            UnknownCallerError: `end` has ended it.
        """
        task = asyncio.current_task()
        if task is None:
            message = "Only a task can answer a request."
            raise RuntimeError(message)
        self._tasks.setdefault(name, set()).add(task)
        try:
            yield
        except asyncio.CancelledError:
            if task not in self._ended:
                raise
            task.uncancel()
            message = "The key or the session has ended, or gives other rights now."
            raise UnknownCallerError(message, cure="Ask again with a key that counts.") from None
        finally:
            self._ended.discard(task)
            self._tasks[name].discard(task)
            if not self._tasks[name]:
                del self._tasks[name]

    def end(self, names: Iterable[str]) -> None:
        """End all that is being done for these callers, save what calls this."""
        for name in names:
            for task in self._tasks.get(name, set()) - {asyncio.current_task()}:
                self._ended.add(task)
                task.cancel()
