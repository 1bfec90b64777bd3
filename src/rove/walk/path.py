"""The way to the facts of a walk, read from its events: round, lead, source, fact."""

from __future__ import annotations

from collections.abc import Iterable

from rove.records import Step
from rove.records.walk import ChunkSeen, Edited, Fact, FactFound, Lead, LeadFound, WalkEvent


def path_of(events: Iterable[WalkEvent]) -> tuple[Step, ...]:
    """Return a step for each fact that was found, in the order in which they were; a dropped fact has none."""
    leads: dict[str, Lead] = {}
    led_by: dict[str, str] = {}
    facts: dict[str, Fact] = {}
    for event in events:
        match event:
            case LeadFound(lead=lead):
                leads[lead.lead_id] = lead
            case ChunkSeen(chunk_id=chunk_id, lead_id=lead_id):
                led_by.setdefault(chunk_id, lead_id)
            case FactFound(fact=fact):
                facts[fact.fact_id] = fact
            case Edited(edit=edit):
                leads |= {lead.lead_id: lead for lead in edit.leads}
                facts |= {fact.fact_id: fact for fact in edit.facts}
                facts = {name: fact for name, fact in facts.items() if name not in edit.dropped}
            case _:
                pass
    return tuple(_step(fact, leads, led_by) for fact in facts.values())


def _step(fact: Fact, leads: dict[str, Lead], led_by: dict[str, str]) -> Step:
    lead = leads.get(led_by.get(fact.citation.chunk_id, "")) if fact.citation else None
    step = Step(fact.fact_id, fact.text, 0 if fact.origin == "memory" else fact.round, citation=fact.citation)
    if lead is None:
        return step
    return Step(fact.fact_id, fact.text, step.round, lead.text, lead.kind, lead.fact_id, fact.citation)
