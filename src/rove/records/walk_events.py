"""A walk: rounds of retrieval, the facts they gave, the leads they follow, told as a list of events.

The events are all there is: the state of a walk is what its events say, in their order, so that it can be taken up,
forked and replayed from them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from rove.records.answer import Answer, Citation
from rove.records.note import Note

LeadKind = Literal[
    "next-source", "expected-info", "reference", "section", "page", "footnote", "link", "name", "user", "memory"
]
Origin = Literal["model", "text", "user", "memory"]
Stop = Literal[
    "enough", "no-lead", "no-new-chunk", "no-new-fact",
    "rounds", "calls", "tokens", "seconds", "money", "user", "nothing-asked", "failed",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Budget:
    """What a walk may use up; 0 is without a bound. `money` is in the currency of the settings' prices."""

    rounds: int = 4
    calls: int = 24
    tokens: int = 100_000
    seconds: float = 120.0
    money: float = 0.0


@dataclass(frozen=True, slots=True)
class Spent:
    """What a walk has used up. See `Budget`."""

    rounds: int = 0
    calls: int = 0
    tokens: int = 0
    seconds: float = 0.0
    money: float = 0.0


@dataclass(frozen=True, slots=True)
class Fact:
    """Something that a source says and that bears on the question; it can be understood by itself.

    `relevance`: 0 to 1. `citation`: the words that it rests on, checked by code; None only where the user wrote it.
    `next_source`, `expected_info`: where to look next, and what is expected there (mission D.1); "" where nothing is.
    `origin`: who said so: a chat model, the text itself, the user, or an earlier walk. `round` counts from 1.
    `lead_id`: the lead that it was found by, "" for the question. `answers`: 0 to 1, how surely it answers the question
    given the facts that led to it; `short`: the words of its document that do, where they are known. `bearing`: how it
    bears on the answer, in a sentence, as the model says it.
    """

    fact_id: str
    text: str
    relevance: float
    round: int
    origin: Origin = "text"
    citation: Citation | None = None
    next_source: str = ""
    expected_info: str = ""
    lead_id: str = ""
    answers: float = 0.0
    short: tuple[int, int] | None = None
    bearing: str = ""


@dataclass(frozen=True, slots=True)
class Lead:
    """Something to look for next. `text` is what is searched for.

    `fact_id` and `chunk_id`: where it was found, "" where it was not found there. `round`: when it was found.
    `document_id` and `span`: the place that it names, where that is known: its chunks are read without a search.
    `score`: how promising it is, 0 to 1. `named_in`: the heading or title under which a source names it, "" where none
    does.
    """

    lead_id: str
    text: str
    kind: LeadKind
    round: int
    fact_id: str = ""
    chunk_id: str = ""
    document_id: str = ""
    span: tuple[int, int] | None = None
    score: float = 0.0
    named_in: str = ""


@dataclass(frozen=True, slots=True)
class Edit:
    """What a user changes while a walk rests. What is None or empty stays as it is.

    `facts` and `leads` are added, or take the place of those with their id; `dropped` names facts and leads to drop.
    """

    question: str | None = None
    budget: Budget | None = None
    facts: tuple[Fact, ...] = ()
    leads: tuple[Lead, ...] = ()
    dropped: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WalkStarted:
    """A walk begins.

    `mode`: "extractive", or the chat model's name. `where`: the filter that holds at every step, as
    `rove.walk.json_format` writes it. `forked_from`: "walk_id:seq" of the event that it goes on after.
    """

    walk_id: str
    question: str
    language: str
    mode: str
    budget: Budget
    where: str = ""
    forked_from: str = ""


@dataclass(frozen=True, slots=True)
class RoundStarted:
    """A round begins, with these leads to follow; the lead "" is the question itself."""

    round: int
    lead_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ChunkSeen:
    """A chunk was found and is to be read. `lead_id` "": the question led to it."""

    round: int
    chunk_id: str
    document_id: str
    title: str
    uri: str
    score: float
    lead_id: str = ""


@dataclass(frozen=True, slots=True)
class ChunksRead:
    """These chunks were read to their end; what they gave stands before this. `by`: "extractive", or a model's name."""

    round: int
    chunk_ids: tuple[str, ...]
    by: str


@dataclass(frozen=True, slots=True)
class FactDelta:
    """A fact that the model is still writing; never kept. `fields` is what stands of it so far."""

    round: int
    place: int
    fields: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class FactFound:
    """A fact was taken in."""

    fact: Fact


@dataclass(frozen=True, slots=True)
class FactRejected:
    """Not taken in, and why: no source that was read holds it, or it says what is known already."""

    round: int
    text: str
    reason: str
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True)
class FactDropped:
    """A fact does not count any more, and why: what it rests on is gone, or has changed."""

    fact_id: str
    round: int
    reason: str
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True)
class LeadFound:
    """A lead was taken in; it is open."""

    lead: Lead


@dataclass(frozen=True, slots=True)
class LeadFollowed:
    """A lead was followed, and gave so many chunks that were not seen before. `reason`: why it and not another."""

    lead_id: str
    round: int
    chunks: int
    reason: str = ""
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True)
class LeadDropped:
    """A lead is not followed any more, and why."""

    lead_id: str
    round: int
    reason: str
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True)
class Judged:
    """Whether what was found is enough, who says so ("extractive", or a model's name), why, and what is missing."""

    round: int
    enough: bool
    by: str
    reason: str
    missing: str = ""
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True)
class Used:
    """What the walk has used up so far."""

    spent: Spent


@dataclass(frozen=True, slots=True)
class Warned:
    """Something went wrong and the walk went on without it."""

    round: int
    text: str
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True)
class Paused:
    """The walk rests, at the user's wish; nothing of what was found is lost."""

    round: int


@dataclass(frozen=True, slots=True)
class Edited:
    """The user changed something."""

    edit: Edit


@dataclass(frozen=True, slots=True)
class Resumed:
    """The walk goes on."""

    round: int


@dataclass(frozen=True, slots=True)
class Stopped:
    """No further round: which of the reasons stopped it, in a word and in a sentence, and what it used up."""

    reason: Stop
    text: str
    spent: Spent


@dataclass(frozen=True, slots=True)
class Answered:
    """The answer, composed of the facts."""

    answer: Answer


@dataclass(frozen=True, slots=True)
class Erased:
    """Here stood something of a document that has been erased since. `what`: the name of the event that stood here."""

    what: str


WalkEvent = (
    WalkStarted | RoundStarted | ChunkSeen | ChunksRead | FactDelta | FactFound | FactRejected | FactDropped
    | LeadFound | LeadFollowed | LeadDropped | Judged | Used | Warned | Paused | Edited | Resumed | Stopped | Answered
    | Erased
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class WalkInfo:
    """One line of `kb.walks()`.

    `status`: "open" (it can be taken up), "paused" (at the user's wish), or why it ended (see `Stop`). Times are
    ISO 8601 in UTC.
    """

    walk_id: str
    question: str
    mode: str
    status: str
    rounds: int
    facts: int
    events: int
    started_at: str
    updated_at: str
    forked_from: str = ""
