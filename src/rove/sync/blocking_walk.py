"""The blocking face of a walk."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Self

from rove.records import Answer
from rove.records.walk_events import Budget, Edit, WalkEvent
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

    def add_lead(self, text: str, *, document_id: str = "", span: tuple[int, int] | None = None) -> str:
        """See `AsyncWalk.add_lead`."""
        return self._run(self._walk.add_lead(text, document_id=document_id, span=span))

    def add_fact(self, text: str) -> str:
        """See `AsyncWalk.add_fact`."""
        return self._run(self._walk.add_fact(text))

    def change_fact(self, fact_id: str, text: str) -> None:
        """See `AsyncWalk.change_fact`."""
        self._run(self._walk.change_fact(fact_id, text))

    def drop(self, *ids: str) -> None:
        """See `AsyncWalk.drop`."""
        self._run(self._walk.drop(*ids))

    def ask(self, question: str) -> None:
        """See `AsyncWalk.ask`."""
        self._run(self._walk.ask(question))

    def allow(self, budget: Budget) -> None:
        """See `AsyncWalk.allow`."""
        self._run(self._walk.allow(budget))

    def resume(self) -> None:
        """See `AsyncWalk.resume`."""
        self._run(self._walk.resume())

    def stop(self) -> None:
        """See `AsyncWalk.stop`."""
        self._run(self._walk.stop())

    def close(self) -> None:
        """See `AsyncWalk.aclose`."""
        self._run(self._walk.aclose())
