"""One job: what was handed in together, and how far it is, here or at another server of the base."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, field
from typing import Literal, NotRequired, Self, TypedDict

import msgspec

from rove.events import AddStarted, ChunksCut, ChunksEmbedded, Event, PageReached, SourceDone, SourcesAt, Stage
from rove.serve.documents.rest_time import RestTime
from rove.serve.progress import Progress
from rove.store.job_board import JobBoard

PINNED_S = 1.0
"""A job is pinned anew at most so often."""
State = Literal["queued", "running", "waiting", "searchable", "done"]
TAKEN_IN = frozenset[State]({"searchable", "done"})
"""States in which everything can be found that ever will."""


class _Told(TypedDict):
    """What `Job.told` tells."""

    state: State
    expected: int
    cut: int
    chunks: int
    left_s: float | None
    events: list[SourceDone]
    under_way: dict[str, Stage]
    pages: dict[str, PageReached]
    trouble: str
    attempt: int
    shallow: NotRequired[int]


@dataclass(slots=True)
class Job(Progress):
    """One job. `events`: the ends of its sources; `under_way`: how far others are; `trouble`: why it has to wait.

    `cut`: how many chunks are known so far, of which `chunks` have their vectors; `left_s`: see `RestTime`.
    `pages`: where OCR is in sources under way.
    `attempt` counts from 1 how often it was begun: with each the sources are told anew.
    `shallow`: once it is "searchable", how many of its chunks the embedder has yet to reach. `is_let_go`: nobody
    will be told any more how far that is. `is_end_pinned`: the board has said that it is done.
    """

    job_id: str
    caller: str
    state: State = "queued"
    expected: int = 0
    cut: int = 0
    chunks: int = 0
    left_s: float | None = None
    events: list[SourceDone] = field(default_factory=list[SourceDone])
    under_way: dict[str, Stage] = field(default_factory=dict[str, Stage])
    pages: dict[str, PageReached] = field(default_factory=dict[str, PageReached])
    trouble: str = ""
    attempt: int = 0
    shallow: int = 0
    is_let_go: bool = False
    is_end_pinned: bool = False
    rest: RestTime = field(default_factory=RestTime)

    @property
    def over(self) -> bool:
        """See `Progress.over`."""
        return self.state == "done" or self.is_let_go

    @property
    def is_taken_in(self) -> bool:
        """Whether everything of it can be found that ever will."""
        return self.state in TAKEN_IN

    @property
    def sources(self) -> list[str]:
        """The sources that have ended, as the ledger has them."""
        return [done.entry.source for done in self.events]

    def begin(self) -> None:
        """Note that it is worked at, from the beginning."""
        self.state, self.attempt = "running", self.attempt + 1
        self.expected, self.cut, self.chunks, self.shallow, self.trouble = 0, 0, 0, 0, ""
        self.left_s, self.rest = None, RestTime()
        self.events.clear()
        self.under_way.clear()
        self.pages.clear()
        self.changed()

    def listen(self, event: Event) -> None:
        """Take note of what the engine tells."""
        match event:
            case AddStarted(sources):
                self.expected += sources
            case ChunksCut(count):
                self.cut += count
            case ChunksEmbedded(count):
                self.chunks += count
            case SourcesAt(stage, sources):
                self.under_way |= dict.fromkeys(sources, stage)
            case PageReached(source):
                self.pages[source] = event
            case SourceDone(entry):
                self.under_way.pop(entry.source, None)
                self.pages.pop(entry.source, None)
                self.events.append(event)
            case _:
                pass
        being_read = sum(stage == "reading" for stage in self.under_way.values())
        unread = max(0, self.expected - len(self.events) - len(self.under_way)) + being_read
        self.rest.note(
            unread=unread, ended=len(self.events), expected=self.expected, cut=self.cut, embedded=self.chunks
        )
        self.left_s = self.rest.left_s
        self.changed()

    def end(self, *, shallow: int = 0) -> None:
        """Note that it is done, or that only the embedder has yet to reach so many chunks of it."""
        self.state, self.shallow, self.left_s = "searchable" if shallow else "done", shallow, None
        self.under_way.clear()
        self.pages.clear()
        self.changed()

    def let_go(self) -> None:
        """Note that nobody follows it any more."""
        self.is_let_go = True
        self.changed()

    def told(self, **instead: object) -> str:
        """What another server needs to tell of it; `instead` of some of it something else."""
        return msgspec.json.encode({name: getattr(self, name) for name in _Told.__annotations__} | instead).decode()


@dataclass(slots=True, kw_only=True)
class JobElsewhere(Job):
    """A job of another server, as that has pinned it to the board; who watches looks there again and again.

    `left` counts its chunks that are shallow, whether that server is still there or not. Blocks.
    """

    board: JobBoard
    left: Callable[[Job], int]

    def look(self) -> Self:
        """Look at the board; what is no longer there is over. Blocks."""
        found = self.board.read(self.job_id)
        for name, value in msgspec.json.decode(found[1], type=_Told).items() if found else ():
            setattr(self, name, value)
        self.state = self.state if found else "done"
        if self.state == "searchable":
            self.end(shallow=self.left(self))
        return self

    async def watch(self) -> AsyncGenerator[Self]:
        """See `Progress.watch`."""
        while True:
            yield self
            if self.over:
                return
            await asyncio.sleep(PINNED_S)
            await asyncio.to_thread(self.look)
