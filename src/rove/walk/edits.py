"""Edits by a user, made ready: ids given, and citations kept only where they still hold what is said."""

from __future__ import annotations

from dataclasses import replace

from rove.answer.cite import support
from rove.errors import InputError
from rove.records.walk_events import Edit, Fact, Lead
from rove.walk.leads import fact_id, lead_id
from rove.walk.state import State


def settled(edit: Edit, state: State) -> Edit:
    """Return the edit as it is kept.

    Raises:
        InputError: it drops what is not there, or says nothing in a fact, a lead or the question.
    """
    known = {fact.fact_id for fact in state.facts} | {lead.lead_id for lead in state.leads}
    unknown = [name for name in edit.dropped if name not in known]
    if unknown:
        message = f"The walk has no fact or lead {', '.join(map(repr, unknown))}."
        raise InputError(message, cure="Name those that it has: rove walks show ID")
    said = [edit.question, *(fact.text for fact in edit.facts), *(lead.text for lead in edit.leads)]
    if any(text is not None and not text.strip() for text in said):
        message = "The edit holds a blank question, fact or lead."
        raise InputError(message, cure="Say something, or drop it by its id.")
    return replace(
        edit,
        facts=tuple(_fact_from_edit(fact, state) for fact in edit.facts),
        leads=tuple(_lead_from_edit(lead, state) for lead in edit.leads),
    )


def _fact_from_edit(fact: Fact, state: State) -> Fact:
    """What the user says needs no source; a source is shown only where it holds what is said now."""
    before = next((one for one in state.facts if one.fact_id == fact.fact_id), None)
    citation = before.citation if before else None
    if before and citation and fact.text != before.text:
        holds = support(fact.text, citation.quote, state.language, context=citation.title) is not None
        citation = citation if holds else None
    origin = before.origin if before and fact.text == before.text else "user"
    identity = fact.fact_id or fact_id(fact.text)
    return replace(fact, fact_id=identity, citation=citation, origin=origin, round=max(state.round, 1))


def _lead_from_edit(lead: Lead, state: State) -> Lead:
    identity = lead.lead_id or lead_id(lead.text, lead.document_id, lead.span)
    return replace(lead, lead_id=identity, kind="user", round=max(state.round, 1), score=1.0)
