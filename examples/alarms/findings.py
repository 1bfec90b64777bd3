"""What the experts hand to one another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from rove.records import Citation, Hit

State = Literal["confirmed", "refuted", "unknown"]


@dataclass(frozen=True, slots=True)
class Alarm:
    """An alarm as the intent expert reads it. `codes`: events that it may be, the likeliest first."""

    text: str
    language: str
    host: str
    time: str
    codes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Event:
    """An event as the catalogue has it; `citation`: its row."""

    code: str
    name: str
    where: str
    tool: str
    arguments: str
    confirmed: str
    owner: str
    citation: Citation


@dataclass(frozen=True, slots=True)
class Edge:
    """One event leads to another; `citation`: the row that says so."""

    source: str
    target: str
    citation: Citation


@dataclass(frozen=True, slots=True)
class Check:
    """What is asked of a live system to confirm an event. `refused`: why it is not asked at all."""

    event: Event
    host: str
    tool: str
    arguments: Mapping[str, object]
    request: str
    refused: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """What the diagnosis expert has worked out: the event, what can lead to it, and the checks."""

    alarm: Alarm
    event: Event
    events: tuple[Event, ...]
    edges: tuple[Edge, ...]
    checks: tuple[Check, ...]
    asked: tuple[Check, ...]
    more: bool = False


@dataclass(frozen=True, slots=True)
class Checked:
    """How a check came out. `since`: when the event began; `note`: why nothing is known."""

    check: Check
    state: State
    since: str = ""
    said: str = ""
    note: str = ""
    citations: tuple[Citation, ...] = ()
    result: Mapping[str, object] = field(default_factory=dict[str, object])


@dataclass(frozen=True, slots=True)
class Past:
    """A past incident: its recorded cause, and the words of its review."""

    title: str
    date: str
    event: str
    cause: str
    minutes: str
    root: Citation | None
    done: Citation | None


@dataclass(frozen=True, slots=True)
class Cause:
    """A candidate: from 0 to 1, and what the score is made of, each from 0 to 1."""

    event: Event
    score: float
    state: State
    path: tuple[str, ...]
    on_path: float
    effects: float
    is_first: float
    in_time: float
    before: float


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What the root-cause expert found. `causes`: the likeliest first; the first is confirmed, or none is named.

    `action`: what the catalogue says to do; `evidence`: passages that the explanation is written from; `left_out`:
    reviews whose cause the catalogue does not know.
    """

    plan: Plan
    checked: tuple[Checked, ...]
    causes: tuple[Cause, ...]
    reviews: tuple[Past, ...]
    question: str
    root: Cause | None = None
    action: Citation | None = None
    left_out: int = 0
    evidence: tuple[Hit, ...] = ()
