"""Leads: how they are named, and how promising they are."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from rove.language.folding import fold_words
from rove.records import content_hash
from rove.records.document import Span
from rove.records.walk_events import Fact, Lead, LeadKind
from rove.walk import PriorWalks
from rove.walk.state import State

WEIGHTS: dict[LeadKind, float] = {
    "user": 1.0,
    "next-source": 1.0,
    "expected-info": 0.9,
    "footnote": 0.8,
    "reference": 0.8,
    "section": 0.8,
    "page": 0.7,
    "link": 0.7,
    "name": 0.7,
    "memory": 0.8,
}
"""What a lead of a kind is worth where all else is the same: those that a model or an author names over mere names."""
ID_CHARS = 12
MOST_NEW = 12  # leads that one reading may add


def fact_id(text: str, document_id: str = "", span: Span = (0, 0)) -> str:
    """Return the id of a fact: the same words from the same place are the same fact."""
    return content_hash("fact", fold_words(text), document_id, f"{span[0]}:{span[1]}")[:ID_CHARS]


def lead_id(text: str, document_id: str = "", span: Span | None = None) -> str:
    """Return the id of a lead: the same place, or else the same words, are the same lead, whatever its kind.

    >>> lead_id("Ada Byron") == lead_id(" ada  BYRON.")
    True
    """
    if document_id:
        return content_hash("place", document_id, repr(span))[:ID_CHARS]
    return content_hash("lead", fold_words(text))[:ID_CHARS]


def lead_to(text: str, kind: LeadKind, number: int, *, promise: float, fact: Fact | None = None) -> Lead:
    """Make a lead that a fact, if any, gives in round `number`.

    score = weight of the kind · (0.5 + 0.5 · relevance of the fact) · promise
    """
    relevance = fact.relevance if fact else 0.5
    chunk_id = fact.citation.chunk_id if fact and fact.citation else ""
    score = WEIGHTS[kind] * (0.5 + 0.5 * relevance) * promise
    return Lead(lead_id(text), text, kind, number, fact.fact_id if fact else "", chunk_id, score=round(score, 4))


def leads_of(fact: Fact) -> list[Lead]:
    """Return what a fact says of where to look next (mission D.1)."""
    told: tuple[tuple[str, LeadKind], ...] = (
        (fact.next_source, "next-source"),
        (fact.expected_info, "expected-info"),
    )
    return [lead_to(text, kind, fact.round, promise=1.0, fact=fact) for text, kind in told if fold_words(text)]


def new_leads(found: Iterable[Lead], state: State, taken: Collection[str], memory: PriorWalks | None) -> list[Lead]:
    """Return those leads that are new, the most promising first, at most `MOST_NEW`; memory has its say on each.

    A name that stands in what a lead to a known place is called is no other lead, nor is the place of a name that is
    still to be looked for: one target, one lead.
    """
    found = list(found)
    placed = [f" {fold_words(lead.text)} " for lead in (*state.leads, *found) if lead.document_id]
    open_leads = (lead for lead in (*state.leads, *found) if lead.lead_id not in state.followed)
    sought = {fold_words(lead.text) for lead in open_leads if not lead.document_id}
    known = {lead.lead_id for lead in state.leads} | {*taken, lead_id(state.question), *state.dropped}
    fresh: dict[str, Lead] = {}
    for lead in found:
        if lead.kind == "name" and any(f" {fold_words(lead.text)} " in one for one in placed):
            continue
        if (
            lead.lead_id not in known
            and fold_words(lead.text)
            and not (lead.document_id and fold_words(lead.text) in sought)
        ):
            score = min(lead.score * memory.prior(lead), 1.0) if memory else lead.score
            fresh.setdefault(lead.lead_id, replace(lead, score=round(score, 4)))
    return sorted(fresh.values(), key=lambda lead: -lead.score)[:MOST_NEW]
