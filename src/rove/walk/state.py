"""The state machine of a walk: its events, folded in order. Pure: live walks, take-up, forks and replays share it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from rove.records import Answer
from rove.records.walk_events import (
    Answered,
    Budget,
    ChunkSeen,
    ChunksRead,
    Edit,
    Edited,
    Fact,
    FactDropped,
    FactFound,
    FactRejected,
    Judged,
    Lead,
    LeadDropped,
    LeadFollowed,
    LeadFound,
    Paused,
    Resumed,
    RoundStarted,
    Spent,
    Stopped,
    Used,
    WalkEvent,
    WalkStarted,
    Warned,
)

QUESTION = ""
"""The id of the lead that is the question itself."""


@dataclass(frozen=True, slots=True)
class State:
    """Where a walk stands.

    `since`: the round after which the user let a walk that was judged go on, 0 where nobody did: what was found until
    then ends it no more. `plan`: the leads of the present round. `followed` and `dropped` go by lead id (`dropped` says
    why), `lost` by fact id. `read`: the chunks that were read to their end. `verdict`: that of the present round, None
    before it is judged, and again after an edit. `events`: how many there are, those that are never kept (`FactDelta`)
    not counted.
    """

    walk_id: str = ""
    question: str = ""
    language: str = ""
    mode: str = ""
    budget: Budget = field(default_factory=Budget)
    where: str = ""
    forked_from: str = ""
    round: int = 0
    since: int = 0
    plan: tuple[str, ...] = ()
    facts: tuple[Fact, ...] = ()
    leads: tuple[Lead, ...] = ()
    followed: Mapping[str, LeadFollowed] = field(default_factory=dict[str, LeadFollowed])
    dropped: Mapping[str, str] = field(default_factory=dict[str, str])
    lost: Mapping[str, str] = field(default_factory=dict[str, str])
    rejected: tuple[FactRejected, ...] = ()
    seen: tuple[ChunkSeen, ...] = ()
    read: frozenset[str] = frozenset()
    verdicts: tuple[Judged, ...] = ()
    verdict: Judged | None = None
    warnings: tuple[Warned, ...] = ()
    spent: Spent = field(default_factory=Spent)
    paused: bool = False
    stopped: Stopped | None = None
    answer: Answer | None = None
    events: int = 0

    @property
    def over(self) -> bool:
        """True when it has its answer: nothing more will come, unless it is edited."""
        return self.answer is not None

    @property
    def open_leads(self) -> tuple[Lead, ...]:
        """Leads that were neither followed nor dropped, the most promising first; ties by the order they came."""
        left = [lead for lead in self.leads if lead.lead_id not in self.followed and lead.lead_id not in self.dropped]
        return tuple(sorted(left, key=lambda lead: -lead.score))

    @property
    def unread(self) -> tuple[str, ...]:
        """Chunks that were found and not yet read, in the order they were found."""
        return tuple(seen.chunk_id for seen in self.seen if seen.chunk_id not in self.read)

    @property
    def pressed(self) -> bool:
        """True when the user wants a further round than the present one, whatever it has brought."""
        return self.round == self.since > 0

    def lead(self, lead_id: str) -> Lead | None:
        """The lead of that id; None where there is none."""
        return next((lead for lead in self.leads if lead.lead_id == lead_id), None)


def folded(events: Iterable[WalkEvent], state: State | None = None) -> State:
    """Return the state after these events.

    >>> folded([WalkStarted("w", "Who?", "en", "extractive", Budget()), RoundStarted(1, ("",))]).round
    1
    """
    state = state or State()
    for event in events:
        state = advanced(state, event)
    return state


def advanced(state: State, event: WalkEvent) -> State:
    """Return the state after one more event. An event that changes nothing still counts."""
    state = replace(state, events=state.events + 1)
    match event:
        case FactFound() | FactRejected() | FactDropped():
            return _with_fact(state, event)
        case LeadFound() | LeadFollowed() | LeadDropped():
            return _with_lead(state, event)
        case ChunkSeen() | ChunksRead() | RoundStarted() | Judged() | Used() | Warned():
            return _with_work_event(state, event)
        case WalkStarted() | Paused() | Resumed() | Edited() | Stopped() | Answered():
            return _with_course(state, event)
        case _:  # a FactDelta is never kept, and of what was erased nothing is known
            return state if not _passes(event) else replace(state, events=state.events - 1)


def _passes(event: WalkEvent) -> bool:
    return type(event).__name__ == "FactDelta"


def _with_fact(state: State, event: FactFound | FactRejected | FactDropped) -> State:
    match event:
        case FactFound(fact):
            others = tuple(one for one in state.facts if one.fact_id != fact.fact_id)
            return replace(state, facts=(*others, fact))
        case FactRejected():
            return replace(state, rejected=(*state.rejected, event))
        case FactDropped(fact_id, _, reason):
            kept = tuple(fact for fact in state.facts if fact.fact_id != fact_id)
            return replace(state, facts=kept, lost={**state.lost, fact_id: reason})


def _with_lead(state: State, event: LeadFound | LeadFollowed | LeadDropped) -> State:
    match event:
        case LeadFound(lead):
            others = tuple(one for one in state.leads if one.lead_id != lead.lead_id)
            return replace(state, leads=(*others, lead))
        case LeadFollowed(lead_id):
            return replace(state, followed={**state.followed, lead_id: event})
        case LeadDropped(lead_id, _, reason, notes):
            return replace(state, dropped={**state.dropped, lead_id: notes[0].code if notes else reason})


def _with_work_event(state: State, event: ChunkSeen | ChunksRead | RoundStarted | Judged | Used | Warned) -> State:
    match event:
        case ChunkSeen():
            return replace(state, seen=(*state.seen, event))
        case ChunksRead(_, chunk_ids):
            return replace(state, read=state.read | set(chunk_ids))
        case RoundStarted(number, lead_ids):
            return replace(state, round=number, plan=lead_ids, verdict=None)
        case Judged():
            return replace(state, verdicts=(*state.verdicts, event), verdict=event)
        case Used(spent):
            return replace(state, spent=spent)
        case Warned():
            return replace(state, warnings=(*state.warnings, event))


def _with_course(state: State, event: WalkStarted | Paused | Resumed | Edited | Stopped | Answered) -> State:
    match event:
        case WalkStarted(walk_id, question, language, mode, budget, where, forked_from):
            return State(walk_id, question, language, mode, budget, where, forked_from, events=state.events)
        case Paused():
            return replace(state, paused=True)
        case Resumed():
            return replace(state, paused=False)
        case Edited(edit):
            return _apply_edit(state, edit)
        case Stopped(spent=spent):
            return replace(state, stopped=event, spent=spent)
        case Answered(answer):
            return replace(state, answer=answer)


def _apply_edit(state: State, edit: Edit) -> State:
    """Apply an edit: what had ended may go on, and whether enough was found is asked again.

    Who changes nothing but the budget of a walk that was judged wants it to go on.
    """
    gone = set(edit.dropped)
    facts = {fact.fact_id: fact for fact in (*state.facts, *edit.facts) if fact.fact_id not in gone}
    leads = {lead.lead_id: lead for lead in (*state.leads, *edit.leads)}
    added = {lead.lead_id for lead in edit.leads}
    by_user = {lead_id: "the user dropped it" for lead_id in edit.dropped if lead_id in leads}
    asked = edit.question is not None and edit.question != state.question
    again = {*added, QUESTION} if asked else added
    further = state.verdict is not None and edit == Edit(budget=edit.budget)
    return replace(
        state,
        question=edit.question if edit.question is not None else state.question,
        budget=edit.budget or state.budget,
        since=state.round if further else state.since,
        facts=tuple(facts.values()),
        leads=tuple(leads.values()),
        followed={lead_id: how for lead_id, how in state.followed.items() if lead_id not in again},
        dropped={lead_id: why for lead_id, why in state.dropped.items() if lead_id not in added} | by_user,
        lost={**state.lost} | {fact.fact_id: "the user dropped it" for fact in state.facts if fact.fact_id in gone},
        verdict=None,
        stopped=None,
        answer=None,
    )
