"""What a walk does next: a pure function of its state, so that one taken up after a crash goes on where it was."""

from __future__ import annotations

from dataclasses import dataclass

from rove.language.rendering import render
from rove.records import Note
from rove.records.note import FREE, Parameter
from rove.records.walk_events import Lead, Stop
from rove.walk import EXTRACTIVE
from rove.walk.budget import exhausted
from rove.walk.state import QUESTION, State

BARREN_ROUNDS = 2
DEEPER_ROUNDS = 3
"""Rounds in which the question is asked, each for what it finds beyond the ones before, where nothing answers yet."""
ASKED = Note("lead-asked")
WANTED = Note("lead-wanted")
WORDS_CHARS = 120


@dataclass(frozen=True, slots=True)
class Begin:
    """Start a round with these leads."""

    round: int
    lead_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Follow:
    """Look for what a lead names; None is the question itself. `reason`: why this one."""

    lead: Lead | None
    reason: Note


@dataclass(frozen=True, slots=True)
class Read:
    """Read these chunks."""

    chunk_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Judge:
    """Ask whether what was found is enough."""


@dataclass(frozen=True, slots=True)
class End:
    """No further round, and why."""

    stop: Stop


@dataclass(frozen=True, slots=True)
class Compose:
    """Write the answer."""


@dataclass(frozen=True, slots=True)
class Rest:
    """There is nothing to do: the walk is over."""


Step = Begin | Follow | Read | Judge | End | Compose | Rest


def next_step(state: State, leads_a_round: int) -> Step:
    """Return what comes next.

    A round: its leads are followed, what they gave is read, then it is judged. A budget that is used up ends the walk
    between two of these; that of the rounds when the next one would begin.

    >>> next_step(State(), 3)
    Begin(round=1, lead_ids=('',))
    """
    if state.over:
        return Rest()
    if state.stopped:
        return Compose()
    if stop := exhausted(state.spent, state.budget):
        return End(stop)
    if state.round == 0:
        return Begin(1, (QUESTION,))
    if _enough(state) and not _user_leads(state):
        return End("enough")
    for lead_id in state.plan:
        lead = state.lead(lead_id)  # None also where what it was has been erased since
        if not _is_followed_now(state, lead_id) and lead_id not in state.dropped and (lead or lead_id == QUESTION):
            return Follow(lead, _follow_reason(state, lead_id))
    if state.unread:
        return Read(state.unread)
    if state.verdict is None:
        return Judge()
    return _after_round(state, leads_a_round)


def _after_round(state: State, leads_a_round: int) -> Step:
    leads = _user_leads(state) if _enough(state) else state.open_leads
    unasked = QUESTION not in state.followed
    again = (QUESTION,) if unasked or _deeper(state) or _is_all_missing(state) else ()
    chosen = again + tuple(lead.lead_id for lead in leads[:leads_a_round])
    if not chosen:
        return End("no-lead" if _fresh(state) else "no-new-chunk")
    if state.budget.rounds and state.round >= state.budget.rounds:
        return End("rounds")
    if (_barren(state) or _idle(state)) and not (unasked or _user_leads(state) or _is_all_missing(state)):
        return End("no-new-fact")
    return Begin(state.round + 1, chosen)


def _is_followed_now(state: State, lead_id: str) -> bool:
    """Say whether a lead of the present plan was followed; the question may have been asked in earlier rounds too."""
    return lead_id in state.followed and state.followed[lead_id].round == state.round


def _fresh(state: State) -> bool:
    """Say whether the present round has found a chunk that was not seen before."""
    return any(state.followed[lead_id].chunks for lead_id in state.plan if _is_followed_now(state, lead_id))


def _enough(state: State) -> bool:
    """Say whether what was found is enough; where the user let the walk go on, only with a round that found more."""
    wanted = not state.since or (_fresh(state) and not state.pressed)
    return state.verdict is not None and state.verdict.enough and wanted


def _deeper(state: State) -> bool:
    """Say whether the question is asked again, for what it finds beyond what was seen: where the user let a walk go on.

    In the round after that, and later where no lead is left, as long as it finds anything.
    """
    more = bool(state.since) and not state.open_leads and bool(state.followed[QUESTION].chunks)
    return state.pressed or more


def _is_all_missing(state: State) -> bool:
    """Say whether all that is asked is still missing and the question found what was not seen: it goes deeper then."""
    verdict, asked = state.verdict, state.followed[QUESTION]
    lacks = verdict is not None and not verdict.enough and verdict.missing == state.question
    without = state.mode == EXTRACTIVE or not state.facts
    deeper = state.round - state.since < DEEPER_ROUNDS and not state.open_leads
    return lacks and without and deeper and bool(asked.chunks)


def _barren(state: State) -> bool:
    """Say whether so many rounds have passed since the last new fact that the next one would hardly bring any."""
    last = max((fact.round for fact in state.facts), default=0)
    return state.round - max(last, state.since) >= BARREN_ROUNDS


def _idle(state: State) -> bool:
    """Say of a walk without a model whether its last round came no nearer: each finds facts, since each has sentences.

    Nearer is a word of the question that no fact before held, or a fact more relevant than all before.
    """
    rounds = {verdict.round: verdict for verdict in state.verdicts if verdict.round > state.since}  # the last of each
    two = list(rounds.values())[-2:]
    if len(two) < 2 or any(verdict.by != EXTRACTIVE for verdict in two) or two[0].missing != two[1].missing:
        return False
    before = max((fact.relevance for fact in state.facts if fact.round < state.round), default=0.0)
    new = [fact for fact in state.facts if fact.round == state.round]
    return all(fact.relevance <= before and not fact.lead_id for fact in new)


def _user_leads(state: State) -> tuple[Lead, ...]:
    """The leads that the user has given: they are followed even where enough was found."""
    return tuple(lead for lead in state.open_leads if lead.kind == "user")


def _follow_reason(state: State, lead_id: str) -> Note:
    lead = state.lead(lead_id)
    if lead is None:
        return ASKED
    if lead.kind == "user":
        return WANTED
    fact = next((one for one in state.facts if one.fact_id == lead.fact_id), None)
    citation = fact.citation if fact else None
    seen = next((one.title for one in state.seen if one.chunk_id == lead.chunk_id), "")
    place = lead.named_in or (citation.title if citation else "") or seen
    if not place:
        missing = lead.kind == "expected-info"
        return Note("lead-missing", {"lead": lead.text}) if missing else Note(FREE, {"text": lead.text})
    named: dict[str, Parameter] = {"lead": lead.text, "place": place}
    if lead.kind in {"next-source", "expected-info"}:
        return Note("lead-called-for", named)
    words = _words_about(lead.text, citation.quote) if citation else ""
    return Note("lead-named-for", {**named, "quote": words}) if words else Note("lead-named-in", named)


def _words_about(name: str, quote: str) -> str:
    """Return the words of a source in which a lead is named; "" where it has more words than are shown."""
    said = render(quote).line
    label = name.partition(" (")[0]
    return said if label.casefold() in said.casefold() and len(said) <= WORDS_CHARS else ""
