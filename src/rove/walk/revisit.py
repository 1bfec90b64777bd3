"""A walk taken up again: what it rested on may be gone, or may have changed since."""

from __future__ import annotations

import asyncio

from rove.answer.cite import check_citation
from rove.records import Note
from rove.records.walk_events import FactDropped, LeadDropped, WalkEvent
from rove.walk import WalkContext, why
from rove.walk.json_format import filter_of
from rove.walk.state import State


async def revisited(state: State, context: WalkContext) -> list[WalkEvent]:
    """Return what has to be dropped: facts whose words do not stand in their source any more, and leads of such.

    A source that the walk's filter does not let through any more is as good as gone.
    """
    found: list[WalkEvent] = []
    lost: set[str] = set()
    store, where = context.search_context.store, filter_of(state.where)
    citations = [fact.citation for fact in state.facts if fact.citation]
    live = set(await store.find([citation.chunk_id for citation in citations]))
    documents = {citation.document_id for citation in citations}
    if where is not None:
        passing = await asyncio.to_thread(store.documents.passing, sorted(documents), where)
        live, documents = live & passing.keys(), set(passing.values())
    texts = await asyncio.to_thread(store.documents.texts, documents)
    for fact in state.facts:
        citation = fact.citation
        if citation is None:
            continue
        text = texts.get(citation.document_id, "")
        if check_citation(citation, text) and citation.chunk_id in live:
            continue
        lost.add(fact.fact_id)
        note = Note("source-changed" if text else "document-gone")
        found.append(FactDropped(fact.fact_id, state.round, *why(state.language, note)))
    bereft = why(state.language, Note("naming-fact-dropped"))
    found += [LeadDropped(one.lead_id, state.round, *bereft) for one in state.open_leads if one.fact_id in lost]
    return found
