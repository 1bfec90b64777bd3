"""The way to the facts of a walk: round, lead, source, fact."""

from __future__ import annotations

from collections.abc import Iterable

from rove.records import PathStep
from rove.records.walk_events import ChunkSeen, Fact, Lead


def path_of(facts: Iterable[Fact], leads: Iterable[Lead], seen: Iterable[ChunkSeen]) -> tuple[PathStep, ...]:
    """Return a step for each fact, in their order: which lead led to the chunk that it comes from."""
    by_id = {lead.lead_id: lead for lead in leads}
    led_by = {one.chunk_id: one.lead_id for one in reversed(tuple(seen))}
    return tuple(_path_step(fact, by_id, led_by) for fact in facts)


def _path_step(fact: Fact, leads: dict[str, Lead], led_by: dict[str, str]) -> PathStep:
    led = fact.lead_id or (led_by.get(fact.citation.chunk_id, "") if fact.citation else "")
    lead = leads.get(led)
    number = 0 if fact.origin == "memory" else fact.round
    if lead is None or not number:
        return PathStep(fact.fact_id, fact.text, number, citation=fact.citation)
    return PathStep(fact.fact_id, fact.text, number, lead.text, lead.kind, lead.fact_id, fact.citation)
