"""The blocking face of a walk."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Self

from rove.records import Answer
from rove.records.walk_events import Edit, WalkEvent
from rove.sync.docstrings import explained_by
from rove.walk.handle import AsyncWalk
from rove.walk.state import State


@explained_by(AsyncWalk)
class Walk:
    """The blocking face of `AsyncWalk`: iterated in one thread, it can be paused and edited from any."""

    def __init__(self, walk: AsyncWalk, run: Callable[[Awaitable[Any]], Any]) -> None:
        self._walk = walk
        self._run = run

    @property
    def walk_id(self) -> str:
        """See `AsyncWalk`."""
        return self._walk.walk_id

    @property
    def state(self) -> State:
        """See `AsyncWalk`."""
        return self._walk.state

    @property
    def answer(self) -> Answer | None:
        """See `AsyncWalk.answer`."""
        return self._walk.answer

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> WalkEvent:
        event: WalkEvent | None = self._run(anext(self._walk, None))
        if event is None:
            raise StopIteration
        return event

    def answered(self) -> Answer:
        """See `AsyncWalk.answered`."""
        return self._run(self._walk.answered())

    def pause(self) -> None:
        """See `AsyncWalk.pause`."""
        self._run(self._walk.pause())

    def edit(self, edit: Edit) -> None:
        """See `AsyncWalk.edit`."""
        self._run(self._walk.edit(edit))

    def resume(self) -> None:
        """See `AsyncWalk.resume`."""
        self._run(self._walk.resume())

    def stop(self) -> None:
        """See `AsyncWalk.stop`."""
        self._run(self._walk.stop())

    def close(self) -> None:
        """See `AsyncWalk.aclose`."""
        self._run(self._walk.aclose())
