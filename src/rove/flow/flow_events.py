"""What a run tells while it goes on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from rove.events import Event


@dataclass(frozen=True, slots=True)
class RunBegun:
    """A run that is kept has begun, or goes on: under this id it is found again."""

    run_id: str


@dataclass(frozen=True, slots=True)
class StepStarted:
    """A step has begun. `key`: its name, in a loop with "@round", of an element with "#number": "found@2#0"."""

    key: str


@dataclass(frozen=True, slots=True)
class StepFinished:
    """A step is done. `restored`: it was done before, and is not done again."""

    key: str
    seconds: float
    restored: bool = False


@dataclass(frozen=True, slots=True)
class StepSkipped:
    """A step is left out, and why."""

    key: str
    reason: str


@dataclass(frozen=True, slots=True)
class StepFailed:
    """A step has failed. `again`: it is tried once more."""

    key: str
    reason: str
    again: bool = False


@dataclass(frozen=True, slots=True)
class StepTold:
    """What goes on within a step: pieces of an answer, sources that are read."""

    key: str
    event: Event


@dataclass(frozen=True, slots=True)
class StepWaits:
    """A step waits for a person, who answers by its key."""

    key: str
    question: str
    options: tuple[str, ...] = ()


FlowEvent = RunBegun | StepStarted | StepFinished | StepSkipped | StepFailed | StepTold | StepWaits
FlowListener = Callable[[FlowEvent], None]


def unheard(event: FlowEvent) -> None:
    """Drop the event."""
    del event
