"""A walk taken up again: what it rested on may be gone, or may have changed since."""

from __future__ import annotations

from rove.answer.cite import check
from rove.records.walk import FactDropped, LeadDropped, WalkEvent
from rove.walk import Gear
from rove.walk.state import State

GONE = "the document that it rests on is gone"
CHANGED = "its source does not say so any more"
BEREFT = "the fact that named it was dropped"


async def revisited(state: State, gear: Gear) -> list[WalkEvent]:
    """Return what has to be dropped: facts whose words do not stand in their source any more, and leads of such."""
    found: list[WalkEvent] = []
    lost: set[str] = set()
    live = await gear.means.store.find([fact.citation.chunk_id for fact in state.facts if fact.citation])
    for fact in state.facts:
        citation = fact.citation
        if citation is None:
            continue
        text = await gear.text_of(citation.document_id)
        if check(citation, text) and citation.chunk_id in live:
            continue
        lost.add(fact.fact_id)
        found.append(FactDropped(fact.fact_id, state.round, CHANGED if text else GONE))
    found += [LeadDropped(one.lead_id, state.round, BEREFT) for one in state.open_leads if one.fact_id in lost]
    return found
