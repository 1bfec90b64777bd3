"""Erasing a document erases it from walks too: what was said of it there, and what models wrote with it before them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import msgspec

from rove.errors import InputError
from rove.records import Answer, Citation
from rove.records.walk_events import (
    Answered,
    ChunkSeen,
    Edited,
    Erased,
    Fact,
    FactFound,
    FactRejected,
    Judged,
    Lead,
    LeadDropped,
    LeadFollowed,
    LeadFound,
    WalkEvent,
    Warned,
)
from rove.store.walk_log import WalkLog
from rove.walk import EXTRACTIVE
from rove.walk.json_format import from_line, to_line

UNREADABLE = Erased("Unreadable")
"""What stands in place of an event that is damaged: it may hold anything."""


def erase_from_walks(walks: WalkLog, document_ids: Collection[str]) -> int:
    """Put `Erased` in the place of what rests on these documents; returns in how many walks. Blocks."""
    needles = [msgspec.json.encode(document_id).decode() for document_id in document_ids]
    touched = walks.resting_on(needles)
    for walk_id in touched:
        lines = walks.events(walk_id)
        events = [_read_walk_event(line) for line in lines]
        after = scrubbed([event or UNREADABLE for event in events], document_ids)
        changed = {seq: to_line(new) for seq, (old, new) in enumerate(zip(events, after, strict=True), 1) if new != old}
        walks.rewrite(walk_id, changed)
    return len(touched)


def _read_walk_event(line: str) -> WalkEvent | None:
    """Read an event back; None where it is damaged."""
    try:
        return from_line(line)
    except InputError:
        return None


def scrubbed(events: Sequence[WalkEvent], document_ids: Collection[str]) -> list[WalkEvent]:
    """Return the events of a walk that has seen these documents, as many as before, without a word of theirs.

    Facts, leads and sources of theirs go; of what models wrote, which may hold anything that they were shown, all that
    cites nothing goes too. What the user asked stays.
    """
    chunks = {e.chunk_id for e in events if isinstance(e, ChunkSeen) and e.document_id in document_ids}
    facts = {e.fact.fact_id for e in events if isinstance(e, FactFound) and _rests(e.fact.citation, document_ids)}
    found = [event.lead for event in events if isinstance(event, LeadFound)]
    leads = {lead.lead_id for lead in found if _leads_from(lead, document_ids, chunks, facts)}
    return [_scrub_walk_event(event, document_ids, chunks, facts, leads) for event in events]


def _scrub_walk_event(
    event: WalkEvent, documents: Collection[str], chunks: set[str], facts: set[str], leads: set[str]
) -> WalkEvent:
    gone = Erased(type(event).__name__)
    match event:
        case ChunkSeen():
            return gone if event.document_id in documents else event
        case FactFound(fact):
            return gone if fact.fact_id in facts else event
        case FactRejected() | Warned():
            return gone
        case LeadFound(lead):
            return gone if _leads_from(lead, documents, chunks, facts) else event
        case LeadFollowed() | LeadDropped():  # the reason may quote what named it
            return replace(event, reason="", notes=()) if event.lead_id in leads else event
        case Judged():
            return event if event.by == EXTRACTIVE else replace(event, reason="", missing="", notes=())
        case Edited(edit):
            return Edited(replace(edit, facts=tuple(_drop_erased_citation(fact, documents) for fact in edit.facts)))
        case Answered(answer):
            return gone if _answers_from(answer, documents) else event
        case _:
            return event


def _leads_from(lead: Lead, documents: Collection[str], chunks: set[str], facts: set[str]) -> bool:
    unfounded = lead.kind != "user" and not lead.fact_id and not lead.chunk_id
    return lead.document_id in documents or lead.chunk_id in chunks or lead.fact_id in facts or unfounded


def _answers_from(answer: Answer, documents: Collection[str]) -> bool:
    """Say whether an answer may hold words of these documents: a sentence that no source says may hold anything."""
    if not all(sentence.held for sentence in answer.sentences):
        return True
    cited = {citation.document_id for citation in answer.citations} | {hit.chunk.document_id for hit in answer.hits}
    return bool(cited & set(documents)) or any(_rests(step.citation, documents) for step in answer.path)


def _rests(citation: Citation | None, documents: Collection[str]) -> bool:
    return citation is not None and citation.document_id in documents


def _drop_erased_citation(fact: Fact, documents: Collection[str]) -> Fact:
    """Keep what the user wrote, without the source."""
    return replace(fact, citation=None) if _rests(fact.citation, documents) else fact
